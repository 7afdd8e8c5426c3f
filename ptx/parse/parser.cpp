// SPDX-License-Identifier: Apache-2.0
#include "ptx/parse/parser.h"

#include <algorithm>

#include "base/error.h"
#include "ptx/parse/module_parser.h"

namespace gpuloom::ptx {

ParseResult parse_module(std::string text, std::string file_name, const IsaTable& isa,
                         const ParseOptions& options) {
  ParseResult result;
  result.text = std::move(text);
  result.file_name = std::move(file_name);
  result.module = std::make_unique<Module>();
  result.module->file_name = result.file_name;
  if (result.text.size() >= UINT32_MAX)
    throw Error(ErrorKind::kInput, result.file_name + ": PTX of 4 GiB or more");
  ParseContext context(result.text, *result.module, isa, options);
  ModuleParser(context).parse();
  context.report.finish(result);
  return result;
}

void throw_errors(const ParseResult& result) {
  if (result.ok()) return;
  const auto first = std::find_if(result.diagnostics.begin(), result.diagnostics.end(),
                                  [](const Diagnostic& d) { return d.severity == Severity::kError; });
  FilePosition at{result.file_name, 0, 0};
  if (first != result.diagnostics.end())
    at = {result.file_name, first->position.line, first->position.column};
  throw ParseError(result.only_unsupported ? ErrorKind::kUnsupported : ErrorKind::kInput, result.render(),
                   std::move(at));
}

std::unique_ptr<Module> load_module_text(std::string text, std::string file_name, const IsaTable& isa,
                                         const ParseOptions& options) {
  ParseResult result = parse_module(std::move(text), std::move(file_name), isa, options);
  throw_errors(result);
  return std::move(result.module);
}

}  // namespace gpuloom::ptx
