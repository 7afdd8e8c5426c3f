// SPDX-License-Identifier: Apache-2.0
// gpuloom score --add: a result and a profile of the same launch on a real GPU become a case of a suite.
#pragma once
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace gpuloom::validation {

struct AddCaseArguments {
  std::string result, profile, name;  // folder of the run, CSV of Nsight Compute, name of the case or ""
};

void add_case_options(CLI::App& command, AddCaseArguments& a);

struct AddedCases {
  std::string silicon;             // the folder of the suite with what the GPU did
  std::vector<std::string> names;  // a launch that is in the profile each
  std::vector<std::string> notes;  // what the score will not compare, since the profile has not got it
  bool new_suite = false;
};

// Copies the launch, its PTX and data and what the profile measured into the folder `suite`, which is made
// where there is none. `silicon` "": the name of the result's configuration. Throws Error (kUsage, kInput)
// before anything is written: a case of that name, no cycles in the profile, a launch that cannot be taken
// along.
AddedCases add_case(const AddCaseArguments& a, const std::string& suite, const std::string& silicon);

}  // namespace gpuloom::validation
