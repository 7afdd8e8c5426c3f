// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace gpuloom::cli {
namespace {

bool set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != 0;
}

bool shows_colours() {
  if (set("NO_COLOR")) return false;  // no-color.org
  if (set("CLICOLOR_FORCE")) return true;
  const char* terminal = std::getenv("TERM");
  return isatty(STDOUT_FILENO) != 0 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

// The sequence (ECMA-48 SGR) for a line, "" for most.
std::string_view colour_of(std::string_view line) {
  const size_t begin = line.find_first_not_of(' ');
  if (begin == std::string_view::npos) return "";
  line.remove_prefix(begin);
  for (const char* word :
       {"Section: ", "verdict: ", "launch ", "Shared memory, ", "Global and local memory, "})
    if (line.starts_with(word)) return "\033[1m";
  for (const char* word : {"FAILED:", "INCOMPLETE:"})
    if (line.starts_with(word)) return "\033[31m";
  if (line.starts_with("passed:")) return "\033[32m";
  return line.starts_with("note: ") ? "\033[33m" : "";
}

}  // namespace

size_t terminal_width() {
  if (isatty(STDOUT_FILENO) == 0) return 0;
  if (const char* columns = std::getenv("COLUMNS"); columns != nullptr && std::atoi(columns) > 0)
    return static_cast<size_t>(std::atoi(columns));
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

std::string painted(const std::string& text) {
  if (!shows_colours()) return text;
  std::string out;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    const std::string_view colour = colour_of(line);
    out += colour;
    out += line;
    if (!colour.empty()) out += "\033[0m";
    if (end < text.size()) out += '\n';
    begin = end + 1;
  }
  return out;
}

}  // namespace gpuloom::cli
