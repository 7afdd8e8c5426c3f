// SPDX-License-Identifier: Apache-2.0
// What the metrics mean: names and units as Nsight Compute has them, a sentence each, and where the summary
// shows them. The rows are in metrics.inc; `gpuloom metrics` lists them. Metrics without a row (raw counters
// of units) describe themselves where they are declared.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace gpuloom {

// Sections of the summary, with Nsight Compute's ids and titles.
struct ReportSection {
  std::string_view id, title;
  bool basic;  // part of `--set basic`, the default
};
const std::vector<ReportSection>& report_sections();

struct MetricInfo {
  std::string_view name;         // "smsp__inst_executed.sum"
  std::string_view unit;         // base units: cycle, inst, byte, sector, %, ...
  std::string_view section;      // id, "" for none
  std::string_view label;        // in the summary, "" to leave it out
  std::string_view description;  // one sentence: what is counted, or from what it is derived
};
const std::vector<MetricInfo>& metric_table();
const MetricInfo* find_metric(std::string_view name);

// The unit that the table gives to a metric or to the sum of the same counter, else `declared`.
std::string_view metric_unit(std::string_view name, std::string_view declared);

}  // namespace gpuloom
