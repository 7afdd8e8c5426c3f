// SPDX-License-Identifier: Apache-2.0
// Values of 8 and 16 bits that share a register. A vector of them is loaded and stored as whole registers;
// PRMT takes an element out, once, where what reads it cannot pick its bits itself, and puts elements
// together for a store. Two roundings to 16 bits that are packed are one F2FP. (SASS of single instructions,
// ptxas 13.0, sm_90.)
#include <algorithm>

#include "ptx/isa/table/op_traits.h"
#include "ptx/isa/table/use_of.h"
#include "ptx/machine/selector.h"

namespace gpuloom::ptx {

namespace {

unsigned register_words(const Instr& in) { return (bytes(in.type) * in.vec + 3) / 4; }

}  // namespace

// A vector of elements of 8 or 16 bits, loaded or stored.
bool Selector::moves_pieces(uint32_t i, InstrKind kind) const {
  const Instr& in = p_.code[i];
  if (in.kind != kind || in.vec <= 1 || in.type == Type::kNone || bytes(in.type) >= 4 ||
      shape(i) != Shape::kOther || in.guard.present())
    return false;
  return mnemonic(i) == (kind == InstrKind::kLoad ? "ld" : "st");  // not matrices
}

// cvt.rn.f16.f32 and its like of which nothing but u reads the result.
bool Selector::rounds_for(Place place, uint32_t u) const {
  const uint32_t from = maker(place);
  if (from == UINT32_MAX || static_cast<OpClass>(p_.code[from].op_class) != OpClass::f2fp) return false;
  if (mnemonic(from) != "cvt" || use_of(p_, p_.code[from]).register_bits(1) != 32) return false;
  const RowFacts* row = single_result(from);
  return row != nullptr && row->uses.size() == 1 && row->uses[0].first == u && !folded(from) &&
         stable_sources(from) && g_.flow.block_of[from] == g_.flow.block_of[u] &&
         bytes_of_row(g_.liveness.number(f_, place)) == 2;
}

// The roundings of two halves that u packs go into it. Returns whether they do.
bool Selector::takes_roundings(Place low, Place high, uint32_t u) {
  if (low.at == high.at || !rounds_for(low, u) || !rounds_for(high, u)) return false;
  for (const Place place : {low, high}) {
    shape_[maker(place) - code_.entry] = Shape::kRename;
    folded_[maker(place) - code_.entry] = 1;
  }
  return true;
}

// Whether instruction u reads an operand with its sign turned or dropped: floating-point arithmetic,
// comparisons, choices and conversions do (SASS of FSETP -R4, |R5|; FSEL; F2I -R4; HADD2.F32 -R0.H0_H0).
bool Selector::takes_sign(uint32_t u, const OperandRef& ref, unsigned depth) const {
  const Instr& in = p_.code[u];
  const Shape s = shape(u);
  if (ref.operand >= kInstrPlaces || depth > 4) return false;
  if (s == Shape::kFloat || s == Shape::kFloatSign) return true;
  if (s == Shape::kMove || s == Shape::kPack) {  // the same bits under other names
    const unsigned size = s == Shape::kPack ? 2 : ref.bytes;
    if (in.guard.present() || size != ref.bytes / (s == Shape::kPack ? 2 : 1)) return false;
    for (uint32_t r = p_.ref_begin[u]; r < p_.ref_begin[u + 1]; ++r) {
      const OperandRef& made = p_.refs[r];
      if (!made.defines) continue;
      const RowFacts* row = facts(made.place);
      if (row == nullptr || row->defs != 1 || made.bytes != size || row->uses.empty() ||
          !all_uses(*row,
                    [&](uint32_t next, const OperandRef& use) { return takes_sign(next, use, depth + 1); }))
        return false;
    }
    return true;
  }
  const auto op = static_cast<OpClass>(in.op_class);
  if (is(op, kHalfArithmetic)) return true;
  return op == OpClass::fsetp || op == OpClass::f2i || (op == OpClass::fsel && ref.operand != 3);
}

// Whether what reads an element picks it out of its register: PRMT extends any, arithmetic on halves has them
// as modifiers, two are packed by one PRMT.
bool Selector::picks(uint32_t u, const OperandRef& ref, unsigned size) const {
  const Instr& in = p_.code[u];
  if (ref.operand >= kInstrPlaces) return false;
  if (folded(u) && (shape(u) == Shape::kMove || shape(u) == Shape::kRename)) {
    const RowFacts* row = single_result(u);
    return row != nullptr &&
           all_uses(*row, [&](uint32_t next, const OperandRef& use) { return picks(next, use, size); });
  }
  if (shape(u) == Shape::kPack) return size == 2;
  if (is_memory(in)) return size == 2 && in.kind == InstrKind::kStore && in.vec > 1 && !ref.address;
  const auto op = static_cast<OpClass>(in.op_class);
  return op == OpClass::prmt || (size == 2 && is(op, kHalfArithmetic));
}

bool Selector::all_pick(const RowFacts& row, unsigned size) const {
  return all_uses(row, [&](uint32_t u, const OperandRef& ref) { return picks(u, ref, size); });
}

// Whether a move that has vanished made the row one register with another, which wants it there.
bool Selector::shares_register(Place place) const {
  const RowFacts& row = rows_[g_.liveness.number(f_, place)];
  return std::any_of(row.uses.begin(), row.uses.end(), [&](const auto& use) {
    const uint32_t u = use.first;
    if (shape(u) != Shape::kMove || !folded(u)) return false;
    const Place to = p_.code[u].ops[0];
    if (single_result(u) != nullptr) return shares_register(to);
    return find(virtual_of(to)) == find(virtual_of(place));
  });
}

void Selector::find_pieces() {
  for (uint32_t i = code_.entry; i < code_.end; ++i) {
    if (moves_pieces(i, InstrKind::kLoad)) find_loaded_pieces(i);
    if (shape(i) == Shape::kPack && folded(i)) find_upper_half(i);
    if (!moves_pieces(i, InstrKind::kStore) || bytes(p_.code[i].type) != 2) continue;
    for (uint32_t e = 0; e + 1 < p_.code[i].vec; e += 2) {
      const auto at = static_cast<uint32_t>(p_.code[i].ops[1].at) + e;
      takes_roundings(p_.extra[at], p_.extra[at + 1], i);
    }
  }
}

void Selector::find_loaded_pieces(uint32_t i) {
  const Instr& in = p_.code[i];
  const unsigned size = bytes(in.type);
  const uint32_t loaded = temporary(static_cast<uint8_t>(register_words(in)));
  loaded_pieces_[i] = loaded;
  for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
    const OperandRef& ref = p_.refs[r];
    if (!ref.defines || ref.element == 0xff) continue;
    const uint32_t row = g_.liveness.number(f_, ref.place);
    const bool stands_low = size == 2 && ref.element % 2 == 0;
    const bool stands_in = stable(ref.place) && !shares_register(ref.place);
    if (stands_in && !rows_[row].uses.empty() && (stands_low || all_pick(rows_[row], size)))
      inside_[row] = loaded;
    else if (size == 1 && stable(ref.place))
      drop_extensions(rows_[row], is_signed(in.type));
  }
}

