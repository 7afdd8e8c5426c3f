// SPDX-License-Identifier: Apache-2.0
#include "sim/api/explain/cpi_stack.h"

#include <algorithm>

namespace gpuloom::sim {
namespace {

constexpr const char* kStalls = "smsp__warps_issue_stalled_";

double metric(const ReportKernel& k, const std::string& name) {
  const ReportMetric* m = k.find(name);
  return m == nullptr ? 0 : m->value;
}

}  // namespace

CpiStack cpi_stack(const ReportKernel& k) {
  CpiStack stack;
  stack.cycles = metric(k, "sm__cycles_elapsed.max");
  const double active = metric(k, "smsp__cycles_active.sum"), average = metric(k, "smsp__cycles_active.avg");
  const double issued = metric(k, "smsp__issue_active.sum"), inst = metric(k, "smsp__inst_executed.sum");
  if (active == 0 || average == 0) return stack;
  // Counters are summed over the sub-cores: what is left of the elapsed cycles has no warp.
  const double sub_cores = active / average, whole = stack.cycles * sub_cores;
  const double waits = std::max(0.0, active - issued);
  double reasons = 0;
  std::vector<CpiPart> stalled;
  for (const ReportMetric& m : k.metrics) {
    if (!m.name.starts_with(kStalls) || !m.name.ends_with(".sum") || m.value == 0) continue;
    const std::string reason =
        m.name.substr(std::string(kStalls).size(), m.name.size() - std::string(kStalls).size() - 4);
    // Where nothing issues, nobody was passed over for another.
    if (reason == "selected" || reason == "not_selected") continue;
    stalled.push_back({reason, m.value, 0});
    reasons += m.value;
  }
  stack.parts.push_back({"issue", issued / sub_cores, 0});
  for (CpiPart& part : stalled) part.cycles *= waits / reasons / sub_cores;
  std::stable_sort(stalled.begin(), stalled.end(),
                   [](const CpiPart& a, const CpiPart& b) { return a.cycles > b.cycles; });
  if (reasons == 0 && waits > 0) stalled.push_back({"other", waits / sub_cores, 0});
  stack.parts.insert(stack.parts.end(), stalled.begin(), stalled.end());
  stack.parts.push_back({"no_warp", std::max(0.0, whole - active) / sub_cores, 0});
  if (inst == 0) return stack;
  stack.cpi = whole / inst;
  for (CpiPart& part : stack.parts) part.per_inst = part.cycles * sub_cores / inst;
  return stack;
}

}  // namespace gpuloom::sim
