// SPDX-License-Identifier: Apache-2.0
// Integers of 8 and 16 bits in registers of 32: what stands above them. A load, a mask or a shift to the
// right leaves zeros there; behind other arithmetic there is whatever it left.
#pragma once
#include "ptx/machine/rules/rule.h"

namespace gpuloom::ptx {

// Whether the bits above the lower 16 of a value are what extension would make them.
bool is_extended(const Selection& s, Place place, bool with_sign);
// cvt.u32.u16 of a value that has been extended already is nothing (SASS of dfa_match).
bool extends_as_loaded(const Selection& s, uint32_t i);

}  // namespace gpuloom::ptx
