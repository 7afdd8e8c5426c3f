// SPDX-License-Identifier: Apache-2.0
// LOP3 computes any function of three values, of which one may be a constant (SASS of MD5, edit_distance:
// (b & c) | (~b & d)).
#include <algorithm>

#include "ptx/machine/rules/fold_rule.h"

namespace gpuloom::ptx {

namespace {

// Whether user and all that it has taken, i too, look at three values at most.
bool joins_three(const Selection& s, uint32_t i, uint32_t user) {
  if (s.fused(user) == OpClass::lea) return false;
  const Program& p = s.program();
  std::vector<uint32_t> all = s.sources(user);
  std::erase(all, s.value(p.code[i].ops[0]));
  const std::vector<uint32_t> own = s.sources(i);
  all.insert(all.end(), own.begin(), own.end());
  std::sort(all.begin(), all.end());
  const auto values = static_cast<size_t>(std::unique(all.begin(), all.end()) - all.begin());
  std::vector<uint64_t> constants;
  size_t wide_constants = 0;
  for (const uint32_t k : {i, user}) {
    s.add_constants_of(k, 4, constants);
    for (uint32_t r = p.ref_begin[k]; r < p.ref_begin[k + 1]; ++r)
      wide_constants += !p.refs[r].defines && p.refs[r].place.constant() && p.refs[r].bytes == 8 ? 1 : 0;
  }
  return constants.size() <= 1 && wide_constants == 0 && values + constants.size() <= 3;
}

bool match_logic_of_three(const Selection& s, const Candidate& c) {
  const bool wide = c.shape == Shape::kLogic64 || c.shape == Shape::kNot64;
  if (!wide && c.shape != Shape::kLogic32 && c.shape != Shape::kNot32) return false;
  if (!c.steady || c.result->uses.size() != 1 || s.fused(c.i) == OpClass::lea) return false;
  const uint32_t user = c.result->uses[0].first;
  const Shape next = s.shape(user);
  const bool logic =
      next == (wide ? Shape::kNot64 : Shape::kNot32) || next == (wide ? Shape::kLogic64 : Shape::kLogic32);
  return logic && !s.folded(user) && joins_three(s, c.i, user);
}

void apply_logic_of_three(const Selection&, Folder& fold, const Candidate&) {
  fold.into_users(OpClass::none);
}

}  // namespace

extern const FoldRule kLogicOfThree{"logic_of_three", match_logic_of_three, apply_logic_of_three};

}  // namespace gpuloom::ptx
