// SPDX-License-Identifier: Apache-2.0
// What ptxas computes once although the PTX does so again and again. nvcc has removed most of that; left are
// values that inline assembly hides from it: reads of special registers in loops and what follows from them
// (SASS of cluster_ring), and matrix loads of the same place (SASS of ldmatrix_conflict).
#include <algorithm>

#include "ptx/machine/selector.h"

namespace gpuloom::ptx {

// The last block in which something is made that this value needs: of what has moved, the block where it is
// now; what has vanished needs what its sources need.
uint32_t Selector::made_in(Place place, unsigned depth) const {
  constexpr unsigned kDeepest = 8;
  if (place.constant() || is_special_[g_.liveness.number(f_, place)] != 0) return 0;
  if (!stable(place)) return UINT32_MAX;
  const uint32_t from = maker(place);
  if (from == UINT32_MAX) return 0;
  if (const auto moved = home_.find(from); moved != home_.end()) return moved->second;
  if (!folded(from) || shape(from) == Shape::kOther || depth == kDeepest) return g_.flow.block_of[from];
  uint32_t made = 0;
  for (uint32_t r = p_.ref_begin[from]; r < p_.ref_begin[from + 1]; ++r) {
    if (!p_.refs[r].defines) made = std::max(made, made_in(p_.refs[r].place, depth + 1));
  }
  return made;
}

// The block before the outermost loop around i in which none of its sources changes, or its own.
uint32_t Selector::home_of(uint32_t i) const {
  const uint32_t own = g_.flow.block_of[i];
  uint32_t made = 0;
  for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
    if (!p_.refs[r].defines) made = std::max(made, made_in(p_.refs[r].place, 0));
  }
  if (made == UINT32_MAX) return own;
  for (uint32_t header = std::max(made + 1, g_.flow.first_block[f_]); header <= own; ++header) {
    for (const uint32_t latch : g_.flow.predecessors[header]) {
      if (latch < header || own > latch) continue;
      for (const uint32_t outside : g_.flow.predecessors[header]) {
        if (outside < header && outside >= made) return outside;
      }
    }
  }
  return own;
}

bool Selector::makes_plain_constant(uint32_t i) const {
  const Place from = p_.code[i].ops[1];
  return shape(i) == Shape::kMove && from.present() && from.constant() && !is_symbol(i);
}

// A loop without loops inside finds its constants in registers as long as there are few: of 1 to 9 that one
// stores all are made in front of it, of 10 and more none, whatever else lives in it; two vectors of four
// are, three are not (ptxas 13.0, sm_90, generated loops).
bool Selector::keeps_constants(uint32_t loop) {
  constexpr size_t kMostKept = 9;
  const auto [it, is_new] = keeps_constants_.try_emplace(loop, false);
  if (!is_new) return it->second;
  std::vector<uint64_t> values;
  for (uint32_t b = loop; b < loops_.end() && loops_.leaf(b) == loop; ++b) {
    for (uint32_t i = g_.flow.blocks[b].first; i <= g_.flow.blocks[b].last; ++i) {
      if (!makes_plain_constant(i) || folded(i)) continue;
      const uint64_t value =
          constant_bits(p_.code[i].ops[1], bytes_of_row(g_.liveness.number(f_, p_.code[i].ops[0])));
      if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
      if (values.size() > kMostKept) return false;
    }
  }
  return it->second = true;
}

// In front of the innermost loop, anew in each turn of those around it.
uint32_t Selector::home_of_constant(uint32_t i) {
  const uint32_t own = g_.flow.block_of[i], loop = loops_.leaf(own);
  if (loop == kNoLoop || !keeps_constants(loop)) return own;
  for (const uint32_t outside : g_.flow.predecessors[loop]) {
    if (outside < loop) return outside;
  }
  return own;
}

// Where a special register is read: in front of a loop without loops inside that needs it in each turn.
uint32_t Selector::home_of_read(uint32_t i) const {
  const uint32_t own = g_.flow.block_of[i], leaf = loops_.leaf(own), nest = loops_.nest(own);
  // ptxas puts further tries of a wait behind the kernel: a loop with waits alone inside has none for it.
  const bool within = leaf == kNoLoop || waits_again(leaf);
  if (within && nest != kNoLoop && nest != g_.flow.first_block[f_] && runs_each_turn(own, nest))
    return loops_.dominator(nest);
  return loops_.always_runs(own) ? loops_.before_leaf(own) : own;
}

