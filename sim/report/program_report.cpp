// SPDX-License-Identifier: Apache-2.0
#include "sim/report/program_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/demangle.h"
#include "base/text.h"
#include "sim/report/program_timeline.h"
#include "sim/report/result.h"
#include "sim/report/table.h"

namespace gpuloom {
namespace {

constexpr std::array<const char*, 6> kNames = {"kernel",           "host to device", "device to host",
                                               "device to device", "memset",         "peer to peer"};

std::string microseconds(double ns) { return fmt::format("{:.2f}", ns * 1e-3); }

// One line of the summary: launches of a kernel, or copies of a kind.
struct Sum {
  uint64_t count = 0, bytes = 0;
  double total = 0, least = INFINITY, most = 0;
  void add(const ProgramWork& w) {
    const double took = w.end_ns - w.begin_ns;
    ++count;
    bytes += w.bytes;
    total += took;
    least = std::min(least, took);
    most = std::max(most, took);
  }
};

std::string events_text(const ReportProgram& program) {
  std::string out;
  for (const ProgramEvent& e : program.events)
    out += fmt::format("    event {} at {} us\n", e.name, microseconds(e.at_ns));
  return out;
}

}  // namespace

const char* name(WorkKind kind) { return kNames[static_cast<size_t>(kind)]; }

bool work_kind_named(const std::string& name, WorkKind& kind) {
  const auto at = std::find(kNames.begin(), kNames.end(), name);
  if (at != kNames.end()) kind = static_cast<WorkKind>(at - kNames.begin());
  return at != kNames.end();
}

double ProgramTimes::idle() const { return total - kernels - copies + both; }
double ProgramTimes::overlap_pct() const { return copies == 0 ? 0 : both / copies * 100; }

// Every begin and end in order of time; between two of them the numbers of kernels and copies stand still.
ProgramTimes program_times(const std::vector<WorkSpan>& work, double end_ns) {
  struct Change {
    double at;
    bool kernel;
    int by;
  };
  std::vector<Change> changes;
  ProgramTimes times;
  times.total = end_ns;
  for (const WorkSpan& w : work) {
    changes.push_back({w.begin_ns, w.kernel, +1});
    changes.push_back({w.end_ns, w.kernel, -1});
    times.total = std::max(times.total, w.end_ns);
  }
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.at < b.at; });
  int kernels = 0, copies = 0;
  double last = 0;
  for (const Change& c : changes) {
    const double span = c.at - last;
    if (kernels > 0) times.kernels += span;
    if (kernels > 1) times.several += span;
    if (copies > 0) times.copies += span;
    if (kernels > 0 && copies > 0) times.both += span;
    (c.kernel ? kernels : copies) += c.by;
    last = c.at;
  }
  return times;
}

ProgramTimes program_times(const std::vector<ProgramWork>& work, double end_ns) {
  std::vector<WorkSpan> spans;
  for (const ProgramWork& w : work)
    if (w.done) spans.push_back({w.begin_ns, w.end_ns, w.kind == WorkKind::kKernel});
  return program_times(spans, end_ns);
}

const std::vector<ProgramMetricInfo>& program_metric_table() {
  static const std::vector<ProgramMetricInfo> table = {
      {"program__time_duration", "ns", "From the program's first call until the host has waited for all."},
      {"program__time_kernels", "ns", "Time in which a kernel is under way."},
      {"program__time_copies", "ns", "Time in which a copy or a fill is under way."},
      {"program__time_overlap", "ns", "Time in which kernels and copies are under way."},
      {"program__time_concurrent_kernels", "ns", "Time in which several kernels are under way."},
      {"program__time_idle", "ns", "Time in which the device has nothing to do."},
      {"program__overlap.pct", "%", "Of the time of copies and fills, the part that kernels hide."},
      {"program__idle.pct", "%", "Of the program's time, the part in which the device has nothing to do."},
      {"program__launches", "launch", "Kernels launched, those of graphs included."},
      {"program__copies", "copy", "Copies and fills."},
      {"program__copied_bytes", "byte", "Bytes that copies and fills moved."},
  };
  return table;
}

