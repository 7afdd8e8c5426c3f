// SPDX-License-Identifier: Apache-2.0
// A wait at an mbarrier by parity: the hardware takes the parity of a phase in the sign bit, so a shift
// brings it there unless it is a constant (ptxas 13.0, sm_90: SASS of bulk_copy).
#include "ptx/machine/rules/rule.h"
#include "ptx/passes/instr_questions.h"

namespace gpuloom::ptx {

namespace {

bool match_wait_parity(const Selection& s, uint32_t i) {
  if (!is_mbarrier(s.op_class(i))) return false;
  const bool asks = s.mnemonic(i) == "mbarrier.try_wait" || s.mnemonic(i) == "mbarrier.test_wait";
  return asks && s.use(i).form().syntax.find(".parity") != std::string::npos && !s.instr(i).ops[2].constant();
}

void apply_wait_parity(const Selection& s, Emitter& out, uint32_t i) {
  const uint32_t phase = out.make(OpClass::shift, out.source(s.instr(i).ops[2]), 1);
  out.sequence({OpClass::syncs});
  out.last().uses.push_back(phase);
}

}  // namespace

extern const Rule kWaitParity{"wait_parity", match_wait_parity, apply_wait_parity};

}  // namespace gpuloom::ptx
