// SPDX-License-Identifier: Apache-2.0
// Policies in shared objects.
#pragma once
#include <string>

#include "arch/policy/interface.h"

namespace gpuloom::arch {

struct LoadedPolicy {
  const policy::Entry* entry = nullptr;  // null: `problem` says why
  std::string problem, hint;
};

// Loads the object and looks for its entry; it stays loaded until the program ends. `kind` is what is wanted.
LoadedPolicy load_policy(const std::string& path, const std::string& kind);

}  // namespace gpuloom::arch
