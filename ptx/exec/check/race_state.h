// SPDX-License-Identifier: Apache-2.0
// Data races in the shared memory of a cluster, found by happens-before: vector clocks of the threads, and
// for each word of shared memory the last write and the reads since (FastTrack: Flanagan and Freund, PLDI
// 2009).
//
// What orders accesses, as the memory model of PTX (ISA 8) has it: program order of a thread; barriers of the
// block and the cluster; bar.warp.sync; mbarrier arrivals and successful waits; fences with strong accesses
// (volatile, relaxed, atomics) between them. Other .sync instructions (shuffles, votes) order nothing. The
// bytes of an asynchronous copy count as written when its group has been waited for, by the thread that
// waits, or by the phase of its mbarrier, for the threads that wait for that.
#pragma once
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "ptx/exec/check/findings.h"
#include "ptx/exec/check/vector_clock.h"
#include "ptx/exec/cta.h"

namespace gpuloom::ptx {

// Some accesses to one place: of lanes of a warp at one instruction, or an asynchronous copy.
struct AccessRecord {
  static constexpr uint8_t kStrong = 1;      // volatile, relaxed, atomic: never races with its like
  static constexpr uint8_t kCollective = 2;  // of the warp as a whole: ordered as soon as one lane's is
  static constexpr uint8_t kToken = 4;       // `clock` is an index of RaceState::tokens_
  uint32_t lanes = 0;                        // 0: none
  uint32_t clock = 0;
  uint32_t pc = 0;
  uint16_t warp = 0;  // in the cluster
  uint8_t flags = 0;
};

// Bytes that one lane touches.
struct LaneRange {
  uint8_t lane = 0;
  uint8_t rank = 0;  // of the block whose memory it is
  uint32_t offset = 0, bytes = 0;
};

class RaceState {
 public:
  // For a cluster of `blocks` blocks.
  RaceState(const Launch& launch, uint32_t blocks, Findings& findings);

  void access(const Warp& w, uint32_t pc, bool write, uint8_t flags, const std::vector<LaneRange>& ranges);
  // An asynchronous copy, issued by a lane, reads or writes. `mbarrier`: the word that counts it, or none.
  struct Copy {
    const Warp* warp = nullptr;
    unsigned lane = 0;
    uint32_t pc = 0;
    bool bulk = false;
    bool strong = false;              // a reduction
    uint64_t mbarrier = kNoMbarrier;  // see word()
  };
  static constexpr uint64_t kNoMbarrier = ~uint64_t{0};
  void copy(const Copy& copy, bool write, const LaneRange& range);
  void commit_copies(const Warp& w, uint32_t lanes, bool bulk);
  void wait_for_copies(const Warp& w, uint32_t lanes, bool bulk, uint64_t may_stay_open);
  void arrive_on_copies(const Warp& w, unsigned lane, uint64_t mbarrier);

  void synchronise(const Warp& w, uint32_t lanes);  // bar.warp.sync
  void meet(const std::vector<Warp*>& warps);       // a warpgroup's product
  void arrive(const Warp& w, uint32_t lanes, unsigned barrier);
  void release(const Cta& cta, unsigned barrier, const std::vector<BarrierWaiter>& waiters);
  void cluster_arrive(const Warp& w, uint32_t lanes);
  void cluster_wait(const Warp& w, uint32_t lanes, bool complete);
  void cluster_release();
  // mbarriers are named by rank and offset.
  static uint64_t word(uint32_t rank, uint64_t offset) { return uint64_t{rank} << 32 | offset; }
  void mbarrier_arrive(const Warp& w, unsigned lane, uint64_t mbarrier);
  void mbarrier_phase(uint64_t mbarrier);
  void mbarrier_wait(const Warp& w, unsigned lane, uint64_t mbarrier);
  void fence(const Warp& w, uint32_t lanes);
  // A strong access to `place` (an address, with the space in its upper bits).
  void strong(const Warp& w, unsigned lane, uint64_t place, bool reads, bool writes, Ordering ordering);

