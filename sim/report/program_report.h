// SPDX-License-Identifier: Apache-2.0
// What a program of launches and copies on streams gives: one record of each, the times of its events, and
// sums over the whole of it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gpuloom {

struct ReportMetric;
struct RunReport;
struct ProgramSpan;

enum class WorkKind : uint8_t { kKernel, kToDevice, kToHost, kWithin, kFill, kPeer };
const char* name(WorkKind kind);  // "kernel", "host to device", "device to host", "device to device",
                                  // "memset", "peer to peer"
bool work_kind_named(const std::string& name, WorkKind& kind);

// One launch, copy or fill. Times are nanoseconds of the program's clock.
struct ProgramWork {
  WorkKind kind = WorkKind::kKernel;
  std::string name;    // of the kernel, or of the buffer
  std::string stream;  // "default" or its name
  unsigned device = 0;
  std::string graph;  // that it was a node of; "": of none
  double begin_ns = 0, end_ns = 0;
  uint64_t bytes = 0;     // of a copy or fill
  bool pageable = false;  // the host's side of a copy is not pinned
  bool done = false;      // false: the program ended before it
  std::vector<size_t>
      shared_with;               // launches that were on the GPU at the same time, by their place in the list
  std::optional<size_t> kernel;  // of a launch: its place among the run's kernels
};

struct ProgramEvent {
  std::string name;
  double at_ns = 0;  // when it was recorded last
};

struct ReportProgram {
  std::vector<ProgramWork> work;  // in the order of submission
  std::vector<ProgramEvent> events;
  double end_ns = 0;  // when the host had waited for everything
  bool timed = true;  // false: without time, so that nothing has one
  unsigned devices = 1;
};

// How much of the program's time has what under way.
struct ProgramTimes {
  double total = 0;            // from the first call to the end, ns
  double kernels = 0;          // with a kernel under way
  double copies = 0;           // with a copy or fill under way
  double both = 0;             // with both
  double several = 0;          // with two kernels or more
  double idle() const;         // with none
  double overlap_pct() const;  // of the copies' time, what kernels hide
};
ProgramTimes program_times(const std::vector<ProgramWork>& work, double end_ns);
// The same of what is kept of each piece where there may be very many.
struct WorkSpan {
  double begin_ns = 0, end_ns = 0;
  bool kernel = false;
};
ProgramTimes program_times(const std::vector<WorkSpan>& work, double end_ns);

// program__*, as the table below names them.
struct ProgramMetricInfo {
  const char *name, *unit, *description;
};
const std::vector<ProgramMetricInfo>& program_metric_table();
std::vector<ReportMetric> program_metrics(const ReportProgram& program);
std::vector<ReportMetric> program_metrics(const ProgramTimes& times, double launches, double copies,
                                          double bytes);

// How long kernels, copies and nothing were under way, and what overlapped.
std::string overlap_text(const ProgramTimes& times);

// Sums by kernel and kind of copy, and what overlapped, for people. `width` as TextTable::str.
std::string program_text(const ReportProgram& program, size_t width = 0);

// A track for each stream and each direction of copies, for program_timeline_json.
std::vector<ProgramSpan> program_spans(const ReportProgram& program);

}  // namespace gpuloom
