// SPDX-License-Identifier: Apache-2.0
// IADD3 adds three values. x + p + p: no instruction has two operands in the constant bank, so ptxas adds
// twice the parameter, with LEA or IMAD (SASS of lat_iadd, rate_mix).
#include "ptx/machine/rules/fold_rule.h"

namespace gpuloom::ptx {

namespace {

size_t distinct_sources(const Selection& s, uint32_t i) {
  size_t count = s.sources(i).size();
  for (unsigned k = 1; k < 3; ++k) {
    const Place place = s.instr(i).ops[k];
    count += place.present() && place.constant() ? 1 : 0;
  }
  return count;
}

bool adds_same_parameter(const Selection& s, uint32_t i, uint32_t user) {
  for (unsigned k = 1; k < 3; ++k) {
    const Place p = s.instr(i).ops[k];
    const uint32_t from = s.maker(p);
    if (from == UINT32_MAX || s.shape(from) != Shape::kParamLoad) continue;
    if (s.instr(user).ops[1].at == p.at || s.instr(user).ops[2].at == p.at) return true;
  }
  return false;
}

bool match_sum_of_three(const Selection& s, const Candidate& c) {
  return c.shape == Shape::kAdd32 && c.steady && c.result->uses.size() == 1 && !s.has_taken(c.i) &&
         used_by(s, *c.result, Shape::kAdd32) && distinct_sources(s, c.i) <= 2;
}

void apply_sum_of_three(const Selection& s, Folder& fold, const Candidate& c) {
  fold.into_users(adds_same_parameter(s, c.i, c.result->uses[0].first) ? OpClass::lea : OpClass::none);
}

}  // namespace

extern const FoldRule kSumOfThree{"sum_of_three", match_sum_of_three, apply_sum_of_three};

}  // namespace gpuloom::ptx
