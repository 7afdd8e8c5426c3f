// SPDX-License-Identifier: Apache-2.0
#include "sim/api/explain/facts.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace gpuloom::sim {
namespace {

constexpr double kLanes = 32;  // of a warp

bool floating(std::string_view type) {
  return !type.empty() && (type[0] == 'f' || type.starts_with("bf") || type.starts_with("tf") ||
                           type.starts_with("e4") || type.starts_with("e5"));
}

// "cvt.rn.f32.s32", but not "cvt.u64.u32", which is a move.
bool converts(const std::string& operation) {
  if (!operation.starts_with("cvt.")) return false;
  const size_t source = operation.rfind('.');
  const size_t target = operation.rfind('.', source - 1);
  const std::string_view text = operation;
  return floating(text.substr(source + 1)) || floating(text.substr(target + 1, source - target - 1));
}

bool divides(const std::string& operation) {
  return operation.starts_with("div.") || operation.starts_with("rem.") || operation.starts_with("rcp.rn");
}

bool loads_global(const std::string& operation) {
  return operation.starts_with("ld.") && operation.find(".shared") == std::string::npos &&
         operation.find(".local") == std::string::npos;
}

// One or two bytes a lane, of global memory.
bool accesses_narrowly(const std::string& operation) {
  const bool stores = operation.starts_with("st.") && operation.find(".global") != std::string::npos;
  if (!stores && !loads_global(operation)) return false;
  const std::string_view type = std::string_view(operation).substr(operation.rfind('.') + 1);
  const bool vector =
      operation.find(".v2.") != std::string::npos || operation.find(".v4.") != std::string::npos;
  return !vector && (type.ends_with("16") || type.ends_with("8"));
}

bool copies_in_bulk(const std::string& operation) {
  return operation.starts_with("cp.async.bulk") && operation.find(".mbarrier") != std::string::npos;
}

// Warp instructions of operations that have something in common.
struct OperationFact {
  const char* name;
  bool (*counts)(const std::string& operation);
};
const OperationFact kOperationFacts[] = {
    {"conversions_to_double", [](const std::string& o) { return o.starts_with("cvt.f64.f32"); }},
    {"conversions", converts},
    {"divisions", divides},
    {"volatile_loads",
     [](const std::string& o) { return loads_global(o) && o.find(".volatile") != std::string::npos; }},
    {"uncached_loads",
     [](const std::string& o) {
       return loads_global(o) && (o.find(".cg") != std::string::npos || o.find(".cv") != std::string::npos);
     }},
    {"bulk_copies", copies_in_bulk},
    {"narrow_accesses", accesses_narrowly},
    {"constant_loads", [](const std::string& o) { return o.starts_with("ld.const"); }},
};

// How full the last of several waves is; a grid of one wave or less has no last one that leaves SMs empty.
double last_wave_pct(double waves) {
  const double whole = std::floor(waves);
  return waves <= 1 || waves == whole ? 100 : 100 * (waves - whole);
}

// What loads of the SMs bring from L2. The metric of reads also counts what one half of L2 asks of the other.
double sectors_loaded(const Facts& facts) {
  const double all = facts.value_or("lts__t_sectors_srcunit_tex.sum", 0);
  return std::max(0.0, all - facts.value_or("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 0) -
                           facts.value_or("lts__t_sectors_op_atom.sum", 0) -
                           facts.value_or("lts__t_sectors_op_red.sum", 0));
}

double warps_launched(const Facts& facts) {
  return facts.value_or("launch__grid_size", 0) * std::ceil(facts.value_or("launch__block_size", 0) / kLanes);
}

double global_accesses(const Facts& facts) {
  return facts.value_or("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 0) +
         facts.value_or("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", 0) +
         facts.value_or("global_atomics", 0);
}

// How often a warp executes the instruction that it executes most.
double loop_turns(const ReportKernel& kernel, const Facts& facts) {
  const double warps = warps_launched(facts);
  double most = 0;
  for (const ReportLine& line : kernel.lines) most = std::max(most, line_counter(line, "inst_executed"));
  return warps == 0 ? 0 : most / warps;
}

}  // namespace

double line_counter(const ReportLine& line, const std::string& name) {
  if (name == "excess_sectors")
    return std::max(0.0, line_counter(line, "sectors") - line_counter(line, "ideal_sectors"));
  if (name == "idle_lanes")
    return std::max(0.0,
                    32 * line_counter(line, "inst_executed") - line_counter(line, "thread_inst_executed"));
  if (name == "lone_inst") {  // a branch that is not taken is executed for none
    const double threads = line_counter(line, "thread_inst_executed");
    const double executed = line_counter(line, "inst_executed");
    return threads > 0 && threads <= executed ? executed : 0;
  }
  for (const auto& [counter, value] : line.counters)
    if (counter == name) return value;
  return 0;
}

Facts::Facts(const ReportKernel& k) {
  for (const ReportMetric& m : k.metrics) {
    values_[m.name] = m.value;
    units_[m.name] = m.unit;
  }
  double waited = 0;
  for (const auto& [reason, cycles] : k.stalls)
    if (reason != "selected") waited += cycles;
  for (const auto& [reason, cycles] : k.stalls) {
    values_["stall." + reason + ".pct"] = waited == 0 ? 0 : 100 * cycles / waited;
    units_["stall." + reason + ".pct"] = "%";
  }
  double operations = 0;
  for (const auto& [opcode, count] : k.opcodes) operations += static_cast<double>(count);
  for (const auto& [opcode, count] : k.opcodes) {
    values_["opcode." + opcode] = static_cast<double>(count);
    units_["opcode." + opcode] = "inst";
    values_["opcode." + opcode + ".pct"] = 100 * static_cast<double>(count) / operations;
    units_["opcode." + opcode + ".pct"] = "%";
  }
  for (const std::string& limiter : k.limiters) values_["limiter." + limiter] = 1;
  const double instructions = value_or("smsp__inst_executed.sum", 0);
  if (instructions > 0) {
    values_["divergence.pct"] = 100 - 100 * value_or("smsp__thread_inst_executed.sum", 0) / instructions / 32;
    units_["divergence.pct"] = "%";
  }
  double excess = 0, lone = 0;
  for (const ReportLine& line : k.lines) {
    excess += line_counter(line, "excess_sectors");
    lone += line_counter(line, "lone_inst");
  }
  values_["single_lane.pct"] = instructions == 0 ? 0 : 100 * lone / instructions;
  units_["single_lane.pct"] = "%";
  for (const OperationFact& fact : kOperationFacts) {
    double executed = 0;
    for (const ReportLine& line : k.lines)
      if (fact.counts(line.operation)) executed += line_counter(line, "inst_executed");
    values_[fact.name] = executed;
    units_[fact.name] = "inst";
  }
  values_["global_atomics"] = value_or("smsp__inst_executed_op_global_atom.sum", 0) +
                              value_or("smsp__inst_executed_op_global_red.sum", 0);
  units_["global_atomics"] = "inst";
  const double warps = warps_launched(*this);
  values_["accesses_per_warp"] = warps == 0 ? 0 : global_accesses(*this) / warps;
  units_["accesses_per_warp"] = "inst";
  const double elapsed = value_or("sm__cycles_elapsed.max", 0);
  values_["launch.outside_pct"] =
      elapsed == 0 ? 0 : 100 * std::max(0.0, elapsed - value_or("sm__cycles_active.max", 0)) / elapsed;
  units_["launch.outside_pct"] = "%";
  values_["loop_turns"] = loop_turns(k, *this);
  values_["launch.last_wave_pct"] = last_wave_pct(value_or("launch__waves_per_multiprocessor", 0));
  units_["launch.last_wave_pct"] = "%";
  values_["sectors_loaded_from_l2"] = sectors_loaded(*this);
  units_["sectors_loaded_from_l2"] = "sector";
  values_["lines.excess_sectors"] = excess;
  units_["lines.excess_sectors"] = "sector";
}

std::optional<double> Facts::find(const std::string& name) const {
  const auto at = values_.find(name);
  return at == values_.end() ? std::nullopt : std::optional(at->second);
}

double Facts::value_or(const std::string& name, double otherwise) const {
  return find(name).value_or(otherwise);
}

std::string Facts::unit(const std::string& name) const {
  const auto at = units_.find(name);
  return at == units_.end() ? "" : at->second;
}

}  // namespace gpuloom::sim
