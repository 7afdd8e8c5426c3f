// SPDX-License-Identifier: Apache-2.0
// The directives at module level (PTX ISA 11).
#pragma once
#include <unordered_map>

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
  // Before parse(): bodies of entries are left unread, each until parse_left() where its end can be seen.
  void leave_bodies() { leaves_bodies_ = true; }
  // Whether the entry's body is still unread.
  bool is_left(const Function& entry) const { return left_.contains(&entry); }
  size_t left() const { return left_.size(); }
  void parse_left(const Function& entry);

 private:
  struct Left {
    Function* function;
    TokenStream begin;  // at its `{`
  };
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
  void parse_body(Function& function);
  bool leave_body(Function& function);
  void alias();
  void skip_braces();
  void recover();

  ParseContext* context_;
  DeclarationParser declarations_;
  DebugParser debug_;
  BodyParser body_;
  bool has_target_ = false, leaves_bodies_ = false;
  std::unordered_map<const Function*, Left> left_;
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
