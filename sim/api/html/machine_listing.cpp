// SPDX-License-Identifier: Apache-2.0
#include "sim/api/html/machine_listing.h"

#include <fmt/core.h>

#include <cmath>
#include <set>

#include "base/error.h"
#include "base/text.h"
#include "ptx/isa/table/form.h"
#include "ptx/machine/lower.h"
#include "ptx/parse/parser.h"
#include "ptx/target.h"
#include "sim/api/describe_lowering.h"
#include "sim/api/occupancy.h"
#include "sim/runtime/source_place.h"

namespace gpuloom::sim {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostPtxBytes = 1 << 20;  // lowering more than that takes longer than a report should
constexpr size_t kMostCurves = 64;         // launches

double value_of(const Json& kernel, const char* metric, double otherwise) {
  const auto found = kernel.at("metrics").find(metric);
  if (found == kernel.at("metrics").end() || !found->at("value").is_number()) return otherwise;
  return found->at("value").get<double>();
}

// One text an operation, as the listing of `gpuloom info --machine` has it before the bar.
Json by_ptx_line(const ptx::MachineProgram& machine) {
  std::vector<std::string> texts;
  for (const std::string& line : split(ptx::describe(machine), '\n'))
    if (line.starts_with("  ")) texts.emplace_back(trim(std::string_view(line).substr(0, line.find('|'))));
  Json lines = Json::object();
  size_t at = 0;
  for (const ptx::MachineBlock& block : machine.blocks)
    for (uint32_t k = block.first; k < block.first + block.count && at < texts.size(); ++k, ++at) {
      const uint32_t line = source_place(*machine.program, machine.ops[k].source).ptx_line;
      lines[std::to_string(line)].push_back(texts[at]);
    }
  return lines;
}

}  // namespace

Json machine_listing(PageRun& run) {
  Json out = Json::object();
  const Json& provenance = run.result.at("provenance");
  if (run.ptx.empty() || !run.gpu || run.ptx.size() > kMostPtxBytes ||
      provenance.value("lowering", "") != "machine")
    return out;
  try {
    ptx::ParseOptions options;
    options.device = ptx::widest_target(run.gpu->targets);
    const auto module =
        ptx::load_module_text(run.ptx, provenance.value("ptx", "ptx"), ptx::isa_table(), options);
    const ptx::MachineModel model = arch::machine_model(*run.gpu);
    for (const Json& kernel : run.result.value("kernels", Json::array())) {
      const auto name = kernel.at("name").get<std::string>();
      if (out.contains(name) || !kernel.contains("lines")) continue;
      for (const ptx::Function& f : module->functions) {
        if (f.name != name || !f.is_entry || !f.has_body) continue;
        const ptx::MachineProgram machine = lower_entry(*module, f, model);
        if (machine.registers_per_thread == value_of(kernel, "launch__registers_per_thread", 0))
          out[name] = by_ptx_line(machine);
      }
    }
  } catch (const Error& e) {
    run.missing.push_back(fmt::format("The page has no machine operations: {}", e.message()));
  }
  return out;
}

Json occupancy_curves(const PageRun& run) {
  Json out = Json::array();
  if (!run.gpu) return out;
  for (const Json& kernel : run.result.value("kernels", Json::array())) {
    if (out.size() >= kMostCurves) break;
    Json& list = out.emplace_back(Json::array());
    arch::KernelResources r;
    const Json& block = kernel.at("block");
    r.threads = block.at(0).get<uint32_t>() * block.at(1).get<uint32_t>() * block.at(2).get<uint32_t>();
    r.registers_per_thread = static_cast<uint32_t>(value_of(kernel, "launch__registers_per_thread", 0));
    r.shared_static = static_cast<uint32_t>(value_of(kernel, "launch__shared_mem_per_block_static", 0));
    r.shared_dynamic = static_cast<uint32_t>(value_of(kernel, "launch__shared_mem_per_block_dynamic", 0));
    if (r.registers_per_thread == 0) continue;
    const OccupancyReport report = occupancy_report(*run.gpu, r);
    const double known = value_of(kernel, "sm__maximum_warps_per_active_cycle_pct", -1);
    if (!report.refusal.empty() || std::fabs(report.percent - known) > 0.01) continue;
    for (const OccupancyCurve& curve : report.curves) {
      Json points = Json::array();
      for (const OccupancyPoint& p : curve.points) points.push_back({p.x, p.blocks, p.percent});
      list.push_back({{"name", curve.name}, {"unit", curve.unit}, {"now", curve.now}, {"points", points}});
    }
  }
  return out;
}

}  // namespace gpuloom::sim
