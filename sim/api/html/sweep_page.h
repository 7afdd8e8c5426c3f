// SPDX-License-Identifier: Apache-2.0
// A sweep's directory as a page needs it: its table, and as many results of its points as a page holds.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/api/html/page_run.h"

namespace gpuloom::sim {

bool is_sweep(const std::string& path);

struct SweepPage {
  nlohmann::ordered_json table;  // {name, head, rows, axes_begin, axes_end, metrics_begin, units}
  std::vector<PageRun> runs;     // points that can be opened
};
// Throws Error as SweepStore does, and kInput where no point has a result.
SweepPage read_sweep_page(const std::string& directory, size_t most_bytes);

}  // namespace gpuloom::sim
