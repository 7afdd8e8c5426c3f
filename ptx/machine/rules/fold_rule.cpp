// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/rules/fold_rule.h"

#include <algorithm>
#include <optional>

#include "ptx/machine/rules/long_product.h"
#include "ptx/machine/selector.h"

namespace gpuloom::ptx {

void Folder::vanish() { s_.folded_[c_.i - s_.code_.entry] = 1; }

void Folder::into_users(OpClass as) {
  vanish();
  for (const auto& use : c_.result->uses) take(use.first, as);
}

void Folder::fuse(OpClass as) { s_.fused_[c_.i - s_.code_.entry] = as; }

void Folder::take(uint32_t user, OpClass as) {
  s_.capacity_[user - s_.code_.entry] = 1;
  if (as != OpClass::none) s_.fused_[user - s_.code_.entry] = as;
}

void Folder::join(uint32_t other) {
  s_.shape_[other - s_.code_.entry] = Shape::kRename;
  s_.folded_[other - s_.code_.entry] = 1;
}

void Folder::become(Shape shape, OpClass as) {
  s_.shape_[c_.i - s_.code_.entry] = shape;
  fuse(as);
}

void Folder::make_word(uint32_t row) { s_.g_.registers[s_.base_ + row].words = 1; }

void Folder::rename() { s_.shape_[c_.i - s_.code_.entry] = Shape::kRename; }

bool used_by(const Selection& s, const RowFacts& row, Shape wanted) {
  return all_uses(row, [&](uint32_t u, const OperandRef&) {
    return s.shape(u) == wanted && !s.has_taken(u) && !s.folded(u);
  });
}

bool address_only(const Selection& s, const RowFacts& row) {
  return all_uses(row,
                  [&](uint32_t u, const OperandRef& ref) { return ref.address && is_memory(s.instr(u)); });
}

bool names_known(const Selection& s, uint32_t i) {
  const Variable* v = s.symbol_of(i);
  return v == nullptr || (v->space == Space::kShared && !s.profile().shared_window);
}

std::optional<uint64_t> known_operand(const Selection& s, Place place, unsigned bytes) {
  if (!place.present()) return std::nullopt;
  if (!place.constant()) {
    const uint32_t from = s.maker(place);
    if (from == UINT32_MAX || s.shape(from) != Shape::kMove || !names_known(s, from)) return std::nullopt;
    place = s.moved(from);
    if (!place.present() || !place.constant()) return std::nullopt;
  }
  return s.constant_bits(place, bytes);
}

bool adds_nothing(const Selection& s, uint32_t i) {
  const Place by = s.instr(i).ops[2];
  return by.constant() && s.constant_bits(by, bytes(s.instr(i).type)) == 0;
}

bool adds_product(const Selection& s, uint32_t i) {
  for (unsigned k = 1; k < 3; ++k) {
    const uint32_t from = s.maker(s.instr(i).ops[k]);
    if (from == UINT32_MAX) continue;
    if (s.shape(from) == Shape::kMul64 && (s.folded(from) || joins_sums(s, from))) return true;
    if (s.shape(from) != Shape::kMulWide) continue;
    const RowFacts* product = s.facts(s.instr(i).ops[k]);
    if (s.folded(from) || used_by(s, *product, Shape::kAdd64)) return true;
  }
  return false;
}

bool joins_product(const Selection& s, const RowFacts& row) {
  for (const auto& use : row.uses)
    if (s.shape(use.first) == Shape::kAdd64 && adds_product(s, use.first)) return true;
  return false;
}

bool can_choose_registers(const Selection& s, uint32_t i) {
  const Program& p = s.program();
  for (uint32_t r = p.ref_begin[i]; r < p.ref_begin[i + 1]; ++r)
    if (p.refs[r].defines && !s.stable(p.refs[r].place)) return false;
  return !s.instr(i).guard.present() && s.stable_sources(i);
}

unsigned narrowest_operand(const Selection& s, uint32_t i) {
  const Program& p = s.program();
  unsigned narrowest = 16;
  for (uint32_t r = p.ref_begin[i]; r < p.ref_begin[i + 1]; ++r)
    if (p.refs[r].operand < kInstrPlaces) narrowest = std::min<unsigned>(narrowest, p.refs[r].bytes);
  return narrowest;
}

bool packs_halves(const Selection& s, uint32_t i) {
  return narrowest_operand(s, i) < 4 && s.instr(i).ops[1].present() && s.defines_one(i);
}

bool has_uniform_base(const Selection& s, uint32_t i) {
  for (unsigned k = 1; k < 3; ++k) {
    uint32_t from = s.maker(s.instr(i).ops[k]);
    if (from != UINT32_MAX && s.shape(from) == Shape::kAdd32 && s.folded(from))
      from = s.maker(s.instr(from).ops[1]);
    if (from == UINT32_MAX || s.shape(from) != Shape::kMove || !s.instr(from).ops[1].constant()) continue;
    const Variable* v = s.symbol_of(from);
    if (v == nullptr) continue;
    if (v->space == Space::kConst || (v->space == Space::kShared && s.names_uniform_base(from))) return true;
  }
  return false;
}

}  // namespace gpuloom::ptx
