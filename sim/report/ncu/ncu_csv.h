// SPDX-License-Identifier: Apache-2.0
// A profile of Nsight Compute as CSV: `ncu --csv --page raw` (a row a launch, a column a metric, units in the
// second row) and `ncu --csv` with --metrics (a row a metric). Lines of the profiler itself (==PROF== ...)
// and what the program printed before the table are passed over.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuloom {

struct NcuMetric {
  std::string name, unit;       // base units, as result.json has them: byte, ns, Hz
  std::optional<double> value;  // nothing: the profiler wrote "n/a", or no number
};

struct NcuLaunch {
  std::string id, kernel;  // the kernel's name as the profiler prints it
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::vector<NcuMetric> metrics;
};

// Throws Error (kInput) with file and line: no table, a row with too few fields, a number that is not one.
std::vector<NcuLaunch> parse_ncu_csv(std::string_view text, const std::string& file);

// A unit of the profiler in base units: "Kbyte/s" is 1000 "byte/s". An unknown one stays as it is.
struct NcuUnit {
  double factor = 1;
  std::string base;
};
NcuUnit ncu_unit(std::string_view unit);

}  // namespace gpuloom
