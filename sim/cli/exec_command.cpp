// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/exec_command.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/config/config.h"
#include "base/error.h"
#include "sim/cli/choice.h"
#include "sim/cli/guarded.h"
#include "sim/cli/whole_number.h"
#include "sim/host/inspect.h"
#include "sim/host/settings.h"

namespace gpuloom::cli {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  host::Settings settings;
  bool functional = false, timed = false, quiet = false, no_contract = false;
  std::vector<std::string> command;
};

// The runtime library lies in cuda/ beside the program, or beside its lib/ when installed.
fs::path runtime_library() {
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  for (const fs::path& place : {here / "cuda", here / ".." / "lib" / "gpuloom" / "cuda"})
    if (fs::exists(place / "libcudart.so.13")) return fs::canonical(place) / "libcudart.so.13";
  throw Error(ErrorKind::kInput, "libcudart.so.13 of gpuloom is not beside '" + here.string() + "'", {},
              "build the target cudart");
}

// As a shell finds it.
std::string program_file(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* path = std::getenv("PATH");
  for (std::string rest = path != nullptr ? path : ""; !rest.empty();) {
    const size_t end = std::min(rest.find(':'), rest.size());
    const fs::path file = fs::path(rest.substr(0, end)) / name;
    if (access(file.c_str(), X_OK) == 0 && fs::is_regular_file(file)) return file;
    rest.erase(0, end + 1);
  }
  throw Error(ErrorKind::kInput, "there is no program '" + name + "' in PATH", {},
              fs::exists(name) ? "./" + name + " is in this folder" : "");
}

// What stands in front of what the variable holds already.
void prepend(const char* variable, const std::string& value, char separator) {
  const char* old = std::getenv(variable);
  const std::string all = old != nullptr && *old != '\0' ? value + separator + old : value;
  setenv(variable, all.c_str(), 1);
}

[[noreturn]] void run_program(Arguments& a) {
  if (a.functional && (a.timed || !a.settings.kernel.empty()))
    throw Error(ErrorKind::kUsage, "--functional runs every launch without time, --timed and -k ask for it");
  if (!a.settings.trace.empty() && a.settings.output.empty())
    throw Error(ErrorKind::kUsage, "--trace writes into the output folder", {}, "name one with -o");
  if (!a.settings.trace.empty() && !a.timed && a.settings.kernel.empty())
    throw Error(ErrorKind::kUsage, "--trace shows simulated time, which functional launches do not have", {},
                "add --timed, or -k NAME");
  const std::string file = program_file(a.command[0]);
  const host::Inspection program = host::inspect_program(file);
  const fs::path library = runtime_library();
  host::Settings& s = a.settings;
  s.timed = a.timed || !s.kernel.empty() || s.skip != 0 || s.count != UINT64_MAX;
  s.summary = !a.quiet;
  s.contract = !a.no_contract;
  if (!s.output.empty())
    s.output = fs::absolute(s.output).lexically_normal();  // the program may change its folder
  if (fs::exists(s.config)) s.config = fs::absolute(s.config);
  for (const auto& [name, value] : host::environment_of(s)) setenv(name.c_str(), value.c_str(), 1);
  setenv("GPULOOM_CONFIG_DIR", config_directory().c_str(), 1);
  if (program.preload)
    prepend("LD_PRELOAD", library.string(), ' ');
  else
    prepend("LD_LIBRARY_PATH", library.parent_path().string(), ':');
  std::vector<char*> arguments;
  for (std::string& argument : a.command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  execv(file.c_str(), arguments.data());
  throw Error(ErrorKind::kInput, "cannot run '" + file + "': " + std::strerror(errno));
}

}  // namespace

void add_exec_command(CLI::App& app, int& exit_code) {
  auto a = std::make_shared<Arguments>();
  CLI::App* exec = app.add_subcommand("exec", "Run a CUDA program that nvcc 13 linked with -cudart shared");
  exec->add_option("-c,--config", a->settings.config, "Configuration: a name such as h200, or a file")
      ->capture_default_str();
  exec->add_option("-s", a->settings.overrides,
                   "Override a value of the configuration: -s sm.shared.banks=64")
      ->allow_extra_args(false);
  exec->add_flag("--functional", a->functional, "All launches without time: results only (default)");
  exec->add_flag("--timed", a->timed, "Launches in time: all, or those that the options below choose");
  exec->add_option("-k,--kernel", a->settings.kernel,
                   "Time launches of this kernel: a name as in C++ or in the PTX, or regex:...");
  exec->add_option("--launch-skip", a->settings.skip, "Of those, leave out so many first")
      ->check(whole_number());
  exec->add_option("--launch-count", a->settings.count, "And take so many")->check(whole_number());
  exec->add_option("-j,--jobs", a->settings.threads,
                   "Host threads of timed launches; results do not depend on it")
      ->check(CLI::Range(1, 1024));
  exec->add_flag("--no-contract", a->no_contract,
                 "Keep mul and add apart where ptxas would fuse them (-fmad=false)");
  exec->add_option("-o,--output", a->settings.output, "Folder for result.json: a record a launch");
  exec->add_option(
          "--trace", a->settings.trace,
          "A trace of each timed launch in the output folder: perfetto, a timeline for ui.perfetto.dev; "
          "konata, the instruction pipeline")
      ->check(one_of({"perfetto", "konata"}));
  exec->add_option("--max-seconds", a->settings.max_seconds,
                   "End a program whose kernels run beyond this much time of the host (exit code 5)")
      ->check(amount_of_time());
  exec->add_flag("-q,--quiet", a->quiet, "No summary on stderr");
  exec->prefix_command();
  exec->callback([a, exec, &exit_code] {
    exit_code = guarded([&]() -> int {
      a->command = exec->remaining();
      if (!a->command.empty() && a->command[0] == "--") a->command.erase(a->command.begin());
      if (a->command.empty())
        throw Error(ErrorKind::kUsage, "which program?", {}, "gpuloom exec [options] ./app [arguments]");
      run_program(*a);
    });
  });
}

}  // namespace gpuloom::cli
