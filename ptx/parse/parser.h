// SPDX-License-Identifier: Apache-2.0
// Text to module. Reports every problem of a file; a module with errors is still returned, for listings.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "ptx/ir/module.h"
#include "ptx/isa/table/form.h"
#include "ptx/parse/diagnostic.h"

namespace gpuloom::ptx {

struct ParseOptions {
  // The device that the module shall run on ("sm_90a"); "": not checked. What instructions need is checked
  // against the module's own .target always.
  std::string device;
  // Warn about instructions that gpuloom refuses at load.
  bool warn_not_modelled = false;
  // Diagnostics kept; counts stay exact beyond.
  size_t keep = 1000;
};

struct ParseResult {
  std::unique_ptr<Module> module;
  std::string text;  // the module's text, for messages
  std::string file_name;
  std::vector<Diagnostic> diagnostics;  // in order of position
  size_t errors = 0, warnings = 0;      // all, those not kept too
  // Whether every error is of kind kNeeds or kNotModelled: the file is PTX, only not for here.
  bool only_unsupported = false;

  bool ok() const { return errors == 0; }
  std::string render(size_t limit = 50) const {
    return render_all(diagnostics, errors, warnings, file_name, text, limit);
  }
};

ParseResult parse_module(std::string text, std::string file_name, const IsaTable& isa,
                         const ParseOptions& options = {});

// All problems of a module, rendered; first() is where the first one is. (where() is empty: the text has the
// places.)
class ParseError : public Error {
 public:
  ParseError(ErrorKind kind, std::string text, FilePosition first)
      : Error(kind, std::move(text)), first_(std::move(first)) {}
  const FilePosition& first() const { return first_; }

 private:
  FilePosition first_;
};

// Throws ParseError where the result has errors.
void throw_errors(const ParseResult& result);

// Parses; throws ParseError: kInput for wrong PTX, kUnsupported where the module only needs something that is
// not here.
std::unique_ptr<Module> load_module_text(std::string text, std::string file_name, const IsaTable& isa,
                                         const ParseOptions& options = {});

}  // namespace gpuloom::ptx
