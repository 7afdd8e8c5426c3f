// SPDX-License-Identifier: Apache-2.0
// Immediates as the bits of their operand (PTX ISA 4.5.5 and 9.4).
#pragma once
#include <cstdint>
#include <string>

#include "ptx/ir/module.h"

namespace gpuloom::ptx {

// Bits of `operand` (an immediate) where a value of `type` is wanted. Integers are cut to width; decimal and
// 0d constants are rounded to f32 where that is wanted, 0f constants keep their bits. "" or what is wrong:
// ptxas accepts no integer for a float type nor a float for an integer type, a float for a bit type only if
// the widths are equal, and no immediates of 16-bit float types at all.
std::string immediate_bits(const Operand& operand, Type type, uint64_t& out);

}  // namespace gpuloom::ptx
