// SPDX-License-Identifier: Apache-2.0
// What the score has to reach, line by line, over the kernel cases and over the probes
// (CaseClass): target, what was reached, and which cases fall short.
#pragma once
#include <string>
#include <vector>

#include "bench/validation/score.h"

namespace gpuloom::validation {

struct ScoreTarget {
  std::string what, target, reached;
  bool met = false;
  size_t cases = 0;   // that were compared
  std::string worst;  // cases that fall short, furthest first; a few
};

// Lines without a case to judge by are left out.
std::vector<ScoreTarget> score_targets(const std::vector<ScoreCase>& cases);

}  // namespace gpuloom::validation
