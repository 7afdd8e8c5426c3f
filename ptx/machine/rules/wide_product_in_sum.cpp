// SPDX-License-Identifier: Apache-2.0
// IMAD.WIDE multiplies two values of 32 bits and adds one of 64.
#include "ptx/machine/rules/fold_rule.h"

namespace gpuloom::ptx {

namespace {

bool match_wide_product_in_sum(const Selection& s, const Candidate& c) {
  if (c.shape != Shape::kMulWide || c.result == nullptr || !used_by(s, *c.result, Shape::kAdd64))
    return false;
  return c.steady || s.made_anew(c.i);
}

void apply_wide_product_in_sum(const Selection&, Folder& fold, const Candidate&) {
  fold.into_users(OpClass::imad_wide);
}

}  // namespace

extern const FoldRule kWideProductInSum{"wide_product_in_sum", match_wide_product_in_sum,
                                        apply_wide_product_in_sum};

}  // namespace gpuloom::ptx
