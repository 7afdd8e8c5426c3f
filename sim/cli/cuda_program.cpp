// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/cuda_program.h"

#include <dlfcn.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/config/config.h"
#include "base/error.h"
#include "sim/cli/parse_error.h"
#include "sim/cli/program.h"
#include "sim/cli/whole_number.h"
#include "sim/host/inspect.h"

namespace gpuloom::cli {
namespace {

namespace fs = std::filesystem;

// The runtime library lies in cuda/ beside the program, or beside its lib/ when installed.
fs::path runtime_library(const std::string& name) {
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  for (const fs::path& place : {here / "cuda", here / ".." / "lib" / "gpuloom" / "cuda"})
    if (fs::exists(place / name)) return fs::canonical(place) / name;
  throw Error(ErrorKind::kInput, "cannot find gpuloom's " + name + " beside '" + here.string() + "'", {},
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
  throw Error(ErrorKind::kInput, "cannot find the program '" + name + "' in PATH", {},
              fs::exists(name) ? "did you mean './" + name + "'?" : "");
}

// What stands in front of what the variable holds already.
void prepend(const char* variable, const std::string& value, char separator) {
  const char* old = std::getenv(variable);
  const std::string all = old != nullptr && *old != '\0' ? value + separator + old : value;
  setenv(variable, all.c_str(), 1);
}

// A sanitizer wants to be the first library of a process. In a debug build (and tsan) the runtime library has
// one and the program has none, so it is loaded before both. What the program does not free is the program's.
// A finding ends it with a signal, since an exit code could be its own.
void preload_sanitizer() {
#if defined(__SANITIZE_ADDRESS__)
  const char *symbol_of_it = "__asan_init", *variable = "ASAN_OPTIONS";
  const char* options = "detect_leaks=0:abort_on_error=1";
#elif defined(__SANITIZE_THREAD__)
  const char *symbol_of_it = "__tsan_init", *variable = "TSAN_OPTIONS";
  const char* options = "halt_on_error=1:abort_on_error=1";
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  const void* symbol = dlsym(RTLD_DEFAULT, symbol_of_it);
  Dl_info found{};
  if (symbol == nullptr || dladdr(symbol, &found) == 0) return;
  prepend("LD_PRELOAD", found.dli_fname, ' ');
  setenv(variable, options, 0);
#endif
}

}  // namespace

void add_common_options(CLI::App& command, host::Settings& settings, bool& no_contract, bool& quiet) {
  command
      .add_option(
          "-c,--config,--gpu", settings.configs,
          "Configuration: a name such as h200, or a file. Repeat the option for a second GPU, and so on")
      ->allow_extra_args(false)
      ->capture_default_str();
  command
      .add_option("-s", settings.overrides, "Override a value of the configuration: -s sm.shared.banks=64")
      ->allow_extra_args(false);
  command.add_flag("--no-contract", no_contract,
                   "Keep mul and add apart where ptxas would fuse them (-fmad=false)");
  command
      .add_option(
          "--max-seconds", settings.max_seconds,
          "End the program when its kernels and copies have taken this many seconds of host time (exit "
          "code 5). The program's own code is not counted")
      ->check(amount_of_time());
  command.add_flag("-q,--quiet", quiet, "No summary on stderr");
  command.prefix_command();
}

std::vector<std::string> program_and_arguments(const CLI::App& command) {
  std::vector<std::string> words = command.remaining();
  const bool told = !words.empty() && words[0] == kProgramFollows;
  if (told) words.erase(words.begin());
  std::replace(words.begin(), words.end(), std::string(kProgramFollows), std::string("--"));
  if (words.empty())
    throw Error(ErrorKind::kUsage, "which program?", {},
                "gpuloom " + command.get_name() + " [options] ./app [arguments]");
  if (!told && words[0].starts_with('-')) {
    const std::string option = words[0].substr(0, words[0].find('='));
    const std::string near = near_option(option, command);
    throw Error(ErrorKind::kUsage, "unknown option '" + option + "' of gpuloom " + command.get_name(), {},
                near.empty() ? "put -- before a program whose name begins with a dash" : near);
  }
  return words;
}

void become_cuda_program(host::Settings s, std::vector<std::string> command) {
  const std::string file = program_file(command[0]);
  const host::Inspection program = host::inspect_program(file);
  const fs::path library = runtime_library(program.runtime);
  for (std::string& config : s.configs)
    if (fs::exists(config)) config = fs::absolute(config);
  if (s.configs.size() > sim::DeviceMemory::kMostDevices)
    throw Error(ErrorKind::kUsage,
                "a program can have at most " + std::to_string(sim::DeviceMemory::kMostDevices) + " GPUs");
  for (const auto& [name, value] : host::environment_of(s)) setenv(name.c_str(), value.c_str(), 1);
  setenv("GPULOOM_CONFIG_DIR", config_directory().c_str(), 1);
  if (program.preload) prepend("LD_PRELOAD", library.string(), ' ');
  prepend("LD_LIBRARY_PATH", library.parent_path().string(), ':');
  preload_sanitizer();
  std::vector<char*> arguments;
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  execv(file.c_str(), arguments.data());
  throw Error(ErrorKind::kInput, "cannot run '" + file + "': " + std::strerror(errno));
}

}  // namespace gpuloom::cli
