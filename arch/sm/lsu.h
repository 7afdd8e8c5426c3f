// SPDX-License-Identifier: Apache-2.0
// Load/store unit: the sub-cores' memory queues, the address units, and the SM-wide stage that takes one
// instruction at a time, looks tags up (L1) and moves data (L1 and shared memory). README.md in this folder
// says what is modelled and what is not.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "arch/sm/bank_rule.h"
#include "arch/sm/coalescer.h"
#include "arch/sm/config.h"
#include "arch/sm/eviction.h"
#include "arch/sm/l1_cache.h"
#include "arch/sm/messages.h"
#include "arch/sm/remote_rule.h"
#include "arch/sm/stats.h"
#include "arch/sm/write_buffer.h"
#include "ptx/exec/warp.h"
#include "ptx/machine/machine_program.h"

namespace gpuloom::arch {

class Sm;
struct OpInfo;
struct InstructionCounts;

enum class MemoryKind : uint8_t {
  kSimple,    // a fixed time in a shared unit: shuffle, predicated-off access, ...
  kConstant,  // lines: the different words that the lanes ask for
  kShared,
  kPass,          // an access that is off for all lanes, a shuffle: only takes its turn at the data stage
  kRemoteShared,  // shared memory of another block of the cluster
  kLoad,
  kStore,
  kAtomic,
  kCopy,  // cp.async
};

// An instruction in a sub-core's queue.
struct MemoryOp {
  MemoryKind kind = MemoryKind::kSimple;
  ptx::AccessOp access = ptx::AccessOp::kNone;
  Pipe pipe = Pipe::kLsu;
  uint8_t write_scoreboard = ptx::kNoScoreboard, read_scoreboard = ptx::kNoScoreboard;
  uint8_t lane_bytes = 0;
  uint8_t wavefronts = 0;  // passes of shared memory without an access there
  bool local = false, bypass_l1 = false, reduce = false, compare_swap = false;
  bool sums = false;  // an atomic that adds floating-point numbers
  L2Hint l2;
  uint16_t l2_prefetch = 0;
  bool acquire = false, release = false;  // of device scope or wider
  uint16_t warp = 0;
  uint8_t grid = 0;  // of those in the SM
  uint16_t latency = 0, interval = 1;
  BankPasses passes;
  RemotePackets remote;  // of kRemoteShared
  uint32_t source = 0;   // decoded instruction
  int32_t record = -1;   // deferred atomic or asynchronous copy
  Cycle ready = 0;       // earliest cycle at the address unit
  Coalesced lines;
};

class Lsu {
 public:
  Lsu(Sm& sm, const SmConfig& config);
  void start_kernel(uint32_t l1_bytes);

  bool full(unsigned sub_core) const { return queues_[sub_core].full(); }
  // A free place at the end of the queue; the caller fills it and calls commit.
  MemoryOp& reserve(unsigned sub_core);
  void commit(unsigned sub_core, Cycle now);

  // When the address unit of a sub-core can be through with what it has been given.
  Cycle drained(unsigned sub_core, Cycle now) const {
    const Queue& q = queues_[sub_core];
    return std::max(now, q.address_free) + Cycle{q.count} * config_.memory.address_interval;
  }

  // A fence keeps what comes behind it in its sub-core's queue for so long.
  void hold_queue(unsigned sub_core, Cycle until) {
    Queue& q = queues_[sub_core];
    q.address_free =
        std::max(q.address_free, until - std::min(until, Cycle{q.count} * config_.memory.address_interval));
  }

  // When what a warp has asked of shared memory will be through, if no other is in its way.
  Cycle passes_due(unsigned warp) const { return passes_due_[warp]; }

