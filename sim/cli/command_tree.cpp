// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/command_tree.h"

#include <CLI/CLI.hpp>

#include "base/text.h"

namespace gpuloom::cli {
namespace {

// The parser keeps choices as text of the type: "TEXT:{basic,full}".
std::vector<std::string> choices_of(const std::string& type) {
  const size_t open = type.find('{'), close = type.find('}', open);
  if (open == std::string::npos || close == std::string::npos) return {};
  return split(type.substr(open + 1, close - open - 1), ',');
}

OptionInfo option_info(const CLI::Option& option) {
  OptionInfo o;
  for (const std::string& name : option.get_snames()) o.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) o.names.push_back("--" + name);
  if (o.names.empty()) o.positional = option.get_name();
  o.description = option.get_description();
  o.group = option.get_group();
  o.choices = choices_of(option.get_type_name());
  o.takes_value = option.get_items_expected_max() != 0;  // 0: a flag
  return o;
}

void visit(const CLI::App& app, const std::string& path, std::vector<CommandInfo>& all) {
  const size_t at = all.size();
  all.push_back({path, app.get_description(), {}, {}});
  for (const CLI::Option* option : app.get_options()) all[at].options.push_back(option_info(*option));
  for (const CLI::App* child : app.get_subcommands({})) {
    all[at].children.push_back(child->get_name());
    visit(*child, path.empty() ? child->get_name() : path + " " + child->get_name(), all);
  }
}

}  // namespace

std::vector<CommandInfo> command_tree(const CLI::App& app) {
  std::vector<CommandInfo> all;
  visit(app, "", all);
  return all;
}

}  // namespace gpuloom::cli
