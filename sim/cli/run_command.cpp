// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/run_command.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/config/yaml_writer.h"
#include "base/demangle.h"
#include "base/text.h"
#include "sim/api/expected_error.h"
#include "sim/api/html/html_report.h"
#include "sim/api/simulator.h"
#include "sim/cli/argument_text.h"
#include "sim/cli/choice.h"
#include "sim/cli/guarded.h"
#include "sim/cli/html_file.h"
#include "sim/cli/interrupt.h"
#include "sim/cli/launch_source.h"
#include "sim/cli/output_folder.h"
#include "sim/cli/print.h"
#include "sim/cli/progress.h"
#include "sim/cli/terminal.h"
#include "sim/cli/trace_options.h"
#include "sim/cli/whole_number.h"
#include "sim/memory/files.h"
#include "sim/report/intervals.h"
#include "sim/report/program_timeline.h"
#include "sim/report/writers.h"
#include "sim/runtime/launch_record.h"

namespace gpuloom::cli {
namespace {

struct RunArguments {
  LaunchSource source;
  std::string config, output, html, lowering = "machine", progress = "auto", cache_control = "all", set;
  std::vector<std::string> overrides, sections, checks;
  std::string stack_limit, heap_limit;
  bool no_contract = false, functional = false, counts = false, json = false, csv = false, no_lines = false,
       quiet = false;
  unsigned threads = 0;  // 0: not asked for
  uint64_t max_cycles = 0, max_instructions = 0;
  double max_seconds = 0;
  bool force = false;
  uint64_t intervals = 0;
  TraceArguments trace;
};

void expect_intervals(const RunArguments& a) {
  if (a.functional || a.counts)
    throw Error(ErrorKind::kUsage,
                "--intervals needs simulated time, so it cannot be used with --functional or --counts");
  if (a.output.empty())
    throw Error(ErrorKind::kUsage, "--intervals writes tables and needs a folder for them", {},
                "give one with -o DIR");
}

sim::DeviceOptions device_options(const RunArguments& a, const sim::LaunchFile& file) {
  sim::DeviceOptions o;
  o.config = !a.config.empty() ? a.config : !file.config.empty() ? file.config : "h200";
  o.overrides = a.overrides;
  o.count_machine = a.counts;
  o.mode = a.functional || a.counts ? sim::Mode::kFunctional : sim::Mode::kTimed;
  o.lowering = a.lowering == "none" ? sim::Lowering::kNone : sim::Lowering::kMachine;
  o.contract = !a.no_contract;
  o.use_threads(a.threads);
  o.per_instruction = !a.no_lines;
  o.line_rule = a.source.written_lines ? sim::LineRule::kWritten : sim::LineRule::kUser;
  o.trace = sim::trace_request(trace_choice(a.trace, a.output));
  if (o.mode == sim::Mode::kFunctional && !a.trace.format.empty())
    throw Error(ErrorKind::kUsage,
                "--trace shows simulated time, which --functional and --counts do not have");
  if (a.intervals != 0) {
    expect_intervals(a);
    o.interval_cycles = a.intervals;
  }
  for (const std::string& check : a.checks) {
    o.checks.init = o.checks.init || check == "init" || check == "all";
    o.checks.races = o.checks.races || check == "races" || check == "all";
  }
  o.limits.stack_bytes = file.stack_limit.value_or(o.limits.stack_bytes);
  o.limits.heap_bytes = file.heap_limit.value_or(o.limits.heap_bytes);
  if (!a.stack_limit.empty()) o.limits.stack_bytes = size_option("--stack-limit", a.stack_limit);
  if (!a.heap_limit.empty()) o.limits.heap_bytes = size_option("--heap-limit", a.heap_limit);
  if (a.json)  // stdout belongs to the result
    o.print = [](const std::string& text) { std::fwrite(text.data(), 1, text.size(), stderr); };
  return o;
}

sim::LaunchOptions launch_options(const RunArguments& a) {
  const bool untimed = a.functional || a.counts;
  if (untimed && a.max_cycles != 0)
    throw Error(ErrorKind::kUsage, "--max-cycles limits simulated time, which --functional does not have", {},
                "--max-instructions limits the warp instructions of a functional run");
  if (!untimed && a.max_instructions != 0)
    throw Error(ErrorKind::kUsage, "--max-instructions works only with --functional", {},
                "--max-cycles limits a timed run");
  sim::LaunchOptions options;
  options.cold_caches = a.cache_control == "all";
  options.max_cycles = a.max_cycles;
  options.max_instructions = a.max_instructions;
  options.keep_partial = true;
  return options;
}

void print_findings(const sim::Device& device) {
  for (const ptx::Finding& finding : device.findings())
    std::fprintf(stderr, "gpuloom: %s\n", finding.text().c_str());
}

// Of --csv: all metrics, unless sections were asked for.
std::vector<std::string> csv_sections(const RunArguments& a) {
  return a.sections.empty() && !a.set.empty() ? std::vector<std::string>{a.set} : a.sections;
}

// What options of the command say of the launch stands in its record too.
std::string launch_text(const RunArguments& a, const sim::LaunchFile& file, const RunReport& run) {
  ConfigNode record = sim::launch_record(file, run, a.output);
  if (!a.config.empty()) put_instead(record, "config", text_node(a.config));
  if (a.no_contract) put_instead(record, "contract", text_node("false"));
  if (!a.stack_limit.empty() || !a.heap_limit.empty()) {
    if (record.find("limits") == nullptr) put(record, "limits", node_of(ConfigNode::Kind::kMap));
    ConfigNode& limits = *record.find("limits");
    if (!a.stack_limit.empty()) put_instead(limits, "stack", text_node(a.stack_limit));
    if (!a.heap_limit.empty()) put_instead(limits, "heap", text_node(a.heap_limit));
  }
  return yaml_text(record);
}

void write_folder(const RunArguments& a, const sim::LaunchFile& file, const sim::Device& device,
                  const RunReport& run) {
  sim::make_folder(a.output);
  sim::write_file(a.output + "/launch.yaml", launch_text(a, file, run));
  sim::write_file(a.output + "/result.json", result_json(run));
  if (run.program && run.program->timed)
    sim::write_file(a.output + "/timeline.json", program_timeline_json(program_spans(*run.program)));
  if (!run.made_ptx.empty()) sim::write_file(a.output + "/module.ptx", run.made_ptx);
  sim::write_file(a.output + "/resolved.yaml", yaml_text(device.config().tree()));
  if (a.intervals != 0) {
    sim::write_file(a.output + "/intervals.json", intervals_json(run));
    for (const auto& [name, text] : intervals_csv(run)) sim::write_file(a.output + "/" + name, text);
  }
  if (a.csv) sim::write_file(a.output + "/result.csv", result_csv(run, csv_sections(a)));
}

// The folder of the report is there, or is made for the result.
void expect_place(const RunArguments& a) {
  const auto normal = [](const std::filesystem::path& p) { return (p / "").lexically_normal(); };
  const std::filesystem::path place = html_file(a.html);
  if (a.output.empty() || normal(place.parent_path()) != normal(a.output)) sim::expect_folder_of(place);
}

// After everything else: the definitions of counters come from an architecture model, of which there is one
// at a time.
void write_html(const RunArguments& a, sim::Simulator& simulator, const RunReport& run) {
  simulator.device().release_simulation();
  sim::PageRun page =
      a.output.empty() ? sim::page_run_of(run, simulator.device()) : sim::read_page_run(a.output);
  // A timeline for each launch that the page shows, or none.
  if (run.timelines.size() == run.kernels.size()) page.timelines = run.timelines;
  sim::write_file(html_file(a.html), sim::html_report({std::move(page)}, {}));
}

// One sentence on what is there of a run that was stopped.
int say_stopped(const Interrupt& interrupt, const RunReport& report, const std::string& folder) {
  const ReportKernel& k = report.kernels.back();
  const ReportMetric* cycles = k.find("sm__cycles_elapsed.max");
  std::fprintf(
      stderr, "gpuloom: %s in kernel '%s'%s; the measurements up to that point %s\n",
      interrupt.words().c_str(), short_name(k.name).c_str(),
      cycles == nullptr
          ? ""
          : fmt::format(" at cycle {}", with_thousands(static_cast<uint64_t>(cycles->value))).c_str(),
      folder.empty() ? "are above" : ("are in '" + folder + "'").c_str());
  return interrupt.exit_code();
}

// A launch from the command line whose extents were forgotten.
bool one_thread(const LaunchSource& source, const sim::LaunchFile& file) {
  return source.suite_case.empty() && file.path == file.ptx && source.direct.grid.empty() &&
         source.direct.block.empty();
}

int run_and_report(const RunArguments& a) {
  if (a.json && a.csv && a.output.empty())
    throw Error(ErrorKind::kUsage, "--json and --csv cannot both print to standard output", {},
                "with -o, --csv writes result.csv");
  if (!a.html.empty()) expect_place(a);
  const sim::LaunchFile file = read_launch(a.source);
  sim::Simulator simulator(device_options(a, file));
  sim::LaunchOptions options = launch_options(a);
  std::optional<OutputFolder> folder;
  if (!a.output.empty()) folder.emplace(a.output, sim::provenance_of(simulator.device(), file), a.force);
  Interrupt interrupt(a.max_seconds);
  RunReport report;
  {
    ProgressLine progress(a.progress == "none"    ? ProgressKind::kNone
                          : a.progress == "plain" ? ProgressKind::kPlain
                                                  : ProgressKind::kAuto);
    options.progress = [&, show = progress.callback()](const sim::RunProgress& p) {
      if (show) show(p);
      return !interrupt.asked();
    };
    try {
      report = simulator.run(file, options, a.output);
    } catch (...) {
      print_findings(simulator.device());
      throw;
    }
  }
  print_findings(simulator.device());
  if (!a.quiet && !a.json && !a.csv && one_thread(a.source, file))
    std::fprintf(stderr, "gpuloom: neither --grid nor --block is given, so one thread runs\n");
  if (!a.output.empty()) write_folder(a, file, simulator.device(), report);
  const std::string traced = write_trace(trace_choice(a.trace, a.output), report);
  if (!a.html.empty()) write_html(a, simulator, report);
  if (a.json) {
    print(result_json(report));
  } else if (a.csv && a.output.empty()) {
    print(result_csv(report, csv_sections(a)));
  } else if (!a.quiet) {
    std::vector<std::string> sections = a.sections;
    if (sections.empty()) sections.push_back(a.set.empty() ? "basic" : a.set);
    print(painted(summary_text(report, sections, terminal_width())));
    print(fmt::format("  {:.2f} s, {:.2f} M warp instructions/s\n", report.host.wall_seconds,
                      report.host.warp_instructions_per_second / 1e6));
    print(traced);
    const std::string expected =
        a.functional || a.counts ? std::string() : sim::expected_error(simulator.device().gpu());
    if (!expected.empty()) std::fprintf(stderr, "gpuloom: %s\n", expected.c_str());
  }
  if (!report.complete) return say_stopped(interrupt, report, a.output);
  if (!report.findings.empty()) {
    std::fprintf(stderr, "gpuloom: the checks found %zu %s\n", report.findings.size(),
                 report.findings.size() == 1 ? "problem" : "problems");
    return static_cast<int>(ErrorKind::kProgram);
  }
  if (sim::verified(report)) return 0;
  for (const ReportCheck& check : report.checks)
    if (!check.passed)
      std::fprintf(stderr, "gpuloom: verification of '%s' failed: %s\n", check.buffer.c_str(),
                   check.first.c_str());
  return static_cast<int>(ErrorKind::kVerification);
}

}  // namespace

void add_run_command(CLI::App& app, int& exit_code) {
  auto a = std::make_shared<RunArguments>();
  CLI::App* run =
      app.add_subcommand("run", "Run a launch file, a case of a suite, or a kernel of a PTX file");
  add_launch_options(*run, a->source);
  add_trace_options(*run, a->trace);
  run->add_option(
      "-c,--config,--gpu", a->config,
      "Configuration: a name such as h200, or a file (default: what the launch file says, or h200)");
  run->add_option("-s", a->overrides, "Override a value of the configuration: -s sm.shared.banks=64")
      ->allow_extra_args(false);
  run->add_flag("--functional", a->functional, "Run without timing: results only");
  run->add_flag("--counts", a->counts,
                "Run without timing: results, plus counts of machine instructions and registers");
  run->add_flag("--no-contract", a->no_contract,
                "Keep mul and add apart where ptxas would fuse them (-fmad=false)");
  run->add_option("-j,--jobs", a->threads,
                  "Host threads (default: 1 with timing, all without); results do not depend on the number")
      ->check(between(1, 1024));
  run->add_option("--max-cycles", a->max_cycles, "Give up after this many cycles (exit code 5)")
      ->check(whole_number());
  run->add_option("--max-seconds", a->max_seconds,
                  "Stop after this many seconds of host time, and report what was measured (exit code 5)")
      ->check(amount_of_time());
  run->add_option("--max-instructions", a->max_instructions,
                  "With --functional: give up after this many warp instructions (exit code 5)")
      ->check(whole_number());
  run->add_option(
         "--check", a->checks,
         "Look for reads of uninitialised memory (init), data races in shared memory (races), or all; "
         "findings end the run with exit code 5")
      ->delimiter(',')
      ->check(one_of({"init", "races", "all"}));
  run->add_option("--stack-limit", a->stack_limit, "Stack of a thread, as cudaLimitStackSize: 4KiB");
  run->add_option("--heap-limit", a->heap_limit,
                  "Heap of device malloc, as cudaLimitMallocHeapSize (default 8MiB)");
  run->add_option("--lowering", a->lowering,
                  "Time PTX as it is, or as the machine program that ptxas would make")
      ->check(one_of({"none", "machine"}))
      ->capture_default_str();
  run->add_option("--cache-control", a->cache_control,
                  "all: caches are cold at each launch, as Nsight Compute measures; none: as the previous "
                  "launch left them")
      ->check(one_of({"all", "none"}))
      ->capture_default_str();
  run->add_option("-o,--output", a->output,
                  "Folder for result.json, launch.yaml, resolved.yaml, saved buffers, and the PTX of CUDA "
                  "C++ and programs");
  run->add_option("--html", a->html,
                  "Write a report that any browser opens, offline: a file, or a folder for report.html");
  run->add_option("--intervals", a->intervals,
                  "Counters of each SM, L2 slice and memory channel every N cycles: tables in the "
                  "folder of -o, heat maps with --html")
      ->check(whole_number())
      ->check(CLI::Validator(
          [](const std::string& text) {
            const bool none = text.find_first_not_of('0') == std::string::npos;
            return none ? std::string("an interval must be at least one cycle") : std::string();
          },
          ""));
  run->add_flag("--force", a->force, "Replace the result of another launch or configuration in -o's folder");
  run->add_flag("--json", a->json, "Print result.json");
  run->add_flag("--csv", a->csv, "Print the metrics as CSV (with -o: write result.csv)");
  run->add_option("--set", a->set,
                  "Sections of the summary (default: basic) and of --csv (default: every metric)")
      ->check(one_of({"basic", "full"}));
  run->add_option("--section", a->sections,
                  "One section of the summary and of --csv, by its id; may be repeated")
      ->allow_extra_args(false);
  run->add_option("--progress", a->progress,
                  "auto: a line that changes on a terminal, else one a minute; plain: a line every 5 seconds")
      ->check(one_of({"auto", "plain", "none"}))
      ->capture_default_str();
  run->add_flag("--no-lines", a->no_lines, "Do not count by source line (faster)");
  run->add_flag("-q,--quiet", a->quiet, "No summary");
  run->callback([a, &exit_code] { exit_code = guarded([&] { return run_and_report(*a); }); });
}

}  // namespace gpuloom::cli