  // Does what can be done in this cycle.
  void tick(Cycle now);
  // Earliest cycle of interest; kNever: nothing until something arrives.
  Cycle next() const { return next_; }
  void filled(uint32_t request, Cycle now);                    // answer of a line request
  void atomic_answered(uint32_t record, bool far, Cycle now);  // far: by L2's other side
  // Sends a read of one line for the bulk copy unit; the answer goes to pending load `load`.
  uint32_t begin_load(uint16_t warp, int32_t bulk);
  void end_bulk_load(uint32_t load);
  void request_line(uint32_t load, uint64_t line, uint8_t sectors, Cycle at, const MemoryOp* op = nullptr);
  // Writes a line of a bulk copy, or adds it up; returns when its last byte has left the SM.
  Cycle write_line(sim::MemoryOp op, uint64_t line, uint8_t sectors, uint16_t bytes, unsigned grid, Cycle at);
  // L2 is to have a line; nothing comes back. Returns as write_line does.
  Cycle prefetch_line(uint64_t line, uint8_t sectors, const L2Hint& hint, Cycle at);
  Cycle next_write(Cycle now) const;  // when the bulk copy unit may do so
  // It has as many sectors on their way as may be: an answer lets it go on.
  bool bulk_writes_full() const;
  void bulk_write_answered(uint32_t sectors) { bulk_writes_out_ -= sectors; }
  // A fence: what waits for further stores goes at once, and so does what comes in the next cycles.
  void flush_writes(Cycle now);
  Cycle request_port_free() const { return port_free_; }
  // A pass that orders, of a barrier or fence: it waits for no access, and holds up those that come.
  void take_ordering_pass(Cycle now) {
    data_free_ = std::max(now, data_free_) + config_.shared.ordering_pass;
  }
  // Writes of asynchronous copies take their turn at the data stage; returns when the last is in.
  Cycle write_shared(unsigned passes, Cycle now);
  // Forgets all lines: what other SMs wrote has to be seen.
  void forget_l1() { l1_.forget(); }
  void released(uint32_t delayed, Cycle now);
  void write_answered(uint32_t sectors) {
    writes_out_ -= sectors;
    if (blocked_) next_ = 0;
  }
  bool idle() const;
  uint32_t loads_in_flight() const { return loads_used_; }

 private:
  static constexpr uint32_t kNil = UINT32_MAX;
  // Instructions in order, by their number in ops_.
  struct Queue {
    std::vector<uint32_t> ring;
    uint32_t head = 0, count = 0;
    Cycle address_free = 0;
    uint32_t front() const { return ring[head]; }
    bool full() const { return count == ring.size(); }
    void push(uint32_t op) { ring[(head + count++) % ring.size()] = op; }
    uint32_t pop() {
      const uint32_t op = ring[head];
      head = (head + 1) % static_cast<uint32_t>(ring.size());
      --count;
      return op;
    }
  };
  // A load that waits for lines.
  struct Load {
    uint16_t warp = 0, remaining = 0, tail = 0;
    uint8_t scoreboard = ptx::kNoScoreboard;
    int32_t copy = -1, bulk = -1;
    uint32_t next_free = kNil;
  };
  struct LineRequest {
    uint64_t line = 0;
    uint8_t sectors = 0;
    int32_t entry = -1;       // in L1
    Cycle sent = 0;           // it leaves the SM then
    uint32_t waiters = kNil;  // newest first
    uint32_t next_free = kNil;
  };
  struct Waiter {
    uint32_t load = 0, next = kNil;
  };

