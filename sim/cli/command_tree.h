// SPDX-License-Identifier: Apache-2.0
// What the parser knows of its commands, for pages that are generated from it: completion and manual.
#pragma once
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace gpuloom::cli {

struct OptionInfo {
  std::vector<std::string> names;  // "-c", "--config"; empty for a positional
  std::string positional, description, group;
  std::vector<std::string> choices;
  bool takes_value = false;
};

struct CommandInfo {
  std::string path;  // "config show"
  std::string description;
  std::vector<OptionInfo> options;
  std::vector<std::string> children;
};

// Every command, those of commands behind them; the first is the program, with an empty path.
std::vector<CommandInfo> command_tree(const CLI::App& app);

}  // namespace gpuloom::cli
