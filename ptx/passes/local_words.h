// SPDX-License-Identifier: Apache-2.0
// The words of local memory that an entry accesses, at constant offsets and by an index. For `promote` alone.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "ptx/passes/draft.h"

namespace gpuloom::ptx {

struct LocalAccess {
  static constexpr uint32_t kNoIndex = UINT32_MAX;
  uint32_t at = 0;           // the instruction
  int64_t offset = 0;        // bytes from the start of local memory; with an index what is added to it
  unsigned each = 4;         // bytes of an element
  uint32_t adds = kNoIndex;  // the instruction that adds an index to the base...
  Place index;               // ...this row of bytes; absent where the instruction multiplies itself
  bool indexed() const { return adds != kNoIndex; }
};

struct LocalWords {
  std::vector<LocalAccess> accesses;        // in code order
  std::map<int64_t, unsigned> elements;     // their bytes, by offset
  std::map<int32_t, unsigned> definitions;  // of each row, in the entry
};

// Nothing where an address goes anywhere else, a word is accessed as two kinds of element, or an access by an
// index has a guard. An index may reach all of local memory.
std::optional<LocalWords> find_local_words(const Draft& draft);

// Whether each word is written on all ways to where it is read at a constant offset.
bool always_written(const Draft& draft, const LocalWords& words);

}  // namespace gpuloom::ptx
