// SPDX-License-Identifier: Apache-2.0
// An analysis of memory accesses beside the counters of silicon (bench/silicon).
#pragma once
#include <string>
#include <vector>

#include "sim/api/score.h"
#include "sim/report/access_report.h"

namespace gpuloom::sim {

struct AccessComparison {
  std::string_view id;  // "global load sectors"
  double silicon = 0, analysed = 0;
  bool equal() const { return silicon == analysed; }
};
// One for each counter that the silicon has for the case.
std::vector<AccessComparison> compare_accesses(const AccessReport& report, const SiliconCase& silicon);

}  // namespace gpuloom::sim
