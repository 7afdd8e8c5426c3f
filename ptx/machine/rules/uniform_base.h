// SPDX-License-Identifier: Apache-2.0
// Sums that accesses make themselves, of a base in a uniform register and a distance.
#pragma once
#include "ptx/machine/rules/fold_rule.h"

namespace gpuloom::ptx {

// Whether i adds a distance to a parameter, for nothing but addresses of global memory that take both.
bool adds_uniform_base(const Selection& s, uint32_t i);

}  // namespace gpuloom::ptx
