// SPDX-License-Identifier: Apache-2.0
// selp of the lesser and the greater of the same two: VIMNMX, and a VIMNMX under the predicate over it (SASS
// of a sort through shuffles).
#include "ptx/machine/rules/fold_rule.h"

namespace gpuloom::ptx {

namespace {

bool match_chosen_extreme(const Selection& s, const Candidate& c) {
  if (c.shape != Shape::kMinMax32 || !c.steady || c.result->uses.size() != 1) return false;
  if (!used_by(s, *c.result, Shape::kSelect)) return false;
  const auto& [user, ref] = c.result->uses[0];
  if (ref->operand != 1 && ref->operand != 2) return false;
  const uint32_t other = s.maker(s.instr(user).ops[ref->operand == 1 ? 2 : 1]);
  if (other == UINT32_MAX || other == c.i || s.shape(other) != Shape::kMinMax32 || s.folded(other))
    return false;
  const RowFacts* theirs = s.single_result(other);
  if (theirs == nullptr || theirs->uses.size() != 1 || s.mnemonic(other) == s.mnemonic(c.i)) return false;
  const Instr &a = s.instr(c.i), &b = s.instr(other);
  return (a.ops[1].at == b.ops[1].at && a.ops[2].at == b.ops[2].at) ||
         (a.ops[1].at == b.ops[2].at && a.ops[2].at == b.ops[1].at);
}

void apply_chosen_extreme(const Selection& s, Folder& fold, const Candidate& c) {
  fold.into_users(s.op_class(c.i));
}

}  // namespace

extern const FoldRule kChosenExtreme{"chosen_extreme", match_chosen_extreme, apply_chosen_extreme};

}  // namespace gpuloom::ptx
