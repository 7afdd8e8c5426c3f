// SPDX-License-Identifier: Apache-2.0
#include "bench/validation/conformance_command.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <set>

#include "base/text.h"
#include "bench/validation/conformance.h"
#include "sim/cli/guarded.h"
#include "sim/cli/print.h"
#include "sim/cli/whole_number.h"
#include "sim/report/table.h"

namespace gpuloom::validation {

using cli::guarded;
using cli::print;
using cli::whole_number;

namespace {

struct ConformanceArguments {
  std::string folder;
  ConformanceOptions options;
  size_t limit = 50;
  bool quiet = false;
};

const char* word_of(CaseStatus status) {
  switch (status) {
    case CaseStatus::kPassed:
      return "passed";
    case CaseStatus::kFailed:
      return "FAILED";
    case CaseStatus::kRefused:
      return "refused";
    case CaseStatus::kFaulted:
      return "FAULT";
  }
  return "";
}

// A name that matches no case is a slip of the user's.
void check_names(const ConformanceSuite& suite, const ConformanceOptions& options) {
  std::set<std::string> groups, ids;
  for (const ConformanceCase& c : suite.cases) {
    groups.insert(c.group);
    ids.insert(c.id);
  }
  for (const std::string& g : options.groups)
    if (groups.count(g) == 0)
      throw Error(ErrorKind::kUsage, "unknown group '" + g + "'", {},
                  "groups: " + join({groups.begin(), groups.end()}, ", "));
  for (const std::string& id : options.ids)
    if (ids.count(id) == 0)
      throw Error(ErrorKind::kUsage, "unknown case '" + id + "'", {},
                  did_you_mean(id, {ids.begin(), ids.end()}));
}

// How many of the cases that may be close to silicon's results are equal to them, and which are not.
void print_tolerance(const ConformanceSuite& suite, const std::vector<CaseResult>& results) {
  size_t cases = 0;
  std::vector<std::string> inexact;
  for (const CaseResult& r : results) {
    const ConformanceCase& c = suite.cases[r.index];
    if (!has_tolerance(c)) continue;
    ++cases;
    if (r.inexact != 0 || r.status == CaseStatus::kRefused || r.status == CaseStatus::kFaulted)
      inexact.push_back(c.id);
  }
  if (cases == 0) return;
  print(fmt::format("{} of {} cases with a tolerance are equal bit for bit{}{}\n", cases - inexact.size(),
                    cases, inexact.empty() ? "" : "; not: ", join(inexact, ", ")));
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

int conformance(const ConformanceArguments& a) {
  const auto begin = std::chrono::steady_clock::now();
  const ConformanceSuite suite = load_conformance_suite(a.folder);
  check_names(suite, a.options);
  const std::vector<CaseResult> results = run_conformance(suite, a.options);
  std::map<std::string, std::array<size_t, 4>> groups;
  std::array<size_t, 4> total{};
  size_t shown = 0;
  for (const CaseResult& r : results) {
    const ConformanceCase& c = suite.cases[r.index];
    const auto status = static_cast<size_t>(r.status);
    ++groups[c.group][status];
    ++total[status];
    if (r.status == CaseStatus::kPassed || a.quiet || shown++ >= a.limit) continue;
    const std::string words = r.wrong > 1 ? fmt::format(" ({} words)", r.wrong) : "";
    print(fmt::format("{} {} {} {}/{}{}: {}\n", word_of(r.status), c.group, c.id, c.module, c.kernel, words,
                      first_line(r.message)));
  }
  if (shown > a.limit && !a.quiet)
    print(fmt::format("... and {} more (--limit 0 shows all)\n", shown - a.limit));
  TextTable table({"Group", ">Cases", ">Passed", ">Failed", ">Faulted", ">Refused"});
  const auto row = [&](const std::string& name, const std::array<size_t, 4>& n) {
    table.row({name, std::to_string(n[0] + n[1] + n[2] + n[3]), std::to_string(n[0]), std::to_string(n[1]),
               std::to_string(n[3]), std::to_string(n[2])});
  };
  for (const auto& [name, n] : groups) row(name, n);
  row("total", total);
  print(table.str());
  print_tolerance(suite, results);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::fprintf(stderr, "gpuloom: %.1f s\n", took.count());
  return total[1] + total[2] + total[3] == 0 ? 0 : static_cast<int>(ErrorKind::kVerification);
}

}  // namespace

void add_conformance_command(CLI::App& app, int& exit_code) {
  auto a = std::make_shared<ConformanceArguments>();
  CLI::App* command =
      app.add_subcommand("conformance", "Run single-instruction cases and compare with silicon");
  command
      ->add_option("folder", a->folder, "Suite: cases.jsonl, m*.ptx, inputs.bin, outputs.bin, plain or .gz")
      ->required();
  command->add_option("--group", a->options.groups, "Only these groups");
  command->add_option("--case", a->options.ids, "Only these cases");
  command->add_option("-c,--config,--gpu", a->options.config, "Configuration")->capture_default_str();
  command->add_option("-j,--jobs", a->options.threads, "Host threads")->check(cli::between(1, 1024));
  command->add_option("--limit", a->limit, "Cases to list that did not pass; 0: all")
      ->check(whole_number())
      ->capture_default_str();
  command->add_flag("-q,--quiet", a->quiet, "Totals only");
  command->callback([a, &exit_code] {
    if (a->limit == 0) a->limit = SIZE_MAX;
    exit_code = guarded([&] { return conformance(*a); });
  });
}

}  // namespace gpuloom::validation
