// SPDX-License-Identifier: Apache-2.0
// A tensor copy that one lane at most asks for: its operands in uniform registers, and VOTEU twice where a
// predicate guards it, once for what makes operands and once for the copy (ptxas 13.0, sm_90a: SASS of
// Triton's products with tensor descriptors, bench/silicon/ml).
#include "ptx/machine/rules/tensor_operands.h"

namespace gpuloom::ptx {

namespace {

bool match_tensor_copy(const Selection& s, uint32_t i) {
  return s.op_class(i) == OpClass::utma && s.instr(i).kind == InstrKind::kAsyncCopy;
}

void apply_tensor_copy(const Selection& s, Emitter& out, uint32_t i) {
  const TensorOperands operands = add_tensor_operands(s, out, i);
  out.sequence({OpClass::utma});
  name_tensor_operands(operands, out.last());
}

}  // namespace

extern const Rule kTensorCopy{"tensor_copy", match_tensor_copy, apply_tensor_copy};

}  // namespace gpuloom::ptx
