// SPDX-License-Identifier: Apache-2.0
// What a run gives: the one structure that every writer (text, JSON, CSV, later HTML) starts from.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/report/access_report.h"

namespace gpuloom::traces {
struct Timeline;
}
namespace gpuloom::stats {
struct Intervals;
}

namespace gpuloom {

// Where a number comes from. kMachine: machine instructions and hardware units, as silicon counts them; kPtx:
// PTX instructions.
enum class MetricBasis : uint8_t { kMachine, kPtx, kSimulator };

struct ReportMetric {
  std::string name, unit;
  double value = 0;
  MetricBasis basis = MetricBasis::kMachine;
};

// Counters of one PTX line. Only counters that were collected are listed.
struct ReportLine {
  std::string file;  // of the source where the PTX has .loc, else of the PTX
  uint32_t line = 0;
  uint32_t ptx_line = 0;
  std::string operation;   // of the PTX: "ld.global.f32"
  std::string written_at;  // "file:line" of what was inlined from there; "" where it is this line
  std::vector<std::pair<std::string, double>> counters;  // name, value
};

// Asynchronous copies that one line issued.
struct ReportAsync {
  std::string file;
  uint32_t line = 0, ptx_line = 0;
  std::string kind;  // "cp.async", "bulk copy", "tensor copy", "remote store"
  uint64_t copies = 0, bytes = 0;
  double flight_mean = 0;   // cycles from issue to completion
  uint64_t flight_max = 0;  // cycles
  double waited_pct =
      0;  // of the flights, the part in which the block's warps waited for copies or mbarriers
  double overlap_pct = 0;  // the rest: time hidden behind other work
};

struct ReportKernel {
  std::string name;
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  bool clustered = false;
  uint32_t dynamic_shared_bytes = 0;
  uint32_t repeat = 1;
  std::vector<std::string> limiters;  // of the blocks on an SM: "registers", ...; empty where not counted
  bool complete = true;               // false: interrupted, and everything here counts up to then
  std::vector<ReportMetric> metrics;  // in the order of the metric table, unknown ones after
  std::vector<std::pair<std::string, double>> stalls;     // reason, warp-cycles
  std::vector<std::pair<std::string, uint64_t>> opcodes;  // machine opcode, warp instructions
  std::vector<ReportLine> lines;
  std::vector<ReportAsync> async;
  const ReportMetric* find(std::string_view metric) const;
};

struct ReportBuffer {
  std::string name, type;
  uint64_t count = 0, fnv1a64 = 0;
  std::vector<double> values;  // of buffers of at most 4 elements
};

struct ReportCheck {
  std::string buffer, against;
  bool passed = false;
  uint64_t mismatches = 0, count = 0;
  std::string first;  // the first difference, in words
};

// One report of `--check`: a pair of instructions, and how often.
struct ReportFinding {
  std::string kind;  // "uninitialised", "race", "conflict"
  std::string kernel, file, source, text;
  uint32_t line = 0;  // of the PTX
  uint64_t count = 0;
};

// A value of the configuration that is not the stock one's.
struct ReportChange {
  std::string key, from, to;  // "" where a side has no such key
};

struct ReportProvenance {
  std::string version, config, config_sha256, ptx, ptx_sha256, launch, mode, lowering;
  std::vector<ReportChange> changes;  // against the configuration that `config` names
  std::string sources;                // digest of those of the simulator (base/version.h)
};

// Times of the host: the only part that differs between two runs of the same thing.
struct ReportHost {
  double wall_seconds = 0, warp_instructions_per_second = 0;
  unsigned threads = 1;
};

struct RunReport {
  ReportProvenance provenance;
  std::vector<ReportKernel> kernels;
  std::vector<ReportBuffer> outputs;
  std::vector<ReportCheck> checks;
  std::string made_ptx;            // of a module that was compiled or taken out of a program; else ""
  std::vector<std::string> notes;  // what the model leaves out of this run
  bool complete = true;            // false: stopped; launches, outputs and checks after that are missing
  std::vector<ReportFinding> findings;
  std::vector<std::shared_ptr<const traces::Timeline>>
      timelines;  // a launch each, where a trace was asked for
  std::vector<std::shared_ptr<const stats::Intervals>> intervals;  // likewise, where they were
  std::vector<AccessReport> accesses;                              // a launch each, of an analysis
  ReportHost host;
};

}  // namespace gpuloom
