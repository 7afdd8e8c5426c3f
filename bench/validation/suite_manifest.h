// SPDX-License-Identifier: Apache-2.0
// suite.yaml of a suite of cases: where it comes from, what it is for, and what its cases are.
#pragma once
#include <string>
#include <vector>

#include "bench/validation/score.h"

namespace gpuloom::validation {

enum class SuiteRole : uint8_t {
  kFitted,   // the model's values were chosen with these cases in view
  kHeldOut,  // measured and committed before the model ever ran them
  kGiven,    // somebody else's: nothing is known of how it was chosen
};

struct SuiteManifest {
  std::string name, origin, measured, first_seen;  // first_seen: the commit or date of the first timed run
  SuiteRole role = SuiteRole::kGiven;
  // Patterns of the shell's kind ('lat_*') of case names.
  std::vector<std::string> latencies, rates;  // cases that time one instruction, by their own clock
  std::vector<std::string>
      data_dependent;  // addresses in shared memory come from data: counts differ between launches
  std::vector<std::vector<std::string>> ratios;  // names of related cases: each beside the first
};

// Gives each case its class, whether its counts depend on data, and what it is compared with.
void apply_manifest(const SuiteManifest& manifest, std::vector<ScoreCase>& cases);

// SUITE/suite.yaml; a suite without one is kGiven and has no special cases. Throws Error (kInput) with every
// problem.
SuiteManifest read_suite_manifest(const std::string& suite);

}  // namespace gpuloom::validation
