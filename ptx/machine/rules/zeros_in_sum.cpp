// SPDX-License-Identifier: Apache-2.0
// clz is 31 - FLO: the subtraction goes into an addition that follows.
#include "ptx/machine/rules/fold_rule.h"

namespace gpuloom::ptx {

namespace {

bool match_zeros_in_sum(const Selection& s, const Candidate& c) {
  return c.shape == Shape::kCountZeros && c.steady && c.result->uses.size() == 1 &&
         used_by(s, *c.result, Shape::kAdd32);
}

void apply_zeros_in_sum(const Selection&, Folder& fold, const Candidate& c) {
  fold.take(c.result->uses[0].first, OpClass::none);
  fold.fuse(OpClass::flo);
}

}  // namespace

extern const FoldRule kZerosInSum{"zeros_in_sum", match_zeros_in_sum, apply_zeros_in_sum};

}  // namespace gpuloom::ptx
