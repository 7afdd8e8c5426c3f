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

void OperandFitter::explain(const Mismatch& mismatch, const Token& token, size_t count) {
  if (mismatch.candidate == nullptr) {
    context_->report.error(Problem::kOperandCount, token,
                           "no form of " + ticked(token.text) + " takes these operands");
    return;
  }
  const Candidate& candidate = *mismatch.candidate;
  const std::string found = describe(mismatch.operand);
  const std::string mnemonic = ticked(candidate.form->instruction->mnemonic);
  const std::string expected =
      mismatch.expected == Type::kNone ? std::string("a value") : dotted(mismatch.expected);
  const bool destination = mismatch.slot != nullptr && mismatch.slot->destination;
  std::string message, hint;
  Problem problem = Problem::kOperandKind;
  switch (mismatch.why) {
    case Why::kNone:
    case Why::kTooFew:
    case Why::kTooMany:
      problem = Problem::kOperandCount;
      message = mnemonic + " takes " + count_in_words(candidate) + ", found " + std::to_string(count);
      break;
    case Why::kType:
      problem = Problem::kType;
      message = "operand type mismatch: " + found + " where " + expected + " is required";
      if (candidate.form->relaxed)
        hint = "the register may be wider than the type, but not narrower or of another kind";
      break;
    case Why::kImmediateType:
      problem = Problem::kType;
      message = "operand type mismatch: " + found + " where " + expected + " is required";
      if (is_float(mismatch.expected)) {
        hint = mismatch.expected == Type::kF32 || mismatch.expected == Type::kF64
                   ? "floating-point constants are written 0f3F800000, 0d3FF0000000000000 or 1.0"
                   : "constants of this type go through a register: `mov.b16 %h1, 0x3C00`";
      }
      break;
    case Why::kAddressType:
      problem = Problem::kType;
      message = "operand type mismatch: " + dotted(function_->registers[mismatch.operand.id].type) +
                " register used where an address is required";
      hint = "addresses are integer or .b registers of 32 or 64 bits";
      break;
    case Why::kNotRegister:
      message = "the result of " + mnemonic + " goes to a register, found " + found;
      break;
    case Why::kNotSource:
      message = mnemonic + " takes a register or constant here, found " + found;
      break;
    case Why::kNotAddress:
      message = mnemonic + " takes an address in brackets here, found " + found;
      break;
    case Why::kNotImmediate:
      message = mnemonic + " takes an integer constant here, found " + found;
      break;
    case Why::kNotLabel:
      message = mnemonic + " takes a label here, found " + found;
      break;
    case Why::kNotFunction:
      message = mnemonic + " takes a function or a register with its address here, found " + found;
      break;
    case Why::kNotSymbol:
      message = mnemonic + " takes the name of a table or prototype here, found " + found;
      break;
    case Why::kNotList:
      message = mnemonic + " takes a list in parentheses here, found " + found;
      break;
    case Why::kVector:
      problem = Problem::kVector;
      message = candidate.vector > 1 ? mnemonic + " takes a vector of " + std::to_string(candidate.vector) +
                                           " here, found " + found
                                     : mnemonic + " takes one register here, found " + found;
      break;
    case Why::kPair:
      message = mnemonic +
                (mismatch.slot->shape == OperandShape::kPair ? " takes two results `d|p` here, found "
                                                             : " takes one operand here, found ") +
                found;
      break;
    case Why::kNegated:
      message = mnemonic + " cannot negate this operand";
      break;
    case Why::kSpecial:
      message = mnemonic + " cannot read " + found + " directly";
      hint = "move it to a register first: `mov.u32 %r1, %tid.x`";
      break;
    case Why::kSymbol:
      message = mnemonic + " cannot take " + found + " here";
      hint = "move the address to a register first: `mov.u64 %rd1, symbol`";
      break;
    case Why::kSink:
      message = std::string("`_` cannot be ") + (destination ? "the result of " + mnemonic : "a source");
      break;
    case Why::kSelector:
      message = mnemonic + " cannot select bytes or halves of a register";
      break;
    case Why::kSpace:
      message = mnemonic + " accesses " +
                ticked("." + std::string(name(space_of(candidate, mismatch.slot)))) + ", but " +
                ticked(mismatch.operand.variable->name) + " is in " +
                ticked("." + std::string(name(mismatch.operand.variable->space)));
      break;
    case Why::kCheck:
      problem = Problem::kConstraint;
      message = mismatch.text;
      break;
  }
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
    d.notes.push_back({"the form is `" + candidate.form->syntax + "`", {}});
}

}  // namespace gpuloom::ptx
