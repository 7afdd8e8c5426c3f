// SPDX-License-Identifier: Apache-2.0
// gpuloom check: what is wrong with PTX files, and what in them gpuloom does not model.
#pragma once

namespace CLI {
class App;
}

namespace gpuloom::cli {

// Adds the subcommand `check FILE... [--target T] [--format human|json] [--limit N]`. Its callback stores the
// exit code in `exit_code`, which must outlive the parsing: 0, 3 where a file is wrong, 4 where files only
// need what is not here.
void add_check_command(CLI::App& app, int& exit_code);

}  // namespace gpuloom::cli
