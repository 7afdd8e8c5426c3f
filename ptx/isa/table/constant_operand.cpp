// SPDX-License-Identifier: Apache-2.0
#include "ptx/isa/table/constant_operand.h"

namespace gpuloom::ptx {
namespace {

bool names(const Function& f, const Operand& operand, uint32_t id) {
  if (operand.kind == OperandKind::kRegister) return operand.id == id;
  if (operand.kind != OperandKind::kVector && operand.kind != OperandKind::kPair &&
      operand.kind != OperandKind::kList)
    return false;
  for (uint32_t k = 0; k < operand.child_count; ++k)
    if (names(f, f.operand_pool[operand.first_child + k], id)) return true;
  return false;
}

bool writes(const Function& f, const Instruction& in, uint32_t id) {
  uint32_t k = 0;
  for (size_t slot = 0; slot < in.form->operands.size() && k < in.operand_count; ++slot, ++k) {
    const OperandSlot& s = in.form->operands[slot];
    if (s.shape == OperandShape::kPair) ++slot;  // one operand of two slots
    if (s.destination && names(f, f.operand_pool[in.first_operand + k], id)) return true;
  }
  return false;
}

bool moves_immediate(const Function& f, const Instruction& in) {
  return in.form->instruction->mnemonic == "mov" && in.guard.register_id < 0 && in.operand_count == 2 &&
         f.operand_pool[in.first_operand].kind == OperandKind::kRegister &&
         f.operand_pool[in.first_operand + 1].kind == OperandKind::kImmediate;
}

}  // namespace

bool is_constant(const FormUse& use, unsigned k) {
  const Operand& operand = use.operand(k);
  if (operand.kind == OperandKind::kImmediate) return true;
  const Function* f = use.function();
  if (operand.kind != OperandKind::kRegister || f == nullptr || f->registers[operand.id].vector > 1)
    return false;
  const Instruction* only = nullptr;
  for (const Instruction& in : f->instructions) {
    if (in.form == nullptr || !writes(*f, in, operand.id)) continue;
    if (only != nullptr) return false;
    only = &in;
  }
  return only != nullptr && moves_immediate(*f, *only);
}

}  // namespace gpuloom::ptx
