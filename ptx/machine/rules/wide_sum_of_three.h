// SPDX-License-Identifier: Apache-2.0
// Sums of three values of 64 bits.
#pragma once
#include "ptx/machine/rules/fold_rule.h"

namespace gpuloom::ptx {

// Whether the sum or difference i goes into the one that reads it.
bool joins_wide_sum(const Selection& s, uint32_t i);
// Whether i is part of a sum of three.
bool is_of_three(const Selection& s, uint32_t i);

}  // namespace gpuloom::ptx
