// SPDX-License-Identifier: Apache-2.0
// A result beside a profile of the same kernel on a real GPU, metric by metric.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/report/compare.h"
#include "sim/report/ncu/ncu_csv.h"
#include "sim/report/result.h"

namespace gpuloom {

// A launch of a result and those of a profile that are the same: one, or all that the profile has where their
// numbers differ.
struct NcuPair {
  size_t kernel = 0;                       // its index in the result
  std::vector<const NcuLaunch*> launches;  // of the profile
  NcuLaunch median() const;                // of each metric; the launch itself where it is one
};
// Throws Error (kUsage) where no launch fits, with the names that the profile has.
std::vector<NcuPair> ncu_pairs(const RunReport& run, const std::vector<NcuLaunch>& profile,
                               const std::string& file);

// A kernel's name without "void ", scopes, arguments and template arguments, as result and profile both have
// it.
std::string ncu_plain_name(const std::string& name);

// The value of the first of these metrics that the profile has a number for.
std::optional<double> ncu_measured(const NcuLaunch& launch, const std::vector<std::string_view>& names);

// For each launch of the result, the profile's launch of the same kernel, grid and block: the first for the
// first and so on; where the profile has another number of them, the median of all. Throws as ncu_pairs does.
std::string ncu_compare_text(const NamedRun& run, const std::vector<NcuLaunch>& profile,
                             const std::string& file, const CompareOptions& options);

}  // namespace gpuloom
