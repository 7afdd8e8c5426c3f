// SPDX-License-Identifier: Apache-2.0
#include "sim/report/ncu/ncu_csv.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "base/error.h"
#include "base/text.h"
#include "sim/report/metric_table.h"

namespace gpuloom {
namespace {

struct CsvRow {
  uint32_t line = 0;
  std::vector<std::string> fields;
  uint32_t profile = 0;  // of those that one file holds one after the other
};

// The fields of one line: what the profiler writes has no newlines in them.
CsvRow row_of(std::string_view text, uint32_t line, const std::string& file) {
  CsvRow row{line, {""}, 0};
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' && quoted && i + 1 < text.size() && text[i + 1] == '"') {
      row.fields.back() += '"';
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      row.fields.emplace_back();
    } else if (c != '\r') {
      row.fields.back() += c;
    }
  }
  if (quoted)
    throw Error(ErrorKind::kInput, "a quote in this line is not closed", {file, line, 0},
                "the profile may have been cut off: run ncu again");
  return row;
}

// From the heading on, without the profiler's own lines. The heading comes again where another profile was
// appended.
std::vector<CsvRow> csv_rows(std::string_view text, const std::string& file) {
  std::vector<CsvRow> rows;
  uint32_t number = 0, profile = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    ++number;
    if (rows.empty() && !line.starts_with("\"ID\",") && !line.starts_with("ID,")) continue;
    if (line.starts_with("==") || trim(line).empty()) continue;
    rows.push_back(row_of(line, number, file));
    if (rows.size() > 1 && rows.back().fields == rows[0].fields) {
      ++profile;
      rows.pop_back();
      continue;
    }
    rows.back().profile = profile;
    if (rows.back().fields.size() != rows[0].fields.size())
      throw Error(ErrorKind::kInput,
                  fmt::format("this row has {} fields, and the heading in line {} has {}",
                              rows.back().fields.size(), rows[0].line, rows[0].fields.size()),
                  {file, number, 0}, "the profile may have been cut off, or the program printed into it");
  }
  if (rows.empty())
    throw Error(ErrorKind::kInput,
                "there is no table of Nsight Compute in this file: no line begins with \"ID\"", {file, 0, 0},
                "ncu --csv --page raw -i report.ncu-rep > profile.csv");
  return rows;
}

int column_of(const CsvRow& head, std::string_view name) {
  const auto at = std::find(head.fields.begin(), head.fields.end(), name);
  return at == head.fields.end() ? -1 : static_cast<int>(at - head.fields.begin());
}

int need_column(const CsvRow& head, std::string_view name, const std::string& file) {
  const int at = column_of(head, name);
  if (at >= 0) return at;
  throw Error(ErrorKind::kInput, fmt::format("the heading has no column \"{}\"", name), {file, head.line, 0},
              "ncu --csv --page raw -i report.ncu-rep > profile.csv");
}

// "1,234.5" -> 1234.5; nothing for "n/a", an empty field or a text that does not begin like a number.
std::optional<double> number_of(const std::string& field, const std::string& file, uint32_t line,
                                const std::string& metric) {
  std::string digits;
  for (const char c : field)
    if (c != ',') digits += c;
  const std::string_view trimmed = trim(digits);
  if (trimmed.empty() || (trimmed.find_first_of("0123456789") > 1)) return {};
  double value = 0;
  const auto [end, error] = std::from_chars(trimmed.data(), trimmed.data() + trimmed.size(), value);
  if (error == std::errc{} && end == trimmed.data() + trimmed.size()) return value;
  if (error == std::errc{} && *end == ' ') return {};  // "12 (3; 4; 5)": a metric with instances
  throw Error(ErrorKind::kInput, fmt::format("'{}' of {} is not a number", field, metric), {file, line, 0});
}

// "(256, 1, 1)"
std::array<uint32_t, 3> extent_of(const std::string& field, const std::string& file, uint32_t line) {
  std::array<uint32_t, 3> extent{1, 1, 1};
  size_t at = 0;
  for (uint32_t& n : extent) {
    at = field.find_first_of("0123456789", at);
    if (at == std::string::npos)
      throw Error(ErrorKind::kInput, fmt::format("'{}' is not a size such as (256, 1, 1)", field),
                  {file, line, 0});
    const auto [end, error] = std::from_chars(field.data() + at, field.data() + field.size(), n);
    if (error != std::errc{})
      throw Error(ErrorKind::kInput, fmt::format("'{}' is too large an extent", field), {file, line, 0});
    at = static_cast<size_t>(end - field.data());
  }
  return extent;
}

NcuMetric metric_of(std::string name, const std::string& unit, const std::string& value,
                    const std::string& file, uint32_t line) {
  const NcuUnit base = ncu_unit(unit);
  const std::optional<double> number = number_of(value, file, line, name);
  NcuMetric m{std::move(name), base.base, number};
  if (m.value) *m.value *= base.factor;
  return m;
}

struct Columns {
  size_t id, kernel, block, grid;
};
Columns columns_of(const CsvRow& head, const std::string& file) {
  const auto at = [&](std::string_view name) { return static_cast<size_t>(need_column(head, name, file)); };
  return {at("ID"), at("Kernel Name"), at("Block Size"), at("Grid Size")};
}

