// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/rules/half_values.h"

#include "ptx/isa/table/op_traits.h"
#include "ptx/machine/rules/fold_rule.h"

namespace gpuloom::ptx {

namespace {

bool names_constant(const Selection& s, Place place, unsigned depth) {
  if (!place.present()) return false;
  if (place.constant()) return true;
  const uint32_t from = s.maker(place);
  if (from == UINT32_MAX || !s.folded(from) || s.symbol_of(from) != nullptr || depth > 4) return false;
  if (s.instr(from).kind != InstrKind::kPlain) return false;
  const Program& p = s.program();
  for (uint32_t r = p.ref_begin[from]; r < p.ref_begin[from + 1]; ++r) {
    if (!p.refs[r].defines && !names_constant(s, p.refs[r].place, depth + 1)) return false;
  }
  return true;
}

bool takes_halves(const Selection& s, uint32_t u) {
  if (s.instr(u).kind != InstrKind::kPlain) return false;
  return is(s.class_now(u), kPairsHalves);
}

}  // namespace

bool makes_constant(const Selection& s, uint32_t i, const RowFacts& result) {
  const Program& p = s.program();
  const Instr& in = s.instr(i);
  const bool pair = s.shape(i) == Shape::kPack && s.bytes_of(in.ops[0]) == 4;
  if (in.kind != InstrKind::kPlain || (!pair && s.mnemonic(i) != "cvt")) return false;
  for (uint32_t r = p.ref_begin[i]; r < p.ref_begin[i + 1]; ++r) {
    if (!p.refs[r].defines && !names_constant(s, p.refs[r].place, 0)) return false;
  }
  return all_uses(result, [&](uint32_t u, const OperandRef& ref) {
    if (s.instr(u).kind != InstrKind::kPlain) return false;
    return s.shape(u) == Shape::kFloat || (s.shape(u) == Shape::kPack && ref.bytes < 4);
  });
}

bool pairs_same_half(const Selection& s, uint32_t i, const RowFacts& result) {
  const Program& p = s.program();
  const Place* half = nullptr;
  for (uint32_t r = p.ref_begin[i]; r < p.ref_begin[i + 1]; ++r) {
    const OperandRef& ref = p.refs[r];
    if (ref.defines) continue;
    if (ref.bytes != 2 || (half != nullptr && half->at != ref.place.at)) return false;
    half = &ref.place;
  }
  return half != nullptr &&
         all_uses(result, [&](uint32_t u, const OperandRef&) { return takes_halves(s, u); });
}

bool loads_half(const Selection& s, uint32_t i) {
  const Instr& in = s.instr(i);
  if (in.kind != InstrKind::kLoad || in.space != Space::kShared || in.vec > 1 || in.type == Type::kNone ||
      bits(in.type) != 16)
    return false;
  const RowFacts* result = s.single_result(i);
  return result != nullptr && all_uses(*result, [&](uint32_t u, const OperandRef&) {
           if (s.shape(u) == Shape::kPack) return s.folded(u);
           return takes_halves(s, u);
         });
}

}  // namespace gpuloom::ptx
