// SPDX-License-Identifier: Apache-2.0
// A value of 32 bits whose sign is extended stays where it is: its upper half gets a register of its own, not
// a pair with a copy of it (ptxas 13.0, sm_90: SHF.R.S32.HI R5, RZ, 0x1f, R0; LEA R2, P0, R0, UR4, 0x2;
// LEA.HI.X R3, R0, UR5, R5, 0x2, P0). So it is where all that reads it takes its halves from any register.
#include "ptx/machine/selector.h"

namespace gpuloom::ptx {

bool Selector::takes_halves(uint32_t user, const OperandRef& ref) const {
  switch (shape(user)) {
    case Shape::kAdd64:
    case Shape::kSub64:  // IMAD.WIDE adds a pair
      return class_of(user) != OpClass::imad_wide && class_of(user) != OpClass::mul64;
    case Shape::kShl64:
    case Shape::kMul64:
    case Shape::kSetp:
      return ref.operand < kInstrPlaces;
    default:
      return false;
  }
}

void Selector::split_extensions() {
  for (uint32_t i = code_.entry; i < code_.end; ++i) {
    if (shape(i) != Shape::kExtend || folded(i) || p_.code[i].guard.present() ||
        !(is_signed(p_.code[i].type) || source_is_signed(i)) || p_.code[i].ops[1].constant())
      continue;
    const RowFacts* result = single_result(i);
    if (result == nullptr || bytes_of_row(g_.liveness.number(f_, p_.code[i].ops[0])) != 8 ||
        !stable_sources(i) ||
        !all_uses(*result, [&](uint32_t u, const OperandRef& ref) { return takes_halves(u, ref); }))
      continue;
    folded_[i - code_.entry] = 1;
    upper_half_[i] = temporary(1);
  }
}

void Selector::emit_upper_half(uint32_t i, std::vector<Node>& out) {
  const auto at = upper_half_.find(i);
  if (at == upper_half_.end()) return;
  std::vector<uint32_t> uses;
  add_source(p_.code[i].ops[1], uses, 0);
  Node& n = push(out, OpClass::shift, i);
  n.uses = std::move(uses);
  n.defs = {at->second};
  n.carries = true;
}

}  // namespace gpuloom::ptx
