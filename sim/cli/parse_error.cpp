// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/parse_error.h"

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/text.h"

namespace gpuloom::cli {
namespace {

struct Message {
  std::string text, hint;
};

std::vector<std::string> command_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* child : command.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(child->get_name());
  return names;
}

// A word too many: an option or a command that is not there, or one more than the command takes.
Message unexpected(const CLI::App& command, const std::string& path, const std::string& word) {
  if (const std::string option = word.substr(0, word.find('=')); option.size() > 1 && option[0] == '-')
    return {"unknown option '" + option + "'", near_option(option, command)};
  const std::vector<std::string> children = command_names(command);
  if (children.empty()) return {"unexpected argument '" + word + "'", ""};
  const std::string near = did_you_mean(word, children);
  return {"unknown command '" + path + " " + word + "'",
          near.empty() ? "its commands are " + join(children, ", ") + ";" : near};
}

Message missing(const CLI::App& command, const std::string& name) {
  const CLI::Option* option = command.get_option_no_throw(name);
  const std::string about = option == nullptr ? "" : option->get_description();
  return {"'" + name + "' is missing" + (about.empty() ? "" : ": " + about), ""};
}

Message message_of(const CLI::App& program, const CLI::App& command, const std::string& path,
                   const CLI::Error& error) {
  const std::string what = error.what();
  const std::vector<std::string> words = program.remaining(true);
  // The error's own name is sometimes the command's.
  const auto code = static_cast<CLI::ExitCodes>(error.get_exit_code());
  if (!words.empty() && (code == CLI::ExitCodes::ExtrasError || code == CLI::ExitCodes::RequiredError))
    return unexpected(command, path, words.front());
  if (what == "A subcommand is required")
    return {"name one of its commands: " + either(command_names(command)), ""};
  const std::string required = " is required";
  if (code == CLI::ExitCodes::RequiredError && what.ends_with(required))
    return missing(command, what.substr(0, what.size() - required.size()));
  if (code == CLI::ExitCodes::ArgumentMismatch && what.find(": 1 required ") != std::string::npos)
    return {what.substr(0, what.find(':')) + " needs a value", ""};
  return {what, ""};
}

}  // namespace

// Compared without dashes, which would make all names look alike.
std::string near_option(const std::string& option, const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* known : command.get_options())
    for (const std::string& name : known->get_lnames()) names.push_back(name);
  return did_you_mean(option.substr(std::min(option.find_first_not_of('-'), option.size())), names, "--");
}

std::string parse_error_text(const CLI::App& program, const CLI::Error& error) {
  std::string path = "gpuloom";
  const CLI::App* command = &program;
  for (; !command->get_subcommands().empty(); path += " " + command->get_name())
    command = command->get_subcommands().front();
  const Message m = message_of(program, *command, path, error);
  return path + ": " + m.text + " (" + (m.hint.empty() ? "" : m.hint + " ") + path +
         " --help lists the options" + (command_names(*command).empty() ? "" : " and commands") + ")\n";
}

}  // namespace gpuloom::cli
