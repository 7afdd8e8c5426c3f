// SPDX-License-Identifier: Apache-2.0
// A wait for all of a warp's copies closes the open group first: LDGDEPBAR; DEPBAR.LE SB0, 0x0 (ptxas 13.0,
// sm_80 and sm_90a: SASS of cp.async.wait_all; PTX ISA 9.7.9.25.3.3 says the same of its meaning).
#include "ptx/machine/rules/rule.h"

namespace gpuloom::ptx {

namespace {

bool match_wait_for_all_copies(const Selection& s, uint32_t i) {
  return s.op_class(i) == OpClass::depbar && s.use(i).form().syntax.starts_with("cp.async.wait_all");
}

void apply_wait_for_all_copies(const Selection&, Emitter& out, uint32_t) {
  out.around({OpClass::ldgdepbar}, OpClass::depbar, {});
}

}  // namespace

extern const Rule kWaitForAllCopies{"wait_for_all_copies", match_wait_for_all_copies,
                                    apply_wait_for_all_copies};

}  // namespace gpuloom::ptx
