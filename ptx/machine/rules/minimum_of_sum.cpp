// SPDX-License-Identifier: Apache-2.0
// VIADDMNMX takes the minimum of a sum or difference and a third value, VIMNMX3 of three values; one of them
// may be an immediate (SASS of floyd_tile, sobel_u8).
#include "ptx/machine/rules/fold_rule.h"

namespace gpuloom::ptx {

namespace {

bool match_minimum_of_sum(const Selection& s, const Candidate& c) {
  if (c.shape != Shape::kAdd32 && c.shape != Shape::kSub32 && c.shape != Shape::kMinMax32) return false;
  if (!c.steady || !s.profile().minimum_of_sum) return false;
  if (c.result->uses.size() != 1 || s.has_taken(c.i) || !used_by(s, *c.result, Shape::kMinMax32))
    return false;
  const uint32_t user = c.result->uses[0].first;
  const bool same_kind = s.mnemonic(c.i) == s.mnemonic(user) && s.instr(c.i).type == s.instr(user).type;
  if (c.shape == Shape::kMinMax32 && !same_kind) return false;
  unsigned immediates = 0;
  for (const uint32_t k : {c.i, user}) {
    for (const Place place : {s.instr(k).ops[1], s.instr(k).ops[2]})
      immediates += place.present() && place.constant() && !s.is_zero(place) ? 1 : 0;
  }
  return immediates <= 1;
}

void apply_minimum_of_sum(const Selection&, Folder& fold, const Candidate&) {
  fold.into_users(OpClass::none);
}

}  // namespace

extern const FoldRule kMinimumOfSum{"minimum_of_sum", match_minimum_of_sum, apply_minimum_of_sum};

}  // namespace gpuloom::ptx
