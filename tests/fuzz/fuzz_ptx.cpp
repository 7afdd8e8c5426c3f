// SPDX-License-Identifier: Apache-2.0
// Any bytes: the parser reports or accepts them, and what it reports can be rendered.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "ptx/parse/parser.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  gpuloom::ptx::ParseOptions options;
  options.warn_not_modelled = true;
  const auto result = gpuloom::ptx::parse_module(std::string(reinterpret_cast<const char*>(data), size),
                                                 "fuzz.ptx", gpuloom::ptx::isa_table(), options);
  if (result.errors > 0 && result.render(3).empty()) std::abort();
  if (result.errors > 0) gpuloom::ptx::render_json(result.diagnostics, "fuzz.ptx");
  for (const auto& function : result.module->functions)
    for (const auto& in : function.instructions)
      if (in.form == nullptr || in.first_operand + in.operand_count > function.operand_pool.size())
        std::abort();
  return 0;
}
