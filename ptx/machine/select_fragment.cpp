// SPDX-License-Identifier: Apache-2.0
// wmma.load and wmma.store of global memory are as many LDG or STG as the fragment has pieces (SASS of
// wmma_gemm): the lane's place in the matrix once for a leading dimension and in front of loops (S2R LANEID,
// LOP3, SHF, SHF, IMAD.WIDE, two shifts), its sum with the address (IADD3, IMAD.X), an IMAD.WIDE for each
// further eight rows, and a MOVM for each piece of a transposed matrix.
#include <algorithm>

#include "ptx/exec/matrix/wmma_tile.h"
#include "ptx/machine/selector.h"

namespace gpuloom::ptx {

namespace {

// So far apart that offsets tell rows.
constexpr int64_t kSomeStride = 1 << 16;

// By piece: in which group of rows it lies, counted as they come.
std::vector<size_t> row_groups(const TileAccess& tile) {
  std::vector<int64_t> seen;
  std::vector<size_t> groups;
  for (int k = 0; k < tile.pieces; ++k) {
    const int64_t row = tile.piece_offset[k] / kSomeStride;
    const auto known = std::find(seen.begin(), seen.end(), row);
    groups.push_back(static_cast<size_t>(known - seen.begin()));
    if (known == seen.end()) seen.push_back(row);
  }
  return groups;
}

}  // namespace

bool Selector::is_fragment(uint32_t i) const {
  const Instr& in = p_.code[i];
  if (in.kind != InstrKind::kLoad && in.kind != InstrKind::kStore) return false;
  if (in.space != Space::kGlobal && in.space != Space::kGeneric) return false;
  const std::string_view name = mnemonic(i);
  return (name == "wmma.load" || name == "wmma.store") && !in.guard.present();
}

// Fragments of f16 name their registers twice: one register for both.
void Selector::join_fragments() {
  for (uint32_t i = code_.entry; i < code_.end; ++i) {
    if (!is_fragment(i) || p_.code[i].kind != InstrKind::kLoad) continue;
    const int pieces = tile_access(unpack_tile(p_.code[i].extra).tile(), kSomeStride).pieces;
    std::vector<Place> elements;
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
      if (p_.refs[r].defines) elements.push_back(p_.refs[r].place);
    }
    const bool single =
        std::all_of(elements.begin(), elements.end(), [&](Place place) { return stable(place); });
    for (size_t e = static_cast<size_t>(pieces); single && e < elements.size(); ++e) {
      const uint32_t v = find(virtual_of(elements[e]));
      const uint32_t to = find(virtual_of(elements[e % static_cast<size_t>(pieces)]));
      if (v != to) join_[v - base_] = to;
    }
  }
}

// Where each lane's part begins, for a leading dimension: made once.
uint32_t Selector::lane_part(uint32_t i, Place stride, std::vector<Node>& out) {
  const uint32_t own = g_.flow.block_of[i], at = before_invariant_loop(own, stride);
  const auto [known, is_new] = lane_parts_.try_emplace({at, stride.at}, 0);
  if (!is_new) return known->second;
  std::vector<Node> part;
  const auto step = [&](OpClass op, std::vector<uint32_t> uses, uint8_t words) {
    Node& n = push(part, op, at == own ? i : g_.flow.blocks[at].last);
    n.uses = std::move(uses);
    n.defs = {temporary(words)};
    return n.defs[0];
  };
  std::vector<uint32_t> dimension;
  add_source(stride, dimension, 0);
  const uint32_t lane = step(OpClass::s2r, {}, 1);
  const uint32_t column = step(OpClass::lop3, {lane}, 1), row = step(OpClass::shift, {lane}, 1);
  const uint32_t half = step(OpClass::shift, dimension, 1);
  const uint32_t place = step(OpClass::imad_wide, {row, half, column}, 2);
  step(OpClass::shift, {place}, 1);
  known->second = step(OpClass::imad, {place}, 2);
  std::vector<Node>& nodes = at == own ? out : g_.blocks[at];
  const bool before_end = !nodes.empty() && nodes.back().ends;
  nodes.insert(nodes.end() - (before_end ? 1 : 0), part.begin(), part.end());
  return known->second;
}

void Selector::emit_fragment(uint32_t i, std::vector<Node>& out) {
  const Instr& in = p_.code[i];
  const TileAccess tile = tile_access(unpack_tile(in.extra).tile(), kSomeStride);
  std::vector<uint32_t> elements, address;
  for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
    const OperandRef& ref = p_.refs[r];
    if (ref.element != 0xff && !ref.place.constant())
      elements.push_back(find(virtual_of(ref.place)));
    else if (ref.element == 0xff && !ref.defines)
      add_source(ref.place, address, 0);
  }
  address.push_back(lane_part(i, in.ops[2], out));
  push(out, OpClass::iadd, i).uses = address;
  out.back().defs = {temporary(1)};
  Node& sum = push(out, OpClass::imad, i);
  sum.uses = address;
  sum.uses.push_back(out[out.size() - 2].defs[0]);
  sum.defs = {temporary(2)};
  std::vector<uint32_t> rows{sum.defs[0]};
  for (const size_t group : row_groups(tile)) {
    if (group < rows.size()) continue;
    Node& next = push(out, OpClass::imad_wide, i);
    next.uses = {rows.back()};
    next.defs = {temporary(2)};
    rows.push_back(next.defs[0]);
  }
  emit_pieces(i, tile, rows, elements, out);
}

// The first piece carries the instruction; the others follow it.
void Selector::emit_pieces(uint32_t i, const TileAccess& tile, const std::vector<uint32_t>& rows,
                           const std::vector<uint32_t>& elements, std::vector<Node>& out) {
  const Instr& in = p_.code[i];
  const bool loads = in.kind == InstrKind::kLoad;
  const auto pieces = static_cast<size_t>(tile.pieces);
  const size_t each = std::max<size_t>(1, static_cast<size_t>(tile.registers) / pieces);
  const std::vector<size_t> groups = row_groups(tile);
  std::vector<Node> moves;
  for (size_t k = 0; k < pieces; ++k) {
    Node& n = push(out, class_of(i), i);
    set_order(n, in);
    n.ends = false;
    n.lane_bytes = static_cast<uint8_t>(tile.bytes);
    n.uses = {rows[groups[k]]};
    n.carries = k == 0;
    n.follows = k != 0;
    std::vector<uint32_t> part;
    for (size_t e = k * each; e < std::min((k + 1) * each, elements.size()); ++e) part.push_back(elements[e]);
    if (loads && tile.transposed) {
      n.defs = {temporary(1)};
      Node& turn = push(moves, OpClass::movm, i);
      turn.uses = n.defs;
      turn.defs = part;
    } else {
      std::vector<uint32_t>& list = loads ? n.defs : n.uses;
      list.insert(list.end(), part.begin(), part.end());
    }
  }
  out.insert(out.end(), moves.begin(), moves.end());
}

}  // namespace gpuloom::ptx
