// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/rules/pieces.h"

#include <algorithm>

#include "ptx/isa/table/op_traits.h"
#include "ptx/machine/rules/fold_rule.h"

namespace gpuloom::ptx {

namespace {

unsigned register_words(const Instr& in) { return (bytes(in.type) * in.vec + 3) / 4; }

// Whether what reads an element picks it out of its register: PRMT extends any, arithmetic on halves has them
// as modifiers, two are packed by one PRMT.
bool picks(const Selection& s, uint32_t u, const OperandRef& ref, unsigned size) {
  const Instr& in = s.instr(u);
  if (ref.operand >= kInstrPlaces) return false;
  if (s.folded(u) && (s.shape(u) == Shape::kMove || s.shape(u) == Shape::kRename)) {
    const RowFacts* row = s.single_result(u);
    return row != nullptr &&
           all_uses(*row, [&](uint32_t next, const OperandRef& use) { return picks(s, next, use, size); });
  }
  if (s.shape(u) == Shape::kPack) return size == 2;
  if (is_memory(in)) return size == 2 && in.kind == InstrKind::kStore && in.vec > 1 && !ref.address;
  const auto op = static_cast<OpClass>(in.op_class);
  return op == OpClass::prmt || (size == 2 && is(op, kHalfArithmetic));
}

bool all_pick(const Selection& s, const RowFacts& row, unsigned size) {
  return all_uses(row, [&](uint32_t u, const OperandRef& ref) { return picks(s, u, ref, size); });
}

// Whether a move that has vanished made the row one register with another, which wants it there.
bool shares_register(const Selection& s, Place place) {
  const RowFacts& row = s.rows()[s.number(place)];
  return std::any_of(row.uses.begin(), row.uses.end(), [&](const auto& use) {
    const uint32_t u = use.first;
    if (s.shape(u) != Shape::kMove || !s.folded(u)) return false;
    const Place to = s.instr(u).ops[0];
    if (s.single_result(u) != nullptr) return shares_register(s, to);
    return s.value(to) == s.value(place);
  });
}

}  // namespace

bool moves_pieces(const Selection& s, uint32_t i, InstrKind kind) {
  const Instr& in = s.instr(i);
  if (in.kind != kind || in.vec <= 1 || in.type == Type::kNone || bytes(in.type) >= 4 ||
      s.shape(i) != Shape::kOther || in.guard.present())
    return false;
  return s.mnemonic(i) == (kind == InstrKind::kLoad ? "ld" : "st");  // not matrices
}

bool rounds_for(const Selection& s, Place place, uint32_t u) {
  const uint32_t from = s.maker(place);
  if (from == UINT32_MAX || static_cast<OpClass>(s.instr(from).op_class) != OpClass::f2fp) return false;
  if (s.mnemonic(from) != "cvt" || s.use(from).register_bits(1) != 32) return false;
  const RowFacts* row = s.single_result(from);
  return row != nullptr && row->uses.size() == 1 && row->uses[0].first == u && !s.folded(from) &&
         s.stable_sources(from) && s.block_of(from) == s.block_of(u) && s.row_bytes(s.number(place)) == 2;
}

bool takes_sign(const Selection& s, uint32_t u, const OperandRef& ref, unsigned depth) {
  const Instr& in = s.instr(u);
  const Shape shape = s.shape(u);
  if (ref.operand >= kInstrPlaces || depth > 4) return false;
  if (shape == Shape::kFloat || shape == Shape::kFloatSign) return true;
  if (shape == Shape::kMove || shape == Shape::kPack) {  // the same bits under other names
    const unsigned size = shape == Shape::kPack ? 2 : ref.bytes;
    if (in.guard.present() || size != ref.bytes / (shape == Shape::kPack ? 2 : 1)) return false;
    for (uint32_t r = s.program().ref_begin[u]; r < s.program().ref_begin[u + 1]; ++r) {
      const OperandRef& made = s.program().refs[r];
      if (!made.defines) continue;
      const RowFacts* row = s.facts(made.place);
      if (row == nullptr || row->defs != 1 || made.bytes != size || row->uses.empty() ||
          !all_uses(*row, [&](uint32_t next, const OperandRef& use) {
            return takes_sign(s, next, use, depth + 1);
          }))
        return false;
    }
    return true;
  }
  const auto op = static_cast<OpClass>(in.op_class);
  if (is(op, kHalfArithmetic)) return true;
  return op == OpClass::fsetp || op == OpClass::f2i || (op == OpClass::fsel && ref.operand != 3);
}

// The roundings of two halves that u packs go into it. Returns whether they do.
bool Pieces::takes_roundings(Place low, Place high, uint32_t u) {
  if (low.at == high.at || !rounds_for(s_, low, u) || !rounds_for(s_, high, u)) return false;
  for (const Place place : {low, high}) {
    Folder(selector_, {.i = u}).join(s_.maker(place));
  }
  return true;
}

void Pieces::find() {
  for (uint32_t i = s_.code().entry; i < s_.code().end; ++i) {
    if (moves_pieces(s_, i, InstrKind::kLoad)) find_loaded(i);
    if (s_.shape(i) == Shape::kPack && s_.folded(i)) find_upper_half(i);
    if (!moves_pieces(s_, i, InstrKind::kStore) || bytes(s_.instr(i).type) != 2) continue;
    for (uint32_t e = 0; e + 1 < s_.instr(i).vec; e += 2) {
      const auto at = static_cast<uint32_t>(s_.instr(i).ops[1].at) + e;
      takes_roundings(s_.program().extra[at], s_.program().extra[at + 1], i);
    }
  }
}

void Pieces::find_loaded(uint32_t i) {
  const Instr& in = s_.instr(i);
  const unsigned size = bytes(in.type);
  const uint32_t loaded = make_register(static_cast<uint8_t>(register_words(in)));
  loaded_[i] = loaded;
  for (uint32_t r = s_.program().ref_begin[i]; r < s_.program().ref_begin[i + 1]; ++r) {
    const OperandRef& ref = s_.program().refs[r];
    if (!ref.defines || ref.element == 0xff) continue;
    const uint32_t row = s_.number(ref.place);
    const bool stands_low = size == 2 && ref.element % 2 == 0;
    const bool stands_in = s_.stable(ref.place) && !shares_register(s_, ref.place);
    if (stands_in && !s_.rows()[row].uses.empty() && (stands_low || all_pick(s_, s_.rows()[row], size)))
      inside_[row] = loaded;
    else if (size == 1 && s_.stable(ref.place))
      drop_extensions(s_.rows()[row], is_signed(in.type));
  }
}

// What a byte that was taken out has been extended to already.
void Pieces::drop_extensions(const RowFacts& row, bool with_sign) {
  for (const auto& [u, ref] : row.uses) {
    if (s_.op_class(u) != OpClass::prmt || s_.mnemonic(u) != "cvt") continue;
    const FormUse use = s_.use(u);
    if (with_sign != is_signed(use.type(".atype")) && bits(use.type(".atype")) == 8) continue;
    if (s_.single_result(u) == nullptr || !s_.stable_sources(u)) continue;
    Folder(selector_, {.i = u}).join(u);
  }
}

// mov.b32 {low, high}, r: where something cannot pick the upper half, PRMT takes it out. ptxas keeps both
// halves then and packs r anew for those that read all of it.
void Pieces::find_upper_half(uint32_t i) {
  const Instr& in = s_.instr(i);
  if (!in.ops[1].present() || in.ops[1].constant()) return;
  const uint32_t source = s_.number(in.ops[1]);
  if (source >= s_.rows().size() || s_.row_bytes(source) != 4) return;
  for (uint32_t r = s_.program().ref_begin[i]; r < s_.program().ref_begin[i + 1]; ++r) {
    const OperandRef& ref = s_.program().refs[r];
    if (!ref.defines || ref.element != 1 || ref.bytes != 2) continue;
    const uint32_t row = s_.number(ref.place);
    if (s_.rows()[row].uses.empty() || all_pick(s_, s_.rows()[row], 2)) continue;
    inside_[row] = make_register(1);
    const bool whole = std::any_of(
        s_.rows()[source].uses.begin(), s_.rows()[source].uses.end(),
        [&](const auto& use) { return !(s_.shape(use.first) == Shape::kPack && s_.folded(use.first)); });
    upper_halves_[i] = {inside_[row], whole};
  }
}

uint32_t Pieces::make_register(uint8_t words) {
  std::vector<Node> none;
  return Emitter(selector_, 0, none).temporary(words);
}

uint32_t Pieces::inside(uint32_t row) const {
  const auto at = inside_.find(row);
  return at == inside_.end() ? kNoVirtual : at->second;
}

uint32_t Pieces::loaded(uint32_t i) const {
  const auto at = loaded_.find(i);
  return at == loaded_.end() ? kNoVirtual : at->second;
}

void Pieces::write_upper_half(Emitter& out, uint32_t i) const {
  const auto at = upper_halves_.find(i);
  if (at == upper_halves_.end()) return;
  std::vector<uint32_t> source;
  s_.add_source(s_.instr(i).ops[1], source);
  Node& takes = out.push(OpClass::prmt);
  takes.uses = source;
  takes.defs = {at->second.first};
  if (!at->second.second || source.size() != 1 || s_.words(source[0]) != 1) return;
  const uint32_t whole = source[0];
  source.push_back(at->second.first);
  Node& packs = out.push(OpClass::prmt);
  packs.uses = std::move(source);
  packs.defs = {whole};
}

}  // namespace gpuloom::ptx
