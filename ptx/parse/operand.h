// SPDX-License-Identifier: Apache-2.0
// Operands as written (PTX ISA 6), before a form is chosen.
#pragma once
#include "ptx/parse/constant.h"

namespace gpuloom::ptx {

// A name that may turn out to be a label or a symbol that follows; resolved when its scope ends.
struct ForwardName {
  std::string_view text;
  Position position;
};

class OperandParser {
 public:
  OperandParser(ParseContext& context, ConstantParser& constants)
      : context_(&context), constants_(&constants) {}
  void set_function(Function& function) { function_ = &function; }

  // Reads operands up to `;` into `out`; children go to the function's pool. `call`: parentheses are lists.
  void parse_all(std::vector<Operand>& out, bool call);
  // Resolves the register of a guard; reports what else it is.
  bool find_guard(const Token& token, Operand& operand);

  // Names that operands of kind kLabel refer to by id, until cleared.
  std::vector<ForwardName> forward;

 private:
  Operand parse(bool call);
  Operand simple(bool call);
  Operand negated();
  Operand word();
  Operand constant();
  Operand braces();
  Operand list();
  Operand address();
  Operand base();
  void offset(Operand& operand);
  void index(Operand& operand);
  Operand special_vector(const Name& name, const Token& token);
  bool resolve(const Token& token, Operand& operand);
  [[noreturn]] void unknown(const Token& token, bool guard = false);
  uint32_t keep_children(size_t first);

  ParseContext* context_;
  ConstantParser* constants_;
  Function* function_ = nullptr;
  std::vector<Operand> stack_;  // children under way
  unsigned depth_ = 0;
};

// Operand::component of a register without one. The selector of a video operand (%r1.b3, %r1.h0) is kept in
// Operand::value.
constexpr uint8_t kWholeRegister = 0xff;

}  // namespace gpuloom::ptx
