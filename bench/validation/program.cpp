// SPDX-License-Identifier: Apache-2.0
#include "bench/validation/program.h"

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/heap.h"
#include "sim/cli/program.h"

namespace gpuloom::validation {

int run_as_command(const char* name, void (*add)(CLI::App& app, int& exit_code), int argc, char** argv) {
  prepare_heap();
  CLI::App app{"gpuloom: the simulator beside silicon"};
  int exit_code = 0;
  add(app, exit_code);
  // Messages and usage read as the user typed it: gpuloom NAME.
  std::string program = "gpuloom", command = name;
  std::vector<char*> words{program.data(), command.data()};
  words.insert(words.end(), argv + 1, argv + argc);
  const int count = static_cast<int>(words.size());
  words.push_back(nullptr);
  return cli::run_program(app, count, words.data(), exit_code);
}

}  // namespace gpuloom::validation