// What a byte that was taken out has been extended to already.
void Selector::drop_extensions(const RowFacts& row, bool with_sign) {
  for (const auto& [u, ref] : row.uses) {
    const Instr& in = p_.code[u];
    if (static_cast<OpClass>(in.op_class) != OpClass::prmt || mnemonic(u) != "cvt") continue;
    const FormUse use = use_of(p_, in);
    if (with_sign != is_signed(use.type(".atype")) && bits(use.type(".atype")) == 8) continue;
    if (single_result(u) == nullptr || !stable_sources(u)) continue;
    shape_[u - code_.entry] = Shape::kRename;
    folded_[u - code_.entry] = 1;
  }
}

// mov.b32 {low, high}, r: where something cannot pick the upper half, PRMT takes it out. ptxas keeps both
// halves then and packs r anew for those that read all of it.
void Selector::find_upper_half(uint32_t i) {
  const Instr& in = p_.code[i];
  if (!in.ops[1].present() || in.ops[1].constant()) return;
  const uint32_t source = g_.liveness.number(f_, in.ops[1]);
  if (source >= rows_.size() || bytes_of_row(source) != 4) return;
  for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
    const OperandRef& ref = p_.refs[r];
    if (!ref.defines || ref.element != 1 || ref.bytes != 2) continue;
    const uint32_t row = g_.liveness.number(f_, ref.place);
    if (rows_[row].uses.empty() || all_pick(rows_[row], 2)) continue;
    inside_[row] = temporary(1);
    const bool whole = std::any_of(
        rows_[source].uses.begin(), rows_[source].uses.end(),
        [&](const auto& use) { return !(shape(use.first) == Shape::kPack && folded(use.first)); });
    upper_halves_[i] = {inside_[row], whole};
  }
}

