// SPDX-License-Identifier: Apache-2.0
// n + (p ? c : 0) is x = n + c; @!p x = n: a move, which the FMA pipe takes as well, in place of SEL
// (ptxas 13.0, sm_90: VIADD R0, R9, 0x1; @!P2 IMAD.MOV R0, RZ, RZ, R9).
#include "ptx/machine/rules/fold_rule.h"

namespace gpuloom::ptx {

namespace {

bool chooses_constant_or_zero(const Selection& s, uint32_t i) {
  const Instr& in = s.instr(i);
  if (s.mnemonic(i) != "selp" || bits(in.type) != 32 || in.guard.present()) return false;
  if (!in.ops[1].constant() || !in.ops[2].constant() || in.ops[3].constant()) return false;
  return s.is_zero(in.ops[1]) != s.is_zero(in.ops[2]);
}

// What the sum adds the choice to.
Place summand(const Selection& s, uint32_t sum, Place choice) {
  const Instr& in = s.instr(sum);
  return in.ops[1].at == choice.at ? in.ops[2] : in.ops[1];
}

bool match_conditional_increment(const Selection& s, const Candidate& c) {
  if (!c.steady || !chooses_constant_or_zero(s, c.i) || c.result->uses.size() != 1) return false;
  const uint32_t sum = c.result->uses[0].first;
  if (s.shape(sum) != Shape::kAdd32 || s.has_taken(sum) || s.folded(sum) || s.instr(sum).guard.present() ||
      s.block_of(sum) != s.block_of(c.i))
    return false;
  const Place other = summand(s, sum, s.instr(c.i).ops[0]);
  if (other.constant() || other.at == s.instr(c.i).ops[0].at) return false;
  const uint32_t made = s.maker(other);  // of two choices ptxas makes something else
  return made == UINT32_MAX || !chooses_constant_or_zero(s, made);
}

void apply_conditional_increment(const Selection&, Folder& fold, const Candidate&) {
  fold.into_users(OpClass::sel);
}

bool match_incremented(const Selection& s, uint32_t i) {
  return s.shape(i) == Shape::kAdd32 && s.fused(i) == OpClass::sel;
}

void apply_incremented(const Selection& s, Emitter& out, uint32_t i) {
  const Instr& in = s.instr(i);
  const uint32_t first = s.maker(in.ops[1]);
  const bool chosen = first != UINT32_MAX && s.folded(first) && chooses_constant_or_zero(s, first);
  const uint32_t more = out.make(OpClass::iadd, out.source(in.ops[chosen ? 2 : 1]), 1);
  out.sequence({OpClass::mov});
  out.last().uses.push_back(more);
}

}  // namespace

extern const FoldRule kConditionalIncrement{"conditional_increment", match_conditional_increment,
                                            apply_conditional_increment};
extern const Rule kIncremented{"incremented", match_incremented, apply_incremented};

}  // namespace gpuloom::ptx
