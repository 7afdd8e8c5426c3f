// SPDX-License-Identifier: Apache-2.0
#include "sim/api/access_score.h"

namespace gpuloom::sim {
namespace {

struct Row {
  std::string_view id, counter;
  double (*of)(const AccessReport&);
};

uint64_t AccessCounts::*const kRequests = &AccessCounts::requests;
uint64_t AccessCounts::*const kSectors = &AccessCounts::sectors;
uint64_t AccessCounts::*const kConflicts = &AccessCounts::conflicts;

double sum(const AccessReport& r, std::string_view space, uint64_t AccessCounts::*what,
           std::initializer_list<std::string_view> operations) {
  uint64_t total = 0;
  for (const std::string_view operation : operations) total += r.total(operation, space).*what;
  return static_cast<double>(total);
}

// cp.async is a global load (LDGSTS); bulk copies, whose names begin alike, go past the L1.
double cp_async(const AccessReport& r, uint64_t AccessCounts::*what) {
  uint64_t total = 0;
  for (const AccessSite& s : r.sites)
    if (s.operation == "cp.async") total += s.counts.*what;
  return static_cast<double>(total);
}

// Nsight Compute counts ldmatrix with the loads, stmatrix with the stores, and what cp.async writes into
// shared memory with neither.
const Row kRows[] = {
    {"global load requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
     [](const AccessReport& r) { return sum(r, "global", kRequests, {"ld."}) + cp_async(r, kRequests); }},
    {"global load sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
     [](const AccessReport& r) { return sum(r, "global", kSectors, {"ld."}) + cp_async(r, kSectors); }},
    {"global store requests", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
     [](const AccessReport& r) { return sum(r, "global", kRequests, {"st."}); }},
    {"global store sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
     [](const AccessReport& r) { return sum(r, "global", kSectors, {"st."}); }},
    {"local load sectors", "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
     [](const AccessReport& r) { return sum(r, "local", kSectors, {"ld."}); }},
    {"local store sectors", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
     [](const AccessReport& r) { return sum(r, "local", kSectors, {"st."}); }},
    {"shared load conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
     [](const AccessReport& r) { return sum(r, "shared", kConflicts, {"ld"}); }},
    {"shared store conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
     [](const AccessReport& r) { return sum(r, "shared", kConflicts, {"st"}); }},
    {"shared atomic conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum",
     [](const AccessReport& r) {
       return sum(r, "shared", kConflicts, {"atom", "red"});
     }},
    {"shared load wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
     [](const AccessReport& r) { return sum(r, "shared", &AccessCounts::wavefronts, {"ld"}); }},
    {"shared store wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
     [](const AccessReport& r) { return sum(r, "shared", &AccessCounts::wavefronts, {"st"}); }},
};

}  // namespace

std::vector<AccessComparison> compare_accesses(const AccessReport& report, const SiliconCase& silicon) {
  std::vector<AccessComparison> all;
  for (const Row& row : kRows) {
    const auto at = silicon.metrics.find(row.counter);
    if (at != silicon.metrics.end()) all.push_back({row.id, at->second, row.of(report)});
  }
  return all;
}

}  // namespace gpuloom::sim
