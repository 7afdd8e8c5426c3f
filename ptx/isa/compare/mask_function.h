// SPDX-License-Identifier: Apache-2.0
// For who keeps decoded instructions beyond a process (ptx/machine/saved_lowering.h).
#pragma once
#include "ptx/ir/program.h"

namespace gpuloom::ptx {

// Whether an instruction of this lane function has another function in Instr::imm: `set` does (set.cpp).
bool applies_comparison(LaneFn fn);

}  // namespace gpuloom::ptx
