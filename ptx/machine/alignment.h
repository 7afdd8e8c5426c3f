// SPDX-License-Identifier: Apache-2.0
// How many low bits of each register are known to be zero: what tells ptxas that adjacent accesses may be
// one.
#pragma once
#include <cstdint>
#include <vector>

#include "ptx/machine/graph.h"

namespace gpuloom::ptx {

// By row number of function `f` (Liveness::number): trailing zero bits that the value has wherever the row is
// read, at most 31.
std::vector<uint8_t> known_zero_bits(const Graph& g, uint32_t f);

// Trailing zero bits of the low word of a constant row, at most 31.
uint8_t zero_bits_of_constant(const Program& p, Place constant);

}  // namespace gpuloom::ptx
