// SPDX-License-Identifier: Apache-2.0
// p ? x op y : x, where x is needed no longer, is `@p x = x op y` (SASS of bswap_crc: @P0 LOP3).
#include "ptx/machine/rules/fold_rule.h"

namespace gpuloom::ptx {

namespace {

bool match_guarded_choice(const Selection& s, const Candidate& c) {
  if (c.shape != Shape::kLogic32 && c.shape != Shape::kAdd32 && c.shape != Shape::kSub32) return false;
  if (!c.steady || c.result->uses.size() != 1 || s.has_taken(c.i)) return false;
  const auto& [user, ref] = c.result->uses[0];
  const Instr& choice = s.instr(user);
  if (s.mnemonic(user) != "selp" || bits(choice.type) != 32 || s.has_taken(user) || s.folded(user) ||
      choice.guard.present() || (ref->operand != 1 && ref->operand != 2))
    return false;
  const Place other = choice.ops[ref->operand == 1 ? 2 : 1];
  const Instr& in = s.instr(c.i);
  const bool source = !other.constant() && (in.ops[1].at == other.at || in.ops[2].at == other.at);
  if (!source || s.maker(other) == UINT32_MAX || s.folded(s.maker(other))) return false;
  const bool ends = all_uses(*s.facts(other), [&, last = user](uint32_t u, const OperandRef&) {
    return u <= last && s.block_of(u) == s.block_of(last);
  });
  return ends && s.block_of(s.maker(other)) == s.block_of(user);
}

void apply_guarded_choice(const Selection& s, Folder& fold, const Candidate& c) {
  fold.into_users(s.class_now(c.i));
}

}  // namespace

extern const FoldRule kGuardedChoice{"guarded_choice", match_guarded_choice, apply_guarded_choice};

}  // namespace gpuloom::ptx