std::vector<ReportMetric> program_metrics(const ReportProgram& program) {
  double launches = 0, copies = 0, bytes = 0;
  for (const ProgramWork& w : program.work) {
    (w.kind == WorkKind::kKernel ? launches : copies) += 1;
    bytes += static_cast<double>(w.bytes);
  }
  return program_metrics(program_times(program.work, program.end_ns), launches, copies, bytes);
}

std::vector<ReportMetric> program_metrics(const ProgramTimes& t, double launches, double copies,
                                          double bytes) {
  const double idle_pct = t.total == 0 ? 0 : t.idle() / t.total * 100;
  const std::vector<double> values = {t.total,         t.kernels, t.copies, t.both, t.several, t.idle(),
                                      t.overlap_pct(), idle_pct,  launches, copies, bytes};
  std::vector<ReportMetric> metrics;
  for (size_t i = 0; i < values.size(); ++i) {
    const ProgramMetricInfo& info = program_metric_table()[i];
    metrics.push_back({info.name, info.unit, values[i], MetricBasis::kSimulator});
  }
  return metrics;
}

std::string overlap_text(const ProgramTimes& t) {
  const double share = t.total == 0 ? 0 : 100 / t.total;
  return fmt::format("    kernels {} us ({:.1f} %), of which several at once {} us\n",
                     microseconds(t.kernels), t.kernels * share, microseconds(t.several)) +
         fmt::format("    copies {} us ({:.1f} %), of which during kernels {} us ({:.1f} % overlapped)\n",
                     microseconds(t.copies), t.copies * share, microseconds(t.both), t.overlap_pct()) +
         fmt::format("    idle {} us ({:.1f} %)\n", microseconds(t.idle()), t.idle() * share);
}

std::string program_text(const ReportProgram& program, size_t width) {
  if (!program.timed) {
    size_t launches = 0;
    for (const ProgramWork& w : program.work) launches += w.kind == WorkKind::kKernel ? 1 : 0;
    return fmt::format("  program: {} launches, {} copies and fills, without time\n", launches,
                       program.work.size() - launches);
  }
  std::map<std::string, Sum> kernels;
  std::array<Sum, kNames.size()> moved;
  for (const ProgramWork& w : program.work) {
    if (!w.done) continue;
    if (w.kind == WorkKind::kKernel)
      kernels[w.name].add(w);
    else
      moved[static_cast<size_t>(w.kind)].add(w);
  }
  std::vector<std::pair<std::string, Sum>> rows;
  rows.reserve(kernels.size() + moved.size());
  for (const auto& [kernel, sum] : kernels) rows.emplace_back(short_name(kernel), sum);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second.total > b.second.total; });
  for (size_t k = 1; k < moved.size(); ++k)
    if (moved[k].count != 0) rows.emplace_back(kNames[k], moved[k]);
  TextTable table({"Kernel or Copy", ">Count", ">Total us", ">Mean us", ">Least us", ">Most us", ">Bytes"});
  for (const auto& [what, sum] : rows)
    table.row({what, with_thousands(sum.count), microseconds(sum.total),
               microseconds(sum.total / static_cast<double>(sum.count)), microseconds(sum.least),
               microseconds(sum.most), sum.bytes == 0 ? "" : with_thousands(sum.bytes)});
  const ProgramTimes t = program_times(program.work, program.end_ns);
  const std::string out =
      fmt::format("  program: {} us\n", microseconds(t.total)) + table.str("    ", width) + overlap_text(t);
  return out + events_text(program);
}

std::vector<ProgramSpan> program_spans(const ReportProgram& program) {
  std::vector<ProgramSpan> spans;
  for (const ProgramWork& w : program.work) {
    if (!w.done) continue;
    const bool kernel = w.kind == WorkKind::kKernel;
    const std::string text =
        kernel ? short_name(w.name) : fmt::format("{} {}: {} bytes", name(w.kind), w.name, w.bytes);
    const std::string of = program.devices > 1 ? fmt::format("device {} ", w.device) : "";
    const std::string prefix = w.stream == "default" ? "" : "stream ";
    spans.push_back({text, of + prefix + w.stream + (prefix.empty() ? " stream" : ""), w.begin_ns, w.end_ns});
    const std::string track = kernel ? "kernels" : "copies " + std::string(name(w.kind));
    spans.push_back({text, of + track, w.begin_ns, w.end_ns});
  }
  return spans;
}

}  // namespace gpuloom
