// SPDX-License-Identifier: Apache-2.0
#include "ptx/ir/module.h"

namespace gpuloom::ptx {

const Function* Module::find_function(std::string_view name) const {
  const Function* found = nullptr;
  for (const Function& f : functions)
    if (f.name == name && (found == nullptr || f.has_body)) found = &f;
  return found;
}

const Variable* Module::find_variable(std::string_view name) const {
  for (const Variable& v : variables)
    if (v.name == name) return &v;
  return nullptr;
}

}  // namespace gpuloom::ptx
