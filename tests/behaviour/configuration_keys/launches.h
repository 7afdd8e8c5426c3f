// SPDX-License-Identifier: Apache-2.0
// The small launches on which keys of a configuration show: the launch files of this folder, two long codes
// that are written here, and questions to the occupancy calculator.
#pragma once
#include <string>
#include <vector>

#include "sim/runtime/launch_file.h"

namespace gpuloom::tests::keys {

using Change = std::vector<std::string>;  // overrides, "sm.l1.mshrs=1"

struct Launch {
  std::string name;
  sim::LaunchFile file;
  bool lowered = true;     // false: PTX instructions run as they are
  bool occupancy = false;  // asks the calculator instead of running
};

// `scratch` is a folder for the codes that are too long for files of their own.
std::vector<Launch> read_launches(const std::string& scratch);

struct Outcome {
  std::string text;     // everything that a user sees of the run, or of the launch's refusal
  std::string refused;  // the configuration's refusal; then there is no text
};
Outcome outcome_of(const Launch& launch, const std::string& machine, const Change& change);

// What a user sees of a change: elapsed cycles before and after, and how many values differ.
std::string seen_of(const std::string& before, const std::string& after);

// The first line that differs, as "before -> after"; "" where nothing does.
std::string first_difference(const std::string& before, const std::string& after);

}  // namespace gpuloom::tests::keys
