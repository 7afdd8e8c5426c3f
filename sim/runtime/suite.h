// SPDX-License-Identifier: Apache-2.0
// Suites of cases: folders with cases.json and ptx/, found by path or, those of the project, by name.
#pragma once
#include <string>
#include <vector>

#include "sim/runtime/launch_file.h"

namespace gpuloom::sim {

struct NamedSuite {
  std::string name;    // its folder's name below bench/silicon; 'reference' for what stands there itself
  std::string folder;  // relative where it lies below the working directory
};

// The project's suites, the reference first, then by name. Empty where no source tree is at hand.
std::vector<NamedSuite> named_suites();

// The folder of a suite given by path or by name. Throws Error (kUsage) that lists the names.
std::string find_suite(const std::string& given);

// The cases of a suite's cases.json, in its order. `suite` is a path or a name.
std::vector<std::string> suite_case_names(const std::string& suite);

// One of them; its module is `suite`/ptx/<module>.ptx. An unknown name is an Error (kUsage) with the nearest
// one.
LaunchFile read_suite_case(const std::string& suite, const std::string& name);

}  // namespace gpuloom::sim
