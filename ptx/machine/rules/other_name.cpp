// SPDX-License-Identifier: Apache-2.0
// The same bits under another name, a predicate's opposite and a sign that are not folded: one operation, MOV
// or PLOP3 where PTX names none.
#include "ptx/machine/rules/rule.h"

namespace gpuloom::ptx {

namespace {

bool match_other_name(const Selection& s, uint32_t i) {
  const Shape shape = s.shape(i);
  return shape == Shape::kRename || shape == Shape::kNotPred || shape == Shape::kFloatSign;
}

void apply_other_name(const Selection& s, Emitter& out, uint32_t i) {
  const OpClass op = s.class_now(i);
  if (op != OpClass::none)
    out.sequence({op});
  else
    out.sequence({s.shape(i) == Shape::kNotPred ? OpClass::plop3 : OpClass::mov});
}

}  // namespace

extern const Rule kOtherName{"other_name", match_other_name, apply_other_name};

}  // namespace gpuloom::ptx
