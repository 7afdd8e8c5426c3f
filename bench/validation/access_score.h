// SPDX-License-Identifier: Apache-2.0
// An analysis of memory accesses beside the counters of silicon (bench/silicon).
#pragma once
#include <string>
#include <vector>

#include "bench/validation/score.h"
#include "sim/report/access_report.h"

namespace gpuloom::validation {

struct AccessComparison {
  std::string_view id;  // "global load sectors"
  double silicon = 0, analysed = 0;
  bool equal() const { return silicon == analysed; }
};
// One for each counter that the silicon has for the case.
std::vector<AccessComparison> compare_accesses(const AccessReport& report, const SiliconCase& silicon);

struct AccessScore {
  size_t cases = 0, equal_cases = 0, counters = 0, equal = 0;
  std::string different;  // a table of the counters that differ; empty where none does
};
// Analyses the cases' memory accesses in functional mode, on the configuration, and compares them. Cases that
// `silicon` does not have are left out. Throws Error as a run does.
AccessScore score_accesses(const std::string& suite, const std::vector<std::string>& cases,
                           const SiliconTables& silicon, const std::string& config);

}  // namespace gpuloom::validation
