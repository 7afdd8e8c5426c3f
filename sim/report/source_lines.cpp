// SPDX-License-Identifier: Apache-2.0
#include "sim/report/source_lines.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>

#include "sim/report/table.h"
#include "sim/report/writers.h"

namespace gpuloom {
namespace {

constexpr std::array<const char*, 5> kColumns = {"inst_executed", "stall_cycles", "sectors",
                                                 "shared_wavefronts", "bank_conflicts"};
constexpr size_t kExecuted = 0, kStalls = 1;
using Values = std::array<double, kColumns.size()>;

// A line that has this share of a column is never left out, nor are the first ones.
constexpr double kShare = 0.02, kInstructionShare = 0.1;
constexpr size_t kAlways = 5, kMost = 40;

struct Line {
  std::string place;
  Values values{};
  std::vector<const ReportLine*> instructions;
};

Values values_of(const ReportLine& line) {
  Values values{};
  for (const auto& [name, value] : line.counters)
    for (size_t c = 0; c < kColumns.size(); ++c)
      if (name == kColumns[c]) values[c] = value;
  return values;
}

void add_values(Values& sum, const Values& more) {
  for (size_t c = 0; c < sum.size(); ++c) sum[c] += more[c];
}

// The largest part that these values are of any column; executions count where nothing else was measured.
double share(const Values& values, const Values& total) {
  double most = 0;
  for (size_t c = total[kStalls] > 0 ? kStalls : kExecuted; c < values.size(); ++c)
    if (total[c] > 0) most = std::max(most, values[c] / total[c]);
  return most;
}

std::string top_stall(const ReportLine& line) {
  std::string name;
  double most = 0;
  for (const auto& [counter, value] : line.counters)
    if (counter.starts_with("stall_") && counter != "stall_cycles" && counter != "stall_selected" &&
        value > most) {
      most = value;
      name = counter.substr(6);
    }
  return name;
}

std::vector<std::string> cells(std::string place, std::string ptx, const Values& values, std::string stall) {
  std::vector<std::string> row = {std::move(place), std::move(ptx)};
  for (const double value : values) row.push_back(value == 0 ? "" : show_value(value, ""));
  row.push_back(std::move(stall));
  return row;
}

std::string instruction_text(const ReportLine& l) {
  std::string text = fmt::format("{} {}", l.ptx_line, l.operation);
  const size_t slash = l.written_at.rfind('/');
  if (!l.written_at.empty())
    text += " (" + (slash == std::string::npos ? l.written_at : l.written_at.substr(slash + 1)) + ")";
  return text;
}

std::vector<Line> grouped(const ReportKernel& k) {
  std::map<std::pair<std::string, uint32_t>, Line> by_place;
  for (const ReportLine& l : k.lines) {
    Line& line = by_place[{l.file, l.line}];
    line.place = fmt::format("{}:{}", l.file, l.line);
    add_values(line.values, values_of(l));
    line.instructions.push_back(&l);
  }
  std::vector<Line> lines;
  for (auto& [place, line] : by_place) lines.push_back(std::move(line));
  return lines;
}

void add_instructions(TextTable& table, Line line, size_t key) {
  std::stable_sort(
      line.instructions.begin(), line.instructions.end(),
      [&](const ReportLine* a, const ReportLine* b) { return values_of(*a)[key] > values_of(*b)[key]; });
  for (const ReportLine* l : line.instructions) {
    const Values values = values_of(*l);
    if (share(values, line.values) >= kInstructionShare)
      table.row(cells("", instruction_text(*l), values, top_stall(*l)));
  }
}

}  // namespace

std::string source_lines_text(const ReportKernel& k, size_t width) {
  if (k.lines.empty()) return {};
  std::vector<Line> lines = grouped(k);
  Values total{};
  for (const Line& line : lines) add_values(total, line.values);
  const size_t key = total[kStalls] > 0 ? kStalls : kExecuted;
  std::stable_sort(lines.begin(), lines.end(),
                   [&](const Line& a, const Line& b) { return a.values[key] > b.values[key]; });
  TextTable table({"Line", "PTX", ">Executed", ">Stall Cycles", ">Sectors", ">Shared Wavefronts",
                   ">Bank Conflicts", "Waits Most For"});
  size_t shown = 0;
  Values left{};
  for (const Line& line : lines) {
    if (shown >= kMost || (shown >= kAlways && share(line.values, total) < kShare)) {
      add_values(left, line.values);
      continue;
    }
    ++shown;
    const bool one = line.instructions.size() == 1;
    table.row(cells(line.place, one ? instruction_text(*line.instructions[0]) : "", line.values,
                    one ? top_stall(*line.instructions[0]) : ""));
    if (!one) add_instructions(table, line, key);
  }
  if (shown < lines.size())
    table.row(cells(fmt::format("{} more lines", lines.size() - shown), "", left, ""));
  return table.str("    ", width);
}

}  // namespace gpuloom