 private:
  struct Cell {
    // Weak writes and strong ones apart: one that comes later must not hide the other kind.
    AccessRecord write, strong, read;
    int32_t more = -1;  // further reads: index into more_
  };
  struct Mbarrier {
    uint32_t component = 0, phase = 0;
    ClockJoin arrivals;
    ClockRef completed;
  };
  struct Token {
    uint32_t thread = 0, done = 0;      // done: the thread's clock when it waited; 0: not yet
    uint32_t component = 0, phase = 0;  // component 0: no mbarrier
  };
  static constexpr uint32_t kNoToken = UINT32_MAX;
  struct CopyGroups {
    uint32_t open = kNoToken;
    std::vector<uint32_t> arrived;  // tokens of the open group that an mbarrier follows too
    std::deque<std::vector<uint32_t>> committed;
  };

  uint32_t warp_of(const Warp& w) const { return w.cta->cluster_rank * warps_ + w.index_in_cta; }
  uint32_t thread_of(const Warp& w, unsigned lane) const { return warp_of(w) * 32 + lane; }
  bool knows(uint32_t thread, uint32_t other, uint32_t clock) const;
  bool happened(const AccessRecord& record, uint32_t thread, unsigned& unordered) const;
  void test(const AccessRecord& earlier, bool earlier_writes, const Warp& w, const AccessRecord& now,
            bool now_writes, const LaneRange& range, uint32_t offset);
  void report(const AccessRecord& earlier, bool earlier_writes, unsigned other_lane, const Warp& w,
              const AccessRecord& now, bool now_writes, const LaneRange& range, uint32_t offset);
  void test_cell(Cell& cell, const Warp& w, const AccessRecord& now, bool write, const LaneRange& range,
                 uint32_t offset);
  void note_write(Cell& cell, const AccessRecord& now);
  void note_read(Cell& cell, const AccessRecord& now, uint32_t thread);
  bool replaces(AccessRecord& old, const AccessRecord& now, uint32_t thread) const;
  void refine(uint32_t unit);
  template <class F>
  void for_cells(const LaneRange& range, F&& f);
  Mbarrier& mbarrier_of(uint64_t word);
  CopyGroups& groups_of(uint32_t thread, bool bulk);
  uint32_t open_token(uint32_t thread, bool bulk);
  void add_lanes(ClockJoin& join, const Warp& w, uint32_t lanes);
  void take_over(const Warp& w, uint32_t lanes, const ClockRef& clock);
  void acquire(uint32_t thread, const ClockRef& clock);
  std::string thread_name_of(uint32_t warp, unsigned lane) const;

  const Launch& launch_;
  Findings& findings_;
  uint32_t warps_;  // of a block
  uint32_t next_component_;
  uint32_t unit_ = 4;  // bytes of a cell
  std::vector<ThreadClock> threads_;
  std::vector<std::vector<Cell>> cells_;  // by rank
  std::vector<std::vector<AccessRecord>> more_;
  std::vector<uint32_t> free_more_;
  std::vector<ClockJoin> barriers_;  // by rank and number
  ClockJoin cluster_arrivals_;
  ClockRef cluster_completed_;
  std::vector<uint32_t> cluster_waiting_;  // lanes, by warp
  std::unordered_map<uint64_t, Mbarrier> mbarriers_;
  std::vector<Token> tokens_;
  std::unordered_map<uint64_t, CopyGroups> groups_;
  std::unordered_map<uint64_t, ClockRef> released_;   // by strong writes, at their places
  std::unordered_map<uint32_t, ThreadClock> fenced_;  // what a strong write of the thread releases
  std::unordered_map<uint32_t, ClockRef> pending_;    // what the thread's next fence acquires
  ClockRef memo_base_, memo_clock_, memo_result_;     // of acquire()
};

}  // namespace gpuloom::ptx
