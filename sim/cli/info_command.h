// SPDX-License-Identifier: Apache-2.0
// gpuloom info: what a PTX module holds.
#pragma once

namespace CLI {
class App;
}

namespace gpuloom::cli {

// Adds the subcommand `info FILE`. Its callback stores the exit code in `exit_code`, which must outlive the
// parsing.
void add_info_command(CLI::App& app, int& exit_code);

}  // namespace gpuloom::cli
