// SPDX-License-Identifier: Apache-2.0
// SYNCS.ARRIVE.TRANS64 takes the bytes that a phase expects from a register, so a number is moved to one:
// @P2 IMAD.MOV.U32 R6, RZ, RZ, 0x8000 (ptxas 13.0, sm_90a: SASS of Triton's products with tensor
// descriptors).
#include "ptx/machine/rules/tensor_operands.h"
#include "ptx/passes/instr_questions.h"

namespace gpuloom::ptx {

namespace {

bool match_expected_bytes(const Selection& s, uint32_t i) {
  if (!is_mbarrier(s.op_class(i)) || !is_made_here(s, i)) return false;
  if (s.use(i).form().syntax.find("expect_tx") == std::string::npos) return false;
  std::vector<uint64_t> numbers;
  s.add_constants_of(i, 4, numbers);
  return !numbers.empty();
}

void apply_expected_bytes(const Selection&, Emitter& out, uint32_t) {
  const uint32_t bytes = out.make(OpClass::mov, {}, 1);
  out.sequence({OpClass::syncs});
  out.last().uses.push_back(bytes);
}

}  // namespace

extern const Rule kExpectedBytes{"expected_bytes", match_expected_bytes, apply_expected_bytes};

}  // namespace gpuloom::ptx
