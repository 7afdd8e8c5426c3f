// SPDX-License-Identifier: Apache-2.0
#include "sim/report/metric_table.h"

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
   "Stall " reason, description " Warps in this state, mean over issue cycles."},
#include "sim/report/metrics.inc"
#undef METRIC
#undef STALL
  };
  return table;
}

const MetricInfo* find_metric(std::string_view name) {
  for (const MetricInfo& m : metric_table())
    if (m.name == name) return &m;
  return nullptr;
}

}  // namespace gpuloom
