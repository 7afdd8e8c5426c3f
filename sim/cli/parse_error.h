// SPDX-License-Identifier: Apache-2.0
// What is wrong with a command line that the parser refuses, in a sentence with what to type instead.
#pragma once
#include <string>

namespace CLI {
class App;
class Error;
}  // namespace CLI

namespace gpuloom::cli {

// Of the whole program; the parser knows which command was meant. Ends with a new line.
std::string parse_error_text(const CLI::App& program, const CLI::Error& error);

// An option of the command that was meant by this one: "did you mean '--timed'?", or nothing.
std::string near_option(const std::string& option, const CLI::App& command);

}  // namespace gpuloom::cli
