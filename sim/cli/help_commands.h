// SPDX-License-Identifier: Apache-2.0
// gpuloom completion and gpuloom man: pages that are made from the commands themselves.
#pragma once
#include <string>
#include <vector>

#include "sim/cli/command_tree.h"

namespace CLI {
class App;
}

namespace gpuloom::cli {

std::string completion_script(const std::vector<CommandInfo>& commands, const std::string& shell);
std::string manual_page(const std::vector<CommandInfo>& commands);

// `app` must have all other commands already and outlive the parsing.
void add_help_commands(CLI::App& app, int& exit_code);

}  // namespace gpuloom::cli
