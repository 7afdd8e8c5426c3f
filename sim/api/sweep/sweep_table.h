// SPDX-License-Identifier: Apache-2.0
// The results of a sweep as one table: a row for each launch of each point, in the order of the plan.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "sim/api/sweep/sweep_store.h"

namespace gpuloom::sim {

struct SweepTable {
  // point, state, exit_code, the axes, repeat, kernel, launch; then the metrics, and `seconds` if asked for.
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;  // "" where there is no value
  size_t axes_begin = 0, axes_end = 0;         // columns of the axes
  size_t metrics_begin = 0;
  std::map<std::string, std::string> units;  // of metrics
  // Column of that name. Throws Error (kUsage) with the nearest one.
  size_t column(const std::string& name) const;
};

// A point without a result has one row that says its state. `times`: with the host's seconds, the only part
// that differs between two runs of the same sweep. `metrics`: which, in this order; empty: those that the
// sweep file names, or all. Throws Error (kUsage) for a metric that no point has.
SweepTable collect_sweep(const SweepStore& store, const std::vector<std::string>& metrics, bool times);

std::string table_csv(const SweepTable& table);

// Tables `results` (as the CSV; numbers as numbers) and `metrics` (name, unit, description), into a new
// database that replaces what was at `path`.
void write_sqlite(const SweepTable& table, const std::string& path);

}  // namespace gpuloom::sim
