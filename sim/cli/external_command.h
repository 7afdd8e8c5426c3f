// SPDX-License-Identifier: Apache-2.0
// Commands that are programs of their own: `gpuloom score` is gpuloom-score, which lies beside gpuloom. So a
// command set can stand on gpuloom without being part of it, as bench/validation does.
#pragma once
#include <string>
#include <vector>

namespace gpuloom::cli {

// Their names, sorted: of each executable `gpuloom-NAME` in the folder of the running program.
std::vector<std::string> external_commands();

// Becomes the program of the command that argv[1] names, with the words after it. Returns only where argv[1]
// does not name one.
void become_external_command(char** argv);

}  // namespace gpuloom::cli
