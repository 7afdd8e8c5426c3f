// SPDX-License-Identifier: Apache-2.0
// What every program of gpuloom's command line does around its commands: parsing, exit codes, output that
// cannot be written.
#pragma once

namespace CLI {
class App;
}

namespace gpuloom::cli {

// What stands for "--" before a program of the user's: CLI11 before 2.4 ends a subcommand there.
inline constexpr char kProgramFollows[] = "\x01--";

// Parses the words and runs the command they name. `exit_code` is what the commands of `app` set. Returns the
// exit code of base/error.h; output that cannot be written is kInput.
int run_program(CLI::App& app, int argc, char** argv, const int& exit_code);

}  // namespace gpuloom::cli
