// SPDX-License-Identifier: Apache-2.0
// Operations of a register and itself.
#pragma once
#include "ptx/isa/table/form.h"

namespace gpuloom::ptx {

// The larger or smaller of a register and itself is a move for ptxas, which leaves NaNs alone; not with
// modifiers, not of pairs, not of bf16 (SASS of ptxas 13.0; H200: tests/fuzz/kernels/device).
inline bool is_move_of_itself(const FormUse& use) {
  const Operand &a = use.operand(1), &b = use.operand(2);
  return a.kind == OperandKind::kRegister && b.kind == OperandKind::kRegister && a.id == b.id &&
         a.component == b.component && !use.has(".ftz") && !use.has(".NaN") && !use.has(".xorsign");
}

}  // namespace gpuloom::ptx
