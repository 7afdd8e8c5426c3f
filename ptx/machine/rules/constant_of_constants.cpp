// SPDX-License-Identifier: Apache-2.0
// A conversion or a pair of constants is a constant, where all who read it take immediates.
#include "ptx/machine/rules/fold_rule.h"
#include "ptx/machine/rules/half_values.h"

namespace gpuloom::ptx {

namespace {

bool match_constant_of_constants(const Selection& s, const Candidate& c) {
  return c.result != nullptr && makes_constant(s, c.i, *c.result);
}

void apply_constant_of_constants(const Selection&, Folder& fold, const Candidate& c) {
  if (c.shape == Shape::kOther) fold.rename();
  fold.vanish();
}

}  // namespace

extern const FoldRule kConstantOfConstants{"constant_of_constants", match_constant_of_constants,
                                           apply_constant_of_constants};

}  // namespace gpuloom::ptx
