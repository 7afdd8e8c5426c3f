// SPDX-License-Identifier: Apache-2.0
// Load/store unit: the sub-cores' memory queues, the address units, and the SM-wide stage that takes one
// instruction at a time, looks tags up (L1) and moves data (L1 and shared memory). README.md in this folder
// says what is modelled and what is not.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "arch/noc/cluster_link.h"
#include "arch/noc/config.h"
#include "arch/policy/interface.h"
#include "arch/sm/atomic_records.h"
#include "arch/sm/config.h"
#include "arch/sm/constant_unit.h"
#include "arch/sm/copy_traffic.h"
#include "arch/sm/data_stage.h"
#include "arch/sm/event_queue.h"
#include "arch/sm/fence_unit.h"
#include "arch/sm/fenced_memory.h"
#include "arch/sm/grid_context.h"
#include "arch/sm/l1_cache.h"
#include "arch/sm/memory_queues.h"
#include "arch/sm/messages.h"
#include "arch/sm/ordering_pass.h"
#include "arch/sm/stats.h"
#include "arch/sm/warp_writes.h"
#include "arch/sm/write_buffer.h"

namespace gpuloom::arch {

// What the load/store unit tells, and asks, the rest of the SM.
class MemoryClients {
 public:
  virtual ~MemoryClients() = default;
  // The sub-core's queue has a free place.
  virtual void queue_freed(unsigned sub_core, Cycle now) = 0;
  // The last of what the warp must outlive has its place on the port (WarpWrites::sent_at).
  virtual void all_sent(unsigned warp, Cycle now) = 0;
  // The bytes of a cp.async copy have come to the data stage; a line of a bulk copy has arrived.
  virtual void copy_here(uint32_t copy, Cycle now) = 0;
  virtual void bulk_line_here(uint32_t bulk, Cycle now) = 0;
  // What took effect at the memory partition has been answered.
  virtual void late_answered(const ptx::DeferredAtomic& access, Cycle now) = 0;
  // The ports of another SM of the warp's cluster.
  virtual ClusterLink& link_of(unsigned warp, unsigned rank) = 0;
  // Schedulers: whether any asks for such events (policy::kL1Accesses, ...), and the events.
  virtual bool hears(uint32_t events) const = 0;
  virtual void accessed(unsigned warp, policy::L1Access access) = 0;
  virtual void evicted(uint64_t line, Cycle now) = 0;
};

// What the unit may ask of the rest of the SM.
struct LsuPorts {
  EventQueue& events;
  SmStats& stats;
  const CountTables& counts;
  std::vector<OutMessage>& outbox;
  std::vector<ResidentGrid>& grids;
  WarpWritesTable& writes;
  AtomicRecords& atomics;
  MemoryQueues& queues;
  FenceUnit& fences;
  ConstantUnit& constants;
  const std::unique_ptr<ClusterLink>& link;  // of an SM that has had clusters
  MemoryClients& clients;
};

class Lsu final : public CopyTraffic, public FencedMemory {
 public:
  Lsu(const SmConfig& config, const NocConfig& noc, unsigned sm, const LsuPorts& ports);
  void start_kernel(uint32_t l1_bytes);

  // Does what can be done in this cycle.
  void tick(Cycle now);
  // Earliest cycle of interest; kNever: nothing until something arrives.
  Cycle next() const { return std::min(next_, ports_.queues.next()); }
  void filled(uint32_t request, Cycle now);                    // answer of a line request
  void atomic_answered(uint32_t record, bool far, Cycle now);  // far: by L2's other side
  void released(uint32_t delayed, Cycle now);                  // an access has waited for its release fence
  // L2 has taken a write, or answered an atomic.
  void write_passed(uint32_t sectors) {
    writes_out_ -= sectors;
    if (blocked_ || !writes_.empty() || !ordered_.empty()) next_ = 0;
  }
  void bulk_write_answered(uint32_t sectors) { bulk_writes_out_ -= sectors; }
  // Forgets all lines: what other SMs wrote has to be seen.
  void forget_l1() { l1_.forget(); }
  bool idle() const {
    return ports_.queues.empty() && loads_used_ == 0 && writes_.empty() && ordered_.empty();
  }

  // --- For copies
  uint32_t begin_bulk_load(uint16_t warp, uint8_t grid, uint32_t bulk) override;
  void end_bulk_load(uint32_t load) override { free_load(load); }
  void request_bulk_line(uint32_t load, uint64_t line, uint8_t sectors, Cycle at) override {
    request_line(load, line, sectors, at, nullptr);
  }
  Cycle write_line(sim::RequestOp op, uint64_t line, uint8_t sectors, uint16_t bytes, unsigned grid,
                   Cycle at) override;
  Cycle prefetch_line(uint64_t line, uint8_t sectors, const L2Hint& hint, Cycle at) override;
  Cycle next_write(Cycle now) const override;
  bool bulk_writes_full() const override { return bulk_writes_out_ >= config_.tma.writes; }
  Cycle write_shared(unsigned passes, unsigned more, Cycle now) override;

