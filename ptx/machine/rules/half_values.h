// SPDX-License-Identifier: Apache-2.0
// Pairs of halves. HFMA2 and its like take one half for both places (R16.H0_H0), so that a pair of the same
// half twice is not an operation, and neighbours of shared memory that are only read so come two or four at a
// time (SASS of a product of halves by pairs: LDS.64 R16; HFMA2 R9, R16.H0_H0, R30, R9). A conversion of a
// constant is a constant, a pair of constants an immediate (SASS of a polynomial in pairs of bf16:
// HFMA2.BF16_V2 R7, R6, R7, 0.375, 0.375).
#pragma once
#include "ptx/machine/rules/rule.h"

namespace gpuloom::ptx {

// Of conversions and pairs, where all who read the result take immediates.
bool makes_constant(const Selection& s, uint32_t i, const RowFacts& result);
bool pairs_same_half(const Selection& s, uint32_t i, const RowFacts& result);
// Whether i loads 16 bits of shared memory and all who read them can take either half of a register.
bool loads_half(const Selection& s, uint32_t i);

}  // namespace gpuloom::ptx
