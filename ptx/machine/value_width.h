// SPDX-License-Identifier: Apache-2.0
// How many of a value's lower bits may be set: what masks, shifts and special registers leave. ptxas does not
// compute the upper half of a shift whose bits end below it (SASS of softmax_online: LEA R14, P0, R25, UR5,
// 0x1; IADD3.X R15, RZ, UR7, RZ, P0 where R25 is a byte).
#pragma once
#include "ptx/machine/rules/rule.h"

namespace gpuloom::ptx {

// Of a row or constant of 32 or 64 bits: 0 to 64.
unsigned value_width(const Selection& s, Place place);

}  // namespace gpuloom::ptx
