// SPDX-License-Identifier: Apache-2.0
#include "sim/report/intervals.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "base/stats/intervals.h"
#include "sim/report/csv.h"

namespace gpuloom {
namespace {

using Json = nlohmann::ordered_json;
using stats::Intervals;
using stats::IntervalTable;

// Written by hand: a table has a million numbers, which a tree of JSON values would hold at 16 bytes each.
void append_values(const IntervalTable& table, const IntervalTable::Column& column, std::string& out) {
  out += '[';
  for (size_t i = 0; i < table.intervals; ++i) {
    out += i == 0 ? "[" : ",[";
    for (size_t u = 0; u < table.units; ++u)
      fmt::format_to(std::back_inserter(out), "{}{}", u == 0 ? "" : ",", column.values[i * table.units + u]);
    out += ']';
  }
  out += ']';
}

void append_launch(const Intervals& launch, std::string& out) {
  fmt::format_to(std::back_inserter(out), "{{\"kernel\": {}, \"cycles\": {}, \"interval\": {},",
                 Json(launch.kernel).dump(), launch.cycles, launch.cycles_each);
  if (launch.cycles_asked != launch.cycles_each)
    fmt::format_to(std::back_inserter(out), " \"asked\": {},", launch.cycles_asked);
  out += " \"units\": {";
  bool first_table = true;
  for (const IntervalTable& table : launch.tables) {
    fmt::format_to(std::back_inserter(out),
                   "{}\n  \"{}\": {{\"count\": {}, \"intervals\": {}, \"counters\": {{",
                   first_table ? "" : ",", table.kind, table.units, table.intervals);
    first_table = false;
    bool first = true;
    for (const IntervalTable::Column& column : table.columns) {
      fmt::format_to(std::back_inserter(out), "{}\n    {}: {{\"unit\": {}, \"values\": ", first ? "" : ",",
                     Json(column.name).dump(), Json(column.unit).dump());
      first = false;
      append_values(table, column, out);
      out += '}';
    }
    out += "}}";
  }
  out += "}}";
}

// Counters of all launches: one that is zero in some of them has no column there.
std::vector<std::string> names_of(const std::vector<const IntervalTable*>& tables) {
  std::vector<std::string> names;
  for (const IntervalTable* table : tables)
    for (const IntervalTable::Column& column : table->columns)
      if (std::find(names.begin(), names.end(), column.name) == names.end()) names.push_back(column.name);
  return names;
}

void append_rows(size_t number, const Intervals& launch, const IntervalTable& table,
                 const std::vector<std::string>& names, std::string& out) {
  std::vector<const IntervalTable::Column*> columns;
  for (const std::string& name : names) columns.push_back(table.find(name));
  const std::string kernel = csv_line({launch.kernel});
  for (size_t i = 0; i < table.intervals; ++i)
    for (size_t u = 0; u < table.units; ++u) {
      fmt::format_to(std::back_inserter(out), "{},{},{},{},{}", number, kernel.substr(0, kernel.size() - 1),
                     u, i * launch.cycles_each, (i + 1) * launch.cycles_each);
      for (const IntervalTable::Column* column : columns)
        fmt::format_to(std::back_inserter(out), ",{}", column ? column->values[i * table.units + u] : 0);
      out += '\n';
    }
}

}  // namespace

std::string intervals_json(const RunReport& run) {
  const ReportProvenance& p = run.provenance;
  const Json provenance = {{"config_sha256", p.config_sha256},
                           {"ptx_sha256", p.ptx_sha256},
                           {"launch", p.launch},
                           {"lowering", p.lowering},
                           {"sources", p.sources}};
  std::string out = fmt::format("{{\"schema\": 1, \"provenance\": {},\n \"launches\": [", provenance.dump());
  for (size_t i = 0; i < run.intervals.size(); ++i) {
    if (i != 0) out += ",\n";
    append_launch(*run.intervals[i], out);
  }
  return out + "]}\n";
}

std::vector<std::pair<std::string, std::string>> intervals_csv(const RunReport& run) {
  std::map<std::string, std::vector<const IntervalTable*>> kinds;
  for (const auto& launch : run.intervals)
    for (const IntervalTable& table : launch->tables) kinds[table.kind].push_back(&table);
  std::vector<std::pair<std::string, std::string>> files;
  for (const auto& [kind, tables] : kinds) {
    const std::vector<std::string> names = names_of(tables);
    std::vector<std::string> head = {"launch", "kernel", "unit", "begin", "end"};
    head.insert(head.end(), names.begin(), names.end());
    std::string text = csv_line(head);
    for (size_t i = 0; i < run.intervals.size(); ++i)
      for (const IntervalTable& table : run.intervals[i]->tables)
        if (table.kind == kind) append_rows(i, *run.intervals[i], table, names, text);
    files.emplace_back("intervals_" + kind + ".csv", std::move(text));
  }
  return files;
}

}  // namespace gpuloom