// Whether the block is a loop that waits for an mbarrier's phase.
bool Selector::waits_again(uint32_t block) const {
  const auto& next = g_.flow.successors[block];
  if (std::find(next.begin(), next.end(), block) == next.end()) return false;
  for (uint32_t i = g_.flow.blocks[block].first; i <= g_.flow.blocks[block].last; ++i)
    if (p_.code[i].kind == InstrKind::kMbarrier) return true;
  return false;
}

// Whether each turn of the loop comes through `own`, and no loop is in it but those that wait.
bool Selector::runs_each_turn(uint32_t own, uint32_t header) const {
  uint32_t latch = header;
  for (const uint32_t p : g_.flow.predecessors[header])
    if (p < loops_.end()) latch = std::max(latch, p);
  if (latch == header || !loops_.dominates(own, latch)) return false;
  for (uint32_t b = header; b <= latch; ++b) {
    for (const uint32_t p : g_.flow.predecessors[b])
      if (b != header && p >= b && p <= latch && !waits_again(b)) return false;
  }
  return true;
}

// A branch around a loop has a block behind it that reads what the loop wants.
uint32_t Selector::there_from(uint32_t home, uint32_t own) const {
  if (home == own || g_.flow.successors[home].size() == 1) return home;
  const uint32_t nest = loops_.nest(own);
  return nest != kNoLoop && loops_.dominator(nest) == home ? nest : loops_.leaf(own);
}

// What is read anew serves all blocks up to which it is kept.
bool Selector::share_read(uint32_t i, uint32_t home) {
  const uint32_t from = there_from(home, g_.flow.block_of[i]);
  const auto known = std::find_if(reads_.begin(), reads_.end(), [&](const Read& r) {
    return loops_.dominates(r.from, from) && long_loops_.keeps(r.home, home) && same_operation(r.i, i);
  });
  if (known == reads_.end()) {
    reads_.push_back({i, home, from});
    return false;
  }
  share_results(i, known->i);
  home_[i] = known->home;
  return true;
}

bool Selector::same_operation(uint32_t a, uint32_t b) {
  const Instr &x = p_.code[a], &y = p_.code[b];
  if (x.fn != y.fn || x.op_class != y.op_class || x.imm != y.imm || x.aux != y.aux || x.type != y.type ||
      x.space != y.space || x.vec != y.vec)
    return false;
  const uint32_t count = p_.ref_begin[a + 1] - p_.ref_begin[a];
  if (count != p_.ref_begin[b + 1] - p_.ref_begin[b]) return false;
  for (uint32_t k = 0; k < count; ++k) {
    const OperandRef &p = p_.refs[p_.ref_begin[a] + k], &q = p_.refs[p_.ref_begin[b] + k];
    if (p.defines != q.defines || p.operand != q.operand || p.element != q.element || p.bytes != q.bytes)
      return false;
    if (p.defines || p.place.at == q.place.at) continue;
    if (p.place.constant() || q.place.constant() || !stable(p.place) || !stable(q.place)) return false;
    if (find(virtual_of(p.place)) != find(virtual_of(q.place))) return false;
  }
  return true;
}

// The results of `again` are those of `first`.
void Selector::share_results(uint32_t again, uint32_t first) {
  const uint32_t count = p_.ref_begin[again + 1] - p_.ref_begin[again];
  for (uint32_t k = 0; k < count; ++k) {
    const OperandRef& mine = p_.refs[p_.ref_begin[again] + k];
    if (!mine.defines) continue;
    const uint32_t v = find(virtual_of(mine.place));
    const uint32_t to = find(virtual_of(p_.refs[p_.ref_begin[first] + k].place));
    if (v != to) join_[v - base_] = to;
  }
}

// A load of the same parameter in the function's first block, or a read of the same special register.
uint32_t Selector::same_at_begin(uint32_t i) {
  if (shape(i) != Shape::kParamLoad && shape(i) != Shape::kMoveSpecial) return UINT32_MAX;
  const Block& first = g_.flow.blocks[g_.flow.first_block[f_]];
  for (uint32_t k = first.first; k <= first.last; ++k) {
    if (k != i && shape(k) == shape(i) && single_result(k) != nullptr && same_operation(k, i)) return k;
  }
  return UINT32_MAX;
}

// Whether only arithmetic reads a comparison's result, and no branch waits for it.
bool Selector::chooses(uint32_t i) const {
  const RowFacts* result = single_result(i);
  return result != nullptr && all_uses(*result, [&](uint32_t u, const OperandRef&) {
           return p_.code[u].kind == InstrKind::kPlain;
         });
}

