// SPDX-License-Identifier: Apache-2.0
// The tables of published_score.h.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "bench/validation/published_score.h"
#include "sim/report/csv.h"
#include "sim/report/table.h"

namespace gpuloom::validation {
namespace {

std::string percent(double value) { return fmt::format("{:.1f}", 100 * value); }

std::string figure(double value) { return fmt::format("{:.4g}", value); }

std::string pair_of(const PublishedErrors& e) {
  return e.rows == 0 ? "" : percent(e.median) + " / " + percent(e.ninetieth);
}

bool counts(const PublishedResult& r) { return r.error() && !r.row->used; }

bool has_rows(const std::vector<PublishedResult>& results, const std::string& board) {
  return std::ranges::any_of(results, [&](const auto& r) { return r.row->board == board; });
}

// Boards whose conditions are known, or the others.
TextTable boards_table(const PublishedData& data, const std::vector<PublishedResult>& results, bool known) {
  TextTable table({"Board", "Configuration", ">Micro rows", ">median / 90th, %", ">Kernel rows",
                   ">median / 90th, %", ">Used", ">Not run"});
  for (const PublishedBoard& b : data.boards) {
    if (!has_rows(results, b.name) || b.unknown.empty() != known) continue;
    size_t used = 0, not_run = 0;
    for (const PublishedResult& r : results) {
      if (r.row->board != b.name) continue;
      used += r.row->used;
      not_run += !r.simulated;
    }
    const BoardFilter this_one = [&](const std::string& name) { return name == b.name; };
    const PublishedErrors micro = published_errors(results, this_one, "micro"),
                          kernel = published_errors(results, this_one, "kernel");
    table.row({b.name, b.config, std::to_string(micro.rows), pair_of(micro), std::to_string(kernel.rows),
               pair_of(kernel), std::to_string(used), std::to_string(not_run)});
  }
  return table;
}

TextTable unknown_table(const PublishedData& data, const std::vector<PublishedResult>& results) {
  TextTable table({"Board", "What is not known"});
  for (const PublishedBoard& b : data.boards)
    if (!b.unknown.empty() && has_rows(results, b.name)) table.row({b.name, b.unknown});
  return table;
}

TextTable rows_table(const std::vector<PublishedResult>& results) {
  TextTable table({"Board", "Quantity", ">Published", ">Simulated", "Unit", ">Ratio", ""});
  for (const PublishedResult& r : results) {
    if (!r.simulated) continue;
    table.row({r.row->board, r.row->quantity, figure(r.row->value), figure(*r.simulated), r.row->unit,
               fmt::format("{:.2f}", *r.simulated / r.row->value), r.row->used ? "used" : ""});
  }
  return table;
}

// Why rows have not run, and how many for each reason.
TextTable reasons_table(const std::vector<PublishedResult>& results) {
  std::map<std::string, size_t> reasons;
  for (const PublishedResult& r : results)
    if (!r.simulated) ++reasons[r.message.substr(0, r.message.find('\n'))];
  TextTable table({">Rows", "Not run because"});
  for (const auto& [reason, count] : reasons) table.row({std::to_string(count), reason});
  return table;
}

std::string noise_line(const PublishedData& data) {
  const PublishedErrors noise = published_noise(data);
  return fmt::format(
      "Two owners of one board differ by {} % (median) and {} % (90th percentile) over {} figures that both "
      "have published.\n",
      percent(noise.median), percent(noise.ninetieth), noise.rows);
}

}  // namespace

std::string published_text(const PublishedData& data, const std::vector<PublishedResult>& results,
                           bool rows) {
  std::string text;
  if (rows) text += rows_table(results).str() + "\n";
  text += boards_table(data, results, true).str();
  if (const TextTable unknown = unknown_table(data, results); unknown.rows() != 0)
    text += "\nConditions not known:\n" + boards_table(data, results, false).str() + "\n" + unknown.str();
  const TextTable reasons = reasons_table(results);
  if (reasons.rows() != 0) text += "\n" + reasons.str();
  return text + "\n" + noise_line(data);
}

std::string published_markdown(const PublishedData& data, const std::vector<PublishedResult>& results) {
  const auto counted = std::ranges::count_if(results, counts);
  std::string text =
      "# Published figures beside gpuloom\n\nWritten by `gpuloom score --published --markdown FILE`. Errors "
      "are "
      "|ln(simulated / published)| in percent. `micro` are chases, streams, caches and rates, `kernel` are "
      "times of whole kernels. A row that a value of the configuration rests on (*used*) does not count. ";
  text += fmt::format("{} of {} rows count.\n\n", counted, results.size()) + noise_line(data) + "\n";
  text += boards_table(data, results, true).markdown();
  text +=
      "\n## Boards whose conditions are not known\n\nTheir rows count as all others do, also in what "
      "`gpuloom run` says of an error to expect.\n\n";
  text += boards_table(data, results, false).markdown() + "\n" + unknown_table(data, results).markdown();
  text += "\n## Rows that have not run\n\n";
  text += reasons_table(results).markdown() + "\n## Every row\n\n" + rows_table(results).markdown();
  return text;
}

std::string published_expected(const PublishedData& data, const std::vector<PublishedResult>& results) {
  std::string text =
      "# How far from the board: what `gpuloom run` says where this project has not measured it. "
      "Written by `gpuloom score --published\n"
      "# --expected FILE`; percent of |ln(simulated / published)| over all boards that were held against the "
      "configuration.\n"
      "measured: [h200, h100-sxm]\nnot_real: [tiny]\npublished:\n";
  std::vector<std::string> configs;
  for (const PublishedBoard& b : data.boards)
    if (std::ranges::find(configs, b.config) == configs.end()) configs.push_back(b.config);
  for (const std::string& config : configs) {
    std::string entry;
    for (const char* kind : {"micro", "kernel"}) {
      const PublishedErrors e = published_errors(
          results, [&](const std::string& b) { return data.board(b).config == config; }, kind);
      if (e.rows != 0)
        entry += fmt::format("    {}: {{figures: {}, median: {}, ninetieth: {}}}\n", kind, e.rows,
                             percent(e.median), percent(e.ninetieth));
    }
    if (!entry.empty()) text += "  " + config + ":\n" + entry;
  }
  return text;
}

std::string published_csv(const std::vector<PublishedResult>& results) {
  std::string text =
      csv_line({"board", "class", "quantity", "published", "simulated", "unit", "used", "message"});
  for (const PublishedResult& r : results)
    text += csv_line({r.row->board, r.row->kind, r.row->quantity, fmt::format("{}", r.row->value),
                      r.simulated ? fmt::format("{:.6g}", *r.simulated) : "", r.row->unit,
                      r.row->used ? "yes" : "no", r.message});
  return text;
}

}  // namespace gpuloom::validation