  // --- For fences and barriers
  void fence() override { forget_l1(); }
  // Block barriers that end in the same few cycles share a pass, and so do block fences while one's pass is
  // under way.
  void barrier_pass(Cycle now) {
    if (!barrier_pass_.joins(now, kBarriersTogether)) ordering_pass(now);
  }
  void fence_pass(Cycle at, Cycle now) override {
    if (!fence_pass_.joins(at, config_.shared.ordering_pass)) ordering_pass(now);
  }

 private:
  static constexpr uint32_t kNil = UINT32_MAX;
  // A load that waits for lines.
  struct Load {
    uint16_t warp = 0, remaining = 0, tail = 0;
    uint16_t passes = 0;  // cycles of the data stage that it has still to take
    uint16_t extra = 0;   // what its last pass takes longer than a word's
    uint8_t scoreboard = ptx::kNoScoreboard, grid = 0;
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

  bool drain_input(Cycle now);
  bool way_is_free(const MemoryOp& op, Cycle now);
  void operands_read(const MemoryOp& op, Cycle now);
  bool pass_shared(Cycle now);
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
  Cycle passed(unsigned warp, Cycle start, unsigned passes, unsigned extra);
  bool accept_store(const MemoryOp& op, Cycle now);
  void accept_prefetch(const MemoryOp& op, Cycle now);
  void accept_atomic(const MemoryOp& op, Cycle now);
  static sim::RequestOp asks_l2(const MemoryOp& op, const AtomicRecord& r);
  static void applies(OutMessage& m, AtomicRecord& r);
  Cycle send_combined(const MemoryOp& op, AtomicRecord& r, Cycle at);
  // So long can later stores join the lines of the store.
  Cycle join_time(const MemoryOp& op) const {
    return config_.l1.join_base + Cycle{config_.l1.join_cycles} * op.lines.lines;
  }
  Cycle write_due() const { return std::min(writes_.due(), ordered_.due()); }
  bool write_line_of(const MemoryOp& op, const LineAccess& access, Cycle at);
  void send_writes(Cycle now);
  void store_sent(unsigned warp, Cycle at, Cycle now);
  // A pass that orders, of a barrier or fence: it waits for no access, and holds up those that come.
  void ordering_pass(Cycle now) {
    ports_.stats.shared_pass(1);
    data_.take(now, config_.shared.ordering_pass);
  }
  static void asked_by(sim::MemoryRequest& request, const MemoryOp& op) {
    request.pc = op.source;
    request.warp = op.warp;
  }
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
  void request_line(uint32_t load, uint64_t line, uint8_t sectors, Cycle at, const MemoryOp* op);
  uint32_t new_load(uint16_t warp, uint8_t grid);
  void free_load(uint32_t load);
  void wait_for(uint32_t request, uint32_t load);
  void request_over(Cycle now) {
    --requests_used_;
    if (blocked_) next_ = std::min(next_, now);
  }
  uint32_t new_request(uint64_t line, uint8_t sectors, int32_t entry);
  void line_here(Load& load, uint32_t index, Cycle now);
  void line_through(const DataStage::Turn& turn, Cycle start, Cycle now);
  void finish(Load& load, uint32_t index, Cycle at, Cycle now);
  void release_operands(const MemoryOp& op, Cycle at);
  uint32_t port_time(const sim::MemoryRequest& request) const;
  Cycle send(OutMessage& message, Cycle at) { return send(message, at, port_time(message.request)); }
  Cycle send(OutMessage& message, Cycle at, uint32_t port);

  const SmConfig& config_;
  const NocConfig& noc_;
  LsuPorts ports_;
  uint16_t sm_number_;
  unsigned pass_time_;  // cycles that the data stage takes for a pass of a global access
  Cycle next_ = kNever;
  Cycle tag_free_ = 0, port_free_ = 0;
  DataStage data_;
  bool theirs_first_ = false;  // at the last meeting with a write from another SM of the cluster
  Cycle fills_until_ = 0;      // lines that take the place of others are written until then
  Cycle port_fine_ = 0;        // in 16ths of a cycle
  Cycle unit_free_[kPipes] = {};
  bool blocked_ = false;  // the head needs something that only an answer brings
  L1Cache l1_;
  bool tells_accesses_ = false, tells_evictions_ = false;  // a scheduler asks for them
  std::vector<MemoryOp> delayed_;                          // wait for their release fence
  std::vector<Cycle> held_until_;                          // by warp: its last delayed access goes then
  std::vector<Cycle> passes_end_;  // by warp: its last access to shared memory or the L1 is through then
  std::vector<uint32_t> free_delayed_;
  std::vector<Load> loads_;
  std::vector<LineRequest> requests_;
  std::vector<Waiter> waiters_;
  uint32_t free_load_ = kNil, free_request_ = kNil, free_waiter_ = kNil;
  uint32_t loads_used_ = 0, requests_used_ = 0;
  WriteBuffer writes_, ordered_;  // ordered_: what takes effect at L2
  uint32_t writes_out_ = 0;  // sectors of stores that L2 has not taken, of atomics that it has not answered
  uint32_t bulk_writes_out_ = 0;  // the same of bulk copies
  // H200 (probes/passes): 1 to 14 % of the barriers of two to four blocks that never wait for each other;
  // estimated: what a coincidence in so many cycles gives.
  static constexpr Cycle kBarriersTogether = 2;
  OrderingPass barrier_pass_, fence_pass_;
};

}  // namespace gpuloom::arch
