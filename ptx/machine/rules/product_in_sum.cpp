// SPDX-License-Identifier: Apache-2.0
// IMAD adds a product to anything; it subtracts from it, and takes it from another value where one factor is
// a constant, whose sign it changes (SASS of indirect_calls: x - x / 3 * 3).
#include "ptx/machine/rules/fold_rule.h"

namespace gpuloom::ptx {

namespace {

bool takes_product(const Selection& s, uint32_t product, uint32_t user, const OperandRef& ref) {
  if (s.folded(user) || s.has_taken(user)) return false;
  if (s.shape(user) == Shape::kAdd32) return true;
  if (s.shape(user) != Shape::kSub32) return false;
  const Instr& in = s.instr(product);
  return ref.operand == 1 || (in.ops[1].present() && in.ops[1].constant()) ||
         (in.ops[2].present() && in.ops[2].constant());
}

bool match_product_in_sum(const Selection& s, const Candidate& c) {
  return c.shape == Shape::kMul32 && c.steady && all_uses(*c.result, [&](uint32_t u, const OperandRef& ref) {
           return takes_product(s, c.i, u, ref);
         });
}

void apply_product_in_sum(const Selection&, Folder& fold, const Candidate&) {
  fold.into_users(OpClass::imad);
}

}  // namespace

extern const FoldRule kProductInSum{"product_in_sum", match_product_in_sum, apply_product_in_sum};

}  // namespace gpuloom::ptx
