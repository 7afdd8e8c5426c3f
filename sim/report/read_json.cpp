// SPDX-License-Identifier: Apache-2.0
// result.json back into the structure that it was written from. Lost are only what it does not hold:
// timelines, accesses, and the PTX of a module that was compiled.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "sim/report/writers.h"

namespace gpuloom {
namespace {

using Json = nlohmann::ordered_json;

double number_in(const Json& j) { return j.is_null() ? NAN : j.get<double>(); }

std::array<uint32_t, 3> triple(const Json& j) {
  std::array<uint32_t, 3> t{1, 1, 1};
  for (size_t i = 0; i < 3 && i < j.size(); ++i) t[i] = j[i].get<uint32_t>();
  return t;
}

MetricBasis basis_named(const std::string& name) {
  return name == "ptx"         ? MetricBasis::kPtx
         : name == "simulator" ? MetricBasis::kSimulator
                               : MetricBasis::kMachine;
}

// The list under `key`; an empty one where there is none.
const Json& list_of(const Json& j, const char* key) {
  static const Json kEmpty = Json::array();
  const auto at = j.find(key);
  return at == j.end() ? kEmpty : *at;
}

// A counter stands in its line under its own name, after the keys that place the line.
ReportLine read_line(const Json& j) {
  ReportLine line;
  for (const auto& [key, value] : j.items()) {
    if (key == "file") {
      line.file = value.get<std::string>();
    } else if (key == "line") {
      line.line = value.get<uint32_t>();
    } else if (key == "ptx_line") {
      line.ptx_line = value.get<uint32_t>();
    } else if (key == "ptx") {
      line.operation = value.get<std::string>();
    } else if (key == "written_at") {
      line.written_at = value.get<std::string>();
    } else {
      line.counters.emplace_back(key, number_in(value));
    }
  }
  return line;
}

ReportAsync read_async(const Json& j) {
  ReportAsync a;
  a.file = j.at("file").get<std::string>();
  a.line = j.at("line").get<uint32_t>();
  a.ptx_line = j.at("ptx_line").get<uint32_t>();
  a.kind = j.at("kind").get<std::string>();
  a.copies = j.at("copies").get<uint64_t>();
  a.bytes = j.at("bytes").get<uint64_t>();
  a.flight_mean = number_in(j.at("flight_cycles_mean"));
  a.flight_max = j.at("flight_cycles_max").get<uint64_t>();
  a.waited_pct = number_in(j.at("waited_pct"));
  a.overlap_pct = number_in(j.at("overlap_pct"));
  return a;
}

ReportKernel read_kernel(const Json& j) {
  ReportKernel k;
  k.name = j.at("name").get<std::string>();
  k.grid = triple(j.at("grid"));
  k.block = triple(j.at("block"));
  k.clustered = j.contains("cluster");
  if (k.clustered) k.cluster = triple(j.at("cluster"));
  k.complete = j.value("complete", true);
  k.dynamic_shared_bytes = j.value("dynamic_shared", 0u);
  k.repeat = j.value("repeat", 1u);
  for (const auto& [name, m] : j.at("metrics").items())
    k.metrics.push_back(
        {name, m.value("unit", ""), number_in(m.at("value")), basis_named(m.value("basis", ""))});
  for (const Json& limiter : list_of(j, "limiters")) k.limiters.push_back(limiter.get<std::string>());
  for (const auto& [reason, cycles] : list_of(j, "stalls").items())
    k.stalls.emplace_back(reason, number_in(cycles));
  for (const auto& [opcode, count] : list_of(j, "opcodes").items())
    k.opcodes.emplace_back(opcode, count.get<uint64_t>());
  for (const Json& line : list_of(j, "lines")) k.lines.push_back(read_line(line));
  for (const Json& async : list_of(j, "async")) k.async.push_back(read_async(async));
  return k;
}

ReportBuffer read_output(const Json& j) {
  ReportBuffer out;
  out.name = j.at("buffer").get<std::string>();
  out.type = j.value("type", "");
  out.count = j.value("count", uint64_t{0});
  const auto hash = j.at("fnv1a64").get<std::string>();
  std::from_chars(hash.data(), hash.data() + hash.size(), out.fnv1a64, 16);
  for (const Json& v : list_of(j, "values")) out.values.push_back(number_in(v));
  return out;
}

ReportCheck read_check(const Json& j) {
  return {j.at("buffer").get<std::string>(),  j.value("against", ""),        j.at("passed").get<bool>(),
          j.at("mismatches").get<uint64_t>(), j.at("count").get<uint64_t>(), j.value("first", "")};
}

ReportFinding read_finding(const Json& j) {
  return {j.value("kind", ""), j.value("kernel", ""), j.value("file", ""),          j.value("source", ""),
          j.value("text", ""), j.value("line", 0u),   j.value("count", uint64_t{0})};
}

ReportProvenance read_provenance(const Json& j) {
  ReportProvenance p;
  p.version = j.value("version", "");
  p.config = j.value("config", "");
  p.config_sha256 = j.value("config_sha256", "");
  p.ptx = j.value("ptx", "");
  p.ptx_sha256 = j.value("ptx_sha256", "");
  p.launch = j.value("launch", "");
  p.mode = j.value("mode", "");
  p.lowering = j.value("lowering", "");
  p.sources = j.value("sources", "");
  for (const auto& [key, change] : list_of(j, "changes").items())
    p.changes.push_back({key, change.value("from", ""), change.value("to", "")});
  return p;
}

ReportProgram read_program(const Json& j) {
  ReportProgram program;
  program.timed = j.at("timed").get<bool>();
  program.devices = j.value("devices", 1u);
  program.end_ns = j.value("end_ns", 0.0);
  for (const Json& e : list_of(j, "events"))
    program.events.push_back({e.at("name").get<std::string>(), e.at("at_ns").get<double>()});
  for (const Json& w : j.at("work")) {
    ProgramWork& work = program.work.emplace_back();
    work_kind_named(w.at("kind").get<std::string>(), work.kind);
    work.name = w.at("name").get<std::string>();
    work.stream = w.at("stream").get<std::string>();
    work.device = w.value("device", 0u);
    work.graph = w.value("graph", std::string());
    work.bytes = w.value("bytes", uint64_t{0});
    work.pageable = w.value("pageable", false);
    work.done = w.value("done", true);
    work.begin_ns = w.value("start_ns", 0.0);
    work.end_ns = w.value("end_ns", 0.0);
    if (w.contains("kernel")) work.kernel = w.at("kernel").get<size_t>();
    for (const Json& other : list_of(w, "shared_with")) work.shared_with.push_back(other.get<size_t>());
  }
  return program;
}

}  // namespace

RunReport parse_result_json(std::string_view text, const std::string& file) {
  try {
    const Json j = Json::parse(text);
    if (j.at("schema").get<int>() != kResultSchema)
      throw Error(ErrorKind::kInput,
                  fmt::format("result schema {} is not the {} that this version reads", j.at("schema").dump(),
                              kResultSchema),
                  {file, 0, 0});
    RunReport run;
    run.provenance = read_provenance(j.at("provenance"));
    run.complete = j.value("complete", true);
    for (const Json& k : j.at("kernels")) run.kernels.push_back(read_kernel(k));
    if (j.contains("program")) run.program = read_program(j.at("program"));
    for (const Json& b : j.at("outputs")) run.outputs.push_back(read_output(b));
    for (const Json& c : list_of(j, "checks")) run.checks.push_back(read_check(c));
    for (const Json& n : list_of(j, "notes")) run.notes.push_back(n.get<std::string>());
    for (const Json& f : list_of(j, "findings")) run.findings.push_back(read_finding(f));
    if (j.contains("host")) {
      const Json& host = j.at("host");
      run.host.wall_seconds = host.value("wall_s", 0.0);
      run.host.warp_instructions_per_second = host.value("warp_instructions_per_s", 0.0);
      run.host.threads = host.value("threads", 1u);
    }
    return run;
  } catch (const nlohmann::json::exception& e) {
    // What the library says ends with what is wrong: "[json.exception.out_of_range.403] key 'kernels' not
    // found".
    const std::string_view said = e.what();
    const bool text_is_json = dynamic_cast<const nlohmann::json::parse_error*>(&e) == nullptr;
    throw Error(ErrorKind::kInput,
                "not a result of gpuloom: " +
                    (text_is_json ? std::string(said.substr(std::min(said.size(), said.find("] ") + 2)))
                                  : "it is not JSON"),
                {file, 0, 0}, "give a folder that `gpuloom run -o` wrote, or the result.json in it");
  }
}

}  // namespace gpuloom
