// SPDX-License-Identifier: Apache-2.0
// The warps of a sub-core that can issue, by what their next operation wants: which of them find their pipe
// free, and when the next one does. A question costs the pipes that are wanted, not the warps.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "arch/sm/kernel_context.h"

namespace gpuloom::arch {

class ReadyWarps {
 public:
  using PipeTimes = std::array<Cycle, kPipes>;

  explicit ReadyWarps(const SmConfig& config) {
    for (size_t p = 0; p < kPipes; ++p) shared_ |= uint32_t{config.pipes[p].shared} << p;
  }

  bool none() const { return all_ == 0; }

  // The warp's next operation is `op`.
  void insert(unsigned s, const OpInfo& op) {
    erase(s);
    const uint32_t warp = uint32_t{1} << s;
    const auto p = static_cast<size_t>(op.pipe), a = static_cast<size_t>(op.also);
    pipe_[s] = op.pipe;
    also_[s] = op.also;
    all_ |= warp;
    by_pipe_[p] |= warp;
    pipes_ |= uint32_t{1} << p;
    if (op.queued && (shared_ >> p & 1)) queued_ |= warp;
    if (op.also == Pipe::kNone) return;
    by_also_[a] |= warp;
    alsos_ |= uint32_t{1} << a;
  }

  void erase(unsigned s) {
    const uint32_t warp = uint32_t{1} << s;
    if ((all_ & warp) == 0) return;
    all_ &= ~warp;
    queued_ &= ~warp;
    leave(by_pipe_, pipes_, pipe_[s], warp);
    if (also_[s] != Pipe::kNone) leave(by_also_, alsos_, also_[s], warp);
  }

  // Those whose pipe, or the other one that would do, is free at `now`: `free` says when each is. Pipes that
  // all sub-cores share take what the queue to them takes.
  uint32_t issuable(const PipeTimes& free, bool queue_full, Cycle now) const {
    uint32_t busy = queue_full ? queued_ : 0;
    for (uint32_t pipes = pipes_ & ~shared_; pipes != 0; pipes &= pipes - 1) {
      const auto p = static_cast<size_t>(std::countr_zero(pipes));
      busy |= free[p] > now ? by_pipe_[p] & ~other_free(free, now) : 0;
    }
    return all_ & ~busy;
  }

  // The first cycle from `floor` on in which one of them finds a pipe free; kNever: all wait for the queue.
  Cycle earliest(const PipeTimes& free, bool queue_full, Cycle floor) const {
    Cycle first = kNever;
    for (uint32_t pipes = pipes_; pipes != 0; pipes &= pipes - 1) {
      const auto p = static_cast<size_t>(std::countr_zero(pipes));
      if (shared_ >> p & 1) {
        if (!queue_full || (by_pipe_[p] & ~queued_) != 0) return floor;
        continue;
      }
      first = std::min(first, std::max(floor, of_pipe(free, p)));
      if (first == floor) return floor;
    }
    return first;
  }

 private:
  using ByPipe = std::array<uint32_t, kPipes>;

  static void leave(ByPipe& warps, uint32_t& pipes, Pipe pipe, uint32_t warp) {
    const auto p = static_cast<size_t>(pipe);
    warps[p] &= ~warp;
    if (warps[p] == 0) pipes &= ~(uint32_t{1} << p);
  }

  uint32_t other_free(const PipeTimes& free, Cycle now) const {
    uint32_t warps = 0;
    for (uint32_t others = alsos_; others != 0; others &= others - 1) {
      const auto p = static_cast<size_t>(std::countr_zero(others));
      warps |= free[p] > now ? 0 : by_also_[p];
    }
    return warps;
  }

  Cycle of_pipe(const PipeTimes& free, size_t pipe) const {
    Cycle first = free[pipe];
    for (uint32_t others = alsos_; others != 0; others &= others - 1) {
      const auto p = static_cast<size_t>(std::countr_zero(others));
      if ((by_also_[p] & by_pipe_[pipe]) != 0) first = std::min(first, free[p]);
    }
    return first;
  }

  uint32_t shared_ = 0;                   // pipes that all sub-cores share, a bit each
  uint32_t all_ = 0, queued_ = 0;         // warps; those that go to shared pipes through the queue
  uint32_t pipes_ = 0, alsos_ = 0;        // pipes that some want, and that would do for some
  ByPipe by_pipe_{}, by_also_{};          // the warps of each
  std::array<Pipe, 32> pipe_{}, also_{};  // of each warp
};

}  // namespace gpuloom::arch
