// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/exec_command.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "sim/cli/choice.h"
#include "sim/cli/cuda_program.h"
#include "sim/cli/guarded.h"
#include "sim/cli/whole_number.h"
#include "sim/host/settings.h"
#include "sim/runtime/lowering_cache.h"

namespace gpuloom::cli {
namespace {

namespace fs = std::filesystem;

struct ExecArguments {
  host::Settings settings;
  bool functional = false, timed = false, quiet = false, no_contract = false, no_cache = false;
  std::string bounds = "exact";
  std::vector<std::string> command;
};

[[noreturn]] void become_program(ExecArguments& a) {
  if (a.functional && (a.timed || !a.settings.kernel.empty()))
    throw Error(ErrorKind::kUsage,
                "--functional cannot be combined with --timed or -k: it runs every launch without timing");
  if (!a.settings.trace.empty() && a.settings.output.empty())
    throw Error(ErrorKind::kUsage, "--trace writes to the output folder", {}, "give one with -o");
  if (!a.settings.trace.empty() && !a.timed && a.settings.kernel.empty())
    throw Error(ErrorKind::kUsage, "--trace shows simulated time, which functional launches do not have", {},
                "add --timed, or -k NAME");
  host::Settings& s = a.settings;
  s.timed = a.timed || !s.kernel.empty() || s.skip != 0 || s.count != UINT64_MAX;
  s.summary = !a.quiet;
  if (!a.no_cache) s.cache = sim::default_cache_folder();
  s.contract = !a.no_contract;
  s.bounds = a.bounds == "pages" ? sim::Bounds::kPages : sim::Bounds::kExact;
  if (!s.output.empty())
    s.output = fs::absolute(s.output).lexically_normal();  // the program may change its folder
  become_cuda_program(s, a.command);
}

}  // namespace

void add_exec_command(CLI::App& app, int& exit_code) {
  auto a = std::make_shared<ExecArguments>();
  CLI::App* exec = app.add_subcommand("exec",
                                      "Run a CUDA program linked by nvcc 12 or 13 with -cudart shared: "
                                      "gpuloom exec [OPTIONS] ./app ARGUMENTS");
  add_common_options(*exec, a->settings, a->no_contract, a->quiet);
  exec->add_flag("--functional", a->functional, "Run all launches without timing: results only (default)");
  exec->add_flag("--timed", a->timed, "Time launches: all, or those that the options below choose");
  exec->add_option("-k,--kernel", a->settings.kernel,
                   "Time launches of this kernel: a name as in C++ or in the PTX, or regex:...");
  exec->add_option("--launch-skip", a->settings.skip, "Skip this many of those launches first")
      ->check(whole_number());
  exec->add_option("--launch-count", a->settings.count, "Then time this many")->check(whole_number());
  exec->add_option(
          "-j,--jobs", a->settings.threads,
          "Host threads (default: 1 for timed launches, all for others); results do not depend on the number")
      ->check(between(1, 1024));
  exec->add_option("--bounds", a->bounds,
                   "Memory that kernels may access. exact: only allocations; pages: whole pages of 2 MiB "
                   "that hold an allocation, and all 64 KiB of constants, as on a GPU")
      ->check(one_of({"exact", "pages"}));
  exec->add_option(
          "--host-code", a->settings.host_code,
          "Simulated time of the program's own code. free (default): none; real, or real*2.5: the time "
          "measured here, or a multiple; 500ns: this much before each CUDA call")
      ->check([](const std::string& text) {
        host::parse_host_code(text);
        return std::string();
      });
  exec->add_option("-o,--output", a->settings.output,
                   "Folder for result.json, which has a record of each launch");
  exec->add_flag("--no-cache", a->no_cache,
                 "Do not keep lowered kernels for the next run. Timed runs keep them in ~/.cache/gpuloom");
  exec->add_option("--trace", a->settings.trace,
                   "Write a trace of each timed launch to the output folder: perfetto, a timeline for "
                   "ui.perfetto.dev; konata, the instruction pipeline")
      ->check(one_of({"perfetto", "konata"}));
  exec->prefix_command();
  exec->callback([a, exec, &exit_code] {
    exit_code = guarded([&]() -> int {
      a->command = program_and_arguments(*exec);
      become_program(*a);
    });
  });
}

}  // namespace gpuloom::cli
