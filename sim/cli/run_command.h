// SPDX-License-Identifier: Apache-2.0
// gpuloom run: launches on a configuration, and what they cost.
#pragma once
namespace CLI {
class App;
}

namespace gpuloom::cli {

// Adds the subcommand; its callback stores the exit code in `exit_code`, which must outlive the parsing.
void add_run_command(CLI::App& app, int& exit_code);

}  // namespace gpuloom::cli
