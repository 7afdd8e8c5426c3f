// SPDX-License-Identifier: Apache-2.0
// gpuloom isa: the instructions that gpuloom knows, and which of them it models.
#pragma once

namespace CLI {
class App;
}

namespace gpuloom::cli {

// Adds the subcommand `isa [PATTERN] [--coverage markdown]`. Its callback stores the exit code in
// `exit_code`, which must outlive the parsing.
void add_isa_command(CLI::App& app, int& exit_code);

}  // namespace gpuloom::cli
