// SPDX-License-Identifier: Apache-2.0
// What becomes of each buffer that asynchronous copies fill: issued, complete, waited for, used, filled
// again. Exists where a timeline was asked for.
#pragma once
#include <cstdint>
#include <vector>

#include "arch/types.h"
#include "ptx/exec/access.h"
#include "traces/timeline.h"

namespace gpuloom::arch {

class PipelineRecorder {
 public:
  // `most`: fills and waits that are kept of a launch.
  PipelineRecorder(unsigned warps, unsigned slots, uint64_t most)
      : most_(most), warps_(warps), slots_(slots) {}
  void start(Cycle start);
  void block_begins(unsigned slot, uint64_t block, unsigned rank);
  void warp_begins(unsigned warp, unsigned slot, unsigned index_in_block);

  // Copies that a warp issues together. `group`: the one that they belong to, of cp.async without an
  // mbarrier; `parity`: of their mbarrier's phase. Returns what copied() takes: 0 where they fill no buffer
  // of this block.
  uint32_t issued(unsigned warp, const std::vector<ptx::AsyncOperation>& copies, traces::CopyKind kind,
                  uint32_t group, unsigned parity, Cycle now);
  void copied(uint32_t fill, Cycle now);
  // cp.async.mbarrier.arrive: what the warp has copied since the last one belongs to that mbarrier.
  void arrives(unsigned warp, uint64_t barrier);

  void waits_for_group(unsigned warp, uint32_t group, uint32_t at, Cycle now);
  // `fed`: bytes are on their way to the mbarrier.
  void waits_for_barrier(unsigned warp, uint64_t barrier, bool fed, uint32_t at, Cycle now);
  void wait_ends(unsigned warp, Cycle now);
  // A load from shared memory.
  void used(unsigned warp, const ptx::MemoryAccess& access, uint32_t at, Cycle now);

  const std::vector<traces::Fill>& fills() const { return fills_; }
  const std::vector<traces::FreeWait>& free_waits() const { return free_waits_; }
  uint64_t dropped() const { return dropped_; }  // copies of a warp that would have begun one fill more

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Range {
    uint64_t begin, end;
  };
  struct Open {  // of a fill that is not filled again
    uint32_t fill;
    uint32_t epoch = 0;  // of the warp that began it: WarpState
    unsigned parity = 0;
    std::vector<Range> ranges;
  };
  struct Slot {
    uint64_t block = 0;
    unsigned rank = 0;
    uint32_t fills = 0;
    std::vector<Open> open;
  };
  struct WarpState {
    unsigned slot = 0, index = 0;
    uint32_t epoch = 0;  // arrivals on copies so far
    bool waits = false;
    uint32_t fill = kNone;
    uint64_t barrier = traces::kNoCycle;  // that it waits for and that has no fill yet
    bool fed = false;
    uint32_t at = 0;
    Cycle since = 0;
  };
  Open* find(Slot& slot, const ptx::AsyncOperation& copy, uint32_t group, uint32_t epoch, unsigned parity);
  Open& begin(unsigned warp, const ptx::AsyncOperation& copy, traces::CopyKind kind, uint32_t group,
              unsigned parity, Cycle now);
  void retire_overlapped(Slot& slot, uint32_t fill, const Range& range, Cycle now);
  static void add_range(std::vector<Range>& ranges, Range range);
  void begin_wait(unsigned warp, uint32_t fill, uint32_t at, Cycle now);

  uint64_t most_, dropped_ = 0;
  Cycle start_ = 0;
  std::vector<WarpState> warps_;
  std::vector<Slot> slots_;
  std::vector<traces::Fill> fills_;
  std::vector<uint32_t> left_;  // by fill: copies on their way
  std::vector<traces::FreeWait> free_waits_;
};

}  // namespace gpuloom::arch
