// SPDX-License-Identifier: Apache-2.0
#include "sim/api/access_score.h"

#include <algorithm>

#include "sim/report/access_metrics.h"

namespace gpuloom::sim {
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

}  // namespace gpuloom::sim
