// SPDX-License-Identifier: Apache-2.0
// In words: why operands do not fit.
#include "ptx/ir/special_register.h"
#include "ptx/parse/fit.h"

namespace gpuloom::ptx {
namespace {

std::string count_in_words(const Candidate& candidate) {
  const std::string least = std::to_string(candidate.mandatory);
  if (candidate.groups == candidate.mandatory)
    return least + (candidate.groups == 1 ? " operand" : " operands");
  return least + " to " + std::to_string(candidate.groups) + " operands";
}

Space space_of(const Candidate& candidate, const OperandSlot* slot) {
  for (const OperandNeed& need : candidate.needs)
    if (need.slot == slot) return need.space;
  return Space::kGeneric;
}

std::string dotted(Type type) { return "`." + std::string(info(type).name) + "`"; }

}  // namespace

std::string OperandFitter::describe(const Operand& operand) const {
  switch (operand.kind) {
    case OperandKind::kRegister: {
      const Register& reg = function_->registers[operand.id];
      return (reg.vector > 1 && operand.component == 0xff ? "a vector of " : "a ") + dotted(reg.type) +
             " register";
    }
    case OperandKind::kAddress:
      if (operand.has_base && !operand.base_is_symbol)
        return "a " + dotted(function_->registers[operand.id].type) + " register in brackets";
      return "an address";
    case OperandKind::kImmediate:
      return operand.immediate_type == Type::kF32 || operand.immediate_type == Type::kF64
                 ? "a floating-point constant"
                 : "an integer constant";
    case OperandKind::kSpecialRegister:
      return "the special register `" + std::string(info(static_cast<SpecialRegister>(operand.id)).name) +
             "`";
    case OperandKind::kSymbol:
      return "a symbol";
    case OperandKind::kLabel:
      return "a label or unknown name";
    case OperandKind::kVector:
      return "a vector of " + std::to_string(operand.child_count);
    case OperandKind::kSink:
      return "`_`";
    case OperandKind::kTensor:
      return "a tensor address";
    case OperandKind::kPair:
      return "a pair `a|b`";
    case OperandKind::kList:
      return "a list";
    case OperandKind::kNone:
      break;
  }
  return "nothing";
}

// What stands in the place of an operand of another kind: "an address in brackets".
std::string_view OperandFitter::wanted(Why why) {
  switch (why) {
    case Why::kNotSource:
      return "a register or constant";
    case Why::kNotAddress:
      return "an address in brackets";
    case Why::kNotImmediate:
      return "an integer constant";
    case Why::kNotLabel:
      return "a label";
    case Why::kNotFunction:
      return "a function or a register with its address";
    case Why::kNotSymbol:
      return "the name of a table or prototype";
    case Why::kNotList:
      return "a list in parentheses";
    default:
      return {};
  }
}

std::string_view OperandFitter::type_hint(const Mismatch& mismatch) {
  if (mismatch.why == Why::kAddressType) return "addresses are integer or .b registers of 32 or 64 bits";
  if (mismatch.why == Why::kType)
    return mismatch.candidate->form->relaxed
               ? "the register may be wider than the type, but not narrower or of another kind"
               : "";
  if (!is_float(mismatch.expected)) return {};
  return mismatch.expected == Type::kF32 || mismatch.expected == Type::kF64
             ? "floating-point constants are written 0f3F800000, 0d3FF0000000000000 or 1.0"
             : "constants of this type go through a register: `mov.b16 %h1, 0x3C00`";
}

// An operand of the wrong type: message and hint.
OperandFitter::Explained OperandFitter::explain_type(const Mismatch& mismatch) const {
  const std::string hint(type_hint(mismatch));
  if (mismatch.why == Why::kAddressType)
    return {Problem::kType,
            "operand type mismatch: " + dotted(function_->registers[mismatch.operand.id].type) +
                " register used where an address is required",
            hint};
  const std::string expected =
      mismatch.expected == Type::kNone ? std::string("a value") : dotted(mismatch.expected);
  return {Problem::kType,
          "operand type mismatch: " + describe(mismatch.operand) + " where " + expected + " is required",
          hint};
}

// An operand that the form cannot take: message and hint.
OperandFitter::Explained OperandFitter::explain_kind(const Mismatch& mismatch) const {
  const Candidate& candidate = *mismatch.candidate;
  const std::string found = describe(mismatch.operand);
  const std::string mnemonic = ticked(candidate.form->instruction->mnemonic);
  switch (mismatch.why) {
    case Why::kNotRegister:
      return {Problem::kOperandKind, "the result of " + mnemonic + " goes to a register, found " + found, ""};
    case Why::kVector: {
      const std::string takes =
          candidate.vector > 1 ? "a vector of " + std::to_string(candidate.vector) : "one register";
      return {Problem::kVector, mnemonic + " takes " + takes + " here, found " + found, ""};
    }
    case Why::kPair: {
      const bool pair = mismatch.slot->shape == OperandShape::kPair;
      return {Problem::kOperandKind,
              mnemonic + " takes " + (pair ? "two results `d|p`" : "one operand") + " here, found " + found,
              ""};
    }
    case Why::kNegated:
      return {Problem::kOperandKind, mnemonic + " cannot negate this operand", ""};
    case Why::kSpecial:
      return {Problem::kOperandKind, mnemonic + " cannot read " + found + " directly",
              "move it to a register first: `mov.u32 %r1, %tid.x`"};
    case Why::kSymbol:
      return {Problem::kOperandKind, mnemonic + " cannot take " + found + " here",
              "move the address to a register first: `mov.u64 %rd1, symbol`"};
    case Why::kSink: {
      const bool destination = mismatch.slot != nullptr && mismatch.slot->destination;
      return {Problem::kOperandKind,
              std::string("`_` cannot be ") + (destination ? "the result of " + mnemonic : "a source"), ""};
    }
    case Why::kSelector:
      return {Problem::kOperandKind, mnemonic + " cannot select bytes or halves of a register", ""};
    case Why::kSpace:
      return {Problem::kOperandKind,
              mnemonic + " accesses " + ticked("." + std::string(name(space_of(candidate, mismatch.slot)))) +
                  ", but " + ticked(mismatch.operand.variable->name) + " is in " +
                  ticked("." + std::string(name(mismatch.operand.variable->space))),
              ""};
    case Why::kCheck:
      return {Problem::kConstraint, mismatch.text, ""};
    default:
      return {Problem::kOperandKind,
              mnemonic + " takes " + std::string(wanted(mismatch.why)) + " here, found " + found, ""};
  }
}

OperandFitter::Explained OperandFitter::explained(const Mismatch& mismatch, size_t count) const {
  switch (mismatch.why) {
    case Why::kNone:
    case Why::kTooFew:
    case Why::kTooMany:
      return {Problem::kOperandCount,
              ticked(mismatch.candidate->form->instruction->mnemonic) + " takes " +
                  count_in_words(*mismatch.candidate) + ", found " + std::to_string(count),
              ""};
    case Why::kType:
    case Why::kImmediateType:
    case Why::kAddressType:
      return explain_type(mismatch);
    default:
      return explain_kind(mismatch);
  }
}

void OperandFitter::explain(const Mismatch& mismatch, const Token& token, size_t count) {
  if (mismatch.candidate == nullptr) {
    context_->report.error(Problem::kOperandCount, token,
                           "no form of " + ticked(token.text) + " takes these operands");
    return;
  }
  auto [problem, message, hint] = explained(mismatch, count);
  const bool at_operand = mismatch.operand.position.line > 0 && problem != Problem::kOperandCount;
  const Position position = at_operand ? mismatch.operand.position : token.position;
  Diagnostic& d = context_->report.error(
      problem, position, at_operand ? context_->tokens.extent_at(position, token) : token.text.size(),
      message);
  d.hint = std::move(hint);
  const bool register_base = mismatch.operand.kind == OperandKind::kAddress && mismatch.operand.has_base &&
                             !mismatch.operand.base_is_symbol;
  if (at_operand && (mismatch.operand.kind == OperandKind::kRegister || register_base)) {
    const Register& reg = function_->registers[mismatch.operand.id];
    d.notes.push_back({ticked(reg.name) + " is declared ." + std::string(info(reg.type).name), reg.position});
  } else if (at_operand && mismatch.operand.variable != nullptr) {
    d.notes.push_back(
        {ticked(mismatch.operand.variable->name) + " is declared here", mismatch.operand.variable->position});
  }
  if (problem == Problem::kOperandCount || problem == Problem::kConstraint)
    d.notes.push_back({"the form is `" + mismatch.candidate->form->syntax + "`", {}});
}

}  // namespace gpuloom::ptx
