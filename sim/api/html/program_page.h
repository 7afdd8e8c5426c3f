// SPDX-License-Identifier: Apache-2.0
// result.json as a page needs it. Of `gpuloom exec`: every launch as a row of a table, and the metrics of
// some.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace gpuloom::sim {

// A result of one run as it is. Of a program {..., "launch_table": {columns, metrics, kernels, rows, count,
// notes}, "kernels": [records with metrics]}: records are tens of kilobytes each, so the longest launch of
// each kernel comes first, then the longest of all, up to `most_bytes`; which are left out is said. Launches
// are read one at a time, so that a result of any length fits in memory. Throws Error (kInput) where the text
// is not a result.
nlohmann::ordered_json page_result(const std::string& text, const std::string& file, size_t most_bytes);

}  // namespace gpuloom::sim
