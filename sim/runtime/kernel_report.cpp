// SPDX-License-Identifier: Apache-2.0
// From a launch's outcome to the report's kernel: metrics in the table's order, stalls, counters by line.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "arch/gpc/occupancy.h"
#include "arch/gpu/grid_result.h"
#include "arch/stall_reason.h"
#include "sim/report/metric_table.h"
#include "sim/runtime/functional_report.h"
#include "sim/runtime/launch_occupancy.h"
#include "sim/runtime/session.h"
#include "sim/runtime/source_place.h"

namespace gpuloom::sim {
namespace {

MetricBasis basis_of(std::string_view name) {
  if (name.starts_with("sim__ptx_")) return MetricBasis::kPtx;
  return name.starts_with("sim__") ? MetricBasis::kSimulator : MetricBasis::kMachine;
}

// Metrics that follow from the launch alone.
void launch_metrics(const Device& device, const LaunchRequest& request, ReportKernel& k) {
  const auto add = [&](std::string_view name, double value) {
    const MetricInfo* info = find_metric(name);
    k.metrics.push_back(
        {std::string(name), std::string(info == nullptr ? "" : info->unit), value, basis_of(name)});
  };
  const ptx::Program& program = *request.kernel->program;
  add("launch__grid_size", static_cast<double>(request.grid.count()));
  add("launch__block_size", static_cast<double>(request.block.count()));
  add("launch__thread_count", static_cast<double>(request.grid.count() * request.block.count()));
  if (k.clustered)
    add("launch__cluster_size", static_cast<double>(k.cluster[0]) * k.cluster[1] * k.cluster[2]);
  add("launch__shared_mem_per_block_static", program.shared_static_bytes);
  add("launch__shared_mem_per_block_dynamic", request.dynamic_shared_bytes);
  add("launch__shared_mem_per_block_driver", device.gpu().sm.limits.shared_reserved_per_block);
  add("device__attribute_multiprocessor_count", device.gpu().sm_count());
}

void merge(std::vector<ReportMetric>& metrics, ReportMetric metric) {
  for (ReportMetric& m : metrics) {
    if (m.name != metric.name) continue;
    m = std::move(metric);
    return;
  }
  metrics.push_back(std::move(metric));
}

// By the table's order, the rest by name.
void sort_metrics(std::vector<ReportMetric>& metrics) {
  std::map<std::string_view, size_t> rank;
  for (const MetricInfo& info : metric_table()) rank.emplace(info.name, rank.size());
  const auto place = [&](const ReportMetric& m) {
    const auto at = rank.find(m.name);
    return at == rank.end() ? rank.size() : at->second;
  };
  std::sort(metrics.begin(), metrics.end(), [&](const ReportMetric& a, const ReportMetric& b) {
    const size_t pa = place(a), pb = place(b);
    return pa != pb ? pa < pb : a.name < b.name;
  });
}

std::vector<ReportLine> lines_of(const ptx::Program& program,
                                 const std::vector<arch::InstructionCounts>& counts, LineRule rule) {
  std::map<SourcePlace, arch::InstructionCounts> by_line;
  std::map<uint32_t, std::string> operations;  // by PTX line
  for (size_t i = 0; i < counts.size() && i < program.code.size(); ++i)
    if (counts[i].executed != 0 || counts[i].issued != 0) {
      const SourcePlace place = source_place(program, i, rule);
      arch::add_counts(by_line[place], counts[i]);
      if (std::string& operation = operations[place.ptx_line]; operation.empty())
        operation = ptx_operation(program, i);
    }
  std::vector<ReportLine> lines;
  for (const auto& [key, c] : by_line) {
    ReportLine line{key.file, key.line, key.ptx_line, operations[key.ptx_line], key.written_at, {}};
    const auto add = [&](const char* name, uint64_t value, bool always = false) {
      if (always || value != 0) line.counters.emplace_back(name, static_cast<double>(value));
    };
    add("inst_executed", c.executed, true);
    add("thread_inst_executed", c.thread_executed, true);
    add("machine_inst_issued", c.issued, true);
    uint64_t stalled = 0;
    for (size_t r = 0; r < c.stalls.size(); ++r)
      if (r != static_cast<size_t>(arch::Stall::kSelected)) stalled += c.stalls[r];
    add("stall_cycles", stalled);
    for (size_t r = 0; r < c.stalls.size(); ++r)
      if (c.stalls[r] != 0)
        line.counters.emplace_back(std::string("stall_") + arch::kStallNames[r], c.stalls[r]);
    add("requests", c.requests);
    add("sectors", c.sectors);
    add("ideal_sectors", c.ideal_sectors);
    add("shared_wavefronts", c.wavefronts);
    add("shared_wavefronts_ideal", c.ideal_wavefronts);
    add("bank_conflicts", c.bank_conflicts);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<ReportAsync> async_of(const ptx::Program& program, const std::vector<arch::AsyncCounts>& counts,
                                  LineRule rule) {
  static constexpr const char* kKinds[] = {"cp.async", "bulk copy", "tensor copy", "remote store"};
  std::vector<ReportAsync> list;
  for (const arch::AsyncCounts& c : counts) {
    const SourcePlace place = source_place(program, c.instruction, rule);
    ReportAsync a;
    a.file = place.file;
    a.line = place.line;
    a.ptx_line = place.ptx_line;
    a.kind = kKinds[static_cast<size_t>(c.kind)];
    a.copies = c.copies;
    a.bytes = c.bytes;
    a.flight_mean = static_cast<double>(c.flight) / static_cast<double>(std::max<uint64_t>(1, c.copies));
    a.flight_max = c.flight_max;
    if (c.warp_cycles != 0)
      a.waited_pct = 100.0 * static_cast<double>(c.waited_cycles) / static_cast<double>(c.warp_cycles);
    a.overlap_pct = 100.0 - a.waited_pct;
    list.push_back(std::move(a));
  }
  return list;
}

// Machine instructions by opcode. All operations that stand for one decoded instruction issue equally often.
std::vector<std::pair<std::string, uint64_t>> opcodes_of(const ptx::MachineProgram& machine,
                                                         const std::vector<arch::InstructionCounts>& counts) {
  std::vector<uint32_t> operations(counts.size(), 0);
  for (const ptx::MachineOp& op : machine.ops)
    if (op.source < counts.size()) ++operations[op.source];
  std::map<std::string, uint64_t> sums;
  for (const ptx::MachineOp& op : machine.ops)
    if (op.source < counts.size() && counts[op.source].issued != 0)
      sums[std::string(ptx::info(op.op).opcode)] += counts[op.source].issued / operations[op.source];
  return {sums.begin(), sums.end()};
}

}  // namespace

ReportKernel report_kernel(const Device& device, const LaunchRequest& request, const LaunchOutcome& outcome) {
  ReportKernel k;
  k.name = outcome.kernel;
  k.complete = outcome.complete;
  k.grid = {request.grid.x, request.grid.y, request.grid.z};
  k.block = {request.block.x, request.block.y, request.block.z};
  if (const auto cluster = cluster_of(request)) {
    k.cluster = {cluster->x, cluster->y, cluster->z};
    k.clustered = true;
  }
  k.dynamic_shared_bytes = request.dynamic_shared_bytes;
  launch_metrics(device, request, k);
  k.metrics.push_back({"sim__ptx_inst_executed.sum", "inst", static_cast<double>(outcome.warp_instructions),
                       MetricBasis::kPtx});
  for (size_t e = 0; e < outcome.pm_events.size(); ++e)
    if (outcome.pm_events[e] != 0)
      k.metrics.push_back({fmt::format("sim__prof_trigger_{:02}.sum", e), "inst",
                           static_cast<double>(outcome.pm_events[e]), MetricBasis::kPtx});
  if (outcome.timed) {
    const arch::KernelResult& timed = *outcome.timed;
    for (const auto& m : timed_metrics(device, timed)) {
      // What has no limit is not a number that was counted.
      if (m.name.starts_with("launch__occupancy_limit_") && m.value >= arch::kUnlimited) continue;
      merge(k.metrics, {m.name, std::string(metric_unit(m.name, m.unit)), m.value, basis_of(m.name)});
    }
    k.limiters = limiters_of(
        arch::occupancy(device.gpu(), launch_resources(request, outcome.machine->registers_per_thread)));
    std::array<uint64_t, arch::kStallReasons> stalls{};
    for (const arch::InstructionCounts& c : timed.instructions)
      for (size_t r = 0; r < stalls.size(); ++r) stalls[r] += c.stalls[r];
    for (size_t r = 0; r < stalls.size(); ++r)
      if (!timed.instructions.empty())
        k.stalls.emplace_back(arch::kStallNames[r], static_cast<double>(stalls[r]));
    k.lines = lines_of(*outcome.program, timed.instructions, device.options().line_rule);
    k.async = async_of(*outcome.program, timed.async, device.options().line_rule);
    if (outcome.machine != nullptr) k.opcodes = opcodes_of(*outcome.machine, timed.instructions);
  } else {
    report_functional(device, request, outcome, k);
  }
  sort_metrics(k.metrics);
  return k;
}

}  // namespace gpuloom::sim
