// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/help_commands.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "sim/cli/choice.h"
#include "sim/cli/guarded.h"
#include "sim/cli/print.h"

namespace gpuloom::cli {

void add_help_commands(CLI::App& app, int& exit_code) {
  auto shell = std::make_shared<std::string>();
  CLI::App* completion = app.add_subcommand(
      "completion",
      "Completion for a shell: source <(gpuloom completion bash), gpuloom completion fish | source");
  completion->add_option("shell", *shell, "Shell")->required()->check(one_of({"bash", "zsh", "fish"}));
  completion->callback([&app, shell, &exit_code] {
    exit_code = guarded([&] {
      print(completion_script(command_tree(app), *shell));
      return 0;
    });
  });
  CLI::App* man = app.add_subcommand("man", "The manual page: gpuloom man | man -l -");
  man->callback([&app, &exit_code] {
    exit_code = guarded([&] {
      print(manual_page(command_tree(app)));
      return 0;
    });
  });
}

}  // namespace gpuloom::cli
