// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies: cp.async groups of each warp, and the bulk copy unit (tensor memory accelerator),
// which cuts bulk copies into line requests. Bytes move, and mbarriers count them, when the simulated data
// arrives.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "arch/noc/config.h"
#include "arch/simulation.h"
#include "arch/sm/config.h"
#include "arch/sm/copy_groups.h"
#include "arch/sm/copy_traffic.h"
#include "arch/sm/event_queue.h"
#include "arch/sm/grid_context.h"
#include "arch/sm/recorders.h"
#include "arch/sm/stats.h"
#include "arch/types.h"
#include "ptx/exec/access.h"
#include "ptx/exec/late_accesses.h"
#include "ptx/machine/time_record.h"

namespace gpuloom::arch {

// What asynchronous copies tell, and ask, the blocks of the SM.
class CopyBlocks {
 public:
  virtual ~CopyBlocks() = default;
  // Barriers of the block, or of others of its cluster, may have been completed: who waits there goes on at
  // `at`.
  virtual void barriers_changed(unsigned cta, Cycle at, Cycle now) = 0;
  // A copy of the warp is done, or has read its sources.
  virtual void copies_changed(unsigned warp, Cycle now) = 0;
  // Cycles that warps of the block have waited for copies or at an mbarrier.
  virtual uint64_t waited(unsigned cta, Cycle now) = 0;
};

// The warp at a place of the SM.
struct CopyOwner {
  ptx::Warp* warp = nullptr;
  uint8_t cta = 0, grid = 0;  // of those in the SM
};

// What the unit may ask of the rest of the SM.
struct AsyncPorts {
  EventQueue& events;
  SmStats& stats;
  std::vector<ResidentGrid>& grids;
  ptx::LateAccesses& late;
  Recorders& recorders;
  CopyTraffic& traffic;
  CopyBlocks& blocks;
};

class AsyncUnit final : public CopyGroups {
 public:
  AsyncUnit(const SmConfig& config, const NocConfig& noc, const AsyncPorts& ports);
  void start_kernel();
  void launch(unsigned warp, const CopyOwner& owner);  // a fresh warp: no groups

  // --- cp.async: one instruction is one record, which belongs to the warp's open group.
  std::vector<ptx::AsyncOperation>* capture(unsigned warp) { return &capture_[warp]; }
  // Takes over what the warp captured. Its bytes take so many passes of the data stage when they are here,
  // and hold it for `more` cycles beside.
  int32_t begin_copy(unsigned warp, unsigned passes, unsigned more, Cycle now);
  void data_arrived(uint32_t copy, Cycle now);  // all lines are here: writes to shared memory
  void copy_done(uint32_t copy, Cycle now);     // event: the write is in
  // The warp's open group collects no more; that is known at `at`, and a wait for it does not end earlier.
  void commit(unsigned warp, Cycle at);
  void group_closed(unsigned warp, Cycle now);  // event

  // --- Waits
  void waits_for(unsigned warp, const ptx::CopyWait& wait) { warps_[warp].wait = wait; }
  bool wait_done(unsigned warp) const override;
  std::optional<uint32_t> awaited_group(unsigned warp) const override;
  bool none_on_way(unsigned warp) const override { return warps_[warp].on_way == 0; }

  // --- Bulk copies
  // Takes over what the warp captured at `now`; the unit sees it at `at`. `looped`: one copy a turn of the
  // instruction's loop over lanes, of which this is one; else all at once.
  void begin_bulk(unsigned warp, bool tensor, bool looped, Cycle now, Cycle at);
  bool next_turn(unsigned warp) const override { return !turns_[warp].empty(); }
  void forget_maps() override {
    maps_.clear();
    fetches_maps_ = true;
  }
  void commit_bulk(unsigned warp);
  // Everything else that was captured: arrivals on copies, remote stores and reductions.
  void begin_other(unsigned warp, Cycle at);
  void go_on(Cycle now);                       // event: sends the next requests
  void write_answered(Cycle now);              // memory has taken something that a copy wrote
  void late_answered(Cycle now);               // an access that took effect there has been answered
  void bulk_line(uint32_t copy, Cycle now);    // a line of it has arrived
  void finish_bulk(uint32_t copy, Cycle now);  // event
  bool idle() const { return copies_used_ == 0 && bulks_used_ == 0; }

