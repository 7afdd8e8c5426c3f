// SPDX-License-Identifier: Apache-2.0
// The opposite of a predicate is a modifier of the operand.
#include "ptx/machine/rules/fold_rule.h"

namespace gpuloom::ptx {

namespace {

bool match_opposite_predicate(const Selection&, const Candidate& c) {
  return c.shape == Shape::kNotPred && c.steady;
}

void apply_opposite_predicate(const Selection&, Folder& fold, const Candidate&) { fold.vanish(); }

}  // namespace

extern const FoldRule kOppositePredicate{"opposite_predicate", match_opposite_predicate,
                                         apply_opposite_predicate};

}  // namespace gpuloom::ptx
