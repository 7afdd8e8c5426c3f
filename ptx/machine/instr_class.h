// SPDX-License-Identifier: Apache-2.0
// The class of an instruction, as what looks for habits of code asks for it.
#pragma once
#include "ptx/ir/program.h"

namespace gpuloom::ptx {

inline OpClass class_of(const Instr& in) { return static_cast<OpClass>(in.op_class); }

}  // namespace gpuloom::ptx
