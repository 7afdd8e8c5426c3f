// SPDX-License-Identifier: Apache-2.0
// x << k and x >> (64 - k), joined: the halves shifted into each other (SASS of a rotation: SHF.L.W.U32.HI
// twice).
#include "ptx/machine/rules/fold_rule.h"

namespace gpuloom::ptx {

namespace {

// What makes the other operand of the candidate's user, where it is a shift to the right.
uint32_t shift_to_right(const Selection& s, const Candidate& c) {
  const auto& [user, ref] = c.result->uses[0];
  if (ref->operand != 1 && ref->operand != 2) return UINT32_MAX;
  const uint32_t other = s.maker(s.instr(user).ops[ref->operand == 1 ? 2 : 1]);
  if (other == UINT32_MAX || s.folded(other) || s.mnemonic(other) != "shr" || is_signed(s.instr(other).type))
    return UINT32_MAX;
  return other;
}

bool match_rotation(const Selection& s, const Candidate& c) {
  const Instr& in = s.instr(c.i);
  if (c.shape != Shape::kShl64 || !c.steady || c.result->uses.size() != 1 || !in.ops[2].constant())
    return false;
  const uint32_t user = c.result->uses[0].first, other = shift_to_right(s, c);
  const std::string_view joins = s.mnemonic(user);
  if ((joins != "add" && joins != "or" && joins != "xor") || bits(s.instr(user).type) != 64 ||
      s.has_taken(user) || s.folded(user) || s.instr(user).guard.present() || other == UINT32_MAX)
    return false;
  const Instr& right = s.instr(other);
  const RowFacts* theirs = s.single_result(other);
  if (theirs == nullptr || theirs->uses.size() != 1 || !s.stable_sources(other) || bits(right.type) != 64 ||
      !right.ops[2].constant() || right.ops[1].at != in.ops[1].at)
    return false;
  const uint64_t left = s.constant_bits(in.ops[2], 4);
  return left != 32 && left + s.constant_bits(right.ops[2], 4) == 64;
}

void apply_rotation(const Selection& s, Folder& fold, const Candidate& c) {
  fold.join(shift_to_right(s, c));
  fold.into_users(OpClass::shift64);
}

}  // namespace

extern const FoldRule kRotation{"rotation", match_rotation, apply_rotation};

}  // namespace gpuloom::ptx