// Comparisons go in front of a loop while predicates last (SASS of warp_scan_rows: five of the seven).
bool Selector::room_for_predicate(uint32_t i) const {
  constexpr auto kMostKept = 5;
  const uint32_t home = home_of(i);
  return std::count_if(home_.begin(), home_.end(), [&](const auto& other) {
           return other.second == home && shape(other.first) == Shape::kSetp;
         }) < kMostKept;
}

bool Selector::hoist(uint32_t i) {
  const Instr& in = p_.code[i];
  if (in.kind != InstrKind::kPlain || in.guard.present() || folded(i) || single_result(i) == nullptr)
    return false;
  // Constants that need a register, such reads, and what comes from them: nvcc has moved the rest.
  bool follows = shape(i) == Shape::kMoveSpecial || shape(i) == Shape::kParamLoad || makes_plain_constant(i);
  // So do comparisons of what a loop leaves alone, but for those that branches wait for (staged_sync).
  const bool compares = shape(i) == Shape::kSetp;
  if (compares && !room_for_predicate(i)) return false;
  follows = follows || (compares && chooses(i));
  for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1] && !follows; ++r) {
    const Place place = p_.refs[r].place;
    if (p_.refs[r].defines || place.constant()) continue;
    const uint32_t from = maker(place), own = g_.flow.block_of[i];
    if (from == UINT32_MAX) continue;
    // An address that inline assembly converts in the loop vanishes there.
    follows = home_.count(from) != 0 ||
              (shape(from) == Shape::kRename && g_.flow.block_of[from] == own && made_in(place, 0) < own);
  }
  if (!follows) return false;
  const bool anew = read_anew(i);
  const uint32_t home = makes_plain_constant(i) ? home_of_constant(i) : anew ? home_of_read(i) : home_of(i);
  if (anew && share_read(i, home)) return true;
  if (anew && home == g_.flow.block_of[i]) return false;
  if (home == g_.flow.block_of[i]) {  // read once more, though not again and again (SASS of many_registers)
    const bool again = shape(i) == Shape::kMoveSpecial && special_class(i) == OpClass::s2r;
    const uint32_t before = again ? same_at_begin(i) : UINT32_MAX;
    if (before == UINT32_MAX || g_.flow.block_of[before] == home) return false;
    share_results(i, before);
    home_[i] = g_.flow.block_of[before];
    return true;
  }
  const auto known = std::find_if(home_.begin(), home_.end(), [&](const auto& other) {
    return other.second == home && same_operation(other.first, i);
  });
  const uint32_t before = anew ? UINT32_MAX : same_at_begin(i);
  const uint32_t first = known != home_.end() ? known->first : before;
  if (first != UINT32_MAX) {
    share_results(i, first);
    home_[i] = home;
    return true;
  }
  std::vector<Node> nodes;
  emit(i, nodes);
  for (Node& n : nodes) {
    n.decoded = g_.flow.blocks[home].last;
    n.carries = n.memory = false;
  }
  std::vector<Node>& at = g_.blocks[home];
  at.insert(at.end() - (!at.empty() && at.back().ends ? 1 : 0), nodes.begin(), nodes.end());
  home_[i] = home;
  return true;
}

// ptxas keeps the first of equal matrix loads apart and serves all later ones by the second.
void Selector::share_matrix_loads(uint32_t b) {
  std::vector<uint32_t> seen;
  for (uint32_t i = g_.flow.blocks[b].first; i <= g_.flow.blocks[b].last; ++i) {
    Instr& in = p_.code[i];
    if (static_cast<OpClass>(in.op_class) != OpClass::ldsm) {
      const bool quiet =
          in.kind == InstrKind::kPlain || in.kind == InstrKind::kLoad || in.kind == InstrKind::kBranch;
      if (!quiet && !seen.empty()) seen.clear();
      continue;
    }
    bool single = !in.guard.present();
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r)
      single = single && stable(p_.refs[r].place);
    if (!single) continue;
    std::vector<uint32_t> same;
    std::copy_if(seen.begin(), seen.end(), std::back_inserter(same),
                 [&](uint32_t k) { return same_operation(k, i); });
    if (same.size() >= 2) {
      share_results(i, same[1]);
      in.op_class = static_cast<uint16_t>(OpClass::none);  // it accesses nothing in time
      shape_[i - code_.entry] = Shape::kOther;
    } else {
      seen.push_back(i);
    }
  }
}

}  // namespace gpuloom::ptx
