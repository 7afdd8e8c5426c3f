// SPDX-License-Identifier: Apache-2.0
// Constants that all lanes read at one address: ptxas loads them to uniform registers (ULDC c[3][UR]), and
// keeps the address and what it comes from there too (SASS of constant_uniform), so neither takes a register
// of the vector file. The uniform datapath knows no lanes, so all of this must lie where no lanes are apart.
#include <algorithm>

#include "ptx/machine/selector.h"
#include "ptx/passes/post_dominators.h"
#include "ptx/passes/uniformity.h"

namespace gpuloom::ptx {

namespace {

// By block of the program: lanes may be apart there.
std::vector<uint8_t> apart_blocks(const Graph& g, const Uniformity& uniformity,
                                  const std::vector<uint32_t>& meets) {
  std::vector<uint8_t> apart(g.flow.blocks.size(), 0);
  for (uint32_t b = 0; b < g.flow.blocks.size(); ++b) {
    if (uniformity.divergent_branch[b] == 0 || leaves_function(g.program->code[g.flow.blocks[b].last]))
      continue;
    std::vector<uint8_t> seen(g.flow.blocks.size(), 0);
    std::vector<uint32_t> work = g.flow.successors[b];
    while (!work.empty()) {
      const uint32_t at = work.back();
      work.pop_back();
      if (at == meets[b] || seen[at] != 0) continue;
      seen[at] = apart[at] = 1;
      work.insert(work.end(), g.flow.successors[at].begin(), g.flow.successors[at].end());
    }
  }
  return apart;
}

}  // namespace

void find_uniform_values(Graph& g) {
  const std::vector<uint32_t> meets = all_post_dominators(g.flow);
  const Uniformity uniformity = find_uniformity(*g.program, g.flow, g.liveness, meets);
  g.divergent_row = uniformity.divergent_row;
  g.apart = apart_blocks(g, uniformity, meets);
  g.exchanged_row = find_uniformity(*g.program, g.flow, g.liveness, meets, Exchanges::kUniform).divergent_row;
}

bool Selector::may_be_uniform(Place place) const {
  if (!place.present() || place.constant()) return false;
  const uint32_t row = g_.liveness.number(f_, place);
  return row < in_uniform_.size() && in_uniform_[row] != 0;  // 16-byte tuples begin where no row does
}

// Whether the uniform datapath can make what i writes: constants, and sums and products with constants.
bool Selector::makes_uniform(uint32_t i) const {
  const Instr& in = p_.code[i];
  if (in.guard.present() || g_.apart[g_.flow.block_of[i]] != 0) return false;
  const Place a = in.ops[1], b = in.ops[2];
  const auto constant = [](Place place) { return place.present() && place.constant(); };
  switch (shape(i)) {
    case Shape::kMove:
      if (!constant(a)) return may_be_uniform(a);
      return symbol_of(i) == nullptr || symbol_of(i)->space == Space::kConst;
    case Shape::kAdd32:
      return (may_be_uniform(a) && (constant(b) || may_be_uniform(b))) || (constant(a) && may_be_uniform(b));
    case Shape::kMul32:
    case Shape::kShl32:
      return may_be_uniform(a) && constant(b);
    default:
      return false;
  }
}

// A load whose result may be a uniform register: arithmetic takes one of them an operation.
bool Selector::loads_uniform(uint32_t i) const {
  const Instr& in = p_.code[i];
  if (in.kind != InstrKind::kLoad || in.space != Space::kConst || in.vec > 1 || in.guard.present() ||
      g_.apart[g_.flow.block_of[i]] != 0)
    return false;
  const RowFacts* result = single_result(i);
  if (result == nullptr || bytes_of_row(g_.liveness.number(f_, in.ops[0])) != 4) return false;
  return all_uses(*result, [&](uint32_t u, const OperandRef& ref) {
    const Instr& user = p_.code[u];
    if (user.kind != InstrKind::kPlain || ref.element != 0xff || ref.operand >= kInstrPlaces) return false;
    if (shape(u) != Shape::kFloat && shape(u) != Shape::kAdd32 && shape(u) != Shape::kMad32) return false;
    for (uint32_t r = p_.ref_begin[u]; r < p_.ref_begin[u + 1]; ++r) {
      const Place other = p_.refs[r].place;
      if (p_.refs[r].defines || other.constant() || other.at == ref.place.at) continue;
      const uint32_t from = maker(other);
      if (from == UINT32_MAX) continue;
      if (shape(from) == Shape::kParamLoad || p_.code[from].space == Space::kConst) return false;
    }
    return true;
  });
}

bool Selector::keeps_uniform(uint32_t row) const {
  if (rows_[row].uses.empty()) return false;
  return all_uses(rows_[row], [&](uint32_t u, const OperandRef& ref) {
    if (ref.address) return loads_uniform(u);
    const Place result = p_.code[u].ops[0];
    return p_.code[u].kind == InstrKind::kPlain && result.present() && may_be_uniform(result) &&
           makes_uniform(u);
  });
}

void Selector::find_uniform_addresses() {
  const size_t count = rows_.size();
  in_uniform_.assign(count, 0);
  bool any = false;
  for (uint32_t r = 0; r < count; ++r) {
    const unsigned bytes = bytes_of_row(r);
    in_uniform_[r] = rows_[r].defs != 0 && !rows_[r].guarded && is_special_[r] == 0 &&
                     g_.divergent_row[f_][r] == 0 && (bytes == 4 || (bytes == 8 && low_only_[r] != 0));
    any |= in_uniform_[r] != 0;
  }
  for (bool again = any; again;) {
    again = false;
    const auto drop = [&](uint32_t row) {
      if (in_uniform_[row] == 0) return;
      in_uniform_[row] = 0;
      again = true;
    };
    for (uint32_t i = code_.entry; i < code_.end; ++i) {
      for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
        if (!p_.refs[r].defines || makes_uniform(i)) continue;
        drop(g_.liveness.number(f_, p_.refs[r].place));
      }
    }
    for (uint32_t r = 0; r < count; ++r) {
      if (in_uniform_[r] != 0 && !keeps_uniform(r)) drop(r);
    }
  }
}

// What i was selected to goes to the uniform datapath.
void Selector::make_uniform(uint32_t i, std::vector<Node>& nodes, size_t from) {
  const Instr& in = p_.code[i];
  const Place at = in.ops[1];
  const bool known = !at.present() || at.constant() || may_be_uniform(at);
  const bool loads = in.kind == InstrKind::kLoad && in.space == Space::kConst && known && loads_uniform(i);
  if (!loads && (in.kind != InstrKind::kPlain || !may_be_uniform(in.ops[0]))) return;
  for (size_t k = from; k < nodes.size(); ++k) {
    if (nodes[k].decoded != i) continue;
    nodes[k].uniform = true;
    if (nodes[k].op == OpClass::ldc && !loads) nodes[k].op = OpClass::mov;  // an address is a constant
    nodes[k].constant_operand = loads;
    for (const uint32_t v : nodes[k].defs) g_.registers[v].uniform = true;
  }
}

}  // namespace gpuloom::ptx
