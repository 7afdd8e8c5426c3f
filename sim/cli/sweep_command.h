// SPDX-License-Identifier: Apache-2.0
// gpuloom sweep: a launch over the axes of a sweep file, resumable, here or on other machines.
#pragma once
namespace CLI {
class App;
}

namespace gpuloom::cli {

// Adds the subcommand; its callback stores the exit code in `exit_code`, which must outlive the parsing.
void add_sweep_command(CLI::App& app, int& exit_code);

}  // namespace gpuloom::cli
