// SPDX-License-Identifier: Apache-2.0
#include "bench/validation/score.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <map>

#include "base/error.h"
#include "base/text.h"
#include "bench/validation/score_facts.h"
#include "sim/memory/files.h"
#include "sim/report/csv.h"

namespace gpuloom::validation {
namespace {

double number(const std::string& text, const std::string& file) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw Error(ErrorKind::kInput, "'" + text + "' is not a number", {file, 0, 0});
  return value;
}

// A table of what a GPU did, in `folder`; empty where the folder has none of that name.
CsvTable csv_in(const std::string& folder, const char* name, std::string& path) {
  path = folder + "/" + name;
  if (!sim::file_exists(path)) return {};
  return parse_csv(sim::read_file(path), path);
}

void load_metrics(const std::string& folder, SiliconTables& tables) {
  const std::string path = folder + "/metrics.csv";
  const CsvTable csv = parse_csv(sim::read_file(path), path);
  for (const auto& row : csv.rows)
    for (size_t i = 1; i < row.size(); ++i)
      if (!row[i].empty()) tables[row[0]].metrics[csv.head[i]] = number(row[i], path);
}

void load_outputs(const std::string& folder, SiliconTables& tables) {
  std::string path;
  for (const auto& row : csv_in(folder, "outputs.csv", path).rows) {
    uint64_t hash = 0;
    std::from_chars(row[2].data(), row[2].data() + row[2].size(), hash, 16);
    tables[row[0]].outputs[row[1]] = hash;
  }
}

// Least and most of a metric over the launch of metrics.csv and those of launches.csv.
void load_launches(const std::string& folder, SiliconTables& tables) {
  std::string path;
  for (const auto& row : csv_in(folder, "launches.csv", path).rows) {
    SiliconCase& c = tables[row[0]];
    const auto recorded = c.metrics.find(row[1]);
    if (recorded == c.metrics.end()) continue;
    auto& [least, most] = c.launches[row[1]] = {recorded->second, recorded->second};
    for (size_t i = 2; i < row.size(); ++i) {
      least = std::min(least, number(row[i], path));
      most = std::max(most, number(row[i], path));
    }
  }
}

// Outcomes of a probe: what a tenth or more of the launches in one condition read, 2.5 percent up or down.
void load_probe_launches(const std::string& folder, SiliconTables& tables) {
  std::string path;
  std::map<std::pair<std::string, std::string>, std::vector<double>> launches;  // by case and condition
  for (const auto& row : csv_in(folder, "probe_launches.csv", path).rows)
    launches[{row[0], row[1]}].push_back(number(row[2], path));
  for (const auto& [of, cycles] : launches) {
    for (const double value : cycles) {
      const auto alike =
          std::ranges::count_if(cycles, [&](double v) { return std::fabs(v - value) <= 0.025 * value; });
      if (10 * alike >= std::ssize(cycles)) tables[of.first].probe_outcomes.push_back(value);
    }
  }
}

// The outcome that is nearest to what was simulated.
std::optional<double> nearest_outcome(const SiliconCase& silicon, std::optional<double> simulated) {
  if (!simulated || silicon.probe_outcomes.empty()) return silicon.probe_cycles;
  return *std::ranges::min_element(silicon.probe_outcomes, {},
                                   [&](double v) { return std::fabs(*simulated / v - 1); });
}

std::optional<double> sum_of(const std::vector<std::string_view>& names, const auto& lookup) {
  double sum = 0;
  for (const std::string_view name : names) {
    const std::optional<double> value = lookup(name);
    if (!value) return std::nullopt;
    sum += *value;
  }
  return names.empty() ? std::nullopt : std::optional(sum);
}

void compare_outputs(const SiliconCase& silicon, const RunReport& run, ScoreCase& score) {
  if (silicon.outputs.empty()) return;
  score.outputs_equal = true;
  for (const auto& [buffer, hash] : silicon.outputs) {
    const auto out = std::find_if(run.outputs.begin(), run.outputs.end(),
                                  [&b = buffer](const ReportBuffer& o) { return o.name == b; });
    if (out != run.outputs.end() && out->fnv1a64 == hash) continue;
    score.outputs_equal = false;
    score.different += (score.different.empty() ? "" : ", ") + buffer;
  }
}

// "IMAD.WIDE" and "IMAD" are both IMAD.
std::string without_modifiers(const std::string& opcode) { return opcode.substr(0, opcode.find('.')); }

void compare_opcodes(const SiliconCase& silicon, const ReportKernel* kernel, ScoreCase& score) {
  if (kernel == nullptr || kernel->opcodes.empty() || silicon.opcodes.empty()) return;
  for (const auto& [opcode, count] : silicon.opcodes) {
    ScoreValue& v = score.opcodes[without_modifiers(opcode)];
    v.silicon = v.silicon.value_or(0) + count;
  }
  for (const auto& [opcode, count] : kernel->opcodes) {
    ScoreValue& v = score.opcodes[without_modifiers(opcode)];
    v.simulated = v.simulated.value_or(0) + static_cast<double>(count);
  }
}

double correlation_of_logs(const std::vector<std::pair<double, double>>& points) {
  double sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0;
  for (const auto& [a, b] : points) {
    const double x = std::log(a), y = std::log(b);
    sx += x, sy += y, sxx += x * x, syy += y * y, sxy += x * y;
  }
  const auto n = static_cast<double>(points.size());
  const double vx = n * sxx - sx * sx, vy = n * syy - sy * sy;
  return points.size() < 3 || vx <= 0 || vy <= 0 ? 0 : (n * sxy - sx * sy) / std::sqrt(vx * vy);
}

}  // namespace

