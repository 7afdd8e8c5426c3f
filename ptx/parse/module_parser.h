// SPDX-License-Identifier: Apache-2.0
// The directives at module level (PTX ISA 11).
#pragma once
#include "ptx/parse/body.h"
#include "ptx/parse/debug.h"

namespace gpuloom::ptx {

class ModuleParser {
 public:
  explicit ModuleParser(ParseContext& context)
      : context_(&context),
        declarations_(context),
        debug_(context, declarations_.constants()),
        body_(context, declarations_, debug_) {}
  void parse();

 private:
  void statement();
  void version();
  void target();
  void target_word(const Token& word);
  void address_size();
  void linked();
  void variables(Linkage linkage, bool managed);
  void add_variable(Variable&& variable, const Token& name);
  void function(Linkage linkage);
  Function& place(Function&& parsed, const Token& name);
  void add_parameters(Function& function);
  void alias();
  void skip_braces();
  void recover();

  ParseContext* context_;
  DeclarationParser declarations_;
  DebugParser debug_;
  BodyParser body_;
  bool has_target_ = false;
};

// Directives between a function's parameters and its body (PTX ISA 11.4, 11.7).
class TuningParser {
 public:
  TuningParser(ParseContext& context, ConstantParser& constants)
      : context_(&context), constants_(&constants) {}
  void parse(Function& function);

 private:
  void triple(uint32_t (&out)[3], std::string_view what);
  bool one(Function& function, std::string_view word);

  ParseContext* context_;
  ConstantParser* constants_;
};

}  // namespace gpuloom::ptx
