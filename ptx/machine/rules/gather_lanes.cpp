// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/rules/gather_lanes.h"

#include "ptx/isa/table/op_traits.h"
#include "ptx/passes/instr_questions.h"
#include "ptx/passes/pseudo.h"

namespace gpuloom::ptx {

namespace {

constexpr unsigned kShufflesAsked = 3;  // cg_tiles has twelve, two single ones have WARPSYNC

// Whether lanes that may be apart are brought together for i by a branch or a WARPSYNC in front of it; for
// what acts for the lanes of a mask that differs, ptx/passes/groups has seen to it.
bool is_gathered(const Selection& s, uint32_t i) {
  const Instr& in = s.instr(i);
  return exchanges(in) && (is_shuffle(s.class_now(i)) || !s.divergent(member_mask(in)));
}

}  // namespace

bool exchanges(const Instr& in) {
  return in.kind == InstrKind::kWarpSync && is(static_cast<OpClass>(in.op_class), kExchanges);
}

// REDUX.OR, R2UR, BRA.DIV. Shuffles serve several masks at once, if only the lanes of each are together:
// MATCH.ANY, REDUX.OR, VOTEU, LOP3, BRA.DIV (SASS of cg_tiles).
void ask_for_lanes(const Selection& s, Emitter& out, uint32_t i, Place mask) {
  std::vector<uint32_t> from = out.source(mask), answers;
  const auto add = [&](OpClass op, std::vector<uint32_t> uses, uint8_t words, bool uniform) {
    const uint32_t answer = out.temporary(words, uniform);
    Node& n = out.push(op);
    n.uses = std::move(uses);
    n.defs = {answer};
    n.uniform = uniform && op == OpClass::vote;
    return answer;
  };
  answers.push_back(add(OpClass::redux, from, 1, true));
  if (is_shuffle(s.class_now(i))) {
    from.push_back(add(OpClass::match, from, 1, false));
    from.push_back(add(OpClass::vote, {}, 1, true));
    answers.push_back(add(OpClass::lop3, from, 0, false));
  } else {
    answers.push_back(add(OpClass::mov, from, 0, false));
  }
  out.push(OpClass::bra).uses = answers;
}

// In front of the first exchange of a block where lanes may be apart, a branch on whether they are: UMOV of
// the mask, BRA.DIV (SASS of attention with a loop over positions). Where one operation of the function has
// WARPSYNC.EXCLUSIVE, exchanges under other masks have a WARPSYNC each (cg_partition), as a shuffle or two of
// lanes whose masks differ.
void gather_lanes(const Selection& s, Emitter& out, uint32_t i) {
  if (!exchanges(s.instr(i)) || !is_gathered(s, i)) return;
  const LaneGathering& how = s.gathering();
  const bool all = how.syncs || how.asks, shuffles = is_shuffle(s.class_now(i));
  const Place mask = member_mask(s.instr(i));
  const bool differs = shuffles && s.divergent(mask);
  if (differs ? how.differing_shuffles < kShufflesAsked : how.syncs) {
    Node& n = out.push(OpClass::warpsync);
    s.add_source(mask, n.uses);
    n.ordered = true;
    return;
  }
  if (!all && !differs && (!shuffles || !s.apart(s.block_of(i)))) return;
  for (uint32_t k = s.flow().blocks[s.block_of(i)].first; k < i; ++k)
    if (is_gathered(s, k) && !s.folded(k) && (how.asks || is_shuffle(s.class_now(k)))) return;
  if (differs) return ask_for_lanes(s, out, i, mask);
  const uint32_t full = out.make(OpClass::mov, {}, 1, true);
  out.push(OpClass::bra).uses = {full};
}

}  // namespace gpuloom::ptx
