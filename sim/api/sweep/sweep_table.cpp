// SPDX-License-Identifier: Apache-2.0
#include "sim/api/sweep/sweep_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "sim/memory/files.h"
#include "sim/report/csv.h"
#include "sim/report/writers.h"

namespace gpuloom::sim {
namespace {

struct Entry {
  const SweepManifest::Point* point = nullptr;
  PointState state = PointState::kPending;
  RunReport run;
};

// What has a row: each launch; a program on streams as a whole.
std::vector<ReportKernel> rows_of(const RunReport& run) {
  if (!run.program) return run.kernels;
  ReportKernel whole;
  whole.name = "program";
  if (run.program->timed) whole.metrics = program_metrics(*run.program);
  return {whole};
}

std::vector<Entry> read_results(const SweepStore& store, const SweepManifest& manifest) {
  const std::vector<PointState> states = store.states(manifest);
  std::vector<Entry> entries;
  for (size_t i = 0; i < states.size(); ++i) {
    Entry e;
    e.point = &manifest.points[i];
    e.state = states[i];
    const std::string path = store.result_path(e.point->id);
    if (e.state == PointState::kDone) e.run = parse_result_json(read_file(path), path);
    entries.push_back(std::move(e));
  }
  return entries;
}

// Names of all metrics in the order in which the points bring them up.
std::vector<std::string> metric_columns(const std::vector<Entry>& entries,
                                        const std::vector<std::string>& wanted,
                                        std::map<std::string, std::string>& units) {
  std::vector<std::string> all;
  bool any = false;
  for (const Entry& e : entries) {
    for (const ReportKernel& k : rows_of(e.run)) {
      any = true;
      for (const ReportMetric& m : k.metrics)
        if (units.emplace(m.name, m.unit).second) all.push_back(m.name);
    }
  }
  if (wanted.empty()) return all;
  for (const std::string& name : wanted)
    if (any && units.find(name) == units.end())
      throw Error(ErrorKind::kUsage, "no point has the metric '" + name + "'", {}, did_you_mean(name, all));
  return wanted;
}

const char* state_name(PointState state) {
  switch (state) {
    case PointState::kDone:
      return "done";
    case PointState::kFailed:
      return "failed";
    case PointState::kPending:
    case PointState::kRunning:
      break;
  }
  return "left";
}

}  // namespace

size_t SweepTable::column(const std::string& name) const {
  const auto at = std::find(head.begin(), head.end(), name);
  if (at == head.end())
    throw Error(ErrorKind::kUsage, "the table has no column '" + name + "'", {}, did_you_mean(name, head));
  return static_cast<size_t>(at - head.begin());
}

SweepTable collect_sweep(const SweepStore& store, const std::vector<std::string>& metrics, bool times) {
  const SweepManifest manifest = store.manifest();
  const std::vector<Entry> entries = read_results(store, manifest);
  SweepTable table;
  const std::vector<std::string> columns =
      metric_columns(entries, metrics.empty() ? manifest.metrics : metrics, table.units);
  table.head = {"point", "state", "exit_code"};
  table.axes_begin = table.head.size();
  table.head.insert(table.head.end(), manifest.axes.begin(), manifest.axes.end());
  table.axes_end = table.head.size();
  for (const char* name : {"repeat", "kernel", "launch"}) {
    const bool axis = std::find(manifest.axes.begin(), manifest.axes.end(), name) != manifest.axes.end();
    table.head.push_back(axis ? std::string("run_") + name : name);
  }
  table.metrics_begin = table.head.size();
  table.head.insert(table.head.end(), columns.begin(), columns.end());
  if (times) table.head.emplace_back("seconds");
  for (const Entry& e : entries) {
    std::vector<std::string> row = {e.point->id, state_name(e.state),
                                    e.state == PointState::kDone ? "0" : ""};
    if (e.state == PointState::kFailed)
      if (const auto failure = store.failure(e.point->id)) row.back() = std::to_string(failure->exit_code);
    row.insert(row.end(), e.point->labels.begin(), e.point->labels.end());
    row.push_back(std::to_string(e.point->repeat));
    const std::vector<ReportKernel> kernels = rows_of(e.run);
    for (size_t k = 0; k < kernels.size(); ++k) {
      std::vector<std::string> full = row;
      full.push_back(kernels[k].name);
      full.push_back(std::to_string(k));
      for (const std::string& name : columns) {
        const ReportMetric* m = kernels[k].find(name);
        full.push_back(m == nullptr || !std::isfinite(m->value) ? "" : format_number(m->value));
      }
      if (times) full.push_back(format_number(e.run.host.wall_seconds));
      table.rows.push_back(std::move(full));
    }
    if (kernels.empty()) {
      row.resize(table.head.size());
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

std::string table_csv(const SweepTable& table) {
  std::string text = csv_line(table.head);
  for (const auto& row : table.rows) text += csv_line(row);
  return text;
}

}  // namespace gpuloom::sim
