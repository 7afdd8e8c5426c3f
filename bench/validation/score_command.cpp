// SPDX-License-Identifier: Apache-2.0
#include "bench/validation/score_command.h"

#include <fmt/core.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>

#include "arch/gpu_config.h"
#include "base/config/config.h"
#include "base/text.h"
#include "bench/validation/access_score.h"
#include "bench/validation/add_case.h"
#include "bench/validation/lowering_score.h"
#include "bench/validation/published_command.h"
#include "bench/validation/score.h"
#include "bench/validation/suite_list.h"
#include "bench/validation/suite_manifest.h"
#include "bench/validation/target_score.h"
#include "sim/api/process_pool.h"
#include "sim/cli/choice.h"
#include "sim/cli/guarded.h"
#include "sim/cli/interrupt.h"
#include "sim/cli/print.h"
#include "sim/cli/whole_number.h"
#include "sim/memory/files.h"
#include "sim/memory/scratch_folder.h"
#include "sim/report/writers.h"
#include "sim/runtime/suite.h"

namespace gpuloom::validation {

using cli::amount_of_time;
using cli::guarded;
using cli::Interrupt;
using cli::one_of;
using cli::print;

namespace {

struct ScoreArguments {
  std::string suite = "reference", silicon = "h200", config = "h200", csv, json, markdown, compare,
              lowering = "machine", check;
  std::vector<std::string> cases, overrides, require, lowered_for;
  unsigned jobs = 1;
  double timeout = 0, max_seconds = 0;
  bool functional = false, counts = false, quiet = false, opcodes = false, targets = false,
       static_code = false, accesses = false, no_contract = false, published = false;
  PublishedArguments figures;
  AddCaseArguments added;
  bool suite_given = false, silicon_given = false;
};

// Cases that a name or a pattern of the shell's kind (bank*) names, in the suite's order.
std::vector<std::string> chosen_cases(const ScoreArguments& a) {
  const std::vector<std::string> all = sim::suite_case_names(a.suite);
  if (a.cases.empty()) return all;
  const auto fits = [](const std::string& pattern, const std::string& name) {
    return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
  };
  for (const std::string& pattern : a.cases)
    if (std::none_of(all.begin(), all.end(), [&](const std::string& name) { return fits(pattern, name); }))
      throw Error(ErrorKind::kUsage, "unknown case '" + pattern + "' in " + a.suite, {},
                  did_you_mean(pattern, all));
  std::vector<std::string> chosen;
  std::copy_if(all.begin(), all.end(), std::back_inserter(chosen), [&](const std::string& name) {
    return std::any_of(a.cases.begin(), a.cases.end(),
                       [&](const std::string& pattern) { return fits(pattern, name); });
  });
  return chosen;
}

// Longest first, so that the last ones to end are short; instructions are a fair guess at host time.
void sort_by_work(std::vector<std::string>& names, const SiliconTables& silicon) {
  const auto work = [&](const std::string& name) {
    const auto c = silicon.find(name);
    if (c == silicon.end()) return 0.0;
    const auto m = c->second.metrics.find("smsp__inst_executed.sum");
    return m == c->second.metrics.end() ? 0.0 : m->second;
  };
  std::stable_sort(names.begin(), names.end(),
                   [&](const auto& x, const auto& y) { return work(x) > work(y); });
}

// Each case runs in gpuloom, which lies beside this program.
std::string simulator_path() {
  const std::filesystem::path path = std::filesystem::path(sim::own_program()).parent_path() / "gpuloom";
  if (!std::filesystem::exists(path))
    throw Error(ErrorKind::kInput, "the simulator '" + path.string() + "' is not there: each case runs in it",
                {}, "scripts/build release gpuloom makes it");
  return path.string();
}

sim::ProcessJob job(const ScoreArguments& a, const std::string& simulator, const std::string& name,
                    const std::string& folder) {
  sim::ProcessJob j;
  j.command = {
      simulator, "run", "--suite",           a.suite,      "--case", name,         "-c",      a.config,
      "-q",      "-o",  folder + "/" + name, "--progress", "none",   "--lowering", a.lowering};
  for (const std::string& s : a.overrides) j.command.insert(j.command.end(), {"-s", s});
  if (a.functional) j.command.emplace_back("--functional");
  if (a.no_contract) j.command.emplace_back("--no-contract");
  if (a.counts) j.command.emplace_back("--counts");
  if (!a.check.empty()) j.command.insert(j.command.end(), {"--check", a.check});
  j.output = folder + "/" + name + ".txt";
  return j;
}

ScoreCase case_of(const std::string& name, const sim::ProcessResult& result, const std::string& folder,
                  const SiliconTables& silicon) {
  static const SiliconCase unmeasured;
  const auto reference = silicon.find(name);
  ScoreCase score;
  if (result.exit_code == 0) {
    const std::string path = folder + "/" + name + "/result.json";
    score = score_case(name, reference == silicon.end() ? unmeasured : reference->second,
                       parse_result_json(sim::read_file(path), path));
  } else {
    score.name = name;
    score.status = result.timed_out                                                ? ScoreStatus::kTimedOut
                   : result.exit_code == static_cast<int>(ErrorKind::kUnsupported) ? ScoreStatus::kRefused
                                                                                   : ScoreStatus::kFailed;
    const std::string said = sim::read_file(folder + "/" + name + ".txt");
    score.message = result.signal != 0 ? fmt::format("killed by signal {}", result.signal)
                                       : said.substr(0, said.find('\n'));
  }
  score.seconds = result.seconds;
  return score;
}

void write_files(const ScoreArguments& a, const std::vector<ScoreCase>& cases) {
  if (!a.csv.empty()) sim::write_file(a.csv, score_csv(cases));
  if (!a.json.empty()) sim::write_file(a.json, score_json(cases));
  if (!a.markdown.empty())
    sim::write_file(a.markdown, score_markdown(cases, "Score: gpuloom " + a.config + " beside silicon (" +
                                                          a.silicon + ")"));
}

// A requirement that no score could meet or miss is a mistake of the command line.
void check_requirement(const std::string& text) {
  const size_t equals = text.find('=');
  const std::string what = text.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : text.substr(equals + 1);
  const auto& metrics = score_metrics();
  const bool metric =
      std::any_of(metrics.begin(), metrics.end(), [&](const auto& m) { return m.id == what; });
  const bool number = !value.empty() && value.find_first_not_of("0123456789") == std::string::npos;
  if ((what == "outputs" && number && value.size() < 10) || (metric && value == "exact")) return;
  throw Error(ErrorKind::kUsage, "--require takes outputs=NUMBER or METRIC=exact, not '" + text + "'");
}

// What need not wait for the last case to be refused.
void check_arguments(const ScoreArguments& a) {
  const Config config = Config::load(a.config, a.overrides);
  arch::load_gpu_config(config.root());
  config.check();
  for (const std::string& text : a.require) check_requirement(text);
  for (const std::string& path : {a.csv, a.json, a.markdown})
    if (!path.empty()) sim::expect_folder_of(path);
}

// `outputs=N`: at least N cases with equal outputs; `METRIC=exact`: equal wherever silicon was measured; says
// what falls short.
bool meets_requirement(const std::string& text, const std::vector<ScoreCase>& cases) {
  const size_t equals = text.find('=');
  const std::string what = text.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : text.substr(equals + 1);
  if (what == "outputs") {
    const auto equal = std::count_if(cases.begin(), cases.end(),
                                     [](const ScoreCase& c) { return c.outputs_equal.value_or(false); });
    print(fmt::format("required: outputs equal on {} cases or more; equal on {}\n", value, equal));
    return static_cast<unsigned long long>(equal) >= std::stoull(value);
  }
  for (const ScoreTotal& total : score_totals(cases)) {
    if (total.id != what) continue;
    const size_t off = total.compared - total.exact + total.spurious;
    print(fmt::format("required: {} exact; {} of {} cases are, {} are not 0 where silicon's are\n", what,
                      total.exact, total.compared, total.spurious));
    return off == 0 && total.compared > 0;
  }
  return false;  // no case has the metric
}

bool meets_requirements(const ScoreArguments& a, const std::vector<ScoreCase>& cases) {
  bool good = true;
  for (const std::string& text : a.require) good = meets_requirement(text, cases) && good;
  return good;
}

// The same for other targets: the unseen half shows as a line of the summary alone.
int run_static_targets(const ScoreArguments& a) {
  const bool all = a.lowered_for == std::vector<std::string>{"all"};
  const auto halves =
      score_lowering_targets(a.suite, all ? lowering_targets(a.suite) : a.lowered_for, a.cases);
  std::string csv;
  for (const TargetHalf& half : halves) {
    if (half.unseen) continue;
    csv += lowering_csv(half.kernels);
    if (halves.size() == 2 && !a.quiet) print(lowering_text(half.kernels, a.opcodes) + "\n");
  }
  if (!a.csv.empty()) sim::write_file(a.csv, csv);
  if (!a.markdown.empty()) sim::write_file(a.markdown, lowering_targets_page(halves));
  print(lowering_targets_text(halves));
  return 0;
}

// Nothing runs: lowered kernels beside ptxas's.
int run_static(const ScoreArguments& a) {
  if (!a.lowered_for.empty()) return run_static_targets(a);
  const auto kernels = score_lowering(a.suite + "/lowering", a.config, a.cases);
  if (!a.csv.empty()) sim::write_file(a.csv, lowering_csv(kernels));
  print(lowering_text(kernels, a.opcodes));
  return 0;
}

// No time: what an analysis of memory accesses counts beside silicon's counters.
int run_accesses(const ScoreArguments& a) {
  const AccessScore score =
      score_accesses(a.suite, chosen_cases(a), load_silicon(a.suite, a.silicon), a.config);
  if (!a.quiet && !score.different.empty()) print(score.different + "\n");
  print(fmt::format("{} cases: all counters equal in {}; {} of {} counters equal\n", score.cases,
                    score.equal_cases, score.equal, score.counters));
  return score.equal_cases == score.cases ? 0 : static_cast<int>(ErrorKind::kVerification);
}

// A result and a profile become a case of a folder, which the next score runs.
int run_add(const ScoreArguments& a) {
  const auto named = sim::named_suites();
  if (!a.suite_given || a.suite.empty() || std::ranges::count(named, a.suite, &sim::NamedSuite::name) != 0)
    throw Error(ErrorKind::kUsage, "--add takes the folder of a suite of your own, with --suite", {},
                "--suite my_suite: it is made where there is none");
  const AddedCases added = add_case(a.added, a.suite, a.silicon_given ? a.silicon : "");
  print(fmt::format("{} '{}': {} added, measured on {}\n", added.new_suite ? "new suite" : "suite", a.suite,
                    join(added.names, ", "), added.silicon));
  for (const std::string& note : added.notes) print("note: " + note + "\n");
  const ScoreArguments usual;
  const std::string where =
      added.silicon == usual.silicon ? std::string() : fmt::format(" --silicon {0} -c {0}", added.silicon);
  print(fmt::format("to score it: gpuloom score --suite {}{}\n", a.suite, where));
  return 0;
}

int run_score(ScoreArguments a) {
  if (!a.added.result.empty()) return run_add(a);
  if (a.published) {
    a.figures.csv = a.csv, a.figures.markdown = a.markdown, a.figures.quiet = a.quiet;
    a.figures.jobs = a.jobs;
    return run_published(a.figures);
  }
  if (a.suite.empty()) {
    print(suite_list_text());
    return 0;
  }
  a.suite = sim::find_suite(a.suite);
  if (!a.static_code && !a.lowered_for.empty()) throw Error(ErrorKind::kUsage, "--target goes with --static");
  if (a.static_code) return run_static(a);
  check_arguments(a);
  if (a.accesses) return run_accesses(a);
  std::vector<ScoreCase> before;
  const SuiteManifest manifest = read_suite_manifest(a.suite);
  if (!a.compare.empty()) before = parse_score_json(sim::read_file(a.compare), a.compare);
  apply_manifest(manifest, before);
  const SiliconTables silicon = load_silicon(a.suite, a.silicon);
  const std::vector<std::string> wanted = chosen_cases(a);
  std::vector<std::string> names = wanted;
  sort_by_work(names, silicon);
  const sim::ScratchFolder scratch;
  std::vector<sim::ProcessJob> jobs;
  const std::string simulator = simulator_path();
  for (const std::string& name : names) jobs.push_back(job(a, simulator, name, scratch.path()));
  size_t ended = 0;
  const bool progress = isatty(STDERR_FILENO) != 0;
  Interrupt interrupt(a.max_seconds);
  const auto results = sim::run_processes(
      jobs, a.jobs, a.timeout,
      [&](size_t i, const sim::ProcessResult& r) {
        ++ended;
        if (progress)
          std::fprintf(stderr, "\r\033[K%zu of %zu: %s, %.1f s%s", ended, jobs.size(), names[i].c_str(),
                       r.seconds, ended == jobs.size() ? "\n" : "");
      },
      [&] { return !interrupt.asked(); });
  std::vector<ScoreCase> cases;
  for (const std::string& name : wanted) {  // in the suite's order
    const auto i = static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    // Stopped before it ended; Ctrl-C of a terminal goes to the cases too.
    if (!results[i].ended || (interrupt.asked() && results[i].exit_code > 128)) continue;
    cases.push_back(case_of(name, results[i], scratch.path(), silicon));
  }
  apply_manifest(manifest, cases);
  write_files(a, cases);
  if (a.targets)
    print(score_targets_text(cases));
  else if (!a.quiet)
    print(score_text(cases));
  if (a.opcodes) print("\n" + score_opcodes(cases));
  if (!a.compare.empty()) print("\n" + score_comparison(before, cases));
  if (cases.size() < wanted.size()) {
    std::fprintf(stderr, "gpuloom: %s after %zu of %zu cases: the figures above are of those only\n",
                 interrupt.words().c_str(), cases.size(), wanted.size());
    return interrupt.exit_code();
  }
  if (!a.require.empty())
    return meets_requirements(a, cases) ? 0 : static_cast<int>(ErrorKind::kVerification);
  const bool good = std::all_of(cases.begin(), cases.end(), [](const ScoreCase& c) {
    return c.status == ScoreStatus::kRan && c.outputs_equal.value_or(true);
  });
  return good ? 0 : static_cast<int>(ErrorKind::kVerification);
}

}  // namespace

void add_score_command(CLI::App& app, int& exit_code) {
  auto a = std::make_shared<ScoreArguments>();
  CLI::App* command =
      app.add_subcommand("score", "Run reference cases and compare outputs and counters with silicon");
  CLI::Option* suite =
      command
          ->add_option(
              "--suite", a->suite,
              "Suite of cases: a name ('reference' unless given), or a folder with cases.json, ptx/ and "
              "what GPUs did. Without a value: lists the names")
          ->expected(0, 1);
  CLI::Option* silicon =
      command
          ->add_option("--silicon", a->silicon,
                       "Folder of the suite with what the GPU to compare with did: h200, h100")
          ->capture_default_str();
  command->add_option("--case", a->cases, "Only these cases; patterns such as 'bank*' are allowed");
  command->add_option("-c,--config,--gpu", a->config, "Configuration")->capture_default_str();
  command->add_option("-s", a->overrides, "Override a value of the configuration")->allow_extra_args(false);
  command
      ->add_option("-j,--jobs", a->jobs, "Cases at a time (--published: boards and probes), a process each")
      ->check(cli::between(1, 1024));
  command->add_flag("--functional-only", a->functional, "Outputs only, without time");
  command->add_flag("--counts", a->counts, "Outputs, machine instructions and registers only, without time");
  command->add_flag("--no-contract", a->no_contract, "As for run");
  command->add_option("--check", a->check, "As for run; a case with findings counts as failed");
  command->add_option("--lowering", a->lowering, "As for run")
      ->check(one_of({"none", "machine"}))
      ->capture_default_str();
  command->add_option("--timeout", a->timeout, "Seconds that a case may take; 0: no limit")
      ->check(CLI::NonNegativeNumber);
  command
      ->add_option(
          "--max-seconds", a->max_seconds,
          "Stop after this many seconds of host time, and score the cases that have ended (exit code 5)")
      ->check(amount_of_time());
  command->add_option("--csv", a->csv, "Write every value, a line each");
  command->add_option("--json", a->json, "Write the score, for a later --compare");
  command->add_option("--markdown", a->markdown, "Write the page that bench/silicon/SCORE.md is");
  command->add_option("--compare", a->compare, "An earlier --json: what got better and what worse");
  command->add_option(
      "--require", a->require,
      "Fail unless this holds: outputs=90 (cases with equal outputs), conflicts=exact (a metric)");
  command->add_flag("--opcodes", a->opcodes,
                    "Also machine instructions by opcode: what makes the difference");
  command->add_flag("--targets", a->targets, "Only the table of targets: what must be reached, and what was");
  command->add_flag("--static", a->static_code,
                    "Run nothing: machine code of the kernels in SUITE/lowering beside ptxas's "
                    "(bench/silicon/lowering/public.py makes such folders of other PTX)");
  command->add_option(
      "--target", a->lowered_for,
      "With --static: the same for these targets, such as sm_80, or for 'all' that have tables "
      "(bench/silicon/lowering/targets.py)");
  command->add_flag(
      "--accesses", a->accesses,
      "Without time: sectors, wavefronts and conflicts of each access beside silicon's counters");
  CLI::Option* published = command->add_flag(
      "--published", a->published,
      "Figures that others have published about boards (bench/published) beside what our own "
      "kernels give on the board's configuration");
  add_published_options(*command, *published, a->figures);
  add_case_options(*command, a->added);
  command->add_flag("-q,--quiet", a->quiet, "No table");
  command->callback([a, suite, silicon, &exit_code] {
    a->suite_given = suite->count() != 0;
    a->silicon_given = silicon->count() != 0;
    exit_code = guarded([&] { return run_score(*a); });
  });
}

}  // namespace gpuloom::validation
