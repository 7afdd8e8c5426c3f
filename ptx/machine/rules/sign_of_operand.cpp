// SPDX-License-Identifier: Apache-2.0
// Signs that are turned or dropped are modifiers of operands.
#include "ptx/machine/rules/fold_rule.h"
#include "ptx/machine/rules/pieces.h"

namespace gpuloom::ptx {

namespace {

bool match_sign_of_operand(const Selection& s, const Candidate& c) {
  return c.shape == Shape::kFloatSign && c.steady &&
         all_uses(*c.result, [&](uint32_t u, const OperandRef& ref) { return takes_sign(s, u, ref); });
}

void apply_sign_of_operand(const Selection&, Folder& fold, const Candidate&) { fold.vanish(); }

}  // namespace

extern const FoldRule kSignOfOperand{"sign_of_operand", match_sign_of_operand, apply_sign_of_operand};

}  // namespace gpuloom::ptx
