// SPDX-License-Identifier: Apache-2.0
// A product of 64-bit integers goes into the sums of its block: IMAD.WIDE.U32 adds for them, each on its own
// (bench/silicon/lowering/wide_integers.py: x * 12 added to two pointers is IMAD, IMAD.WIDE.U32 twice, IADD3
// twice).
#include "ptx/machine/rules/long_product.h"

namespace gpuloom::ptx {

bool is_long_product(const Selection& s, uint32_t i) {
  static const std::vector<OpClass> kWithWide{OpClass::imad, OpClass::imad_wide, OpClass::imad,
                                              OpClass::iadd};
  return (s.shape(i) == Shape::kMul64 || s.shape(i) == Shape::kMad64) && s.class_now(i) == OpClass::mul64 &&
         s.sequence_of(OpClass::mul64) == kWithWide;
}

bool joins_sums(const Selection& s, uint32_t i) {
  const RowFacts* result = s.single_result(i);
  if (result == nullptr || s.shape(i) != Shape::kMul64 || !is_long_product(s, i) || !s.stable_sources(i))
    return false;
  return all_uses(*result, [&](uint32_t u, const OperandRef& ref) {
    const Instr& sum = s.instr(u);
    const Place other = sum.ops[ref.operand == 1 ? 2 : 1];
    return s.shape(u) == Shape::kAdd64 && s.block_of(u) == s.block_of(i) && !sum.guard.present() &&
           !other.constant() && other.at != ref.place.at && !s.has_taken(u) && !s.folded(u);
  });
}

namespace {

bool match_long_product_in_sum(const Selection& s, const Candidate& c) { return joins_sums(s, c.i); }

void apply_long_product_in_sum(const Selection&, Folder& fold, const Candidate&) {
  fold.into_users(OpClass::mul64);
}

}  // namespace

extern const FoldRule kLongProductInSum{"long_product_in_sum", match_long_product_in_sum,
                                        apply_long_product_in_sum};

}  // namespace gpuloom::ptx
