// SPDX-License-Identifier: Apache-2.0
// A command of gpuloom in a program of its own (sim/cli/external_command.h).
#pragma once

namespace CLI {
class App;
}

namespace gpuloom::validation {

// Runs the command that `add` adds, called `name`, on the program's words. Returns the exit code.
int run_as_command(const char* name, void (*add)(CLI::App& app, int& exit_code), int argc, char** argv);

}  // namespace gpuloom::validation
