// SPDX-License-Identifier: Apache-2.0
// ISETP joins its result with another predicate.
#include "ptx/machine/rules/fold_rule.h"

namespace gpuloom::ptx {

namespace {

bool match_comparison_in_logic(const Selection& s, const Candidate& c) {
  return c.shape == Shape::kSetp && c.steady && c.result->uses.size() == 1 &&
         used_by(s, *c.result, Shape::kLogicPred);
}

void apply_comparison_in_logic(const Selection& s, Folder& fold, const Candidate& c) {
  fold.into_users(s.op_class(c.i));
}

}  // namespace

extern const FoldRule kComparisonInLogic{"comparison_in_logic", match_comparison_in_logic,
                                         apply_comparison_in_logic};

}  // namespace gpuloom::ptx