 private:
  // Groups that are told apart; older ones count with the one so many later.
  static constexpr uint32_t kGroupRing = 64;
  struct Flight {
    Cycle begin = 0;
    uint64_t waited = 0;  // of the block's warps, when it began
    uint32_t instruction = 0, bytes = 0;
    uint32_t fill = 0;  // of the pipeline recorder
  };
  struct Copy {
    Flight flight;
    std::vector<ptx::AsyncOperation> operations;
    uint16_t warp = 0, passes = 1, more = 0;
    uint32_t group = 0;
    uint64_t sequence = 0;
    bool used = false;
  };
  struct Arrive {  // cp.async.mbarrier.arrive: waits for the copies before it
    std::vector<ptx::AsyncOperation> operations;
    uint64_t sequence = 0;
    uint32_t left = 0;
  };
  struct WarpCopies {
    CopyOwner owner;
    ptx::CopyWait wait;               // the latest
    uint16_t on_way = 0;              // copies of all kinds that the warp must outlive
    uint32_t open = 0;                // number of the group that collects
    uint32_t closed = 0;              // those before it are known to collect no more
    std::vector<uint16_t> in_flight;  // by group number modulo the ring
    struct GroupTrace {
      Cycle begin = kNever;
      uint64_t bytes = 0;
    };
    std::vector<GroupTrace> traced;  // likewise, where a trace is kept
    uint32_t total = 0;
    uint64_t sequence = 0;
    std::vector<Arrive> arrives;
    uint32_t bulk_open = 0;
    std::vector<uint16_t> bulk_reading, bulk_running;
  };
  struct Bulk {
    Flight flight;
    ptx::AsyncOperation operation;
    uint16_t warp = 0;
    uint32_t group = 0;
    uint64_t next = 0, end = 0, begin = 0;  // of global memory; tensors: of the current run
    uint32_t next_run = 0;                  // tensors: runs not begun yet
    uint32_t load = 0, left = 0;
    Cycle ready = 0;      // when it may begin: its tensor map is here
    Cycle sent = 0;       // where posted: when it has left the SM, as far as it has been sent
    bool posted = false,  // writes and prefetches: nobody waits for answers
        local_only = false, used = false,
         traffic_only = false;  // ideal: what it brings has been there since it began
  };

  // True if at most `newest` of the committed groups are still on their way.
  static bool groups_done(const WarpCopies& w, uint32_t newest);
  static bool bulk_done(const WarpCopies& w, uint32_t newest, bool reading_only);
  Recorder* recorder() const { return ports_.recorders.states.get(); }
  PipelineRecorder* pipeline() const { return ports_.recorders.pipeline.get(); }
  Cycle to_other_sm() const { return noc_.cluster_latency / 2; }
  void run(unsigned warp, std::vector<ptx::AsyncOperation>& operations, Cycle now);
  void complete(unsigned warp, const ptx::AsyncOperation& operation, Cycle now);
  void after_completion(unsigned warp, Cycle now);
  Flight begin_flight(unsigned warp, uint32_t instruction, uint32_t bytes, Cycle now);
  void record_fill(unsigned warp, const std::vector<ptx::AsyncOperation>& copies, traces::CopyKind kind,
                   Flight& flight, Cycle now);
  void end_flight(unsigned warp, const Flight& flight, traces::CopyKind kind, Cycle now);
  void trace_group(WarpCopies& w, unsigned warp, uint32_t group, Cycle now);
  uint32_t new_bulk();
  Cycle map_ready(uint64_t address, Cycle now);
  bool follows_late(const Bulk& b) const;
  void start_bulk(unsigned warp, const ptx::AsyncOperation& operation, Cycle start, Cycle now);
  void arrive_at_once(unsigned warp, Bulk& bulk, Cycle start);
  bool send_next(Bulk& bulk, Cycle now);
  static bool next_run(Bulk& bulk);

  const SmConfig& config_;
  const NocConfig& noc_;
  AsyncPorts ports_;
  std::vector<std::vector<ptx::AsyncOperation>> capture_;
  std::vector<std::vector<ptx::AsyncOperation>> turns_;  // by warp: of its loop, the last lane's first
  std::vector<WarpCopies> warps_;
  std::vector<Copy> copies_;
  std::vector<uint32_t> free_copies_;
  std::vector<Bulk> bulks_;
  std::vector<uint32_t> free_bulks_, queue_;
  // Tensor maps that the unit has fetched since an acquire, or is about to. How many it keeps is not known:
  // all. Those of the host are there when a kernel begins: with a fetch of these, too, Triton's products by
  // such maps took 4 to 10 % more of the H200's cycles, and were too slow already (tma_gemm_* of
  // bench/silicon/ml).
  struct FetchedMap {
    uint64_t address;
    Cycle ready;
  };
  std::vector<FetchedMap> maps_;
  bool fetches_maps_ = false;  // since the first acquire
  size_t queue_head_ = 0;
  uint32_t copies_used_ = 0, bulks_used_ = 0;
  bool running_ = false, waits_for_answer_ = false, waits_for_late_ = false;
};

}  // namespace gpuloom::arch
