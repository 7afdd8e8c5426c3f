// SPDX-License-Identifier: Apache-2.0
// How findings are ranked and shown: configs/about/explain.yaml, which says what each number rests on.
#pragma once
#include <cstddef>

namespace gpuloom::sim {

struct ExplainSettings {
  double least_of_limit = 0;  // of what the largest finding saves: less, and a defect stands among the limits
  double pair_least_pct = 0;  // of a kernel's cycles: a switch that saves less is not paired
  double additive_pct = 0;    // of a kernel's cycles: what differs less from the sum is additive
  size_t lines_shown = 0;     // of a finding
};

ExplainSettings load_explain_settings();

}  // namespace gpuloom::sim
