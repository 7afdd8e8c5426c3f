// SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/functional_report.h"

#include <algorithm>
#include <map>

#include "arch/gpc/occupancy.h"
#include "sim/report/access_metrics.h"
#include "sim/report/metric_table.h"
#include "sim/runtime/launch_occupancy.h"
#include "sim/runtime/source_place.h"

namespace gpuloom::sim {
namespace {

using Counters = std::vector<std::pair<std::string, double>>;

void add_counts(ReportKernel& k, std::string_view name, double value,
                MetricBasis basis = MetricBasis::kMachine) {
  const MetricInfo* info = find_metric(name);
  k.metrics.push_back({std::string(name), std::string(info == nullptr ? "" : info->unit), value, basis});
}

// How often each machine instruction was executed: all that stand for a decoded instruction as often as it.
void opcodes(const LaunchOutcome& outcome, ReportKernel& k) {
  std::map<std::string, uint64_t> opcodes;
  uint64_t sum = 0;
  for (const ptx::MachineOp& op : outcome.machine->ops) {
    const uint64_t count = outcome.executed.at(op.source);
    if (count == 0) continue;
    opcodes[std::string(ptx::info(op.op).opcode)] += count;
    sum += count;
  }
  k.opcodes.assign(opcodes.begin(), opcodes.end());
  add_counts(k, "smsp__inst_executed.sum", static_cast<double>(sum));
}

// The same rules as for a launch with time (arch/simulation.cpp).
void occupancy(const Device& device, const LaunchRequest& request, uint32_t registers, ReportKernel& k) {
  const arch::KernelResources r = launch_resources(request, registers);
  const arch::Occupancy o = arch::occupancy(device.gpu(), r);
  k.limiters = limiters_of(o);
  const uint32_t carveout = arch::launch_carveout(device.gpu(), r, o);
  const auto limit = [&](const char* name, uint32_t blocks) {
    if (blocks < arch::kUnlimited) add_counts(k, name, blocks);
  };
  add_counts(k, "launch__registers_per_thread", registers);
  add_counts(k, "launch__shared_mem_config_size", carveout);
  limit("launch__occupancy_limit_warps", o.limit_warps);
  limit("launch__occupancy_limit_registers", o.limit_registers);
  limit("launch__occupancy_limit_shared_mem",
        o.allocated_shared != 0 ? carveout / o.allocated_shared : o.limit_shared);
  limit("launch__occupancy_limit_blocks", o.limit_blocks);
  limit("launch__occupancy_limit_barriers", o.limit_barriers);
  const double warps = static_cast<double>(o.blocks) * o.warps_per_block;
  add_counts(k, "sm__maximum_warps_avg_per_active_cycle", warps);
  add_counts(k, "sm__maximum_warps_per_active_cycle_pct", 100 * warps / device.gpu().sm.limits.warps_per_sm);
  add_counts(k, "launch__waves_per_multiprocessor",
             static_cast<double>(request.grid.count()) /
                 (static_cast<double>(device.gpu().sm_count()) * std::max(1U, o.blocks)));
}

void count_into(Counters& counters, const char* name, uint64_t value, bool always = false) {
  if (value == 0 && !always) return;
  for (auto& [known, sum] : counters) {
    if (known != name) continue;
    sum += static_cast<double>(value);
    return;
  }
  counters.emplace_back(name, static_cast<double>(value));
}

void executed_by_line(const LaunchOutcome& outcome, LineRule rule, std::map<SourcePlace, Counters>& lines,
                      std::map<uint32_t, std::string>& operations) {
  std::vector<uint64_t> machine(outcome.executed.size(), 0);
  for (const ptx::MachineOp& op : outcome.machine->ops)
    if (op.source < machine.size()) machine[op.source] += outcome.executed[op.source];
  for (size_t i = 0; i < outcome.executed.size(); ++i) {
    if (outcome.executed[i] == 0) continue;
    const SourcePlace place = source_place(*outcome.program, i, rule);
    Counters& line = lines[place];
    if (std::string& operation = operations[place.ptx_line]; operation.empty())
      operation = ptx_operation(*outcome.program, i);
    count_into(line, "inst_executed", outcome.executed[i], true);
    count_into(line, "thread_inst_executed", outcome.thread_executed[i], true);
    count_into(line, "machine_inst_issued", machine[i], true);
  }
}

void accesses_by_line(const AccessReport& accesses, std::map<SourcePlace, Counters>& lines) {
  for (const AccessSite& site : accesses.sites) {
    Counters& line = lines[{site.file, site.line, site.ptx_line, {}}];
    count_into(line, "requests", site.counts.requests);
    count_into(line, "sectors", site.counts.sectors);
    count_into(line, "ideal_sectors", site.counts.ideal_sectors);
    count_into(line, "shared_wavefronts", site.counts.wavefronts);
    count_into(line, "shared_wavefronts_ideal", site.counts.ideal_wavefronts);
    count_into(line, "bank_conflicts", site.counts.conflicts);
  }
}

}  // namespace

void report_functional(const Device& device, const LaunchRequest& request, const LaunchOutcome& outcome,
                       ReportKernel& k) {
  const bool counted = !outcome.executed.empty() && outcome.machine != nullptr;
  std::map<SourcePlace, Counters> lines;
  std::map<uint32_t, std::string> operations;  // by PTX line
  add_counts(k, "sim__ptx_thread_inst_executed.sum", static_cast<double>(outcome.thread_instructions),
             MetricBasis::kPtx);
  if (counted) {
    opcodes(outcome, k);
    occupancy(device, request, outcome.machine->registers_per_thread, k);
    executed_by_line(outcome, device.options().line_rule, lines, operations);
  }
  if (outcome.accesses) {
    for (const auto& [name, value] : access_metrics(*outcome.accesses)) add_counts(k, name, value);
    accesses_by_line(*outcome.accesses, lines);
  }
  if (!device.options().per_instruction) return;
  for (auto& [place, counters] : lines)
    k.lines.push_back({place.file, place.line, place.ptx_line, operations[place.ptx_line], place.written_at,
                       std::move(counters)});
}

}  // namespace gpuloom::sim
