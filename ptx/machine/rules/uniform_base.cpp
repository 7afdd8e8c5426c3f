// SPDX-License-Identifier: Apache-2.0
// Where accesses of global memory need no descriptor, the uniform register of their address has the base
// (ptxas 13.0 for sm_75: ULDC.64 UR4, c[0x0][0x168]; LDG.E.SYS R7, [R7.U32+UR4]; STG.E.U8.SYS [R2.64+UR6],
// R5). A sum of a parameter and a register that only such accesses read vanishes.
#include "ptx/machine/rules/uniform_base.h"

namespace gpuloom::ptx {

namespace {

bool is_global_address(const Selection& s, uint32_t i, const OperandRef& ref) {
  const Instr& in = s.instr(i);
  return (in.kind == InstrKind::kLoad || in.kind == InstrKind::kStore) && in.space == Space::kGlobal &&
         ref.address;
}

// Of an addition of 64 bits whose operands stay what they are.
const RowFacts* plain_sum(const Selection& s, uint32_t i) {
  const bool plain = s.shape(i) == Shape::kAdd64 && !s.has_taken(i) && s.stable_sources(i);
  return plain ? s.single_result(i) : nullptr;
}

// Whether i adds a constant, for such addresses alone.
bool adds_distance(const Selection& s, uint32_t i) {
  const RowFacts* sum = plain_sum(s, i);
  return sum != nullptr && s.instr(i).ops[2].constant() &&
         all_uses(*sum, [&](uint32_t u, const OperandRef& at) { return is_global_address(s, u, at); });
}

bool is_parameter(const Selection& s, Place place) {
  for (unsigned depth = 0; depth < 4; ++depth) {
    const uint32_t from = s.maker(place);
    if (from == UINT32_MAX || s.instr(from).guard.present()) return false;
    if (s.shape(from) == Shape::kParamLoad) return true;
    if (s.shape(from) != Shape::kRename) return false;
    place = s.instr(from).ops[1];
  }
  return false;
}

bool match_uniform_base(const Selection& s, const Candidate& c) {
  return c.steady && adds_uniform_base(s, c.i);
}

void apply_uniform_base(const Selection&, Folder& fold, const Candidate&) { fold.vanish(); }

}  // namespace

bool adds_uniform_base(const Selection& s, uint32_t i) {
  const RowFacts* sum = s.profile().has_uniform_bases() ? plain_sum(s, i) : nullptr;
  if (sum == nullptr) return false;
  const Place left = s.instr(i).ops[1], right = s.instr(i).ops[2];
  if (left.constant() || right.constant() || is_parameter(s, left) == is_parameter(s, right)) return false;
  return all_uses(*sum, [&](uint32_t u, const OperandRef& ref) {
    return is_global_address(s, u, ref) || adds_distance(s, u);
  });
}

extern const FoldRule kUniformBase{"uniform_base", match_uniform_base, apply_uniform_base};

}  // namespace gpuloom::ptx
