// SPDX-License-Identifier: Apache-2.0
// Writers of a run: for people, for programs, for spreadsheets.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "sim/report/result.h"

namespace gpuloom {

// Version of result.json's layout; a new one when a key changes its meaning or goes away.
inline constexpr int kResultSchema = 1;

// Aligned sections in the manner of Nsight Compute's details page. `sections`: ids to show; "basic" and
// "full" stand for sets. An unknown id is an Error (kUsage) with the nearest one. Metrics that were not
// collected are left out.
// `width` as TextTable::str.
std::string summary_text(const RunReport& run, const std::vector<std::string>& sections, size_t width = 0);

// result.json. Everything but the object "host" is the same for the same input.
std::string result_json(const RunReport& run);
// Reads it back, with everything that it holds: written again, it is the same text. Throws Error (kInput).
RunReport parse_result_json(std::string_view text, const std::string& file);

// kernel,launch,metric,unit,value: one line a metric.
// With `sections` as in summary_text, the metrics of those alone.
std::string result_csv(const RunReport& run, const std::vector<std::string>& sections = {});

// "machine", "ptx" or "simulator".
const char* basis_name(MetricBasis basis);

// A value with its unit as people read it: "1.23 M" stays "1,230,000"; fractions get two digits.
std::string show_value(double value, std::string_view unit);

}  // namespace gpuloom
