// SPDX-License-Identifier: Apache-2.0
// FADD, FMUL and FFMA bound their result to 0 and 1 (SASS of expf: FFMA.SAT).
#include "ptx/machine/rules/fold_rule.h"

namespace gpuloom::ptx {

namespace {

bool match_saturation(const Selection& s, const Candidate& c) {
  const Instr& in = s.instr(c.i);
  if (c.shape != Shape::kFloat || !c.steady || c.result->uses.size() != 1) return false;
  if (in.type != Type::kF32 || in.guard.present()) return false;
  const uint32_t user = c.result->uses[0].first;
  const std::string_view name = s.mnemonic(c.i);
  if (name != "add" && name != "sub" && name != "mul" && name != "fma" && name != "mad") return false;
  return s.block_of(user) == s.block_of(c.i) && !s.instr(user).guard.present() &&
         used_by(s, *c.result, Shape::kSaturate);
}

void apply_saturation(const Selection& s, Folder& fold, const Candidate& c) {
  fold.into_users(s.op_class(c.i));
}

}  // namespace

extern const FoldRule kSaturation{"saturation", match_saturation, apply_saturation};

}  // namespace gpuloom::ptx
