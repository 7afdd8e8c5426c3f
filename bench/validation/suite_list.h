// SPDX-License-Identifier: Apache-2.0
// The project's suites as a table, for those who look for a name.
#pragma once
#include <string>

namespace gpuloom::validation {

// A line a suite: name, number of cases, role, when it was first seen, what its cases are.
// Throws Error (kUsage) where no suites are at hand.
std::string suite_list_text();

}  // namespace gpuloom::validation
