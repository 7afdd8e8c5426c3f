// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/demangle.h"
#include "base/error.h"
#include "sim/report/csv.h"
#include "sim/report/metric_table.h"
#include "sim/report/source_lines.h"
#include "sim/report/table.h"
#include "sim/report/writers.h"

namespace gpuloom {
namespace {

std::string extents(const std::array<uint32_t, 3>& d) {
  return fmt::format("({}, {}, {})", d[0], d[1], d[2]);
}

// Sections asked for, in the table's order.
std::vector<const ReportSection*> chosen_sections(const std::vector<std::string>& wanted) {
  std::vector<std::string> known = {"basic", "full"};
  for (const ReportSection& s : report_sections()) known.emplace_back(s.id);
  for (const std::string& w : wanted)
    if (std::find(known.begin(), known.end(), w) == known.end())
      throw Error(ErrorKind::kUsage, "unknown section '" + w + "'", {}, "expected " + either(known));
  const auto asked = [&](std::string_view name) {
    return std::find(wanted.begin(), wanted.end(), name) != wanted.end();
  };
  std::vector<const ReportSection*> chosen;
  for (const ReportSection& s : report_sections())
    if (asked("full") || (asked("basic") && s.basic) || asked(s.id)) chosen.push_back(&s);
  return chosen;
}

std::string metric_section(const ReportKernel& k, const ReportSection& section, size_t width) {
  TextTable table({"Metric", "Unit", ">Value"});
  for (const MetricInfo& info : metric_table()) {
    if (info.section != section.id || info.label.empty() || info.label.starts_with("Stall ")) continue;
    if (const ReportMetric* m = k.find(info.name))
      table.row({std::string(info.label), std::string(info.unit), show_value(m->value, info.unit)});
  }
  if (section.id == "Occupancy" && table.rows() != 0 && !k.limiters.empty())
    table.row({"Blocks Limited By", "", join(k.limiters, ", ")});
  return table.rows() == 0 ? std::string() : table.str("    ", width);
}

std::string stall_section(const ReportKernel& k) {
  double total = 0;
  for (const auto& [reason, cycles] : k.stalls) total += cycles;
  if (total == 0) return {};
  auto sorted = k.stalls;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  TextTable table({"Warp State", ">Warp-Cycles", ">Share"});
  for (const auto& [reason, cycles] : sorted)
    if (cycles > 0)
      table.row({reason, show_value(cycles, "cycle"), fmt::format("{:.1f} %", cycles / total * 100)});
  return table.str("    ");
}

std::string async_section(const ReportKernel& k, size_t width) {
  if (k.async.empty()) return {};
  TextTable table(
      {"Line", "Copy", ">Copies", ">Bytes", ">Issue to Completion", ">Longest", ">Waited", ">Overlapped"});
  for (const ReportAsync& a : k.async)
    table.row({fmt::format("{}:{}", a.file, a.line), a.kind, with_thousands(a.copies),
               with_thousands(a.bytes), fmt::format("{:.1f} cycles", a.flight_mean),
               with_thousands(a.flight_max), fmt::format("{:.1f} %", a.waited_pct),
               fmt::format("{:.1f} %", a.overlap_pct)});
  return table.str("    ", width);
}

std::string kernel_text(const ReportKernel& k, const std::vector<const ReportSection*>& sections,
                        size_t width) {
  std::string out = fmt::format("  {} {}x{}{}{}\n", demangled(k.name), extents(k.grid), extents(k.block),
                                k.clustered ? ", clusters of " + extents(k.cluster) : "",
                                k.repeat > 1 ? fmt::format(", launch {} of {}", k.repeat, k.repeat) : "");
  for (const ReportSection* s : sections) {
    std::string body = metric_section(k, *s, width);
    if (s->id == "WarpStateStats") body += stall_section(k);
    if (s->id == "Async") body += async_section(k, width);
    if (s->id == "SourceCounters") body += source_lines_text(k, width);
    if (!body.empty()) out += fmt::format("    Section: {}\n{}\n", s->title, body);
  }
  return out;
}

}  // namespace

std::string show_value(double value, std::string_view unit) {
  if (!std::isfinite(value)) return "n/a";
  if (unit == "%") return fmt::format("{:.2f}", value);
  if (std::floor(value) == value && std::fabs(value) < 0x1p53)
    return value < 0 ? "-" + with_thousands(static_cast<uint64_t>(-value))
                     : with_thousands(static_cast<uint64_t>(value));
  return with_thousands(value, 2);
}

std::string summary_text(const RunReport& run, const std::vector<std::string>& wanted, size_t width) {
  const auto sections = chosen_sections(wanted);
  const ReportProvenance& p = run.provenance;
  std::string out = fmt::format("{} on {} ({}{})\n", p.ptx, p.config, p.mode,
                                p.lowering.empty() ? "" : ", lowering: " + p.lowering);
  if (run.program) out += program_text(*run.program, width);
  // The kernels of a program are shown where somebody asks for more than the usual.
  if (!run.program || wanted != std::vector<std::string>{"basic"})
    for (const ReportKernel& k : run.kernels) out += kernel_text(k, sections, width);
  if (!run.outputs.empty()) {
    TextTable table({"Output", "Type", ">Elements", "FNV-1a-64"});
    for (const ReportBuffer& b : run.outputs)
      table.row({b.name, b.type, with_thousands(b.count), fmt::format("{:016x}", b.fnv1a64)});
    out += table.str("  ") + "\n";
  }
  for (const ReportCheck& c : run.checks)
    out += fmt::format(
        "  {} '{}' against {}{}\n", c.passed ? "passed:" : "FAILED:", c.buffer, c.against,
        c.passed ? "" : fmt::format(": {} of {} elements differ; {}", c.mismatches, c.count, c.first));
  if (!run.complete)
    out +=
        "  INCOMPLETE: the run was stopped; the numbers are up to that point, and outputs and checks are "
        "missing\n";
  for (const std::string& note : run.notes) out += "  note: " + note + "\n";
  return out;
}

std::string result_csv(const RunReport& run, const std::vector<std::string>& wanted) {
  const auto sections = chosen_sections(wanted);
  const auto shown = [&](const std::string& name) {
    const MetricInfo* info = find_metric(name);
    return wanted.empty() ||
           (info != nullptr && std::any_of(sections.begin(), sections.end(),
                                           [&](const ReportSection* s) { return s->id == info->section; }));
  };
  std::string out = csv_line({"launch", "kernel", "metric", "unit", "value"});
  for (size_t i = 0; i < run.kernels.size(); ++i)
    for (const ReportMetric& m : run.kernels[i].metrics)
      if (shown(m.name))
        out += csv_line({std::to_string(i), run.kernels[i].name, m.name, m.unit,
                         std::isfinite(m.value) ? format_number(m.value) : ""});
  return out;
}

}  // namespace gpuloom
