// SPDX-License-Identifier: Apache-2.0
#include "ptx/isa/table/form.h"

#include "ptx/isa/table/space_names.h"

namespace gpuloom::ptx {
namespace {

const Operand kNoOperand;

const Register* register_of(const Function* function, const Operand& operand) {
  const bool base = operand.kind == OperandKind::kAddress && operand.has_base && !operand.base_is_symbol;
  if ((operand.kind != OperandKind::kRegister && !base) || function == nullptr) return nullptr;
  return operand.id < function->registers.size() ? &function->registers[operand.id] : nullptr;
}

}  // namespace

Space space_named(std::string_view text) {
  if (text == ".global") return Space::kGlobal;
  if (text == ".shared" || text == ".shared::cta") return Space::kShared;
  if (text == ".shared::cluster") return Space::kSharedCluster;
  if (text == ".local") return Space::kLocal;
  if (text == ".const") return Space::kConst;
  if (text == ".param" || text == ".param::entry") return Space::kParam;
  if (text == ".param::func") return Space::kParamFunction;
  return Space::kGeneric;
}

std::string_view FormUse::mod(std::string_view set) const {
  for (size_t k = 0; k < form_->mods.size(); ++k)
    if (form_->mods[k].set == set && instruction_->mods[k] != 0)
      return form_->mods[k].values[instruction_->mods[k] - 1u].text;
  return {};
}

bool FormUse::has(std::string_view value) const {
  for (size_t k = 0; k < form_->mods.size(); ++k)
    if (instruction_->mods[k] != 0 && form_->mods[k].values[instruction_->mods[k] - 1u].text == value)
      return true;
  return false;
}

Type FormUse::type(std::string_view set) const {
  for (size_t k = 0; k < form_->mods.size(); ++k)
    if (form_->mods[k].set == set && instruction_->mods[k] != 0)
      return form_->mods[k].values[instruction_->mods[k] - 1u].type;
  return Type::kNone;
}

unsigned FormUse::vec(std::string_view set) const {
  const std::string_view text = mod(set);
  return text == ".v2" ? 2 : text == ".v4" ? 4 : text == ".v8" ? 8 : 1;
}

Space FormUse::space() const {
  Space space = space_named(mod(".space"));
  if (space == Space::kGeneric) space = space_named(mod(".ss"));
  // A space that the form fixes is a literal of its own.
  for (size_t k = 0; k < form_->mods.size() && space == Space::kGeneric; ++k)
    if (form_->mods[k].values.size() == 1 && instruction_->mods[k] != 0)
      space = space_named(form_->mods[k].values[0].text);
  if (space != Space::kParam || has(".param::entry")) return space;
  // `.param` alone is the kernel's parameters in an entry, and a function's in a .func, but a variable knows
  // best: an entry uses call-site .param variables too.
  for (unsigned k = 0; k < operand_count(); ++k)
    if (const Variable* variable = operand(k).variable;
        variable != nullptr && operand(k).kind == OperandKind::kAddress)
      return variable->space == Space::kParamFunction ? Space::kParamFunction : Space::kParam;
  return function_ != nullptr && !function_->is_entry ? Space::kParamFunction : Space::kParam;
}

const Operand& FormUse::operand(unsigned index) const {
  if (function_ == nullptr || index >= instruction_->operand_count) return kNoOperand;
  return function_->operand_pool[instruction_->first_operand + index];
}

Type FormUse::register_type(unsigned index) const {
  const Operand* at = &operand(index);
  // A vector, list or pair speaks through its first register: {_, %r1} and _|p have sinks.
  if (at->child_count > 0 && at->kind != OperandKind::kTensor) {
    const Operand* children = &function_->operand_pool[at->first_child];
    at = children;
    for (uint32_t k = 0; k < operand(index).child_count; ++k) {
      if (children[k].kind != OperandKind::kRegister) continue;
      at = &children[k];
      break;
    }
  }
  const Register* reg = register_of(function_, *at);
  if (at->kind == OperandKind::kSpecialRegister) return info(static_cast<SpecialRegister>(at->id)).type;
  return reg == nullptr ? Type::kNone : reg->type;
}

unsigned FormUse::register_bits(unsigned index) const {
  const Type type = register_type(index);
  return type == Type::kNone ? 0 : bits(type);
}

unsigned FormUse::element_count(unsigned index) const {
  const Operand& at = operand(index);
  if (at.kind == OperandKind::kVector) return at.child_count;
  const Register* reg = register_of(function_, at);
  return reg != nullptr && at.component == 0xff ? reg->vector : 1;
}

const std::vector<const Form*>& IsaTable::forms_of(std::string_view first_word) const {
  static const std::vector<const Form*> kNone;
  const auto found = by_first_word_.find(std::string(first_word));
  return found == by_first_word_.end() ? kNone : found->second;
}

}  // namespace gpuloom::ptx
