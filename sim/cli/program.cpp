// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/program.h"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "sim/cli/external_command.h"
#include "sim/cli/guarded.h"
#include "sim/cli/parse_error.h"

namespace gpuloom::cli {
namespace {

// CLI11 says of a word that is not a command only that a command is required.
void check_command_name(const CLI::App& app, const std::string& word) {
  std::vector<std::string> known = external_commands();
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    known.push_back(command->get_name());
  if (word.starts_with("-") || std::find(known.begin(), known.end(), word) != known.end()) return;
  const std::string near = did_you_mean(word, known);
  throw Error(ErrorKind::kUsage, "unknown command '" + word + "'", {},
              near.empty() ? "gpuloom --help lists them" : near);
}

// A full disk or a closed pipe shows when the last bytes leave; what was cut off must not look like success.
int output_written(int exit_code) {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
  std::fprintf(stderr, "gpuloom: cannot write the output: %s\n",
               errno != 0 ? std::strerror(errno) : "only part of it was written to standard output");
  return exit_code != 0 ? exit_code : static_cast<int>(ErrorKind::kInput);
}

// For a command that a program of the user's follows, each "--" as kProgramFollows; else the words as they
// are.
std::vector<const char*> words_of(const CLI::App& app, int argc, char** argv) {
  std::vector<const char*> words(argv, argv + argc);
  const auto named = [&](const CLI::App* a) { return argc > 1 && a->get_name() == argv[1]; };
  for (const CLI::App* command : app.get_subcommands(named))
    if (command->get_prefix_command())
      for (const char*& word : words)
        if (std::strcmp(word, "--") == 0) word = kProgramFollows;
  return words;
}

}  // namespace

int run_program(CLI::App& app, int argc, char** argv, const int& exit_code) {
  app.failure_message(
      [](const CLI::App* root, const CLI::Error& error) { return parse_error_text(*root, error); });
  if (argc > 1) {
    const int code = guarded([&] {
      check_command_name(app, argv[1]);
      return 0;
    });
    if (code != 0) return code;
  }
  try {
    const std::vector<const char*> words = words_of(app, argc, argv);
    app.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);  // prints help or the message
    return code == 0 ? output_written(0) : static_cast<int>(ErrorKind::kUsage);
  }
  return output_written(exit_code);
}

}  // namespace gpuloom::cli