  bool arbitrate(Cycle now);
  void drain_input(Cycle now);
  bool accept(MemoryOp& op, Cycle now);
  void accept_simple(const MemoryOp& op, Cycle now);
  void accept_shared(MemoryOp& op, Cycle now);
  void accept_pass(const MemoryOp& op, Cycle now);
  void count_shared(const MemoryOp& op);
  void accept_remote(MemoryOp& op, Cycle now);
  unsigned meets(Cycle start, const BankPasses& passes);
  Cycle after_texture_stage(const MemoryOp& op, Cycle now);
  unsigned tag_stage(const MemoryOp& op) const;
  bool accept_load(const MemoryOp& op, Cycle now);
  bool accept_store(const MemoryOp& op, Cycle now);
  void accept_prefetch(const MemoryOp& op, Cycle now);
  void accept_atomic(const MemoryOp& op, Cycle now);
  bool write_line_of(const MemoryOp& op, const LineAccess& access, Cycle at);
  void send_writes(Cycle now);
  void send_oldest_write(Cycle at);
  static void asked_by(sim::MemoryRequest& request, const MemoryOp& op) {
    request.pc = op.source;
    request.warp = op.warp;
  }
  bool any_hears(uint32_t events) const;
  policy::CacheAccess l1_access(const MemoryOp& op, const LineAccess& a, policy::AccessKind kind,
                                Cycle at) const {
    return {a.line, at, op.source, sm_number_, op.warp, kind, a.sectors};
  }
  void tell_access(const MemoryOp& op, const policy::CacheAccess& access, const L1Cache::Lookup& found);
  void tell_eviction(Cycle now);  // of the last allocation
  bool join_request(int32_t entry, uint8_t missing, uint32_t waits, uint32_t load, Cycle now);
  void hold(const MemoryOp& op, Cycle now);
  void delay(const MemoryOp& op, Cycle until);
  bool can_miss(const MemoryOp& op);
  unsigned width_extra(const MemoryOp& op) const;
  unsigned return_extra(const MemoryOp& op) const;
  void count_load(const MemoryOp& op, unsigned hit);
  void count_sectors(const MemoryOp& op, unsigned hit);
  void wait_for(uint32_t request, uint32_t load);
  uint32_t new_request(uint64_t line, uint8_t sectors, int32_t entry);
  void finish(Load& load, uint32_t index, Cycle at, Cycle now);
  void release_operands(const MemoryOp& op, Cycle at);
  Cycle send(OutMessage& message, Cycle at);

  Sm& sm_;
  const SmConfig& config_;
  uint16_t sm_number_ = 0;
  unsigned pass_time_;         // cycles that the data stage takes for a pass of a global access
  std::vector<MemoryOp> ops_;  // in the queues, and one for each sub-core that is being filled
  std::vector<uint32_t> free_ops_, filling_;
  std::vector<Queue> queues_;
  Queue input_;        // in front of the tags: what the sub-cores' queues have given away
  unsigned turn_ = 0;  // sub-core that is asked first
  Cycle next_ = kNever;
  Cycle accept_free_ = 0, tag_free_ = 0, data_free_ = 0, port_free_ = 0;
  bool theirs_first_ = false;  // at the last meeting with a write from another SM of the cluster
  Cycle fills_until_ = 0;      // lines that take the place of others are written until then
  Cycle port_fine_ = 0;        // in 16ths of a cycle
  Cycle unit_free_[kPipes] = {};
  bool blocked_ = false;  // the head needs something that only an answer brings
  L1Cache l1_;
  bool tells_accesses_ = false, tells_evictions_ = false;  // a scheduler asks for them
  std::vector<MemoryOp> delayed_;                          // wait for their release fence
  std::vector<Cycle> held_until_;                          // by warp: its last delayed access goes then
  std::vector<Cycle> passes_end_;  // by warp: its last access to shared memory is through then
  std::vector<Cycle> passes_due_;  // the same of what waits in the queues
  std::vector<uint32_t> free_delayed_;
  std::vector<Load> loads_;
  std::vector<LineRequest> requests_;
  std::vector<Waiter> waiters_;
  uint32_t free_load_ = kNil, free_request_ = kNil, free_waiter_ = kNil;
  uint32_t loads_used_ = 0, requests_used_ = 0;
  WriteBuffer writes_;
  Cycle unheld_until_ = 0;        // stores of this time are not held for others: a fence waits for them
  uint32_t writes_out_ = 0;       // sectors of stores and atomics that memory has not answered
  uint32_t bulk_writes_out_ = 0;  // the same of bulk copies
};

}  // namespace gpuloom::arch
