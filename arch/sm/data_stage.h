// SPDX-License-Identifier: Apache-2.0
// The stage of the L1 and of shared memory that moves data, a pass a cycle. Two queues ask for it: accesses
// as the warps send them, each with all its passes, and loads whose lines have come, line by line. They take
// turns.
//
// Source: an H200 (bench/silicon/probes/waits). A load that finds a line on its way takes its pass
// when the line is here: 256 loads of eight lines each take 283 cycles more where the L2 has the lines than
// where the L1 has them, and 763 more where memory has them. While 135 of them wait for 1,080 passes, the
// other 121, which hit, have their 968 passes within 750 to 1,030 cycles: a load that hits takes all its
// passes before a line that has come takes one. Where each load has one pass, they take every second turn.
#pragma once
#include <algorithm>
#include <vector>

#include "arch/types.h"

namespace gpuloom::arch {

class DataStage {
 public:
  struct Turn {
    uint32_t load = 0;
    uint16_t passes = 0;
    bool last = false;  // of that load
  };

  // ideal.data_passes: none waits for the passes of another.
  explicit DataStage(bool ideal = false) : held_(ideal ? 0 : 1) {}

  // The earliest cycle at which an access could begin.
  Cycle free() const { return free_; }
  bool waits() const { return next_ != queue_.size(); }

  // An access of a warp takes so many passes, not before `at`; returns when it begins.
  Cycle take(Cycle at, unsigned passes) {
    const Cycle start = std::max(at, free_);
    free_ = start + passes * held_;
    return start;
  }

  // A line has come for a load, which waits for its turn.
  void wait(const Turn& turn) { queue_.push_back(turn); }

  // Lets those begin that wait, as long as the stage is free by `until`, and so many even if it is not. Calls
  // begun(turn, start).
  template <typename Begun>
  void serve(Cycle now, Cycle until, unsigned least, Begun&& begun) {
    for (; waits() && (least != 0 || free_ <= until); least -= least != 0) {
      const Turn turn = queue_[next_++];
      begun(turn, take(now, turn.passes));
    }
    if (!waits()) {
      queue_.clear();
      next_ = 0;
    }
  }

 private:
  Cycle free_ = 0;
  Cycle held_;
  std::vector<Turn> queue_;
  size_t next_ = 0;
};

}  // namespace gpuloom::arch
