// SPDX-License-Identifier: Apache-2.0
// How a kernel uses what its parameters point to, as far as its text says: the types of the loads, stores and
// atomics whose address comes from one parameter. Callers that know the element type of a buffer (Python's
// arrays) compare.
#pragma once
#include <cstdint>
#include <vector>

#include "ptx/ir/module.h"

namespace gpuloom::sim {

struct PointerAccess {
  ptx::Type type = ptx::Type::kNone;  // of an element
  uint8_t vector = 1;                 // elements of the access
};

struct PointerUse {
  // False where the pointer goes where this does not follow it: into memory, a call, a copy without a type,
  // or an address that another parameter may have given too. Then `accesses` are some of many.
  bool complete = true;
  std::vector<PointerAccess> accesses;  // each once
};

// One for each parameter of the entry function. Parameters that are not pointers count as offsets where they
// are added to one: `pointers[i]` says which are.
std::vector<PointerUse> pointer_uses(const ptx::Function& entry, const std::vector<bool>& pointers);

}  // namespace gpuloom::sim
