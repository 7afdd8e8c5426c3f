// SPDX-License-Identifier: Apache-2.0
// Counters over time as files: intervals.json, and a table for each kind of unit.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "sim/report/result.h"

namespace gpuloom {

// {"schema": 1, "provenance": {...}, "launches": [{"kernel", "cycles", "interval", "asked"?, "units":
// {"sm": {"count", "intervals", "counters": {name: {"unit", "values": [[one a unit], one an interval]}}}}}]}.
// `asked` stands where intervals were joined. The provenance is what tells results of two runs apart.
std::string intervals_json(const RunReport& run);
// Name and text of a CSV file for each kind: launch, kernel, unit, begin, end, and each counter.
std::vector<std::pair<std::string, std::string>> intervals_csv(const RunReport& run);

}  // namespace gpuloom
