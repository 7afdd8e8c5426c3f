// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/combined_atomics.h"

#include <bit>

namespace gpuloom::arch {
namespace {

constexpr uint64_t kWord = 4;  // bytes

// visit(first lane that has it, all that have it, word) for each word.
template <class Visit>
void each_word(const uint64_t* address, uint32_t lanes, Visit visit) {
  while (lanes != 0) {
    const uint32_t first = lanes & -lanes;
    const uint64_t word = address[std::countr_zero(first)] / kWord;
    uint32_t same = 0;
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1)
      if (address[std::countr_zero(rest)] / kWord == word) same |= rest & -rest;
    visit(first, same, word);
    lanes &= ~same;
  }
}

}  // namespace

CombinedLanes CombinedAtomics::without_result(unsigned warp, const uint64_t* address, uint32_t lanes,
                                              uint8_t operation) {
  CombinedLanes out;
  each_word(address, lanes, [&](uint32_t first, uint32_t same, uint64_t word) {
    if (!sent_[warp].insert(word << 8 | operation).second) return;
    (same == first ? out.together : out.apart) |= first;
  });
  return out;
}

CombinedLanes CombinedAtomics::with_result(const uint64_t* address, uint32_t lanes) {
  CombinedLanes out;
  each_word(address, lanes, [&](uint32_t first, uint32_t, uint64_t) { out.together |= first; });
  return out;
}

}  // namespace gpuloom::arch
