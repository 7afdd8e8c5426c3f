// SPDX-License-Identifier: Apache-2.0
// Exchanges between lanes that ptxas leaves out: a shuffle of a value that all lanes share is that value, and
// an exchange that has been made before with the same operands is not made again, also behind a barrier
// (SASS of rate_shfl and of pairs of SHFL, VOTE and REDUX).
#include "ptx/isa/table/op_traits.h"
#include "ptx/machine/selector.h"
#include "ptx/passes/pseudo.h"

namespace gpuloom::ptx {

namespace {

constexpr unsigned kShufflesAsked = 3;  // cg_tiles has twelve, two single ones have WARPSYNC

bool may_be_shared(const Instr& in) {
  const auto op = static_cast<OpClass>(in.op_class);
  return in.kind == InstrKind::kWarpSync && !in.guard.present() && is(op, kExchanges) && op != OpClass::match;
}

}  // namespace

bool Selector::divergent(Place place) const {
  if (!place.present() || place.constant()) return false;
  return g_.exchanged_row[f_][g_.liveness.number(f_, place)] != 0;
}

// What acts for lanes that are together: they must be, whatever happened before.
bool Selector::exchanges(const Instr& in) const {
  return in.kind == InstrKind::kWarpSync && is(static_cast<OpClass>(in.op_class), kExchanges);
}

// Whether lanes that may be apart are brought together for i by a branch or a WARPSYNC in front of it; for
// what acts for the lanes of a mask that differs, ptx/passes/groups has seen to it.
bool Selector::is_gathered(uint32_t i) const {
  const Instr& in = p_.code[i];
  return exchanges(in) && (class_of(i) == OpClass::shfl || !divergent(member_mask(in)));
}

// Whether all lanes have one mask and are together: REDUX.OR, R2UR, BRA.DIV. Shuffles serve several masks at
// once, if only the lanes of each are together: MATCH.ANY, REDUX.OR, VOTEU, LOP3, BRA.DIV (SASS of cg_tiles).
void Selector::emit_question(uint32_t i, Place mask, std::vector<Node>& out) {
  std::vector<uint32_t> from, answers;
  add_source(mask, from, 0);
  const auto add = [&](OpClass op, std::vector<uint32_t> uses, uint8_t words, bool uniform) {
    const uint32_t answer = temporary(words, uniform);
    Node& n = push(out, op, i);
    n.uses = std::move(uses);
    n.defs = {answer};
    n.uniform = uniform && op == OpClass::vote;
    return answer;
  };
  answers.push_back(add(OpClass::redux, from, 1, true));
  if (class_of(i) == OpClass::shfl) {
    from.push_back(add(OpClass::match, from, 1, false));
    from.push_back(add(OpClass::vote, {}, 1, true));
    answers.push_back(add(OpClass::lop3, from, 0, false));
  } else {
    answers.push_back(add(OpClass::mov, from, 0, false));
  }
  push(out, OpClass::bra, i).uses = answers;
}

bool Selector::emit_split(uint32_t i, std::vector<Node>& out) {
  const Instr& in = p_.code[i];
  if (in.fn == skip_split) {
    emit_question(i, in.ops[0], out);
    out.back().carries = true;
    set_order(out.back(), in);
    return true;
  }
  if (!splits(in)) return false;
  if (in.aux != 0) return emit_sequence(i, {OpClass::mov, OpClass::warpsync}, out), true;
  return emit_sequence(i, {OpClass::warpsync}, out), true;
}

// In front of the first exchange of a block where lanes may be apart, a branch on whether they are: UMOV of
// the mask, BRA.DIV (SASS of attention with a loop over positions). Where one operation of the function has
// WARPSYNC.EXCLUSIVE, exchanges under other masks have a WARPSYNC each (cg_partition), as a shuffle or two of
// lanes whose masks differ.
void Selector::emit_gathering(uint32_t i, std::vector<Node>& out) {
  if (!is_gathered(i)) return;
  const bool all = syncs_ || asks_, shuffles = class_of(i) == OpClass::shfl;
  const Place mask = member_mask(p_.code[i]);
  const bool differs = shuffles && divergent(mask);
  if (differs ? differing_shuffles_ < kShufflesAsked : syncs_) {
    Node& n = push(out, OpClass::warpsync, i);
    add_source(mask, n.uses, 0);
    n.ordered = true;
    return;
  }
  if (!all && !differs && (!shuffles || g_.apart[g_.flow.block_of[i]] == 0)) return;
  for (uint32_t k = g_.flow.blocks[g_.flow.block_of[i]].first; k < i; ++k)
    if (is_gathered(k) && !folded(k) && (asks_ || class_of(k) == OpClass::shfl)) return;
  if (differs) return emit_question(i, mask, out);
  Node& full = push(out, OpClass::mov, i);
  full.uniform = true;
  full.defs = {temporary(1, true)};
  const uint32_t at = full.defs[0];
  push(out, OpClass::bra, i).uses = {at};
}

void Selector::drop_exchanges() {
  for (uint32_t i = code_.entry; i < code_.end; ++i) {
    Instr& in = p_.code[i];
    const bool copies = may_be_shared(in) && static_cast<OpClass>(in.op_class) == OpClass::shfl &&
                        !in.ops[1].present() && !divergent(in.ops[2]);
    if (!copies) continue;
    shape_[i - code_.entry] = Shape::kMove;
    in.op_class = static_cast<uint16_t>(OpClass::mov);
  }
}

void Selector::share_exchanges(uint32_t b) {
  std::vector<uint32_t> seen;
  for (uint32_t i = g_.flow.blocks[b].first; i <= g_.flow.blocks[b].last; ++i) {
    if (!may_be_shared(p_.code[i])) continue;
    bool single = true;
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r)
      single = single && stable(p_.refs[r].place);
    if (!single) continue;
    const auto known =
        std::find_if(seen.begin(), seen.end(), [&](uint32_t k) { return same_operation(k, i); });
    if (known == seen.end()) {
      seen.push_back(i);
      continue;
    }
    share_results(i, *known);
    folded_[i - code_.entry] = 1;
  }
}

}  // namespace gpuloom::ptx
