// SPDX-License-Identifier: Apache-2.0
// Registers and variables that a function body declares.
#include "base/text.h"
#include "ptx/parse/body.h"

namespace gpuloom::ptx {

void BodyParser::registers() {
  TokenStream& tokens = context_->tokens;
  const DeclarationHead head = declarations_->head(false);
  do {
    const Token name = tokens.expect_word("the register's name");
    uint32_t count = 1;
    const bool range = tokens.now().is('<');
    if (range) {
      tokens.advance();
      // Not an expression: `>` closes the range.
      uint64_t value = 0;
      bool is_unsigned = false;
      const Token number = tokens.now();
      if (number.kind != TokenKind::kInteger) tokens.unexpected("the number of registers");
      constexpr uint64_t kMost = 1 << 22;
      if (!integer_value(number.text, value, is_unsigned) || value + function_->registers.size() > kMost) {
        context_->report.error(Problem::kDeclaration, number, "a function has at most 4,194,304 registers");
        throw Abandon();
      }
      count = static_cast<uint32_t>(value);
      tokens.advance();
      tokens.expect('>');
    }
    declare_register(name, head.type, head.vector, count, range);
  } while (tokens.accept(','));
  tokens.expect_end_of_statement();
}

void BodyParser::declare_register(const Token& token, Type type, uint8_t vector, uint32_t count, bool range) {
  const auto first = static_cast<uint32_t>(function_->registers.size());
  Name name;
  name.text = token.text;
  name.kind = range ? NameKind::kRegisterRange : NameKind::kRegister;
  name.id = first;
  name.count = count;
  name.position = token.position;
  const Name* previous = nullptr;
  if (token.text.find('.') != std::string_view::npos || token.text == "_")
    context_->report.error(Problem::kDeclaration, token,
                           ticked(token.text) + " cannot be the name of a register");
  if (!context_->names.add(name, &previous)) {
    context_->report
        .error(Problem::kRedefinition, token, ticked(token.text) + " is declared twice in this scope")
        .notes.push_back({"first declared here", previous->position});
    return;
  }
  Register reg;
  reg.type = type;
  reg.vector = vector;
  reg.position = token.position;
  for (uint32_t k = 0; k < count; ++k) {
    reg.name.assign(token.text);
    if (range) reg.name += std::to_string(k);
    function_->registers.push_back(reg);
  }
}

void BodyParser::variables() {
  TokenStream& tokens = context_->tokens;
  Linkage linkage = Linkage::kNone;
  bool managed = false;
  while (tokens.now().directive(".extern") || tokens.now().directive(".attribute")) {
    if (tokens.now().text == ".extern") {
      linkage = Linkage::kExtern;
      tokens.advance();
    } else {
      declarations_->attributes(managed);
    }
  }
  DeclarationHead head = declarations_->head(false);
  if (head.space == Space::kParam) head.space = Space::kParamFunction;
  head.managed = head.managed || managed;
  // .global and .const variables live as long as the module, wherever they are declared.
  std::deque<Variable>& home =
      head.space == Space::kGlobal || head.space == Space::kConst || head.space == Space::kTex
          ? context_->module.variables
          : function_->variables;
  do {
    const Token name = tokens.now();
    Variable variable = declarations_->variable(head, linkage);
    home.push_back(std::move(variable));
    const Name* previous = nullptr;
    if (!context_->names.add({name.text, NameKind::kVariable, static_cast<uint32_t>(home.size() - 1), 0,
                              &home.back(), name.position},
                             &previous))
      context_->report
          .error(Problem::kRedefinition, name, ticked(name.text) + " is declared twice in this scope")
          .notes.push_back({"first declared here", previous->position});
  } while (tokens.accept(','));
  tokens.expect_end_of_statement();
}

}  // namespace gpuloom::ptx