const std::vector<ScoreMetric>& score_metrics() {
  static const std::vector<ScoreMetric> metrics = {
      {"cycles", "elapsed cycles, launch included", {"cycles_median"}, {"sm__cycles_elapsed.max"}, 10},
      {"active_cycles",
       "cycles of an SM with a warp",
       {"cycles_active_median"},
       {"sm__cycles_active.avg"},
       10},
      {"instructions",
       "warp instructions executed",
       {"smsp__inst_executed.sum"},
       {"smsp__inst_executed.sum"},
       5},
      {"thread_instructions",
       "thread instructions executed",
       {"smsp__thread_inst_executed.sum"},
       {"smsp__thread_inst_executed.sum"},
       5},
      {"conflicts",
       "shared-memory bank conflicts",
       {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"},
       {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"},
       0},
      {"shared_wavefronts",
       "shared-memory wavefronts",
       {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"},
       {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"},
       0},
      {"l1_load_sectors",
       "sectors of global loads",
       {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"},
       {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"},
       3},
      {"l1_store_sectors",
       "sectors of global stores",
       {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"},
       {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"},
       3},
      {"l1_load_hits",
       "sectors of global loads that hit in L1",
       {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"},
       {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"},
       3},
      {"l2_sectors",
       "sectors that SMs ask of L2",
       {"lts__t_sectors_srcunit_tex.sum"},
       {"lts__t_sectors_srcunit_tex.sum"},
       3},
      {"l2_hits",
       "those that hit",
       {"lts__t_sectors_srcunit_tex_lookup_hit.sum"},
       {"lts__t_sectors_srcunit_tex_lookup_hit.sum"},
       3},
      {"l1_hit_rate",
       "sectors that hit in L1, percent",
       {"l1tex__t_sector_hit_rate.pct"},
       {"l1tex__t_sector_hit_rate.pct"},
       3},
      {"dram_read_bytes", "bytes read", {"dram__bytes_read.sum"}, {"dram__bytes_read.sum"}, 5},
      {"dram_bytes",
       "bytes read and written",
       {"dram__bytes_read.sum", "dram__bytes_write.sum"},
       {"dram__bytes_read.sum", "dram__bytes_write.sum"},
       5},
      {"registers",
       "registers a thread",
       {"launch__registers_per_thread"},
       {"launch__registers_per_thread"},
       10},
      {"occupancy",
       "theoretical occupancy",
       {"sm__maximum_warps_per_active_cycle_pct"},
       {"sm__maximum_warps_per_active_cycle_pct"},
       0},
      {"achieved_occupancy",
       "achieved occupancy",
       {"sm__warps_active.avg.pct_of_peak_sustained_active"},
       {"sm__warps_active.avg.pct_of_peak_sustained_active"},
       10},
      {"probe", "cycles that a probe read from its clock", {}, {}, 10},
  };
  return metrics;
}

SiliconTables load_silicon(const std::string& suite, const std::string& gpu) {
  SiliconTables tables;
  const std::string folder = suite + "/" + gpu;
  load_metrics(folder, tables);
  load_outputs(folder, tables);
  load_launches(folder, tables);
  std::string path;
  for (const auto& row : csv_in(folder, "opcodes.csv", path).rows)
    tables[row[0]].opcodes[row[1]] += number(row[2], path);
  for (const auto& row : csv_in(folder, "probes.csv", path).rows)
    tables[row[0]].probe_cycles = number(row[1], path);
  load_probe_launches(folder, tables);
  return tables;
}

size_t score_metric_index(std::string_view id) {
  for (size_t i = 0; i < score_metrics().size(); ++i)
    if (score_metrics()[i].id == id) return i;
  return 0;
}

std::optional<double> ScoreValue::error_pct() const {
  if (!comparable()) return std::nullopt;
  if (*silicon == *simulated) return 0.0;
  if (*silicon == 0) return std::nullopt;
  return (*simulated - *silicon) / *silicon * 100;
}

ScoreCase score_case(const std::string& name, const SiliconCase& silicon, const RunReport& run) {
  ScoreCase score;
  score.name = name;
  if (const auto spread = silicon.metrics.find("cycles_spread_pct"); spread != silicon.metrics.end())
    score.spread_pct = spread->second;
  compare_outputs(silicon, run, score);
  const ReportKernel* kernel = run.kernels.empty() ? nullptr : &run.kernels.back();
  for (const ScoreMetric& m : score_metrics()) {
    ScoreValue v;
    v.silicon = sum_of(m.silicon, [&](std::string_view column) -> std::optional<double> {
      const auto at = silicon.metrics.find(column);
      return at == silicon.metrics.end() ? std::nullopt : std::optional(at->second);
    });
    v.simulated = sum_of(m.simulated, [&](std::string_view metric) -> std::optional<double> {
      const ReportMetric* found = kernel == nullptr ? nullptr : kernel->find(metric);
      return found == nullptr ? std::nullopt : std::optional(found->value);
    });
    if (m.silicon.size() == 1)
      if (const auto at = silicon.launches.find(m.silicon[0]);
          at != silicon.launches.end() && at->second.first != at->second.second)
        v.least = at->second.first, v.most = at->second.second;
    if (m.id == "probe" && run.provenance.mode == "timed") {
      if (!run.outputs.empty() && !run.outputs[0].values.empty()) v.simulated = run.outputs[0].values[0];
      v.silicon = nearest_outcome(silicon, v.simulated);
    }
    score.values.push_back(v);
  }
  compare_opcodes(silicon, kernel, score);
  score.classes = class_values(silicon, kernel);
  const LimiterPair limiter = limiters(silicon, kernel);
  score.limiter_silicon = limiter.silicon;
  score.limiter_simulated = limiter.simulated;
  if (run.provenance.mode == "timed") {
    const StallPair stalls = main_stalls(silicon, kernel);
    score.stall_silicon = stalls.silicon_first;
    score.stall_silicon_second = stalls.silicon_second;
    score.stall_simulated = stalls.simulated;
  }
  return score;
}

std::vector<ScoreTotal> score_totals(const std::vector<ScoreCase>& cases) {
  std::vector<ScoreTotal> totals;
  for (size_t m = 0; m < score_metrics().size(); ++m) {
    ScoreTotal t;
    t.id = score_metrics()[m].id;
    double sum = 0;
    size_t errors = 0;
    std::vector<std::pair<double, double>> points;
    for (const ScoreCase& c : cases) {
      if (m >= c.values.size() || !c.values[m].comparable()) continue;
      const ScoreValue& v = c.values[m];
      ++t.compared;
      if (v.exact()) ++t.exact;
      if (*v.silicon > 0 && *v.simulated > 0) points.emplace_back(*v.silicon, *v.simulated);
      const std::optional<double> error = v.error_pct();
      if (!error) {
        ++t.spurious;
        continue;
      }
      if (std::fabs(*error) <= score_metrics()[m].target_pct + 1e-9) ++t.within;
      sum += std::fabs(*error);
      ++errors;
      if (std::fabs(*error) > std::fabs(t.worst) || t.worst_case.empty()) {
        t.worst = *error;
        t.worst_case = c.name;
      }
    }
    t.mape = errors == 0 ? 0 : sum / static_cast<double>(errors);
    t.correlation = correlation_of_logs(points);
    totals.push_back(std::move(t));
  }
  return totals;
}

std::vector<ScoreCase> sorted_by_error(std::vector<ScoreCase> cases) {
  const auto rank = [](const ScoreCase& c) {
    if (c.status != ScoreStatus::kRan) return 1e300;
    if (c.outputs_equal && !*c.outputs_equal) return 1e299;
    const std::optional<double> error = c.values.empty() ? std::nullopt : c.values[0].error_pct();
    return error ? std::fabs(*error) : -1;
  };
  std::stable_sort(cases.begin(), cases.end(),
                   [&](const ScoreCase& a, const ScoreCase& b) { return rank(a) > rank(b); });
  return cases;
}

}  // namespace gpuloom::validation
