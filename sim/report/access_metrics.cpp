// SPDX-License-Identifier: Apache-2.0
#include "sim/report/access_metrics.h"

#include <initializer_list>

namespace gpuloom {
namespace {

using Field = uint64_t AccessCounts::*;

double sum(const AccessReport& r, std::string_view space, Field what,
           std::initializer_list<std::string_view> operations) {
  uint64_t total = 0;
  for (const std::string_view operation : operations) total += r.total(operation, space).*what;
  return static_cast<double>(total);
}

// cp.async is a global load (LDGSTS); bulk copies, whose names begin alike, go past the L1.
double global_loads(const AccessReport& r, Field what) {
  uint64_t total = 0;
  for (const AccessSite& s : r.sites)
    if (s.operation == "cp.async") total += s.counts.*what;
  return static_cast<double>(total) + sum(r, "global", what, {"ld."});
}

}  // namespace

// Nsight Compute counts ldmatrix with the loads, stmatrix with the stores, and what cp.async writes into
// shared memory with neither; a run with time leaves that out of the sums too.
std::vector<std::pair<std::string_view, double>> access_metrics(const AccessReport& r) {
  const Field requests = &AccessCounts::requests, sectors = &AccessCounts::sectors;
  const Field conflicts = &AccessCounts::conflicts, wavefronts = &AccessCounts::wavefronts;
  return {
      {"smsp__inst_executed_op_global_ld.sum", sum(r, "global", requests, {"ld."})},
      {"smsp__inst_executed_op_global_st.sum", sum(r, "global", requests, {"st."})},
      {"smsp__inst_executed_op_global_atom.sum", sum(r, "global", requests, {"atom"})},
      {"smsp__inst_executed_op_global_red.sum", sum(r, "global", requests, {"red."})},
      {"smsp__inst_executed_op_ldgsts.sum", global_loads(r, requests) - sum(r, "global", requests, {"ld."})},
      {"smsp__inst_executed_op_local_ld.sum", sum(r, "local", requests, {"ld."})},
      {"smsp__inst_executed_op_local_st.sum", sum(r, "local", requests, {"st."})},
      {"smsp__inst_executed_op_shared_ld.sum", sum(r, "shared", requests, {"ld."})},
      {"smsp__inst_executed_op_shared_st.sum", sum(r, "shared", requests, {"st."})},
      {"smsp__inst_executed_op_ldsm.sum", sum(r, "shared", requests, {"ldmatrix"})},
      {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", global_loads(r, requests)},
      {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", global_loads(r, sectors)},
      {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", sum(r, "global", requests, {"st."})},
      {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", sum(r, "global", sectors, {"st."})},
      {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", sum(r, "local", sectors, {"ld."})},
      {"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", sum(r, "local", sectors, {"st."})},
      {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", sum(r, "shared", conflicts, {""})},
      {"sim__wavefronts_mem_shared_ideal.sum", sum(r, "shared", &AccessCounts::ideal_wavefronts, {""})},
      {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", sum(r, "shared", conflicts, {"ld"})},
      {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", sum(r, "shared", conflicts, {"st"})},
      {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum",
       sum(r, "shared", conflicts, {"atom", "red"})},
      {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", sum(r, "shared", wavefronts, {"ld"})},
      {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", sum(r, "shared", wavefronts, {"st"})},
  };
}

}  // namespace gpuloom
