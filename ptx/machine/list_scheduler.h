// SPDX-License-Identifier: Apache-2.0
// List scheduling of one block (Gibbons & Muchnick, PLDI 1986), upwards and downwards, under limits of
// registers. For the scheduler alone (schedule.h), which chooses between the orders.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "ptx/machine/block_edges.h"
#include "ptx/machine/pressure.h"
#include "ptx/machine/ready_queue.h"

namespace gpuloom::ptx {

// Limits that give the same order as the one that it was made with: none that was kept to would have been
// broken, and no operation that was held back would have gone first.
struct SameFor {
  uint32_t from = 0, to = UINT32_MAX;
  bool has(uint32_t limit) const { return limit >= from && limit <= to; }
  void at_least(uint32_t limit) { from = from > limit ? from : limit; }
  void at_most(uint32_t limit) { to = to < limit ? to : limit; }
};

// An order of a block and the most registers that live in it.
struct Order {
  std::vector<uint32_t> nodes;
  uint32_t peak = 0;
  uint32_t cycles = 0;  // of one warp, if loads take what they take at least
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
  kLeast,   // what adds least
  kSource,  // the source order goes on from its end: what has been begun is finished before more is begun
  kDeep,    // the same of an order that makes what a value needs right in front of it
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
  // Cycles of a warp, with loads that take as long as upwards.
  uint32_t length(const Order& order) const;

 private:
  void find_depths();
  void rank();
  void find_deep_line();
  void restart_queue(const std::vector<uint32_t>& rank, std::vector<uint32_t>& waiting);
  // Until when a unit may not be asked again.
  struct Busy {
    uint32_t alu = 0, matrix = 0;
  };
  unsigned fillers(uint32_t node, const Busy& busy, uint32_t now) const;
  uint32_t when_free(uint32_t node, const Busy& busy) const;
  void take(uint32_t node, uint32_t now, Busy& busy) const;
  uint32_t pick_above(const Busy& busy, uint32_t time, uint32_t limit, Stuck stuck, Order& order) const;
  uint32_t pick(const Busy& busy, uint32_t time, uint32_t limit, uint32_t load_limit, Order& order) const;
  uint32_t pick_fitting(int room, int load_room, Order& order) const;
  uint32_t not_a_filler(uint32_t barrier) const;
  void issue(uint32_t node, Order& order);
  Order given_up(Order& order) const;

  const std::vector<Node>& nodes_;
  BlockEdges edges_;
  Pressure pressure_;
  ReadyQueue& queue_;
  std::vector<uint32_t> height_;                                    // cycles to the block's end
  std::vector<uint32_t> below_;                                     // operations that must come later
  std::vector<uint32_t> depth_;                                     // cycles from its begin
  std::vector<std::vector<std::pair<uint32_t, uint32_t>>> before_;  // edges_.after, turned round
  std::vector<uint16_t> alu_interval_;                              // of those that run on the ALU
  std::vector<uint16_t> matrix_interval_;                           // of those that run on the tensor cores
  std::vector<ReadyQueue::Kind> kind_;
  std::vector<uint32_t> rank_above_, rank_below_;  // upwards; downwards
  std::vector<uint32_t> deep_line_;                // for Stuck::kDeep, once it has been asked for
};

}  // namespace gpuloom::ptx
