// SPDX-License-Identifier: Apache-2.0
#include "bench/validation/access_score.h"

#include <algorithm>

#include "base/text.h"
#include "sim/api/simulator.h"
#include "sim/report/access_metrics.h"
#include "sim/report/table.h"
#include "sim/runtime/suite.h"

namespace gpuloom::validation {
namespace {

struct Row {
  std::string_view id, counter;
};

const Row kRows[] = {
    {"global load requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"},
    {"global load sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"},
    {"global store requests", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"},
    {"global store sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"},
    {"local load sectors", "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"},
    {"local store sectors", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"},
    {"shared load conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"},
    {"shared store conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"},
    {"shared atomic conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum"},
    {"shared load wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
    {"shared store wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"},
};

}  // namespace

std::vector<AccessComparison> compare_accesses(const AccessReport& report, const SiliconCase& silicon) {
  std::vector<AccessComparison> all;
  const auto counted = access_metrics(report);
  for (const Row& row : kRows) {
    const auto at = silicon.metrics.find(row.counter);
    const auto ours = std::find_if(counted.begin(), counted.end(),
                                   [&](const auto& metric) { return metric.first == row.counter; });
    if (at != silicon.metrics.end() && ours != counted.end())
      all.push_back({row.id, at->second, ours->second});
  }
  return all;
}

AccessScore score_accesses(const std::string& suite, const std::vector<std::string>& cases,
                           const SiliconTables& silicon, const std::string& config) {
  AccessScore score;
  TextTable table({"Case", "Counter", ">Analysed", ">Silicon"});
  sim::DeviceOptions options;
  options.config = config;
  options.mode = sim::Mode::kFunctional;
  options.analyze = true;
  for (const std::string& name : cases) {
    const auto truth = silicon.find(name);
    if (truth == silicon.end()) continue;
    sim::Simulator simulator(options);
    const std::vector<AccessReport> reports = simulator.run(sim::read_suite_case(suite, name), {}).accesses;
    bool all_equal = true;
    for (const AccessComparison& c : compare_accesses(reports.back(), truth->second)) {
      ++score.counters;
      score.equal += c.equal();
      all_equal = all_equal && c.equal();
      if (!c.equal())
        table.row({name, std::string(c.id), with_thousands(static_cast<uint64_t>(c.analysed)),
                   with_thousands(static_cast<uint64_t>(c.silicon))});
    }
    ++score.cases;
    score.equal_cases += all_equal;
  }
  if (table.rows() != 0) score.different = table.str();
  return score;
}

}  // namespace gpuloom::validation
