// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/check_command.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iterator>
#include <memory>

#include "base/error.h"
#include "base/text.h"
#include "ptx/parse/parser.h"
#include "ptx/target.h"
#include "sim/cli/choice.h"
#include "sim/cli/guarded.h"
#include "sim/cli/launch_source.h"
#include "sim/cli/whole_number.h"
#include "sim/frontend/ptx_source.h"
#include "sim/memory/files.h"

namespace gpuloom::cli {
namespace {

struct CheckArguments {
  std::vector<std::string> files;
  std::string target;
  std::string format = "human";
  size_t limit = 50;
};

std::string read_named(const std::string& path) {
  if (path == "-") {
    std::string text;
    char buffer[65536];
    for (size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, stdin)) > 0;) text.append(buffer, n);
    return text;
  }
  return sim::read_file(path);
}

int check(const CheckArguments& options) {
  if (!options.target.empty() && ptx::find_target(options.target) == nullptr) {
    std::vector<std::string> known;
    for (const ptx::TargetInfo& target : ptx::all_targets()) known.emplace_back(target.name);
    throw Error(ErrorKind::kUsage, "unknown target " + options.target, {},
                did_you_mean(options.target, known));
  }
  bool wrong = false, unsupported = false, first = true;
  const bool json = options.format == "json";
  std::vector<frontend::PtxSource> modules;  // all of them first: a file that is not there leaves no half of
                                             // a list behind
  for (const std::string& file : options.files) {
    frontend::PtxRequest request;
    request.target = options.target;
    if (file == "-") {
      modules.push_back({read_named(file), file, frontend::Content::kPtx, ""});
      continue;
    }
    const std::string path = file_with_kernels(file);
    for (frontend::PtxSource& module : frontend::modules_of(read_named(path), path, request))
      modules.push_back(std::move(module));
  }
  if (json) std::printf("[");
  for (const frontend::PtxSource& module : modules) {
    const std::string& file = module.name;
    ptx::ParseOptions parse;
    parse.device = options.target;
    parse.warn_not_modelled = true;
    const ptx::ParseResult result = ptx::parse_module(module.text, file, ptx::isa_table(), parse);
    wrong = wrong || (result.errors > 0 && !result.only_unsupported);
    unsupported = unsupported || result.only_unsupported;
    for (const ptx::Diagnostic& d : result.diagnostics)
      unsupported = unsupported || kind(d.problem) == ptx::ProblemKind::kNotModelled;
    if (json) {
      const std::string list = render_json(result.diagnostics, file);
      if (list.size() > 2) std::printf("%s%s", first ? "" : ",", list.substr(1, list.size() - 2).c_str());
      first = first && list.size() <= 2;
    } else if (result.errors + result.warnings > 0) {
      std::printf("%s\n", result.render(options.limit).c_str());
    } else {
      std::printf("%s: no problems\n", file.c_str());
    }
  }
  if (json) std::printf("]\n");
  return wrong         ? static_cast<int>(ErrorKind::kInput)
         : unsupported ? static_cast<int>(ErrorKind::kUnsupported)
                       : 0;
}

}  // namespace

void add_check_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<CheckArguments>();
  CLI::App* command = app.add_subcommand("check", "Report every problem in PTX files");
  command
      ->add_option(
          "FILE", options->files,
          "PTX files, or other files that contain kernels (CUDA C++, executables, fatbins); - is PTX "
          "from standard input")
      ->required();
  command->add_option("--target", options->target, "Target device, such as sm_90a");
  command->add_option("--format", options->format, "human or json")->check(one_of({"human", "json"}));
  command
      ->add_option("--limit", options->limit,
                   "Show at most this many problems for each file (all are counted)")
      ->check(whole_number());
  command->callback([options, &exit_code] { exit_code = guarded([&] { return check(*options); }); });
}

}  // namespace gpuloom::cli
