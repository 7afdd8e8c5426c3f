// SPDX-License-Identifier: Apache-2.0
// ISETP joins its result with another predicate, and does so again for each that it is joined with (ptxas
// 13.0, sm_90a, masks of one to four rows and columns: all comparisons of rows are part of what joins them).
#include "ptx/machine/rules/fold_rule.h"

namespace gpuloom::ptx {

namespace {

// Of two comparisons the one that nobody else reads becomes part of `logic`; of two that others read, the
// first.
bool takes(const Selection& s, uint32_t logic, uint32_t comparison) {
  const Place first = s.instr(logic).ops[1];
  const bool is_first = s.maker(first) == comparison;
  const Place other = is_first ? s.instr(logic).ops[2] : first;
  const uint32_t from = s.maker(other);
  if (from == UINT32_MAX || s.shape(from) != Shape::kSetp || s.folded(from)) return true;
  return is_first && s.facts(other)->uses.size() != 1;
}

bool match_comparison_in_logic(const Selection& s, const Candidate& c) {
  if (c.shape != Shape::kSetp || !c.steady || !used_by(s, *c.result, Shape::kLogicPred)) return false;
  return c.result->uses.size() == 1 ||
         all_uses(*c.result, [&](uint32_t u, const OperandRef&) { return takes(s, u, c.i); });
}

void apply_comparison_in_logic(const Selection& s, Folder& fold, const Candidate& c) {
  fold.into_users(s.op_class(c.i));
}

}  // namespace

extern const FoldRule kComparisonInLogic{"comparison_in_logic", match_comparison_in_logic,
                                         apply_comparison_in_logic};

}  // namespace gpuloom::ptx
