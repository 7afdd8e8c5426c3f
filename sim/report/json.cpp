// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/demangle.h"
#include "base/error.h"
#include "sim/report/metric_table.h"
#include "sim/report/writers.h"

namespace gpuloom {
namespace {

using Json = nlohmann::ordered_json;

// Whole numbers without a point: counters are exact, and a reader should see that.
Json number(double value) {
  if (std::isfinite(value) && std::floor(value) == value && std::fabs(value) < 0x1p53)
    return static_cast<int64_t>(value);
  if (!std::isfinite(value)) return nullptr;
  return value;
}

Json kernel_json(const ReportKernel& k) {
  Json j;
  j["name"] = k.name;
  if (const std::string readable = demangled(k.name); readable != k.name) j["demangled"] = readable;
  j["grid"] = k.grid;
  j["block"] = k.block;
  if (k.clustered) j["cluster"] = k.cluster;
  if (!k.complete) j["complete"] = false;
  j["dynamic_shared"] = k.dynamic_shared_bytes;
  j["repeat"] = k.repeat;
  Json& metrics = j["metrics"] = Json::object();
  for (const ReportMetric& m : k.metrics)
    metrics[m.name] = {{"value", number(m.value)}, {"unit", m.unit}, {"basis", basis_name(m.basis)}};
  if (!k.limiters.empty()) j["limiters"] = k.limiters;
  if (!k.stalls.empty()) {
    Json& stalls = j["stalls"] = Json::object();
    for (const auto& [reason, cycles] : k.stalls) stalls[reason] = number(cycles);
  }
  if (!k.opcodes.empty()) {
    Json& opcodes = j["opcodes"] = Json::object();
    for (const auto& [opcode, count] : k.opcodes) opcodes[opcode] = count;
  }
  if (!k.lines.empty()) {
    Json& lines = j["lines"] = Json::array();
    for (const ReportLine& l : k.lines) {
      Json line = {{"file", l.file}, {"line", l.line}, {"ptx_line", l.ptx_line}};
      if (!l.operation.empty()) line["ptx"] = l.operation;
      if (!l.written_at.empty()) line["written_at"] = l.written_at;
      for (const auto& [name, value] : l.counters) line[name] = number(value);
      lines.push_back(std::move(line));
    }
  }
  if (!k.async.empty()) {
    Json& list = j["async"] = Json::array();
    for (const ReportAsync& a : k.async)
      list.push_back({{"file", a.file},
                      {"line", a.line},
                      {"ptx_line", a.ptx_line},
                      {"kind", a.kind},
                      {"copies", a.copies},
                      {"bytes", a.bytes},
                      {"flight_cycles_mean", a.flight_mean},
                      {"flight_cycles_max", a.flight_max},
                      {"waited_pct", a.waited_pct},
                      {"overlap_pct", a.overlap_pct}});
  }
  return j;
}

Json outputs_json(const RunReport& run) {
  Json list = Json::array();
  for (const ReportBuffer& b : run.outputs) {
    Json j = {{"buffer", b.name},
              {"type", b.type},
              {"count", b.count},
              {"fnv1a64", fmt::format("{:016x}", b.fnv1a64)}};
    if (!b.values.empty()) {
      Json& values = j["values"] = Json::array();
      for (const double v : b.values) values.push_back(number(v));
    }
    list.push_back(std::move(j));
  }
  return list;
}

Json checks_json(const RunReport& run) {
  Json list = Json::array();
  for (const ReportCheck& c : run.checks) {
    Json j = {{"buffer", c.buffer},
              {"against", c.against},
              {"passed", c.passed},
              {"mismatches", c.mismatches},
              {"count", c.count}};
    if (!c.first.empty()) j["first"] = c.first;
    list.push_back(std::move(j));
  }
  return list;
}

Json work_json(const ProgramWork& w, bool timed, bool several) {
  Json j = {{"kind", name(w.kind)}, {"name", w.name}, {"stream", w.stream}};
  if (several) j["device"] = w.device;
  if (!w.graph.empty()) j["graph"] = w.graph;
  if (w.kind == WorkKind::kKernel) {
    if (timed) j["alone"] = w.shared_with.empty();
    if (!w.shared_with.empty()) j["shared_with"] = w.shared_with;
    if (w.kernel) j["kernel"] = *w.kernel;
  } else {
    j["bytes"] = w.bytes;
    if (w.pageable) j["pageable"] = true;
  }
  if (!w.done) j["done"] = false;
  if (timed && w.done) {
    j["start_ns"] = number(w.begin_ns);
    j["end_ns"] = number(w.end_ns);
  }
  return j;
}

Json program_json(const ReportProgram& program) {
  Json j;
  j["timed"] = program.timed;
  if (program.devices > 1) j["devices"] = program.devices;
  if (program.timed) {
    j["end_ns"] = number(program.end_ns);
    Json& metrics = j["metrics"] = Json::object();
    for (const ReportMetric& m : program_metrics(program))
      metrics[m.name] = {{"value", number(m.value)}, {"unit", m.unit}};
    Json& events = j["events"] = Json::array();
    for (const ProgramEvent& e : program.events)
      events.push_back({{"name", e.name}, {"at_ns", number(e.at_ns)}});
  }
  Json& work = j["work"] = Json::array();
  for (const ProgramWork& w : program.work) work.push_back(work_json(w, program.timed, program.devices > 1));
  return j;
}

}  // namespace

const char* basis_name(MetricBasis basis) {
  switch (basis) {
    case MetricBasis::kMachine:
      return "machine";
    case MetricBasis::kPtx:
      return "ptx";
    case MetricBasis::kSimulator:
      return "simulator";
  }
  return "";
}

const ReportMetric* ReportKernel::find(std::string_view metric) const {
  for (const ReportMetric& m : metrics)
    if (m.name == metric) return &m;
  return nullptr;
}

std::string result_json(const RunReport& run) {
  Json j;
  j["schema"] = kResultSchema;
  const ReportProvenance& p = run.provenance;
  j["provenance"] = {{"version", p.version}, {"config", p.config},         {"config_sha256", p.config_sha256},
                     {"ptx", p.ptx},         {"ptx_sha256", p.ptx_sha256}, {"launch", p.launch},
                     {"mode", p.mode},       {"lowering", p.lowering},     {"sources", p.sources}};
  for (const ReportChange& c : p.changes)
    j["provenance"]["changes"][c.key] = {{"from", c.from}, {"to", c.to}};
  if (!run.complete) j["complete"] = false;
  Json& kernels = j["kernels"] = Json::array();
  for (const ReportKernel& k : run.kernels) kernels.push_back(kernel_json(k));
  if (run.program) j["program"] = program_json(*run.program);
  j["outputs"] = outputs_json(run);
  if (!run.checks.empty()) j["checks"] = checks_json(run);
  if (!run.notes.empty()) j["notes"] = run.notes;
  for (const ReportFinding& f : run.findings)
    j["findings"].push_back({{"kind", f.kind},
                             {"kernel", f.kernel},
                             {"file", f.file},
                             {"line", f.line},
                             {"source", f.source},
                             {"count", f.count},
                             {"text", f.text}});
  j["host"] = {{"wall_s", run.host.wall_seconds},
               {"warp_instructions_per_s", run.host.warp_instructions_per_second},
               {"threads", run.host.threads}};
  return j.dump(1) + "\n";
}

}  // namespace gpuloom
