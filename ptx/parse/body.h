// SPDX-License-Identifier: Apache-2.0
// The body of a function: statements, scopes, labels.
#pragma once
#include <deque>

#include "ptx/parse/declaration.h"
#include "ptx/parse/fit.h"
#include "ptx/parse/operand.h"

namespace gpuloom::ptx {

class DebugParser;

class BodyParser {
 public:
  BodyParser(ParseContext& context, DeclarationParser& declarations, DebugParser& debug);
  // With `{` at hand; behind its `}` afterwards. Parameters must be in scope; the names of the body come and
  // go.
  void parse(Function& function);

 private:
  struct LabelHere {
    std::string_view name;
    uint32_t index;  // into Function::labels
  };
  struct Reference {
    std::string_view name;
    Position position;
    uint32_t operand;  // into the pool; UINT32_MAX: in a table
    bool callee;       // a function is meant
  };

  void scope();
  void close_scope(size_t first_label, size_t first_reference);
  void statement();
  void directive_statement();
  void word_statement();
  void instruction(const Guard& guard);
  void guard();
  void label(const Token& name);
  void table(const Token& name);
  void prototype(const Token& name);
  void registers();
  void declare_register(const Token& name, Type type, uint8_t vector, uint32_t count, bool range);
  void variables();
  void pragma();
  void refer(const Instruction& in);
  void report_unresolved();
  void close_unfinished();

  ParseContext* context_;
  DeclarationParser* declarations_;
  DebugParser* debug_;
  OpcodeTable opcodes_;
  OperandParser operands_;
  OperandFitter fitter_;
  Function* function_ = nullptr;
  std::vector<Operand> written_;
  std::vector<LabelHere> labels_;
  std::vector<Reference> references_;
  unsigned depth_ = 0;
  bool broken_ = false;  // a `}` is missing: all scopes end
};

}  // namespace gpuloom::ptx
