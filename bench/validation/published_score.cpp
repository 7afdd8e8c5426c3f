// SPDX-License-Identifier: Apache-2.0
#include "bench/validation/published_score.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "bench/validation/published_probe.h"
#include "sim/api/process_pool.h"
#include "sim/memory/files.h"
#include "sim/memory/scratch_folder.h"

namespace gpuloom::validation {
namespace {

// Of sorted values; between two of them where the place is.
double quantile(const std::vector<double>& sorted, double part) {
  if (sorted.empty()) return 0;
  const double place = part * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

PublishedErrors errors_of(std::vector<double> errors) {
  std::ranges::sort(errors);
  return {errors.size(), quantile(errors, 0.5), quantile(errors, 0.9)};
}

// What one process measures: the rows of a board that share a probe.
struct Task {
  const PublishedBoard* board = nullptr;
  std::vector<size_t> rows;  // places in the results
};

std::vector<Task> tasks_of(const PublishedData& data, const std::vector<PublishedResult>& results) {
  std::map<std::pair<std::string, std::string>, size_t> places;
  std::vector<Task> tasks;
  for (size_t i = 0; i < results.size(); ++i) {
    const PublishedRow& row = *results[i].row;
    if (row.probe.empty()) continue;
    const auto [at, fresh] = places.try_emplace({row.board, row.probe}, tasks.size());
    if (fresh) tasks.push_back({&data.board(row.board), {}});
    tasks[at->second].rows.push_back(i);
  }
  return tasks;
}

// Measures a task's rows into a file: a number, or why there is none.
int measure_task(const PublishedData& data, const Task& task, const std::vector<PublishedResult>& results,
                 const std::string& path) {
  ProbeRunner runner(*task.board, data.folder + "/kernels");
  nlohmann::json measured = nlohmann::json::array();
  for (const size_t i : task.rows) {
    const PublishedRow& row = *results[i].row;
    try {
      measured.push_back(runner.measure(data.probes.find(row.probe)->second, row));
    } catch (const Error& e) {
      if (e.kind() == ErrorKind::kUsage) {
        std::fprintf(stderr, "%s", e.what());
        return static_cast<int>(e.kind());
      }
      measured.push_back(e.what());
    }
  }
  sim::write_file(path, measured.dump());
  return 0;
}

void take_results(const Task& task, const sim::ProcessResult& process, const std::string& path,
                  std::vector<PublishedResult>& results) {
  if (process.exit_code == static_cast<int>(ErrorKind::kUsage))
    throw Error(ErrorKind::kUsage, sim::read_file(path + ".txt"));
  if (process.exit_code != 0) {
    for (const size_t i : task.rows)
      results[i].message = process.signal != 0 ? fmt::format("killed by signal {}", process.signal)
                                               : fmt::format("ended with exit code {}", process.exit_code);
    return;
  }
  const nlohmann::json measured = nlohmann::json::parse(sim::read_file(path));
  for (size_t k = 0; k < task.rows.size(); ++k) {
    PublishedResult& result = results[task.rows[k]];
    if (measured[k].is_number())
      result.simulated = measured[k].get<double>();
    else
      result.message = measured[k].get<std::string>();
  }
}

}  // namespace

std::optional<double> PublishedResult::error() const {
  if (!simulated || *simulated <= 0) return std::nullopt;
  return std::fabs(std::log(*simulated / row->value));
}

std::vector<PublishedResult> score_published(const PublishedData& data, const std::string& board,
                                             const std::string& probe, unsigned jobs,
                                             const PublishedProgress& progress) {
  std::vector<PublishedResult> results;
  for (const PublishedBoard& b : data.boards) {
    if (!board.empty() && b.name != board) continue;
    for (const PublishedRow& row : data.rows) {
      if (row.board != b.name || (!probe.empty() && row.probe != probe)) continue;
      results.push_back({&row, std::nullopt, row.probe.empty() ? row.words.find("why")->second : ""});
    }
  }
  const std::vector<Task> tasks = tasks_of(data, results);
  const sim::ScratchFolder scratch;
  const auto path = [&](size_t t) { return fmt::format("{}/{}", scratch.path(), t); };
  std::vector<sim::ProcessJob> processes;
  for (size_t t = 0; t < tasks.size(); ++t)
    processes.push_back(
        {{}, path(t) + ".txt", [&, t] { return measure_task(data, tasks[t], results, path(t)); }});
  size_t ended = 0;
  const auto done = sim::run_processes(processes, jobs, 0, [&](size_t t, const sim::ProcessResult&) {
    progress(++ended, tasks.size(), tasks[t].board->name);
  });
  for (size_t t = 0; t < tasks.size(); ++t) take_results(tasks[t], done[t], path(t), results);
  return results;
}

PublishedErrors published_errors(const std::vector<PublishedResult>& results, const BoardFilter& of,
                                 std::string_view kind) {
  std::vector<double> errors;
  for (const PublishedResult& r : results)
    if (of(r.row->board) && r.row->kind == kind && !r.row->used && r.error()) errors.push_back(*r.error());
  return errors_of(std::move(errors));
}

PublishedErrors published_noise(const PublishedData& data) {
  // Board, probe and its words name a figure; the owner is what the source begins with.
  std::map<std::string, std::map<std::string, double>> owners;
  for (const PublishedRow& row : data.rows) {
    if (row.probe.empty()) continue;
    std::string figure = row.board + "|" + row.probe;
    for (const auto& [key, value] : row.words) figure += "|" + key + "=" + value;
    owners[figure].emplace(row.source.substr(0, row.source.find('@')), row.value);
  }
  std::vector<double> errors;
  for (const auto& [figure, values] : owners)
    for (auto a = values.begin(); a != values.end(); ++a)
      for (auto b = std::next(a); b != values.end(); ++b)
        errors.push_back(std::fabs(std::log(a->second / b->second)));
  return errors_of(std::move(errors));
}

}  // namespace gpuloom::validation
