// SPDX-License-Identifier: Apache-2.0
// Debugging directives (PTX ISA 11.5): .file, .loc, .section, @@DWARF.
#pragma once
#include <map>
#include <string>
#include <tuple>

#include "ptx/parse/constant.h"

namespace gpuloom::ptx {

class DebugParser {
 public:
  DebugParser(ParseContext& context, ConstantParser& constants)
      : context_(&context), constants_(&constants) {}
  void file();
  void loc();
  void section();
  // Source line that instructions from here on have: index + 1 into Module::source_lines.
  uint32_t current() const { return current_; }
  void forget() { current_ = 0; }
  // Before a body that is read late: its lines are the same whatever was read before.
  void forget_all() {
    forget();
    seen_.clear();
  }
  // Names of inlined functions, once all sections are known; of source lines from this one on.
  void finish(size_t first = 0);

 private:
  ParseContext* context_;
  ConstantParser* constants_;
  uint32_t current_ = 0;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> seen_;  // to index + 1
  std::map<std::string, std::string, std::less<>> strings_;            // label in .debug_str to its text
};

}  // namespace gpuloom::ptx
