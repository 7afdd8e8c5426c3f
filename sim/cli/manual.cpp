// SPDX-License-Identifier: Apache-2.0
// The manual page in man(7)'s language.
#include <fmt/core.h>

#include "base/text.h"
#include "base/version.h"
#include "sim/cli/help_commands.h"

namespace gpuloom::cli {
namespace {

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
  return out.starts_with(".") || out.starts_with("'") ? "\\&" + out : out;
}

std::string option_text(const OptionInfo& o) {
  std::vector<std::string> names;
  for (const std::string& name : o.names) names.push_back("\\fB" + escaped(name) + "\\fR");
  std::string head = o.names.empty() ? "\\fI" + escaped(o.positional) + "\\fR" : join(names, ", ");
  if (!o.choices.empty())
    head += " " + escaped(join(o.choices, "|"));
  else if (o.takes_value && !o.names.empty())
    head += " \\fIVALUE\\fR";
  return ".TP\n" + head + "\n" + escaped(o.description) + "\n";
}

std::string command_text(const CommandInfo& c) {
  std::string out = fmt::format(".SS gpuloom {}\n{}\n", escaped(c.path), escaped(c.description));
  for (const OptionInfo& o : c.options)
    if (o.names.empty() || o.names.back() != "--help") out += option_text(o);
  return out;
}

}  // namespace

std::string manual_page(const std::vector<CommandInfo>& commands) {
  std::string out = fmt::format(
      ".TH GPULOOM 1 \"\" \"gpuloom {}\" \"User Commands\"\n.SH NAME\ngpuloom \\- a cycle\\-approximate "
      "simulator "
      "of GPUs that reads PTX\n.SH SYNOPSIS\n.B gpuloom\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n.SH COMMANDS\n",
      version());
  for (const CommandInfo& c : commands)
    if (!c.path.empty()) out += command_text(c);
  return out + R"(.SH EXIT STATUS
0 done, 1 a verification failed, 2 usage, 3 bad input or output that cannot be written, 4 unsupported feature,
5 the simulated program failed or met a limit, 70 a bug of ours, 130 and 143 interrupted.
.SH ENVIRONMENT
.TP
.B NVCC, CUDA_HOME, CUDA_PATH
Where nvcc is, for CUDA C++.
.TP
.B GPULOOM_CONFIG_DIR
The folder of configurations.
.TP
.B NO_COLOR
Anything: no colours on a terminal.
)";
}

}  // namespace gpuloom::cli
