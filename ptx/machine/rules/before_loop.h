// SPDX-License-Identifier: Apache-2.0
// Where what a loop leaves alone is made.
#pragma once
#include "ptx/machine/rules/rule.h"

namespace gpuloom::ptx {

// The block before the innermost loop around b if `place` is not written in it, or b.
uint32_t before_invariant_loop(const Selection& s, uint32_t b, Place place);

}  // namespace gpuloom::ptx
