// SPDX-License-Identifier: Apache-2.0
// Sums of 64 bits take three values too, with two carries (ptxas 13.0, sm_90: IADD3 R4, P0, P1, R8, R4, -R6;
// IADD3.X R5, R9, R5, ~R7, P0, P1), in one block or two, unless the first has other readers, or one of them
// has a product or a shift (bench/silicon/lowering/wide_integers.py).
#include "ptx/machine/rules/wide_sum_of_three.h"

namespace gpuloom::ptx {

namespace {

bool is_wide_sum(const Selection& s, uint32_t i) {
  return i != UINT32_MAX && (s.shape(i) == Shape::kAdd64 || s.shape(i) == Shape::kSub64);
}

// Whether it has, or will have, what is IMAD.WIDE or LEA with the sum.
bool takes_more(const Selection& s, uint32_t i) {
  if (s.has_taken(i) || adds_product(s, i)) return true;
  if (s.shape(i) == Shape::kSub64) return false;
  for (unsigned k = 1; k < 3; ++k) {
    const uint32_t from = s.maker(s.instr(i).ops[k]);
    if (from == UINT32_MAX || s.shape(from) != Shape::kShl64) continue;
    if (s.folded(from) || s.facts(s.instr(i).ops[k])->uses.size() == 1) return true;
  }
  return false;
}

// An offset of an address alone is part of the operand.
bool is_offset(const Selection& s, uint32_t i) {
  const RowFacts* result = s.single_result(i);
  return result != nullptr && s.instr(i).ops[2].constant() && address_only(s, *result);
}

bool match_wide_sum_of_three(const Selection& s, const Candidate& c) {
  return c.steady && joins_wide_sum(s, c.i);
}

void apply_wide_sum_of_three(const Selection& s, Folder& fold, const Candidate& c) {
  fold.into_users(s.class_now(c.result->uses[0].first));
}

}  // namespace

bool joins_wide_sum(const Selection& s, uint32_t i) {
  const RowFacts* result = is_wide_sum(s, i) ? s.single_result(i) : nullptr;
  if (s.sequence_of(OpClass::add64).size() != 2) return false;  // IADD.64 adds two
  if (result == nullptr || result->uses.size() != 1 || !s.stable_sources(i) || takes_more(s, i)) return false;
  const uint32_t user = result->uses[0].first;
  return is_wide_sum(s, user) && !s.folded(user) && !takes_more(s, user) && !is_offset(s, user) &&
         !s.instr(user).guard.present();
}

bool is_of_three(const Selection& s, uint32_t i) {
  if (joins_wide_sum(s, i)) return true;
  for (unsigned k = 1; k < 3; ++k)
    if (joins_wide_sum(s, s.maker(s.instr(i).ops[k]))) return true;
  return false;
}

extern const FoldRule kWideSumOfThree{"wide_sum_of_three", match_wide_sum_of_three, apply_wide_sum_of_three};

}  // namespace gpuloom::ptx
