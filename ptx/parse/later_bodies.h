// SPDX-License-Identifier: Apache-2.0
// A module whose kernels are read when somebody needs them. A program of thousands of kernels launches few,
// and reading all of them is most of its start.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "ptx/parse/parser.h"

namespace gpuloom::ptx {

class LaterBodies {
 public:
  // Reads all but the bodies of entries: header, target, variables, functions, what entries take and ask for,
  // and whether braces, comments and strings end. Throws as load_module_text does for what is wrong there.
  // Bodies are read at once where somebody else needs them: where they declare what belongs to the module,
  // and all where the module calls functions by their address, for any body may have taken one.
  LaterBodies(std::string text, std::string file_name, const IsaTable& isa, const ParseOptions& options = {});
  LaterBodies(const LaterBodies&) = delete;
  LaterBodies& operator=(const LaterBodies&) = delete;
  ~LaterBodies();

  // Once. It must live as long as complete() is called.
  std::unique_ptr<Module> take_module();
  // Reads the entry's body if it is unread. Throws ParseError with every problem of it, each time.
  void complete(const Function& entry);
  // Where the entry's source lines begin in Module::source_lines, which depends on the order in which bodies
  // were read; 0 for those that were read at once.
  uint32_t first_line(const Function& entry) const;
  size_t unread() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gpuloom::ptx
