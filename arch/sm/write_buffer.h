// SPDX-License-Identifier: Apache-2.0
// Lines that have been stored to and not been sent yet: what further stores write of them goes along.
//
// H200 (probes/stores): two to eight stores of a warp to the same sectors, or one of each of 32 warps, make
// one write of each line, whatever the words; 24 or 28 lines in turn still do, 32 lines in turn not at all. A
// store some 40 cycles later does not find the write any more.
#pragma once
#include <cstdint>
#include <vector>

#include "arch/sm/messages.h"

namespace gpuloom::arch {

class WriteBuffer {
 public:
  struct Write {
    OutMessage message;
    Cycle touched = 0;  // its latest store
  };

  void configure(uint32_t lines, uint32_t hold) {
    writes_.assign(lines, Write{});
    lines_.assign(lines, UINT64_MAX);
    hold_ = hold;
    head_ = count_ = 0;
  }
  // The write of the line that waits; null without one.
  Write* find(uint64_t line) {
    for (size_t i = 0; count_ != 0 && i < lines_.size(); ++i)
      if (lines_[i] == line) return &writes_[i];
    return nullptr;
  }
  bool empty() const { return count_ == 0; }
  bool full() const { return count_ == lines_.size(); }
  void push(const OutMessage& message, Cycle now) {
    const size_t at = (head_ + count_++) % lines_.size();
    lines_[at] = message.request.line;
    writes_[at] = {message, now};
  }
  // They leave in the order of their first stores.
  Write& oldest() { return writes_[head_]; }
  void pop() {
    lines_[head_] = UINT64_MAX;
    head_ = (head_ + 1) % lines_.size();
    --count_;
  }
  // When the oldest goes if nothing pushes it out; kNever without one.
  Cycle due() const { return count_ == 0 ? kNever : writes_[head_].touched + hold_; }

 private:
  std::vector<Write> writes_;
  std::vector<uint64_t> lines_;  // of writes_, UINT64_MAX where none is
  size_t head_ = 0, count_ = 0;
  uint32_t hold_ = 0;
};

}  // namespace gpuloom::arch
