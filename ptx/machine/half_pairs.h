// SPDX-License-Identifier: Apache-2.0
// Two operations on single halves that one operation on pairs stands for. Not for users of lower().
#pragma once
#include <unordered_map>
#include <utility>
#include <vector>

#include "ptx/machine/graph.h"

namespace gpuloom::ptx {

// A register with a lower half, and the one with the upper half.
using HalfRegisters = std::pair<uint32_t, uint32_t>;

// Operations of one block at the places `first` < `second`.
struct HalfPair {
  uint32_t block, first, second;
  bool first_is_low = true;
  std::vector<HalfRegisters> operands;  // that are to be one
  HalfRegisters results;
  bool apart = false;  // each makes its half in a register of its own, and PRMT puts them together
};

// Which registers become one: by each of the two.
using SharedHalves = std::unordered_map<uint32_t, HalfRegisters>;

bool is_half_operation(OpClass op);

// Puts one operation in the place of the second of each pair, of arithmetic and of others that make halves.
void join_half_pairs(Graph& graph, uint32_t function, const std::vector<HalfPair>& arithmetic,
                     const std::vector<HalfPair>& others, const SharedHalves& shared);

}  // namespace gpuloom::ptx
