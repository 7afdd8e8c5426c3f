// SPDX-License-Identifier: Apache-2.0
// What ptxas knows to be constant when it compiles.
#pragma once
#include "ptx/isa/table/form.h"

namespace gpuloom::ptx {

// An immediate, or a register that the function writes once, without a guard, by a mov of an immediate.
bool is_constant(const FormUse& use, unsigned operand);

}  // namespace gpuloom::ptx