NcuLaunch launch_of(const CsvRow& row, const Columns& c, const std::string& file) {
  NcuLaunch launch;
  launch.id = row.fields[c.id];
  launch.kernel = row.fields[c.kernel];
  launch.block = extent_of(row.fields[c.block], file, row.line);
  launch.grid = extent_of(row.fields[c.grid], file, row.line);
  return launch;
}

// A row a launch; the row below the heading has the units.
std::vector<NcuLaunch> wide(const std::vector<CsvRow>& rows, const std::string& file) {
  const Columns c = columns_of(rows[0], file);
  if (rows.size() < 2 || !rows[1].fields[c.id].empty())
    throw Error(ErrorKind::kInput, "the row of units below the heading is missing", {file, rows[0].line, 0},
                "ncu --csv --page raw writes it");
  std::vector<NcuLaunch> launches;
  const CsvRow* units = &rows[1];
  for (size_t r = 2; r < rows.size(); ++r) {
    if (rows[r].fields[c.id].empty()) {
      units = &rows[r];
      continue;
    }
    NcuLaunch launch = launch_of(rows[r], c, file);
    for (size_t i = 0; i < rows[0].fields.size(); ++i)
      if (const std::string& name = rows[0].fields[i]; name.find("__") != std::string::npos)
        launch.metrics.push_back(metric_of(name, units->fields[i], rows[r].fields[i], file, rows[r].line));
    launches.push_back(std::move(launch));
  }
  return launches;
}

// A row a metric. Sections name metrics by their labels; --metrics by their names.
std::string name_of(const std::string& section, const std::string& label) {
  if (label.find("__") != std::string::npos) return label;
  for (const ReportSection& s : report_sections())
    if (s.title == section)
      for (const MetricInfo& m : metric_table())
        if (m.section == s.id && m.label == label) return std::string(m.name);
  return label;
}

std::vector<NcuLaunch> tall(const std::vector<CsvRow>& rows, const std::string& file) {
  const Columns c = columns_of(rows[0], file);
  const auto at = [&](std::string_view name) {
    return static_cast<size_t>(need_column(rows[0], name, file));
  };
  const size_t name = at("Metric Name"), unit = at("Metric Unit"), value = at("Metric Value");
  const int section = column_of(rows[0], "Section Name");
  std::vector<NcuLaunch> launches;
  std::map<std::pair<uint32_t, std::string>, size_t> by_id;
  for (size_t r = 1; r < rows.size(); ++r) {
    const CsvRow& row = rows[r];
    const auto [place, fresh] = by_id.emplace(std::pair(row.profile, row.fields[c.id]), launches.size());
    if (fresh) launches.push_back(launch_of(row, c, file));
    if (row.fields[name].empty()) continue;  // a rule's advice
    launches[place->second].metrics.push_back(
        metric_of(name_of(section < 0 ? "" : row.fields[static_cast<size_t>(section)], row.fields[name]),
                  row.fields[unit], row.fields[value], file, row.line));
  }
  return launches;
}

}  // namespace

NcuUnit ncu_unit(std::string_view unit) {
  // Nsight Compute counts in powers of ten, and has written seconds and hertz in several ways.
  static const std::map<std::string_view, NcuUnit> units = {{"ns", {1, "ns"}},
                                                            {"nsecond", {1, "ns"}},
                                                            {"us", {1e3, "ns"}},
                                                            {"usecond", {1e3, "ns"}},
                                                            {"ms", {1e6, "ns"}},
                                                            {"msecond", {1e6, "ns"}},
                                                            {"s", {1e9, "ns"}},
                                                            {"second", {1e9, "ns"}},
                                                            {"cycle/nsecond", {1e9, "Hz"}},
                                                            {"cycle/usecond", {1e6, "Hz"}},
                                                            {"cycle/second", {1, "Hz"}},
                                                            {"cycle/ns", {1e9, "Hz"}},
                                                            {"cycle/us", {1e6, "Hz"}},
                                                            {"cycle/s", {1, "Hz"}}};
  if (const auto known = units.find(unit); known != units.end()) return known->second;
  double factor = 1;
  std::string_view rest = unit;
  constexpr std::array<std::pair<char, double>, 4> kPrefixes = {
      {{'K', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}}};
  for (const auto& [letter, size] : kPrefixes)
    if (unit.size() > 1 && unit[0] == letter &&
        (unit.substr(1).starts_with("byte") || unit.substr(1) == "hz")) {
      factor = size;
      rest = unit.substr(1);
    }
  if (rest == "hz") return {factor, "Hz"};
  std::string base(rest);
  if (base == "byte/second") base = "byte/s";
  return {factor, base};
}

std::vector<NcuLaunch> parse_ncu_csv(std::string_view text, const std::string& file) {
  const std::vector<CsvRow> rows = csv_rows(text, file);
  return column_of(rows[0], "Metric Name") >= 0 ? tall(rows, file) : wide(rows, file);
}

}  // namespace gpuloom
