// SPDX-License-Identifier: Apache-2.0
#include "sim/report/ncu/ncu_compare.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/demangle.h"
#include "base/error.h"
#include "base/text.h"
#include "sim/report/metric_table.h"
#include "sim/report/table.h"
#include "sim/report/writers.h"

namespace gpuloom {
namespace {

bool same_launch(const ReportKernel& k, const NcuLaunch& l) {
  return ncu_plain_name(k.name) == ncu_plain_name(l.kernel) && k.grid == l.grid && k.block == l.block;
}

// Units that count things have several names; quantities do not.
bool comparable(const std::string& a, const std::string& b) {
  const auto quantity = [](const std::string& unit) {
    return unit == "ns" || unit == "Hz" || unit == "%" || unit.starts_with("byte");
  };
  return a == b || a.empty() || b.empty() || (!quantity(a) && !quantity(b));
}

std::string difference(double simulated, double measured) {
  if (simulated == measured) return "=";
  if (measured == 0) return "from 0";
  return fmt::format("{:+.2f} %", 100 * (simulated - measured) / measured);
}

double size_of(double simulated, double measured) {
  if (simulated == measured) return 0;
  return measured == 0 ? INFINITY : 100 * std::fabs((simulated - measured) / measured);
}

struct Counts {
  size_t equal = 0, one = 0, ten = 0, beyond = 0, hidden = 0;
  void see(double percent) { ++(percent == 0 ? equal : percent <= 1 ? one : percent <= 10 ? ten : beyond); }
};

// Names of the profile that are not compared: columns are those of all launches, so each is said once.
class LeftOut {
 public:
  void add(const char* why, const std::string& name) {
    std::vector<std::string>& names = why_[why];
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  std::string text() const {
    std::string out;
    for (const auto& [why, names] : why_)
      out += fmt::format("{} ({}): {}\n", why, names.size(), join(names, ", "));
    return out;
  }

 private:
  std::map<std::string, std::vector<std::string>> why_;
};

// What is compared and how it differs, in the order of the metric table where it has them.
std::string metrics_text(const ReportKernel& k, const NcuLaunch& launch, const CompareOptions& options,
                         Counts& counts, LeftOut& left) {
  TextTable table({"Metric", "Unit", ">Simulated", ">Measured", ">Difference"});
  std::set<std::string> seen;
  for (const NcuMetric& m : launch.metrics) {
    if (!seen.insert(m.name).second) continue;
    const ReportMetric* own = k.find(m.name);
    if (!fits_any_filter(m.name, options.filters)) continue;
    if (own == nullptr) {
      left.add("not in the result", m.name);
      continue;
    }
    if (!m.value || std::isnan(own->value)) {
      left.add("without a number on one side", m.name);
      continue;
    }
    if (!comparable(own->unit, m.unit)) {
      left.add("not compared, because units differ",
               fmt::format("{} in {} and {}", m.name, own->unit, m.unit));
      continue;
    }
    // Some ratios have few digits in a profile: what rounds to them is equal.
    const double percent = size_of(own->value, *m.value);
    counts.see(percent);
    if (!options.all && percent < options.threshold_pct) {
      ++counts.hidden;
      continue;
    }
    table.row({m.name, own->unit, show_value(own->value, own->unit), show_value(*m.value, own->unit),
               difference(own->value, *m.value)});
  }
  std::string out = table.rows() == 0 ? std::string() : table.str("  ", options.width);
  if (counts.hidden != 0)
    out += fmt::format("  not shown: {} differ by less than {:g} % (--all shows them)\n", counts.hidden,
                       options.threshold_pct);
  return out;
}

// By default the profiler holds the clock at its base, so that times of a profile are not those of a run.
std::string clock_note(const ReportKernel& k, const NcuLaunch& launch) {
  const char* name = "sm__cycles_elapsed.avg.per_second";
  const ReportMetric* own = k.find(name);
  const auto there = ncu_measured(launch, {name});
  if (own == nullptr || !there || size_of(own->value, *there) < 2) return {};
  return fmt::format(
      "  note: the GPU ran at {:.2f} GHz and the simulation at {:.2f} GHz, so compare cycles, not times\n",
      *there / 1e9, own->value / 1e9);
}

std::string launch_verdict(const ReportKernel& k, const NcuLaunch& launch, const Counts& counts) {
  const size_t all = counts.equal + counts.one + counts.ten + counts.beyond;
  std::string out;
  const ReportMetric* cycles = k.find("sm__cycles_elapsed.max");
  const auto there = ncu_measured(launch, {"sm__cycles_elapsed.max", "gpc__cycles_elapsed.max"});
  if (cycles != nullptr && there && *there > 0)
    out = fmt::format("{} cycles simulated, {} measured: {}; ", with_thousands(cycles->value, 0),
                      with_thousands(*there, 0), difference(cycles->value, *there));
  return fmt::format("verdict: {}{} of {} metrics are equal, {} more within 1 %, {} within 10 %, {} beyond\n",
                     out, counts.equal, all, counts.one, counts.ten, counts.beyond);
}

[[noreturn]] void nothing_fits(const RunReport& run, const std::vector<NcuLaunch>& profile,
                               const std::string& file) {
  const auto extent = [](const std::array<uint32_t, 3>& e) {
    return fmt::format("{}x{}x{}", e[0], e[1], e[2]);
  };
  std::vector<std::string> there, here;
  const auto add = [&](std::vector<std::string>& to, const std::string& name, const auto& launch) {
    std::string text =
        fmt::format("{} ({} of {})", ncu_plain_name(name), extent(launch.grid), extent(launch.block));
    if (to.size() < 8 && std::find(to.begin(), to.end(), text) == to.end()) to.push_back(std::move(text));
  };
  for (const NcuLaunch& l : profile) add(there, l.kernel, l);
  for (const ReportKernel& k : run.kernels) add(here, k.name, k);
  throw Error(
      ErrorKind::kUsage,
      fmt::format("no launch of the profile '{}' is one of the result: same kernel, grid and block", file),
      {},
      fmt::format("the result has {}; the profile has {}", join(here, ", "),
                  there.empty() ? "no launch" : join(there, ", ")));
}

}  // namespace

std::string ncu_plain_name(const std::string& name) {
  std::string readable = demangled(name);
  if (readable.starts_with("void ")) readable.erase(0, 5);
  readable.erase(std::min(readable.size(), readable.find_first_of("<(")));
  const size_t scope = readable.rfind("::");
  return std::string(trim(scope == std::string::npos ? readable : readable.substr(scope + 2)));
}

std::optional<double> ncu_measured(const NcuLaunch& launch, const std::vector<std::string_view>& names) {
  for (const std::string_view name : names)
    for (const NcuMetric& m : launch.metrics)
      if (m.name == name && m.value) return m.value;
  return {};
}

NcuLaunch NcuPair::median() const {
  NcuLaunch out = *launches[0];
  for (NcuMetric& m : out.metrics) {
    std::vector<double> values;
    for (const NcuLaunch* l : launches)
      if (const auto value = ncu_measured(*l, {m.name})) values.push_back(*value);
    m.value.reset();
    if (values.empty()) continue;
    std::sort(values.begin(), values.end());
    const size_t half = values.size() / 2;
    m.value = values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
  }
  return out;
}

std::vector<NcuPair> ncu_pairs(const RunReport& run, const std::vector<NcuLaunch>& profile,
                               const std::string& file) {
  std::vector<NcuPair> pairs;
  for (size_t i = 0; i < run.kernels.size(); ++i) {
    std::vector<const NcuLaunch*> there;
    for (const NcuLaunch& l : profile)
      if (same_launch(run.kernels[i], l)) there.push_back(&l);
    if (there.empty()) continue;
    size_t before = 0, here = 0;  // launches of this kind in the result
    for (size_t j = 0; j < run.kernels.size(); ++j)
      if (same_launch(run.kernels[j], *there[0])) {
        ++here;
        before += j < i ? 1 : 0;
      }
    if (here == there.size()) {  // one for one: its own alone
      const NcuLaunch* const own = there[before];
      there.assign(1, own);
    }
    pairs.push_back({i, std::move(there)});
  }
  if (pairs.empty()) nothing_fits(run, profile, file);
  return pairs;
}

std::string ncu_compare_text(const NamedRun& run, const std::vector<NcuLaunch>& profile,
                             const std::string& file, const CompareOptions& options) {
  const std::vector<NcuPair> pairs = ncu_pairs(run.run, profile, file);
  std::string out = fmt::format("{}: {}\n{}: measured\n\n", run.name, run.run.provenance.config, file);
  LeftOut left;
  for (const NcuPair& pair : pairs) {
    const ReportKernel& k = run.run.kernels[pair.kernel];
    const NcuLaunch launch = pair.median();
    out += fmt::format("launch {}: {}, beside {}\n", pair.kernel, demangled(k.name),
                       pair.launches.size() == 1
                           ? "ID " + launch.id
                           : fmt::format("the median of {} launches", pair.launches.size()));
    Counts counts;
    out += metrics_text(k, launch, options, counts, left);
    out += clock_note(k, launch);
    out += launch_verdict(k, launch, counts) + "\n";
  }
  out += left.text();
  if (pairs.size() < run.run.kernels.size())
    out += fmt::format("{} launches of the result are not in the profile\n",
                       run.run.kernels.size() - pairs.size());
  return out;
}

}  // namespace gpuloom
