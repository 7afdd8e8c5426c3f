// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/sweep_command.h"

#include <fmt/core.h>
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/text.h"
#include "sim/api/metric_list.h"
#include "sim/api/sweep/sweep_plot.h"
#include "sim/api/sweep/sweep_point.h"
#include "sim/api/sweep/sweep_run.h"
#include "sim/api/sweep/sweep_store.h"
#include "sim/api/sweep/sweep_table.h"
#include "sim/cli/choice.h"
#include "sim/cli/guarded.h"
#include "sim/cli/interrupt.h"
#include "sim/cli/print.h"
#include "sim/cli/whole_number.h"
#include "sim/memory/files.h"

namespace gpuloom::cli {
namespace {

struct SweepArguments {
  std::string file, directory, id, backend = "local", progress = "auto", csv, sqlite, scheduler,
                                   python = "python3";
  std::vector<std::string> metrics, plots, sbatch;
  unsigned jobs = 0;
  double timeout = 0, max_seconds = 0;
  bool dry_run = false, retry_failed = false, no_wait = false, times = false, quiet = false;
};

// How far a sweep is, on stderr: a bar that rewrites itself on a terminal, elsewhere a line at each tenth.
class SweepBar {
 public:
  explicit SweepBar(const std::string& kind) {
    terminal_ = kind == "auto" && isatty(STDERR_FILENO) != 0;
    enabled_ = kind != "none";
  }
  ~SweepBar() { clear(); }

  void show(const sim::SweepProgress& p) {
    if (!enabled_ || p.points == 0) return;
    const size_t ended = p.done + p.failed;
    if (!terminal_ && ended * 10 / p.points == tenth_ && shown_) return;
    tenth_ = ended * 10 / p.points;
    const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    std::string text = fmt::format("{} of {} points", ended, p.points);
    if (p.failed != 0) text += fmt::format(", {} failed", p.failed);
    if (p.running != 0) text += fmt::format(", {} running", p.running);
    if (p.done_now != 0 && ended < p.points) {
      const double left = static_cast<double>(p.points - ended) * seconds / static_cast<double>(p.done_now);
      text += fmt::format(", {:.0f} s left", left);
    }
    if (terminal_) {
      const size_t filled = ended * 30 / p.points;
      text = "[" + std::string(filled, '#') + std::string(30 - filled, '.') + "] " + text;
    }
    std::fprintf(stderr, terminal_ ? "\r\033[K%s" : "gpuloom: %s\n", text.c_str());
    std::fflush(stderr);
    shown_ = true;
  }
  // Takes the bar away, for a message.
  void clear() const {
    if (terminal_ && shown_) std::fputs("\r\033[K", stderr);
  }

