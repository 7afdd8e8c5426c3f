// SPDX-License-Identifier: Apache-2.0
// Products of 64-bit integers, of which the lower half is wanted, and the sums that take them.
#pragma once
#include "ptx/machine/rules/fold_rule.h"

namespace gpuloom::ptx {

// Whether i is one, with what it may add, of a target that has IMAD.WIDE for it.
bool is_long_product(const Selection& s, uint32_t i);
// Whether all who read its result are sums that can take it into theirs.
bool joins_sums(const Selection& s, uint32_t i);

}  // namespace gpuloom::ptx
