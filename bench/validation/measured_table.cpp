// SPDX-License-Identifier: Apache-2.0
#include "bench/validation/measured_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/error.h"
#include "bench/validation/score.h"
#include "sim/memory/files.h"

namespace gpuloom::validation {
namespace {

// Columns of metrics.csv that stand for runs of a case, with what a profile calls them. Nsight Compute names
// the same counter by the unit that it reads it from.
struct RunColumn {
  const char* column;
  std::vector<std::string_view> metrics;
};
constexpr const char* kCycles = "cycles_median";
constexpr const char* kSpread = "cycles_spread_pct";
const std::vector<std::string_view>& elapsed() {
  static const std::vector<std::string_view> names = {"sm__cycles_elapsed.max", "gpc__cycles_elapsed.max"};
  return names;
}
const std::vector<RunColumn>& run_columns() {
  static const std::vector<RunColumn> columns = {{kCycles, elapsed()},
                                                 {"cycles_active_median", {"sm__cycles_active.avg"}},
                                                 {"ns_median", {"gpu__time_duration.sum"}}};
  return columns;
}

std::string_view profile_name(std::string_view column) {
  for (const RunColumn& c : run_columns())
    if (c.column == column) return c.metrics[0];
  return column;
}

}  // namespace

MeasuredTable::MeasuredTable(std::string path) : path_(std::move(path)) {
  if (std::filesystem::exists(path_ + ".gz"))
    throw Error(ErrorKind::kInput, "'" + path_ + ".gz' is compressed, and a row is to be added to it", {},
                "gunzip " + path_ + ".gz");
  if (std::filesystem::exists(path_))
    csv_ = parse_csv(sim::read_file(path_), path_);
  else
    csv_.head = {"case"};
  first_added_ = csv_.rows.size();
}

void MeasuredTable::set(size_t row, const std::string& column, double value) {
  int at = csv_.column(column);
  if (at < 0) {
    at = static_cast<int>(csv_.head.size());
    csv_.head.push_back(column);
    for (auto& fields : csv_.rows) fields.emplace_back();
  }
  csv_.rows[row][static_cast<size_t>(at)] = fmt::format("{}", value);
}

void MeasuredTable::add(const std::string& name, const NcuPair& pair) {
  for (const auto& fields : csv_.rows)
    if (fields[0] == name)
      throw Error(ErrorKind::kUsage, fmt::format("'{}' has a row of '{}' already", path_, name), {},
                  "--name gives this case another name");
  const NcuLaunch median = pair.median();
  if (!ncu_measured(median, elapsed()))
    throw Error(
        ErrorKind::kUsage, "the profile has no cycles of " + median.kernel, {},
        "measure with --set full, or with --metrics sm__cycles_elapsed.max and what else is to be compared");
  const size_t row = csv_.rows.size();
  csv_.rows.emplace_back(csv_.head.size());
  csv_.rows[row][0] = name;
  for (const RunColumn& c : run_columns())
    if (const auto value = ncu_measured(median, c.metrics)) set(row, c.column, *value);
  if (pair.launches.size() > 1) {
    std::vector<double> cycles;
    for (const NcuLaunch* l : pair.launches)
      if (const auto value = ncu_measured(*l, elapsed())) cycles.push_back(*value);
    const auto [least, most] = std::minmax_element(cycles.begin(), cycles.end());
    set(row, kSpread, 100 * (*most - *least) / *ncu_measured(median, elapsed()));
  }
  for (const NcuMetric& m : median.metrics)
    if (m.value) set(row, m.name, *m.value);
}

std::vector<std::string> MeasuredTable::missing() const {
  std::set<std::string> names;
  for (const ScoreMetric& metric : score_metrics())
    for (const std::string_view column : metric.silicon) {
      const int at = csv_.column(column);
      for (size_t row = first_added_; row < csv_.rows.size(); ++row)
        if (at < 0 || csv_.rows[row][static_cast<size_t>(at)].empty()) names.emplace(profile_name(column));
    }
  return {names.begin(), names.end()};
}

void MeasuredTable::write() const {
  std::string text = csv_line(csv_.head);
  for (const auto& fields : csv_.rows) text += csv_line(fields);
  sim::write_file(path_, text);
}

}  // namespace gpuloom::validation