 private:
  using Clock = std::chrono::steady_clock;
  bool terminal_ = false, enabled_ = true, shown_ = false;
  size_t tenth_ = 0;
  Clock::time_point begin_ = Clock::now();
};

std::string directory_of(const SweepArguments& a) {
  return !a.directory.empty() ? a.directory : std::filesystem::path(a.file).stem().string() + ".sweep";
}

std::string indented(const std::string& text) {
  std::string out;
  if (text.empty()) return "    (it printed nothing)\n";
  for (const std::string& line : split(text, '\n')) out += "    | " + line + "\n";
  return out;
}

// Plans, says what is new, and writes the directory unless this is a dry run.
std::string counted(size_t n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

// A misspelt metric shows before the first point runs, not when the last is done.
void expect_metrics(const sim::Sweep& sweep) {
  if (sweep.metrics.empty()) return;
  const std::vector<sim::KnownMetric> known =
      sim::known_metrics(sweep.config.empty() ? "h200" : sweep.config);
  for (const std::string& metric : sweep.metrics)
    if (std::none_of(known.begin(), known.end(), [&](const sim::KnownMetric& m) { return m.name == metric; }))
      throw Error(ErrorKind::kInput, "metrics: unknown metric '" + metric + "'", sweep.metrics_where,
                  sim::near_metric(metric, known));
}

void plan(const SweepArguments& a, const std::string& directory) {
  const sim::Sweep sweep = sim::read_sweep_file(a.file);
  expect_metrics(sweep);
  const sim::SweepPlan planned = sim::plan_sweep(sweep);
  const sim::SweepStore store(directory);
  if (!a.dry_run) store.write_plan(sweep, planned);
  size_t done = 0;
  for (const sim::SweepPoint& p : planned.points) done += store.state(p.id) == sim::PointState::kDone;
  if (a.quiet) return;
  for (const sim::SweepAxis& axis : sweep.axes) {
    std::vector<std::string> labels;
    for (const sim::SweepValue& v : axis.values) labels.push_back(v.label);
    print(fmt::format("  {:<16} {}: {}\n", axis.name, counted(labels.size(), "value"), join(labels, ", ")));
  }
  print(fmt::format("{}: {}{}, {} of them done; {}, {}; {}\n", sweep.name,
                    counted(planned.points.size(), "point"),
                    planned.excluded == 0 ? "" : fmt::format(" ({} excluded)", planned.excluded), done,
                    counted(planned.configs.size(), "configuration"),
                    counted(planned.inputs.size(), "input file"), a.dry_run ? "nothing written" : directory));
}

int run(const SweepArguments& a, const std::string& directory) {
  const sim::SweepStore store(directory);
  sim::SweepRunOptions options;
  options.backend = a.backend == "dask"    ? sim::SweepBackend::kDask
                    : a.backend == "slurm" ? sim::SweepBackend::kSlurm
                                           : sim::SweepBackend::kLocal;
  options.jobs = a.jobs;
  if (a.jobs == 0 && options.backend == sim::SweepBackend::kLocal)
    options.jobs = std::max(1U, std::thread::hardware_concurrency());
  options.timeout_seconds = a.timeout;
  options.retry_failed = a.retry_failed;
  options.scheduler = a.scheduler;
  options.python = a.python;
  options.sbatch_options = a.sbatch;
  options.wait = !a.no_wait;
  SweepBar bar(a.progress);
  options.progress = [&](const sim::SweepProgress& p) { bar.show(p); };
  options.note = [&](const std::string& text) {
    bar.clear();
    std::fprintf(stderr, "gpuloom: %s\n", text.c_str());
  };
  const sim::SweepManifest manifest = store.manifest();
  std::map<std::string, std::string> told;  // the end of a log, the first point whose log ended so
  options.failed = [&](const sim::SweepManifest::Point& point, const sim::PointFailure& failure) {
    bar.clear();
    const std::string what = fmt::format("gpuloom: the point {} ({}) failed: {}", point.id,
                                         manifest.text(point), failure.reason());
    const auto [first, is_new] = told.try_emplace(failure.tail, manifest.text(point));
    const std::string text =
        is_new ? fmt::format("{}; the end of {}:\n{}", what, store.log_path(point.id), indented(failure.tail))
               : fmt::format("{}; its log ends like that of {}\n", what, first->second);
    std::fputs(text.c_str(), stderr);
  };
  Interrupt interrupt(a.max_seconds);
  options.go_on = [&] { return !interrupt.asked(); };
  const sim::SweepSummary s = sim::run_sweep(store, options);
  bar.clear();
  if (!a.quiet)
    print(fmt::format("{}: {} of {} points done ({} before), {} failed, {} left\n", directory, s.done,
                      s.points, s.done_before, s.failed, s.left));
  if (s.left != 0 && options.wait)
    std::fprintf(stderr, "gpuloom: %s left to run: gpuloom sweep resume %s\n",
                 (counted(s.left, "point") + (s.left == 1 ? " is" : " are")).c_str(), directory.c_str());
  if (interrupt.asked() && s.left != 0) {
    std::fprintf(stderr, "gpuloom: %s; gpuloom sweep collect %s shows the points that are done\n",
                 interrupt.words().c_str(), directory.c_str());
    return interrupt.exit_code();
  }
  return options.wait ? s.exit_code : 0;
}

int status(const SweepArguments& a) {
  const sim::SweepStore store(a.directory);
  const sim::SweepManifest manifest = store.manifest();
  const std::vector<sim::PointState> states = store.states(manifest);
  size_t count[4] = {};
  for (size_t i = 0; i < states.size(); ++i) {
    ++count[static_cast<size_t>(states[i])];
    if (states[i] != sim::PointState::kFailed || a.quiet) continue;
    const auto failure = store.failure(manifest.points[i].id);
    if (failure)
      print(fmt::format("failed: {} ({}): {}\n{}", manifest.points[i].id, manifest.text(manifest.points[i]),
                        failure->reason(), indented(failure->tail)));
  }
  print(
      fmt::format("{}: {} of {} points done, {} running, {} failed, {} left (planned from {} by gpuloom {}, "
                  "sources {})\n",
                  manifest.name, count[2], states.size(), count[1], count[3], count[0], manifest.file,
                  manifest.version, manifest.sources));
  return 0;
}

int collect(const SweepArguments& a) {
  const sim::SweepStore store(a.directory);
  const sim::SweepTable table = sim::collect_sweep(store, a.metrics, a.times);
  if (!a.csv.empty() && a.csv != "-") sim::write_file(a.csv, sim::table_csv(table));
  if (!a.sqlite.empty()) sim::write_sqlite(table, a.sqlite);
  std::vector<std::string> plots = store.manifest().plots;
  if (!a.plots.empty()) plots = a.plots;
  for (const std::string& request : plots) {
    const sim::SweepPlot plot = sim::plot_sweep(table, request);
    sim::make_folder(a.directory + "/plots");
    const std::string path = a.directory + "/plots/" + plot.name;
    sim::write_file(path, plot.svg);
    if (!a.quiet) std::fprintf(stderr, "%s: %s\n", path.c_str(), plot.summary.c_str());
  }
  if (a.csv == "-" || (a.csv.empty() && a.sqlite.empty() && a.plots.empty())) print(sim::table_csv(table));
  size_t missing = 0;
  for (const auto& row : table.rows) missing += row[1] != "done";
  if (missing != 0)
    std::fprintf(stderr, "gpuloom: %zu points have no result; gpuloom sweep status %s\n", missing,
                 a.directory.c_str());
  return 0;
}

int point(const SweepArguments& a) {
  const sim::SweepStore store(a.directory);
  const int code = sim::run_point(store, a.id, a.timeout);
  if (code < 0) {  // killed from outside: so does this process end, for whoever watches it
    signal(-code, SIG_DFL);
    raise(-code);
  }
  const auto failure = code == 0 ? std::nullopt : store.failure(a.id);
  if (!a.quiet && failure)
    std::fprintf(stderr, "gpuloom: the point failed: %s\n%s", failure->reason().c_str(),
                 indented(failure->tail).c_str());
  return code;
}

void add_run_options(CLI::App& command, SweepArguments& a) {
  command.add_option("-b,--backend", a.backend, "Where the points run")
      ->check(one_of({"local", "dask", "slurm"}))
      ->capture_default_str();
  command
      .add_option("-j,--jobs", a.jobs,
                  "local: processes at a time (default: one per processor); slurm: tasks at a time")
      ->check(between(1, 1024));
  command.add_option("--timeout", a.timeout, "Seconds a point may take (0: no limit)")
      ->check(CLI::NonNegativeNumber);
  command
      .add_option("--max-seconds", a.max_seconds,
                  "Stop after this many seconds of host time; `sweep resume` runs what is left (exit code 5)")
      ->check(amount_of_time());
  command.add_option("--scheduler", a.scheduler, "dask: address of the scheduler, tcp://HOST:PORT");
  command.add_option("--python", a.python, "dask: the Python that has the package 'distributed'")
      ->capture_default_str();
  command
      .add_option("--sbatch", a.sbatch,
                  "slurm: an option of sbatch, such as --partition=long; may be repeated")
      ->allow_extra_args(false);
  command.add_flag("--no-wait", a.no_wait, "slurm: submit only; `sweep status` shows progress");
  command.add_flag("--retry-failed", a.retry_failed, "Run points that failed again");
  command.add_option("--progress", a.progress, "auto: a bar on a terminal, else a line at each tenth")
      ->check(one_of({"auto", "plain", "none"}))
      ->capture_default_str();
}

CLI::App* with_directory(CLI::App& sweep, SweepArguments& a, const char* name, const char* about) {
  CLI::App* command = sweep.add_subcommand(name, about);
  command->add_option("directory", a.directory, "Directory of the sweep")->required();
  command->add_flag("-q,--quiet", a.quiet, "Say less");
  return command;
}

}  // namespace

void add_sweep_command(CLI::App& app, int& exit_code) {
  auto a = std::make_shared<SweepArguments>();
  CLI::App* sweep =
      app.add_subcommand("sweep", "Run a launch for every combination of values in a sweep file");
  sweep->require_subcommand(1);
  const auto from_file = [&](const char* name, const char* about) {
    CLI::App* command = sweep->add_subcommand(name, about);
    command->add_option("file", a->file, "Sweep file (YAML)")->required();
    command->add_option("-d,--directory", a->directory,
                        "Directory of the sweep (default: NAME.sweep for NAME.yaml)");
    command->add_flag("-q,--quiet", a->quiet, "Say less");
    return command;
  };
  CLI::App* planning = from_file("plan", "Write the points of a sweep to a directory, or add new ones");
  planning->add_flag("--dry-run", a->dry_run, "Only show what would be planned");
  planning->callback([a, &exit_code] {
    exit_code = guarded([&] {
      plan(*a, directory_of(*a));
      return 0;
    });
  });
  CLI::App* running = from_file("run", "Plan, and run every point that has no result");
  add_run_options(*running, *a);
  running->callback([a, &exit_code] {
    exit_code = guarded([&] {
      plan(*a, directory_of(*a));
      return run(*a, directory_of(*a));
    });
  });
  CLI::App* resuming = with_directory(*sweep, *a, "resume", "Run the points that are left");
  add_run_options(*resuming, *a);
  resuming->callback([a, &exit_code] { exit_code = guarded([&] { return run(*a, a->directory); }); });
  with_directory(*sweep, *a, "status", "Progress of a sweep, and what failed")->callback([a, &exit_code] {
    exit_code = guarded([&] { return status(*a); });
  });
  CLI::App* collecting = with_directory(*sweep, *a, "collect", "The results as one table, and plots of it");
  collecting->add_option("-o,--csv", a->csv, "File for the table (default: stdout)");
  collecting->add_option("--sqlite", a->sqlite, "Database for the table");
  collecting->add_option("--metric", a->metrics, "Only this metric; may be repeated")
      ->allow_extra_args(false);
  collecting
      ->add_option("--plot", a->plots, "'heatmap X Y VALUE' or 'pareto X Y' into DIR/plots; may be repeated")
      ->allow_extra_args(false);
  collecting->add_flag("--times", a->times, "Add host seconds, which differ from run to run");
  collecting->callback([a, &exit_code] { exit_code = guarded([&] { return collect(*a); }); });
  CLI::App* one =
      with_directory(*sweep, *a, "point", "Run one point if it has no result yet (used by every backend)");
  one->add_option("id", a->id, "The point")->required();
  one->add_option("--timeout", a->timeout, "Seconds it may take (0: no limit)")
      ->check(CLI::NonNegativeNumber);
  one->callback([a, &exit_code] { exit_code = guarded([&] { return point(*a); }); });
}

}  // namespace gpuloom::cli
