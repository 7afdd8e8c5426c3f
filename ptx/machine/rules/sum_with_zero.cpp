// SPDX-License-Identifier: Apache-2.0
// x + 0 is x.
#include "ptx/machine/rules/fold_rule.h"

namespace gpuloom::ptx {

namespace {

bool match_sum_with_zero(const Selection& s, const Candidate& c) {
  return (c.shape == Shape::kAdd64 || c.shape == Shape::kAdd32) && c.steady && adds_nothing(s, c.i);
}

void apply_sum_with_zero(const Selection&, Folder& fold, const Candidate&) { fold.vanish(); }

}  // namespace

extern const FoldRule kSumWithZero{"sum_with_zero", match_sum_with_zero, apply_sum_with_zero};

}  // namespace gpuloom::ptx
