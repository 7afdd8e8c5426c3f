// SPDX-License-Identifier: Apache-2.0
// Who makes and reads a row of a function.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "ptx/ir/program.h"

namespace gpuloom::ptx {

struct RowFacts {
  uint32_t defs = 0;
  uint32_t def = UINT32_MAX;
  bool guarded = false;
  std::vector<std::pair<uint32_t, const OperandRef*>> uses;
};

// Loads, stores, atomics, asynchronous copies.
bool is_memory(const Instr& in);

}  // namespace gpuloom::ptx
