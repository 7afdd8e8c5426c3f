// SPDX-License-Identifier: Apache-2.0
// What the score has to reach, line by line, over the kernel cases (all but the `lat_*` and `rate_*` probes)
// and over the probes: target, what was reached, and which cases fall short.
#pragma once
#include <string>
#include <vector>

#include "sim/api/score.h"

namespace gpuloom::sim {

struct ScoreTarget {
  std::string what, target, reached;
  bool met = false;
  size_t cases = 0;   // that were compared
  std::string worst;  // cases that fall short, furthest first; a few
};

// Lines without a case to judge by are left out.
std::vector<ScoreTarget> score_targets(const std::vector<ScoreCase>& cases);

}  // namespace gpuloom::sim
