// SPDX-License-Identifier: Apache-2.0
// Small set-associative tag array with the cycle from which each line can be used: instruction and constant
// caches.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "arch/sm/config.h"
#include "arch/types.h"

namespace gpuloom::arch {

class TagArray {
 public:
  void configure(const InstructionCache& config) {
    line_ = config.line;
    ways_ = config.ways;
    sets_ = std::max<uint32_t>(1, config.size / config.line / config.ways);
    mask_ = std::has_single_bit(sets_) ? sets_ - 1 : 0;
    tags_.assign(size_t{sets_} * ways_, Tag{});
  }
  void invalidate() { std::fill(tags_.begin(), tags_.end(), Tag{}); }
  uint32_t line_bytes() const { return line_; }
  // The cycle from which `line` (a line number, not an address) can be used; kNever if it is not here.
  Cycle find(uint64_t line) {
    Tag* set = set_of(line);
    for (uint32_t w = 0; w < ways_; ++w)
      if (set[w].line == line) {
        set[w].used = ++clock_;
        return set[w].ready;
      }
    return kNever;
  }
  void insert(uint64_t line, Cycle ready) {
    Tag* set = set_of(line);
    Tag* victim =
        std::min_element(set, set + ways_, [](const Tag& x, const Tag& y) { return x.used < y.used; });
    *victim = {line, ready, ++clock_};
  }

 private:
  struct Tag {
    uint64_t line = UINT64_MAX;
    Cycle ready = 0;
    uint64_t used = 0;
  };
  Tag* set_of(uint64_t line) { return &tags_[(mask_ != 0 ? line & mask_ : line % sets_) * ways_]; }

  uint32_t line_ = 128, ways_ = 1, sets_ = 1;
  uint64_t mask_ = 0;  // where sets_ is a power of two above 1
  uint64_t clock_ = 0;
  std::vector<Tag> tags_;
};

}  // namespace gpuloom::arch
