// SPDX-License-Identifier: Apache-2.0
// Lines that have been stored to and wait in the SM: for later stores of the same line, which go along, then
// for their turn to leave.
//
// H200 (probes/stores, pairs, with code and pages that are there): a line can be joined for about three
// cycles for each line of the store that wrote it last: 12 cycles with four lines, 24 with eight, 42 with
// sixteen. Of the lines of stores behind each other the 28 latest can be joined, 32 in turn not at all. So it
// is for the words of one warp and of several, and whatever stands between. A line whose time is over can
// still be joined while it waits for the way out, which lines take in the order of their first stores
// (adamw_step and fast_k8_cluster of bench/silicon/ml: their warps' stores, four to a sector, make 1.07
// and 1.00 writes).
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "arch/sm/messages.h"

namespace gpuloom::arch {

class WriteBuffer {
 public:
  struct Write {
    OutMessage message;
    Cycle touched = 0;     // its latest store
    Cycle open_until = 0;  // it waits so long for others
    uint32_t port = 0;     // that it takes of the way out, in 16ths of a cycle
  };

  // `open`: lines that can be joined.
  void configure(uint32_t open) {
    writes_.assign(open + kWarpSize, Write{});
    lines_.assign(open + kWarpSize, UINT64_MAX);
    open_ = open;
    head_ = count_ = port_ = 0;
  }
  // The write that a store which comes to the line at `at` can join, where the way out is free from
  // `port_free` on; null without one.
  Write* find(uint64_t line, Cycle at, Cycle port_free) {
    const size_t latest = std::min<size_t>(count_, open_);
    uint64_t behind = 0;
    for (size_t back = 1; back <= latest; ++back) {
      const size_t i = place(count_ - back);
      Write& write = writes_[i];
      behind += write.port;
      if (lines_[i] != line) continue;
      const Cycle leaves = std::max(write.open_until, port_free + ((port_ - behind) >> 4));
      return leaves >= at ? &write : nullptr;
    }
    return nullptr;
  }
  // It takes so much of the way out now.
  void widen(Write& write, uint32_t port) {
    port_ += port - write.port;
    write.port = port;
  }
  bool empty() const { return count_ == 0; }
  // Later lines have pushed some out, which have not left yet.
  bool overflows() const { return count_ > open_; }
  void push(const OutMessage& message, Cycle now, Cycle open_until, uint32_t port) {
    if (count_ == writes_.size()) grow();
    const size_t at = place(count_++);
    lines_[at] = message.request.line;
    writes_[at] = {message, now, open_until, port};
    port_ += port;
  }
  Write& oldest() { return writes_[head_]; }
  void pop() {
    port_ -= writes_[head_].port;
    head_ = place(1);
    --count_;
  }
  // When the oldest may leave: at once where later lines have pushed it out; kNever without one.
  Cycle due() const {
    if (count_ == 0) return kNever;
    return overflows() ? writes_[head_].touched : writes_[head_].open_until + 1;
  }

 private:
  size_t place(size_t from_head) const {
    const size_t at = head_ + from_head;
    return at < writes_.size() ? at : at - writes_.size();
  }
  // A store brings all its lines.
  void grow() {
    std::rotate(writes_.begin(), writes_.begin() + static_cast<ptrdiff_t>(head_), writes_.end());
    std::rotate(lines_.begin(), lines_.begin() + static_cast<ptrdiff_t>(head_), lines_.end());
    head_ = 0;
    writes_.resize(count_ + kWarpSize);
    lines_.resize(count_ + kWarpSize, UINT64_MAX);
  }

  std::vector<Write> writes_;
  std::vector<uint64_t> lines_;  // of writes_
  size_t head_ = 0, count_ = 0, open_ = 0;
  uint64_t port_ = 0;  // of all
};

}  // namespace gpuloom::arch
