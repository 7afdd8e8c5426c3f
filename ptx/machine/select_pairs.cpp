// SPDX-License-Identifier: Apache-2.0
// Pairs of halves. HFMA2 and its like take one half for both places (R16.H0_H0), so that a pair of the same
// half twice is not an operation, and neighbours of shared memory that are only read so come two or four at a
// time (SASS of a product of halves by pairs: LDS.64 R16; HFMA2 R9, R16.H0_H0, R30, R9). A conversion of a
// constant is a constant, a pair of constants an immediate (SASS of a polynomial in pairs of bf16:
// HFMA2.BF16_V2 R7, R6, R7, 0.375, 0.375).
#include "ptx/isa/table/form.h"
#include "ptx/machine/selector.h"

namespace gpuloom::ptx {

bool Selector::names_constant(Place place, unsigned depth) const {
  if (!place.present()) return false;
  if (place.constant()) return true;
  const uint32_t from = maker(place);
  if (from == UINT32_MAX || !folded(from) || symbol_of(from) != nullptr || depth > 4) return false;
  if (p_.code[from].kind != InstrKind::kPlain) return false;
  for (uint32_t r = p_.ref_begin[from]; r < p_.ref_begin[from + 1]; ++r) {
    if (!p_.refs[r].defines && !names_constant(p_.refs[r].place, depth + 1)) return false;
  }
  return true;
}

// Of conversions and pairs, where all who read the result take immediates.
bool Selector::makes_constant(uint32_t i, const RowFacts& result) const {
  const Instr& in = p_.code[i];
  const bool pair = shape(i) == Shape::kPack && bytes_of_row(g_.liveness.number(f_, in.ops[0])) == 4;
  if (in.kind != InstrKind::kPlain || (!pair && mnemonic(i) != "cvt")) return false;
  for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
    if (!p_.refs[r].defines && !names_constant(p_.refs[r].place, 0)) return false;
  }
  return all_uses(result, [&](uint32_t u, const OperandRef& ref) {
    if (p_.code[u].kind != InstrKind::kPlain) return false;
    return shape(u) == Shape::kFloat || (shape(u) == Shape::kPack && ref.bytes < 4);
  });
}

bool Selector::takes_halves(uint32_t u) const {
  if (p_.code[u].kind != InstrKind::kPlain) return false;
  const OpClass op = class_of(u);
  return op == OpClass::hfma2 || op == OpClass::hadd2 || op == OpClass::hmul2 || op == OpClass::hminmax2;
}

bool Selector::pairs_same_half(uint32_t i, const RowFacts& result) const {
  const Place* half = nullptr;
  for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
    const OperandRef& ref = p_.refs[r];
    if (ref.defines) continue;
    if (ref.bytes != 2 || (half != nullptr && half->at != ref.place.at)) return false;
    half = &ref.place;
  }
  return half != nullptr && all_uses(result, [&](uint32_t u, const OperandRef&) { return takes_halves(u); });
}

// Whether i loads 16 bits of shared memory and all who read them can take either half of a register.
bool Selector::loads_half(uint32_t i) const {
  const Instr& in = p_.code[i];
  if (in.kind != InstrKind::kLoad || in.space != Space::kShared || in.vec > 1 || in.type == Type::kNone ||
      bits(in.type) != 16)
    return false;
  const RowFacts* result = single_result(i);
  return result != nullptr && all_uses(*result, [&](uint32_t u, const OperandRef&) {
           if (shape(u) == Shape::kPack) return folded(u);
           return takes_halves(u);
         });
}

}  // namespace gpuloom::ptx
