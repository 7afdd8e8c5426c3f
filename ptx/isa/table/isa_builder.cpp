// SPDX-License-Identifier: Apache-2.0
#include "ptx/isa/table/isa_builder.h"

#include <algorithm>
#include <cctype>

#include "base/error.h"
#include "ptx/isa/table/syntax.h"

namespace gpuloom::ptx {
namespace {

[[noreturn]] void malformed(const Form& form, std::string_view why) {
  throw Error(ErrorKind::kInternal,
              "instruction declaration `" + form.syntax + "` is malformed: " + std::string(why));
}

std::vector<std::string> words(std::string_view text, std::string_view separators) {
  std::vector<std::string> out;
  size_t at = 0;
  while ((at = text.find_first_not_of(separators, at)) != std::string_view::npos) {
    const size_t end = std::min(text.find_first_of(separators, at), text.size());
    out.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

bool is_version(std::string_view text) {
  const size_t dot = text.find('.');
  if (dot == std::string_view::npos || dot == 0 || dot + 1 == text.size()) return false;
  return text.find_first_not_of("0123456789.") == std::string_view::npos;
}

// ".bf16@8.0,sm_90|sm_100f": the word, and after @ the version and the targets in any order.
ModifierValue value_of(const Form& form, std::string_view word) {
  ModifierValue value;
  const size_t at = word.find('@');
  value.text = std::string(word.substr(0, at));
  if (value.text.size() < 2 || value.text[0] != '.')
    malformed(form, "`" + std::string(word) + "` lacks its dot");
  value.type = type_named(std::string_view(value.text).substr(1));
  if (at == std::string_view::npos) return value;
  for (const std::string& part : words(word.substr(at + 1), ",")) {
    if (is_version(part)) {
      value.since = part;
    } else {
      for (const std::string& target : words(part, "|")) {
        if (!target.starts_with("sm_"))
          malformed(form, "`" + target + "` is neither a PTX version nor a target");
        value.needs.push_back(target);
      }
    }
  }
  return value;
}

}  // namespace

FormBuilder& FormBuilder::set(std::string_view name, std::string_view values) {
  std::vector<ModifierValue> choices;
  for (const std::string& word : words(values, " \t\n")) choices.push_back(value_of(*form_, word));
  if (choices.empty()) malformed(*form_, "set " + std::string(name) + " has no values");
  bool used = false;
  for (ModifierSlot& slot : form_->mods) {
    if (slot.set != name) continue;
    slot.values = choices;
    used = true;
  }
  if (!used) malformed(*form_, "set " + std::string(name) + " does not occur in it");
  resolve_operand_types(*form_);
  return *this;
}

FormBuilder& FormBuilder::since(std::string_view ptx_version) {
  if (!is_version(ptx_version)) malformed(*form_, "since() wants a PTX version such as 7.8");
  form_->since = std::string(ptx_version);
  return *this;
}

FormBuilder& FormBuilder::needs(std::string_view targets) {
  form_->needs = words(targets, " |,");
  for (const std::string& target : form_->needs)
    if (!target.starts_with("sm_")) malformed(*form_, "`" + target + "` is not a target");
  return *this;
}

FormBuilder& FormBuilder::relaxed() {
  form_->relaxed = true;
  return *this;
}

FormBuilder& FormBuilder::updates() {
  form_->operands.front().updated = true;
  return *this;
}

FormBuilder& FormBuilder::kind(InstrKind kind) {
  form_->kind = kind;
  return *this;
}

FormBuilder& FormBuilder::op(OpClass op) {
  form_->op = op;
  return *this;
}

FormBuilder& FormBuilder::op(OpClass (*op_of)(const FormUse&)) {
  form_->op_of = op_of;
  return *this;
}

FormBuilder& FormBuilder::check(std::string (*hook)(const FormUse&)) {
  form_->check = hook;
  return *this;
}

FormBuilder& FormBuilder::encode(void (*hook)(const FormUse&, Instr&)) {
  form_->encode = hook;
  return *this;
}

FormBuilder& FormBuilder::meaning(LaneFn (*pick)(const FormUse&)) {
  form_->meaning = pick;
  return *this;
}

FormBuilder& FormBuilder::meaning(LaneFn fn) {
  form_->fixed_meaning = fn;
  return *this;
}

FormBuilder& FormBuilder::not_modelled(std::string_view reason) {
  form_->not_modelled = std::string(reason);
  return *this;
}

void IsaBuilder::family(std::string_view folder) { family_ = std::string(folder); }

void IsaBuilder::instruction(std::string_view mnemonic, std::string_view section, std::string_view summary) {
  if (mnemonic.empty() || !std::isalpha(static_cast<unsigned char>(mnemonic[0])))
    throw Error(ErrorKind::kInternal, "instruction name `" + std::string(mnemonic) + "` is malformed");
  current_ = &table_->instructions_.emplace_back(
      InstructionInfo{std::string(mnemonic), std::string(section), std::string(summary), family_});
}

FormBuilder IsaBuilder::form(std::string_view syntax) {
  if (current_ == nullptr)
    throw Error(ErrorKind::kInternal, "form `" + std::string(syntax) + "` stands before any instruction()");
  Form& form = table_->forms_.emplace_back();
  form.instruction = current_;
  form.syntax = std::string(syntax);
  form.index = static_cast<int16_t>(table_->forms_.size() - 1);
  parse_form_syntax(form);
  const std::string& mnemonic = current_->mnemonic;
  table_->by_first_word_[mnemonic.substr(0, mnemonic.find('.'))].push_back(&form);
  return FormBuilder(form);
}

}  // namespace gpuloom::ptx
