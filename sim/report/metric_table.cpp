// SPDX-License-Identifier: Apache-2.0
#include "sim/report/metric_table.h"

#include <unordered_map>

namespace gpuloom {

const std::vector<ReportSection>& report_sections() {
  static const std::vector<ReportSection> sections = {
      {"LaunchStats", "Launch Statistics", true},
      {"SpeedOfLight", "GPU Speed Of Light Throughput", true},
      {"Occupancy", "Occupancy", true},
      {"InstructionStats", "Instruction Statistics", true},
      {"SchedulerStats", "Scheduler Statistics", false},
      {"WarpStateStats", "Warp State Statistics", true},
      {"ComputeWorkloadAnalysis", "Compute Workload Analysis", false},
      {"MemoryWorkloadAnalysis", "Memory Workload Analysis", true},
      {"SharedMemory", "Shared Memory", true},
      {"Async", "Asynchronous Copies", true},
      {"SourceCounters", "Source Counters", false},
  };
  return sections;
}

const std::vector<MetricInfo>& metric_table() {
  static const std::vector<MetricInfo> table = {
#define METRIC(name, unit, section, label, description) {name, unit, section, label, description},
#define STALL(reason, description)                                                                  \
  {"smsp__average_warps_issue_stalled_" reason "_per_issue_active.ratio", "warp", "WarpStateStats", \
   "Stall " reason, description " Warps in this state, mean over issue cycles."},                   \
      {"smsp__average_warp_latency_issue_stalled_" reason ".ratio", "cycle", "", "",                \
       description " Cycles of a warp in this state, mean over executed instructions."},            \
      {"smsp__warp_issue_stalled_" reason "_per_warp_active.pct", "%", "", "",                      \
       description " Warp-cycles in this state, of all in which warps were resident."},
#include "sim/report/metrics.inc"
#undef METRIC
#undef STALL
  };
  return table;
}

const MetricInfo* find_metric(std::string_view name) {
  static const std::unordered_map<std::string_view, const MetricInfo*> index = [] {
    std::unordered_map<std::string_view, const MetricInfo*> by_name;
    for (const MetricInfo& m : metric_table()) by_name.emplace(m.name, &m);
    return by_name;
  }();
  const auto found = index.find(name);
  return found == index.end() ? nullptr : found->second;
}

std::string_view metric_unit(std::string_view name, std::string_view declared) {
  if (const MetricInfo* own = find_metric(name)) return own->unit;
  for (const std::string_view way : {".avg", ".min", ".max"}) {
    if (!name.ends_with(way)) continue;
    const MetricInfo* sum = find_metric(std::string(name.substr(0, name.size() - way.size())) + ".sum");
    return sum == nullptr ? declared : sum->unit;
  }
  return declared;
}

}  // namespace gpuloom
