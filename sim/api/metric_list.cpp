// SPDX-License-Identifier: Apache-2.0
#include "sim/api/metric_list.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

#include "arch/simulation.h"
#include "base/config/config.h"
#include "sim/report/metric_table.h"

namespace gpuloom::sim {
namespace {

constexpr std::pair<const char*, const char*> kRollUps[] = {{".sum", "Sum over all units."},
                                                            {".avg", "Mean over units."},
                                                            {".min", "Least of all units."},
                                                            {".max", "Largest of all units."}};

void add_counter(const stats::Metric& m, const std::set<std::string>& listed, std::vector<KnownMetric>& out) {
  if (m.combine == stats::Combine::kMax) {
    if (listed.count(m.name) == 0)
      out.push_back({m.name, std::string(metric_unit(m.name, m.unit)), m.description, ""});
    return;
  }
  for (const auto& [suffix, meaning] : kRollUps) {
    const std::string name = m.name + suffix;
    if (listed.count(name) == 0)
      out.push_back({name, std::string(metric_unit(name, m.unit)), m.description + " " + meaning, m.name});
  }
}

}  // namespace

std::vector<KnownMetric> known_metrics(const std::string& config) {
  std::vector<KnownMetric> out;
  std::set<std::string> listed;
  for (const MetricInfo& m : metric_table()) {
    out.push_back({std::string(m.name), std::string(m.unit), std::string(m.description), ""});
    listed.insert(out.back().name);
  }
  for (unsigned event = 0; event < 16; ++event)
    out.push_back({fmt::format("sim__prof_trigger_{:02}.sum", event), "inst",
                   fmt::format("Times that warps executed pmevent {}; absent where none did.", event), ""});
  const Config loaded = Config::load(config);
  const arch::GpuConfig gpu = arch::load_gpu_config(loaded.root());
  loaded.check();
  const arch::Simulation simulation(gpu);
  stats::Snapshot counters = simulation.statistics();
  std::sort(counters.metrics.begin(), counters.metrics.end(),
            [](const stats::Metric& a, const stats::Metric& b) { return a.name < b.name; });
  for (const stats::Metric& m : counters.metrics) add_counter(m, listed, out);
  return out;
}

}  // namespace gpuloom::sim
