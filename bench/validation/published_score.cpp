// SPDX-License-Identifier: Apache-2.0
#include "bench/validation/published_score.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.h"
#include "bench/validation/published_probe.h"

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

PublishedResult result_of(ProbeRunner& runner, const PublishedData& data, const PublishedRow& row) {
  PublishedResult result;
  result.row = &row;
  try {
    result.simulated = runner.measure(data.probes.find(row.probe)->second, row);
  } catch (const Error& e) {
    if (e.kind() == ErrorKind::kUsage) throw;
    result.message = e.what();
  }
  return result;
}

}  // namespace

std::optional<double> PublishedResult::error() const {
  if (!simulated || *simulated <= 0) return std::nullopt;
  return std::fabs(std::log(*simulated / row->value));
}

std::vector<PublishedResult> score_published(const PublishedData& data, const std::string& board,
                                             const std::string& probe,
                                             const std::function<void(const PublishedResult&)>& each) {
  std::vector<PublishedResult> results;
  for (const PublishedBoard& b : data.boards) {
    if (!board.empty() && b.name != board) continue;
    ProbeRunner runner(b, data.folder + "/kernels");
    for (const PublishedRow& row : data.rows) {
      if (row.board != b.name || (!probe.empty() && row.probe != probe)) continue;
      if (row.probe.empty())
        results.push_back({&row, std::nullopt, row.words.find("why")->second});
      else
        results.push_back(result_of(runner, data, row));
      each(results.back());
    }
  }
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
