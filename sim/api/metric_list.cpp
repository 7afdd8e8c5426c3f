// SPDX-License-Identifier: Apache-2.0
#include "sim/api/metric_list.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "arch/simulation.h"
#include "base/config/config.h"
#include "base/text.h"
#include "sim/report/metric_table.h"
#include "sim/report/program_report.h"

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

// Without what people forget: underlines, points and the case of letters.
std::string letters_of(std::string_view name) {
  std::string letters;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return letters;
}

}  // namespace

std::string near_metric(const std::string& word, const std::vector<KnownMetric>& known) {
  std::vector<std::string> names, alike;
  const std::string letters = letters_of(word);
  for (const KnownMetric& m : known) {
    names.push_back(m.name);
    if (!letters.empty() && letters_of(m.name).find(letters) != std::string::npos)
      alike.push_back("'" + m.name + "'");
  }
  constexpr size_t kMost = 4;
  if (alike.size() > kMost) return "similar names: " + join({alike.begin(), alike.begin() + kMost}, ", ");
  if (!alike.empty()) return "did you mean " + either(alike) + "?";
  const std::string near = did_you_mean(word, names);
  return near.empty() ? "gpuloom metrics lists them all" : near;
}

std::vector<KnownMetric> known_metrics(const std::string& config) {
  std::vector<KnownMetric> out;
  std::set<std::string> listed;
  for (const MetricInfo& m : metric_table()) {
    out.push_back({std::string(m.name), std::string(m.unit), std::string(m.description), ""});
    listed.insert(out.back().name);
  }
  for (const ProgramMetricInfo& m : program_metric_table())
    out.push_back({m.name, m.unit, m.description, ""});
  for (unsigned event = 0; event < 16; ++event)
    out.push_back({fmt::format("sim__prof_trigger_{:02}.sum", event), "inst",
                   fmt::format("Times that warps executed pmevent {}; absent where none did.", event), ""});
  const Config loaded = Config::load(config);
  const arch::GpuConfig gpu = arch::load_gpu_config(loaded.root());
  loaded.check();
  const arch::Simulation simulation(gpu);
  std::vector<stats::Metric> counters = simulation.statistics().metrics();
  std::sort(counters.begin(), counters.end(),
            [](const stats::Metric& a, const stats::Metric& b) { return a.name < b.name; });
  for (const stats::Metric& m : counters) add_counter(m, listed, out);
  return out;
}

}  // namespace gpuloom::sim
