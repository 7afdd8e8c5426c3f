// SPDX-License-Identifier: Apache-2.0
// Several results side by side: what changed in the hardware, a verdict, and the metrics that changed most.
#pragma once
#include <string>
#include <vector>

#include "sim/report/result.h"

namespace gpuloom {

struct NamedRun {
  std::string name;  // as the user called it
  RunReport run;
};

struct CompareOptions {
  double threshold_pct = 1;  // smaller changes are counted and not shown
  // Only metrics that one of these fits: part of a name or label, or a pattern with * and ?.
  std::vector<std::string> filters;
  size_t width = 0;  // of the terminal, as TextTable::str
  bool all = false;  // equal metrics too, in the table's order
};

// Whether one of the filters fits this metric; without filters all fit.
bool fits_any_filter(const std::string& name, const std::vector<std::string>& filters);

// The first run is what the others are compared with. Throws Error (kUsage) where one of `filters` fits no
// metric.
std::string compare_text(const std::vector<NamedRun>& runs, const CompareOptions& options);

}  // namespace gpuloom
