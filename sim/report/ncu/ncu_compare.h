// SPDX-License-Identifier: Apache-2.0
// A result beside a profile of the same kernel on a real GPU, metric by metric.
#pragma once
#include <string>
#include <vector>

#include "sim/report/compare.h"
#include "sim/report/ncu/ncu_csv.h"
#include "sim/report/result.h"

namespace gpuloom {

// For each launch of the result, the profile's launch of the same kernel, grid and block: the first for the
// first and so on; where the profile has another number of them, the median of all. Throws Error (kUsage)
// where no launch fits, with the names that the profile has.
std::string ncu_compare_text(const NamedRun& run, const std::vector<NcuLaunch>& profile,
                             const std::string& file, const CompareOptions& options);

}  // namespace gpuloom
