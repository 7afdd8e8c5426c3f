// SPDX-License-Identifier: Apache-2.0
#include "base/init_map.h"

#include <algorithm>

namespace gpuloom {

void InitMap::change(uint64_t address, uint64_t bytes, bool on) {
  uint64_t at = address - base_;
  const uint64_t end = at + bytes;
  while (at < end) {
    const uint64_t page = at >> kPageShift, stop = std::min(end, (page + 1) << kPageShift);
    if (page >= pages_.size()) {
      if (!on) return;
      pages_.resize(page + 1);
    }
    if (pages_[page] == nullptr) {
      if (!on) {
        at = stop;
        continue;
      }
      pages_[page] = std::make_unique<Page>();
    }
    uint64_t* bits = pages_[page]->bits;
    while (at < stop) {
      const uint64_t in_page = at & (kPageBytes - 1), first = in_page % 64;
      const uint64_t count = std::min(64 - first, stop - at);
      const uint64_t mask = (count == 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1) << first;
      uint64_t& word = bits[in_page / 64];
      word = on ? word | mask : word & ~mask;
      at += count;
    }
  }
}

uint64_t InitMap::first_unset(uint64_t address, uint64_t bytes) const {
  for (uint64_t at = address; at < address + bytes; ++at) {
    const uint64_t offset = at - base_, page = offset >> kPageShift;
    if (page >= pages_.size() || pages_[page] == nullptr) return at;
    const uint64_t in_page = offset & (kPageBytes - 1);
    const uint64_t word = pages_[page]->bits[in_page / 64];
    if (in_page % 64 == 0 && word == ~uint64_t{0}) {
      at += 63;
      continue;
    }
    if ((word >> in_page % 64 & 1) == 0) return at;
  }
  return address + bytes;
}

}  // namespace gpuloom
