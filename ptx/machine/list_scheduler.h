// SPDX-License-Identifier: Apache-2.0
// List scheduling of one block (Gibbons & Muchnick, PLDI 1986), upwards and downwards, under limits of
// registers and with seven predicates. For the scheduler alone (schedule.h), which chooses between the
// orders.
#pragma once
#include <cstdint>
#include <vector>

#include "ptx/ir/predicates.h"
#include "ptx/machine/block_edges.h"
#include "ptx/machine/pressure.h"
#include "ptx/machine/ready_queue.h"
#include "ptx/machine/result_lines.h"
#include "ptx/machine/unit_intervals.h"

namespace gpuloom::ptx {

// Limits that give the same order as the one that it was made with: none that was kept to would have been
// broken, and no operation that was held back would have gone first.
struct SameFor {
  uint32_t from = 0, to = UINT32_MAX;
  bool has(uint32_t limit) const { return limit >= from && limit <= to; }
  void at_least(uint32_t limit) { from = from > limit ? from : limit; }
  void at_most(uint32_t limit) { to = to < limit ? to : limit; }
};

// An order of a block, and what lives in it.
struct Order {
  std::vector<uint32_t> nodes;
  uint32_t peak = 0;
  uint32_t predicates = 0;  // the most that live in it
  uint32_t cycles = 0;      // of one warp, if loads take what they take at least
  SameFor limits, load_limits;
  bool complete = true;  // not given up when `peak` or `cycles` were too much already
};

// An order of no use: with so many registers, or so long, the rest of it is not looked for.
struct Useless {
  uint32_t peak = UINT32_MAX, cycles = UINT32_MAX;
  bool is(const Order& order) const { return order.peak >= peak || order.cycles >= cycles; }
};

// What comes next upwards where nothing keeps to the limit.
enum class Stuck : uint8_t {
  kLeast,    // what adds least
  kSource,   // the source order goes on from its end: what has been begun is finished before more is begun
  kDeep,     // the same of an order that makes what a value needs right in front of it
  kThrifty,  // the same, but for what takes no further register, which comes at once
};

// How an order treats predicates.
enum class Predicates : uint8_t {
  kMany,         // as many as it asks for
  kSeven,        // as many as there are, if it can be
  kAsRegisters,  // the same, and each counts as a register, since what it comes of takes one
};

class ListScheduler {
 public:
  // `queue` may be shared by blocks that are not put in order at the same time.
  ListScheduler(const Graph& g, uint32_t block, const std::vector<Node>& nodes, const VirtualLiveness& live,
                ReadyQueue& queue);

  Order upwards(uint32_t limit, Stuck stuck, Useless useless);
  // `load_limit`: where loads stop.
  Order downwards(uint32_t limit, uint32_t load_limit, Useless useless);
  Order as_written();
  // Of few registers before all: no more than `limit` where that can be done.
  Order thrifty(uint32_t limit);
  // Registers along the thrifty line.
  uint32_t least() { return in_order(line_of(Stuck::kThrifty)).peak; }
  void mind(Predicates predicates) { predicates_ = predicates; }
  // By so much a limit may be greater.
  uint32_t slack() const { return predicates_ == Predicates::kAsRegisters ? kPredicateRegisters : 0; }
  // Cycles of a warp, with loads that take as long as upwards.
  uint32_t length(const std::vector<uint32_t>& nodes) const;

 private:
  void find_depths();
  void rank();
  const std::vector<uint32_t>& line_of(Stuck stuck);  // kDeep, kThrifty
  std::vector<uint32_t> thriftiest_line();
  Order in_order(const std::vector<uint32_t>& nodes);
  using Change = Need (Pressure::*)(uint32_t) const;  // upwards or downwards
  void restart_queue(const std::vector<uint32_t>& rank, Change change, const std::vector<uint32_t>* line);
  void offer(uint32_t node, uint32_t ready_at);
  void take_from_queue(uint32_t node);
  void look_again();
  uint32_t instead_of(uint32_t best) const;
  bool finds_predicates(const Need& change) const;
  // What counts against the limit.
  int held(const Need& need) const {
    return need.registers + (predicates_ == Predicates::kAsRegisters ? need.predicates : 0);
  }
  uint32_t held_now() const {
    return pressure_.now() + (predicates_ == Predicates::kAsRegisters ? pressure_.predicates() : 0);
  }
  int adds(uint32_t node) const { return held((pressure_.*change_)(node)); }
  uint32_t pick_above(const Busy& busy, uint32_t time, uint32_t limit, Stuck stuck, Order& order) const;
  uint32_t pick(const Busy& busy, uint32_t time, uint32_t limit, uint32_t load_limit, Order& order) const;
  uint32_t pick_fitting(int room, int load_room, Order& order) const;
  uint32_t not_a_filler(uint32_t barrier) const;
  void issue(uint32_t node, Order& order);
  Order given_up(Order& order) const;

  const std::vector<Node>& nodes_;
  BlockEdges edges_;
  Pressure pressure_;
  Predicates predicates_ = Predicates::kMany;
  ReadyQueue& queue_;
  // What is ready and reads or writes predicates, in the queue or not; nothing with kMany.
  struct Asking {
    uint32_t node, ready_at;
  };
  std::vector<Asking> asking_;
  Change change_ = &Pressure::change;
  const std::vector<uint32_t>* rank_ = nullptr;
  uint32_t waits_for_predicate_ = kNoNode;         // the most urgent one that waits beside the queue
  std::vector<uint32_t> height_;                   // cycles to the block's end
  std::vector<uint32_t> size_;                     // registers of its results
  std::vector<uint32_t> below_;                    // operations that must come later
  std::vector<uint32_t> depth_;                    // cycles from its begin
  Edges before_;                                   // edges_.after, turned round
  std::vector<uint32_t> rank_above_, rank_below_;  // upwards; downwards
  UnitIntervals units_;
  std::vector<uint32_t> deep_line_, thrifty_line_;  // once they have been asked for
};

}  // namespace gpuloom::ptx
