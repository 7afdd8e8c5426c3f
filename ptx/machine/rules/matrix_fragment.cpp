// SPDX-License-Identifier: Apache-2.0
// wmma.load and wmma.store of global memory are as many LDG or STG as the fragment has pieces (SASS of
// wmma_gemm): the lane's place in the matrix once for a leading dimension and in front of loops (S2R LANEID,
// LOP3, SHF, SHF, IMAD.WIDE, two shifts), its sum with the address (IADD3, IMAD.X), an IMAD.WIDE for each
// further eight rows, and a MOVM for each piece of a transposed matrix.
#include "ptx/machine/rules/matrix_fragment.h"

#include <algorithm>

#include "ptx/machine/rules/before_loop.h"

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

// Where each lane's part begins, for a leading dimension: made once.
uint32_t lane_part(const Selection& s, Emitter& out, uint32_t i, Place stride) {
  const uint32_t at = before_invariant_loop(s, s.block_of(i), stride);
  const auto [known, is_new] = out.once(Made::kLanePart, {at, stride.at});
  if (!is_new) return known[0];
  const std::vector<uint32_t> dimension = out.source(stride);
  out.in_block(at, [&](Emitter& there) {
    const uint32_t lane = there.make(OpClass::s2r, {}, 1);
    const uint32_t column = there.make(OpClass::lop3, {lane}, 1), row = there.make(OpClass::shift, {lane}, 1);
    const uint32_t half = there.make(OpClass::shift, dimension, 1);
    const uint32_t place = there.make(OpClass::imad_wide, {row, half, column}, 2);
    there.make(OpClass::shift, {place}, 1);
    known = {there.make(OpClass::imad, {place}, 2)};
  });
  return known[0];
}

// The first piece carries the instruction; the others follow it.
void write_pieces(const Selection& s, Emitter& out, uint32_t i, const std::vector<uint32_t>& rows,
                  const std::vector<uint32_t>& elements) {
  const bool loads = s.instr(i).kind == InstrKind::kLoad;
  const TileAccess tile = tile_of(s, i);
  const auto pieces = static_cast<size_t>(tile.pieces);
  const size_t each = std::max<size_t>(1, static_cast<size_t>(tile.registers) / pieces);
  const std::vector<size_t> groups = row_groups(tile);
  std::vector<std::pair<uint32_t, std::vector<uint32_t>>> turns;  // what is turned, and into which
  for (size_t k = 0; k < pieces; ++k) {
    Node& n = out.push(s.class_now(i));
    out.keep_order(n);
    n.ends = false;
    n.lane_bytes = static_cast<uint8_t>(tile.bytes);
    n.uses = {rows[groups[k]]};
    n.carries = k == 0;
    n.follows = k != 0;
    std::vector<uint32_t> part;
    for (size_t e = k * each; e < std::min((k + 1) * each, elements.size()); ++e) part.push_back(elements[e]);
    if (loads && tile.transposed) {
      n.defs = {out.temporary(1)};
      turns.emplace_back(n.defs[0], std::move(part));
    } else {
      std::vector<uint32_t>& list = loads ? n.defs : n.uses;
      list.insert(list.end(), part.begin(), part.end());
    }
  }
  for (auto& [from, to] : turns) {
    Node& n = out.push(OpClass::movm);
    n.uses = {from};
    n.defs = std::move(to);
  }
}

void apply_matrix_fragment(const Selection& s, Emitter& out, uint32_t i) {
  const Program& p = s.program();
  std::vector<uint32_t> elements, address;
  for (uint32_t r = p.ref_begin[i]; r < p.ref_begin[i + 1]; ++r) {
    const OperandRef& ref = p.refs[r];
    if (ref.element != 0xff && !ref.place.constant())
      elements.push_back(s.value(ref.place));
    else if (ref.element == 0xff && !ref.defines)
      s.add_source(ref.place, address);
  }
  address.push_back(lane_part(s, out, i, s.instr(i).ops[2]));
  const uint32_t carry = out.make(OpClass::iadd, address, 1);
  address.push_back(carry);
  std::vector<uint32_t> rows{out.make(OpClass::imad, address, 2)};
  for (const size_t group : row_groups(tile_of(s, i)))
    if (group >= rows.size()) rows.push_back(out.make(OpClass::imad_wide, {rows.back()}, 2));
  write_pieces(s, out, i, rows, elements);
}

}  // namespace

bool is_fragment(const Selection& s, uint32_t i) {
  const Instr& in = s.instr(i);
  if (in.kind != InstrKind::kLoad && in.kind != InstrKind::kStore) return false;
  if (in.space != Space::kGlobal && in.space != Space::kGeneric) return false;
  const std::string_view name = s.mnemonic(i);
  return (name == "wmma.load" || name == "wmma.store") && !in.guard.present();
}

TileAccess tile_of(const Selection& s, uint32_t i) {
  return tile_access(unpack_tile(s.instr(i).extra).tile(), kSomeStride);
}

extern const Rule kMatrixFragment{"matrix_fragment", is_fragment, apply_matrix_fragment};

}  // namespace gpuloom::ptx
