// SPDX-License-Identifier: Apache-2.0
// and + compare with zero: LOP3 writes a predicate.
#include "ptx/machine/rules/fold_rule.h"

namespace gpuloom::ptx {

namespace {

bool match_logic_in_test(const Selection& s, const Candidate& c) {
  if (c.shape != Shape::kLogic32 || !c.steady || c.result->uses.size() != 1) return false;
  const uint32_t user = c.result->uses[0].first;
  if (s.fused(c.i) == OpClass::lea || s.folded(user) || s.shape(user) != Shape::kSetp || s.has_taken(user))
    return false;
  for (unsigned k = 1; k < 4; ++k) {
    const Place other = s.instr(user).ops[k];
    if (other.present() && other.constant() && s.is_zero(other)) return true;
  }
  return false;
}

void apply_logic_in_test(const Selection&, Folder& fold, const Candidate&) { fold.into_users(OpClass::lop3); }

}  // namespace

extern const FoldRule kLogicInTest{"logic_in_test", match_logic_in_test, apply_logic_in_test};

}  // namespace gpuloom::ptx
