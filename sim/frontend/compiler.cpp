// SPDX-License-Identifier: Apache-2.0
#include "sim/frontend/compiler.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/config/units.h"
#include "base/error.h"
#include "base/text.h"
#include "sim/memory/files.h"
#include "sim/memory/scratch_folder.h"

namespace fs = std::filesystem;

namespace gpuloom::frontend {
namespace {

bool is_program(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string on_path(const std::string& program) {
  for (const std::string& folder : split(environment("PATH"), ':'))
    if (!folder.empty() && is_program(fs::path(folder) / program))
      return (fs::path(folder) / program).string();
  return "";
}

// clang++, or of clang++-N the newest: what reads the headers of a new toolkit.
std::string newest_clang() {
  constexpr std::string_view kName = "clang++-";
  int newest = 0;
  std::string found = on_path("clang++");
  for (const std::string& folder : split(environment("PATH"), ':')) {
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
      const std::string name = entry.path().filename().string();
      int64_t version = 0;
      if (!name.starts_with(kName) || !parse_integer(name.substr(kName.size()), version)) continue;
      if (version <= newest || !is_program(entry.path())) continue;
      newest = static_cast<int>(version);
      found = entry.path().string();
    }
  }
  return found;
}

// By `scripts/setup --nvcc` into build/nvcc, where this program lies in build/PRESET.
std::string fetched_nvcc() {
  std::error_code failed;
  const fs::path nvcc =
      fs::read_symlink("/proc/self/exe", failed).parent_path().parent_path() / "nvcc" / "bin" / "nvcc";
  return !failed && is_program(nvcc) ? nvcc.string() : "";
}

[[noreturn]] void no_compiler(const std::string& path, const std::string& target) {
  const std::string named = environment("NVCC");
  const std::string why = named.empty() ? "this machine has neither nvcc nor clang++"
                                        : "NVCC names '" + named + "', which is not a program here";
  throw Error(ErrorKind::kUsage, fmt::format("'{}' is CUDA C++, and {}", path, why), {},
              fmt::format("`scripts/setup --nvcc` fetches nvcc alone, with pip; the CUDA toolkit has it too; "
                          "clang works with the toolkit's headers; or make PTX on another machine: nvcc -ptx "
                          "-lineinfo -arch={} {}",
                          target, path));
}

// Runs a program without a shell; what it prints goes to `log`. Its exit status, -1 where it did not start.
int run(const std::vector<std::string>& words, const std::string& log) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool chooses_target(const std::vector<std::string>& arguments) {
  for (const std::string& a : arguments)
    for (const char* option :
         {"-arch", "--gpu-architecture", "-gencode", "--generate-code", "--cuda-gpu-arch", "--offload-arch"})
      if (a.starts_with(option)) return true;
  return false;
}

std::vector<std::string> command_line(const std::string& compiler, const std::string& path,
                                      const std::string& target, const std::vector<std::string>& arguments,
                                      bool one_of_several, const std::string& out) {
  const bool clang = fs::path(compiler).filename().string().find("clang") != std::string::npos;
  std::vector<std::string> words = {compiler};
  const auto add = [&](std::initializer_list<std::string> more) { words.insert(words.end(), more); };
  if (clang) {
    add({"-x", "cuda", "--cuda-device-only", "-S", "-O3", "-gline-tables-only"});
    if (!chooses_target(arguments)) add({"--cuda-gpu-arch=" + target});
    if (one_of_several) add({"-fgpu-rdc"});
  } else {
    add({"-ptx", "-lineinfo"});
    if (!path.ends_with(".cu")) add({"-x", "cu"});
    if (!chooses_target(arguments)) add({"-arch=" + target});
    if (one_of_several) add({"-rdc=true"});
  }
  words.insert(words.end(), arguments.begin(), arguments.end());
  add({"-o", out, path});
  return words;
}

}  // namespace

std::string find_cuda_compiler() {
  if (const std::string named = environment("NVCC"); !named.empty())
    return named.find('/') == std::string::npos ? on_path(named) : is_program(named) ? named : "";
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const std::string root = environment(variable); !root.empty() && is_program(root + "/bin/nvcc"))
      return root + "/bin/nvcc";
  if (const std::string found = on_path("nvcc"); !found.empty()) return found;
  if (is_program("/usr/local/cuda/bin/nvcc")) return "/usr/local/cuda/bin/nvcc";
  if (const std::string fetched = fetched_nvcc(); !fetched.empty()) return fetched;
  return newest_clang();
}

std::string compile_cuda(const std::string& path, const std::string& target,
                         const std::vector<std::string>& arguments, bool one_of_several) {
  const std::string compiler = find_cuda_compiler();
  if (compiler.empty()) no_compiler(path, target);
  const sim::ScratchFolder scratch;
  const std::vector<std::string> words =
      command_line(compiler, path, target, arguments, one_of_several, scratch.file("module.ptx"));
  const int status = run(words, scratch.file("log"));
  if (status == 0) return sim::read_file(scratch.file("module.ptx"));
  std::string said = sim::file_exists(scratch.file("log")) ? sim::read_file(scratch.file("log")) : "";
  said = std::string(trim(said));
  std::string hint = "the command was: " + join(words, " ") + "; its options can be given after --";
  if (said.find("Unsupported gpu architecture") != std::string::npos ||
      said.find("unsupported CUDA gpu architecture") != std::string::npos)
    hint = "this compiler does not know " + target +
           ": give one that it knows after --, with -arch= for nvcc or --cuda-gpu-arch= for clang; " + hint;
  if (said.find("#include") != std::string::npos && said.find("No such file") != std::string::npos)
    hint = "-- -I FOLDER says where more headers are; " + hint;
  if (said.find("[-Wunknown-cuda-version]") != std::string::npos)
    hint = compiler +
           " is older than the CUDA toolkit here and may not read its headers: install a newer clang, or "
           "nvcc; " +
           hint;
  throw Error(ErrorKind::kInput,
              fmt::format("'{}' does not compile{}{}", path, said.empty() ? "" : ":\n", said), {}, hint);
}

}  // namespace gpuloom::frontend
