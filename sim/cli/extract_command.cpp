// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/extract_command.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "base/error.h"
#include "sim/cli/cuda_program.h"
#include "sim/cli/guarded.h"
#include "sim/cli/whole_number.h"
#include "sim/host/settings.h"

namespace gpuloom::cli {
namespace {

struct ExtractArguments {
  host::Settings settings;
  bool quiet = false, no_contract = false;
};

}  // namespace

void add_extract_command(CLI::App& app, int& exit_code) {
  auto a = std::make_shared<ExtractArguments>();
  a->settings.count = 1;  // a program may launch a hundred thousand
  CLI::App* extract = app.add_subcommand("extract",
                                         "Write launches of a CUDA program as launch files for gpuloom run: "
                                         "gpuloom extract [OPTIONS] ./app ARGUMENTS");
  extract
      ->add_option(
          "-o,--output", a->settings.extract,
          "Folder for launch_N.yaml, its PTX and its memory contents; N is the number in exec's result.json")
      ->required();
  extract->add_option("-k,--kernel", a->settings.kernel,
                      "Launches of this kernel: a name as in C++ or in the PTX, or regex:...");
  extract->add_option("--launch-skip", a->settings.skip, "Skip this many of those launches first")
      ->check(whole_number());
  extract->add_option("--launch-count", a->settings.count, "Then write this many")
      ->check(whole_number())
      ->capture_default_str();
  add_common_options(*extract, a->settings, a->no_contract, a->quiet);
  extract->callback([a, extract, &exit_code] {
    exit_code = guarded([&]() -> int {
      host::Settings& s = a->settings;
      if (s.configs.size() > 1)
        throw Error(ErrorKind::kUnsupported, "cannot extract launches of a program that uses several GPUs",
                    {}, "give only one -c: a launch file holds the memory of one GPU");
      s.summary = !a->quiet;
      s.contract = !a->no_contract;
      s.extract =
          std::filesystem::absolute(s.extract).lexically_normal();  // the program may change its folder
      become_cuda_program(s, program_and_arguments(*extract));
    });
  });
}

}  // namespace gpuloom::cli
