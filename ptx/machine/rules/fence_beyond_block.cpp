// SPDX-License-Identifier: Apache-2.0
// A fence beyond the block: MEMBAR, ERRBAR, CGAERRBAR, CCTL.IVALL, which makes the L1 forget (ptxas 13.0,
// sm_90: SASS of spin_lock).
#include "ptx/machine/rules/rule.h"
#include "ptx/passes/instr_questions.h"

namespace gpuloom::ptx {

namespace {

bool match_fence_beyond_block(const Selection& s, uint32_t i) {
  if (!is_memory_fence(s.op_class(i))) return false;
  const FormUse use = s.use(i);
  return s.mnemonic(i) == "membar" ? !use.has(".cta") : use.has(".gpu") || use.has(".sys");
}

void apply_fence_beyond_block(const Selection&, Emitter& out, uint32_t) {
  out.around({}, OpClass::membar, {OpClass::nop, OpClass::nop, OpClass::ccctl});
}

}  // namespace

extern const Rule kFenceBeyondBlock{"fence_beyond_block", match_fence_beyond_block, apply_fence_beyond_block};

}  // namespace gpuloom::ptx
