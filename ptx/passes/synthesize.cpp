// SPDX-License-Identifier: Apache-2.0
#include "ptx/passes/synthesize.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "ptx/isa/table/form.h"
#include "ptx/passes/bind.h"

namespace gpuloom::ptx {

namespace {

// Chooses the modifiers; false where one is left over or a mandatory slot stays empty.
bool choose(const Form& form, const std::vector<std::string_view>& modifiers, Instruction& out) {
  std::vector<bool> taken(modifiers.size(), false);
  for (size_t slot = 0; slot < form.mods.size(); ++slot) {
    for (size_t v = 0; v < form.mods[slot].values.size() && out.mods[slot] == 0; ++v) {
      for (size_t m = 0; m < modifiers.size(); ++m) {
        if (taken[m] || form.mods[slot].values[v].text != modifiers[m]) continue;
        taken[m] = true;
        out.mods[slot] = static_cast<uint8_t>(v + 1);
        break;
      }
    }
    if (out.mods[slot] == 0 && !form.mods[slot].optional) return false;
  }
  return std::find(taken.begin(), taken.end(), false) == taken.end();
}

}  // namespace

Instr synthesize(std::string_view mnemonic, const std::vector<std::string_view>& modifiers,
                 const std::vector<Type>& operands) {
  for (const Form* form : isa_table().forms_of(mnemonic.substr(0, mnemonic.find('.')))) {
    if (form->instruction->mnemonic != mnemonic || form->operands.size() < operands.size()) continue;
    Instruction instruction;
    instruction.form = form;
    if (!choose(*form, modifiers, instruction)) continue;
    Function holder;  // gives the operands their types
    for (const Type type : operands) {
      Operand op;
      op.kind = OperandKind::kRegister;
      op.id = static_cast<uint32_t>(holder.registers.size());
      holder.operand_pool.push_back(op);
      holder.registers.push_back({"%r", type, 1, {}});
    }
    instruction.operand_count = static_cast<uint16_t>(operands.size());
    const FormUse use(*form, instruction, &holder);
    Instr in;
    in.fn = form->meaning != nullptr ? form->meaning(use) : form->fixed_meaning;
    in.kind = form->kind;
    in.space = use.space();
    in.type = main_type(use);
    in.op_class = static_cast<uint16_t>(form->op_of != nullptr ? form->op_of(use) : form->op);
    if (form->encode != nullptr) form->encode(use, in);
    if (in.fn != nullptr) return in;
  }
  std::string name(mnemonic);
  for (const std::string_view m : modifiers) name += m;
  throw Error(ErrorKind::kInternal, "the instruction table has no '" + name + "' that a pass needs");
}

}  // namespace gpuloom::ptx