void Selector::emit_upper_half(uint32_t i, std::vector<Node>& out) {
  const auto at = upper_halves_.find(i);
  if (at == upper_halves_.end()) return;
  std::vector<uint32_t> source;
  add_source(p_.code[i].ops[1], source, 0);
  Node& takes = push(out, OpClass::prmt, i);
  takes.uses = source;
  takes.defs = {at->second.first};
  if (!at->second.second || source.size() != 1 || g_.registers[source[0]].words != 1) return;
  const uint32_t whole = source[0];
  source.push_back(at->second.first);
  Node& packs = push(out, OpClass::prmt, i);
  packs.uses = std::move(source);
  packs.defs = {whole};
}

bool Selector::emit_pieces_of(uint32_t i, std::vector<Node>& out) {
  if (moves_pieces(i, InstrKind::kStore)) {
    store_pieces(i, out);
    return true;
  }
  const auto at = loaded_pieces_.find(i);
  if (at == loaded_pieces_.end()) return false;
  emit_sequence(i, {class_of(i)}, out);
  std::vector<uint32_t> elements;
  for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
    const OperandRef& ref = p_.refs[r];
    if (ref.defines && !inside_.contains(g_.liveness.number(f_, ref.place)) &&
        !facts(ref.place)->uses.empty())
      elements.push_back(find(virtual_of(ref.place)));
  }
  out.back().defs = {at->second};
  for (const uint32_t element : elements) {
    Node& n = push(out, OpClass::prmt, i);
    n.uses = {at->second};
    n.defs = {element};
  }
  return true;
}

// What puts the elements from `first` on into one register, and that register.
uint32_t Selector::packed(uint32_t i, uint32_t first, uint32_t last, std::vector<Node>& out) {
  const Instr& in = p_.code[i];
  const auto element = [&](uint32_t k) { return p_.extra[static_cast<uint32_t>(in.ops[1].at) + k]; };
  std::vector<uint32_t> parts;
  bool rounded = true;
  for (uint32_t k = first; k < last; ++k) {
    add_source(element(k), parts, 0);
    const uint32_t from = maker(element(k));
    rounded = rounded && from != UINT32_MAX && folded(from) &&
              static_cast<OpClass>(p_.code[from].op_class) == OpClass::f2fp;
  }
  // Two halves as they stand in one register.
  if (parts.empty() || (parts.size() == 1 && bytes(in.type) == 2))
    return parts.empty() ? kNoVirtual : parts[0];
  std::vector<uint32_t> uses;
  add_source(element(first), uses, 0);
  for (uint32_t k = first + 1; k < last; ++k) {
    add_source(element(k), uses, 0);
    Node& n = push(out, rounded ? OpClass::f2fp : OpClass::prmt, i);
    n.uses = uses;
    uses = {temporary(1)};
    n.defs = uses;
  }
  return uses[0];
}

void Selector::store_pieces(uint32_t i, std::vector<Node>& out) {
  const Instr& in = p_.code[i];
  const uint32_t each = 4 / bytes(in.type);  // elements of a register
  std::vector<uint32_t> words;
  for (uint32_t e = 0; e < in.vec; e += each)
    words.push_back(packed(i, e, std::min<uint32_t>(in.vec, e + each), out));
  emit_sequence(i, {class_of(i)}, out);
  Node& n = out.back();
  n.uses.clear();
  for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
    if (p_.refs[r].address || p_.refs[r].operand == kInstrPlaces) add_source(p_.refs[r].place, n.uses, 0);
  }
  for (const uint32_t word : words)
    if (word != kNoVirtual) n.uses.push_back(word);
  n.tuple = words.size() > 1 ? words : std::vector<uint32_t>{};
}

}  // namespace gpuloom::ptx
