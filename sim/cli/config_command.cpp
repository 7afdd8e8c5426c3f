// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/config_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/config/config.h"
#include "base/config/config_unknowns.h"
#include "base/config/yaml_writer.h"
#include "base/error.h"
#include "base/text.h"
#include "sim/api/schemas.h"
#include "sim/cli/config_key.h"
#include "sim/cli/guarded.h"
#include "sim/cli/print.h"

namespace gpuloom::cli {
namespace {

int list_command() {
  const std::string root = config_directory();
  for (const std::string& name : list_configs()) {
    std::string description;
    const ConfigNode tree = parse_yaml_file(root + "/" + name + ".yaml", name);
    const ConfigNode* about = tree.find("description");
    if (about != nullptr && about->is_scalar()) description = about->scalar;
    const size_t pad = name.size() < 20 ? 20 - name.size() : 1;
    print(name + (description.empty() ? "" : std::string(pad, ' ') + description) + "\n");
  }
  return 0;
}

int show_command(const std::string& name, const std::vector<std::string>& overrides, bool origin) {
  const Config config = Config::load(name, overrides);
  const std::vector<YamlLine> lines = yaml_lines(config.tree());
  size_t width = 0;
  for (const YamlLine& line : lines) width = std::max(width, std::min<size_t>(line.text.size(), 60));
  for (const YamlLine& line : lines) {
    std::string text = line.text;
    if (origin && !line.origin.empty()) {
      if (text.size() < width) text.resize(width, ' ');
      text += "  # " + line.origin;
    }
    print(text + "\n");
  }
  return 0;
}

int unknowns_command(const std::string& name, const std::vector<std::string>& overrides) {
  const ConfigUnknowns unknowns = config_unknowns(Config::load(name, overrides));
  for (const ConfigUnknown& u : unknowns.estimated)
    print(u.path + ": " + u.value + "\n    " + u.where.str() + ": " + u.why + "\n");
  print(std::to_string(unknowns.estimated_values) + " of " + std::to_string(unknowns.values) +
        " values are estimated\n");
  return 0;
}

int validate_command(const std::vector<std::string>& names, const std::vector<std::string>& overrides,
                     const ConfigReading& reading) {
  int code = 0;
  for (const std::string& name : names) {
    const int result = guarded([&] {
      const Config config = Config::load(name, overrides);
      throw_problems(config.unit_problems());
      if (reading) {
        reading(config);
        config.check();
      }
      print(name + ": ok\n");
      return 0;
    });
    if (code == 0) code = result;
  }
  return code;
}

void flatten(const ConfigNode& node, const std::string& path,
             std::map<std::string, const ConfigNode*>& values) {
  if (!yaml_has_map(node) || node.children.empty()) {
    values[path] = &node;
    return;
  }
  for (size_t i = 0; i < node.children.size(); ++i) {
    const ConfigNode& child = node.children[i];
    const std::string key = node.is_map() ? child.key : std::to_string(i);
    flatten(child, path.empty() ? key : path + "." + key, values);
  }
}

int diff_command(const std::string& a, const std::string& b, bool origin) {
  const Config first = Config::load(a);
  const Config second = Config::load(b);
  std::map<std::string, const ConfigNode*> left, right;
  flatten(first.tree(), "", left);
  flatten(second.tree(), "", right);
  const auto side = [origin](char sign, const std::string& path, const ConfigNode* node) {
    print(std::string(1, sign) + " " + path + ": " + yaml_inline(*node) +
          (origin ? "  # " + node->where.str() : "") + "\n");
  };
  std::map<std::string, std::pair<const ConfigNode*, const ConfigNode*>> both;
  for (const auto& [path, node] : left) both[path].first = node;
  for (const auto& [path, node] : right) both[path].second = node;
  size_t differences = 0;
  for (const auto& [path, nodes] : both) {
    const auto& [l, r] = nodes;
    if (l != nullptr && r != nullptr && yaml_inline(*l) == yaml_inline(*r)) continue;
    ++differences;
    if (l != nullptr) side('-', path, l);
    if (r != nullptr) side('+', path, r);
  }
  if (differences == 0) print("no differences\n");
  return 0;
}

// `show KEY` alone is h200's.
constexpr const char* kDefaultConfig = "h200";

// What the options fill in; shared with the callbacks, which outlive this call.
struct ConfigArguments {
  std::string name, other;
  std::string key, effect, to, schema;
  std::vector<std::string> names, overrides;
  bool origin = false, unknowns = false;
};

int show_configuration(const ConfigArguments& args, const ConfigReading& reading) {
  KeyQuestion question{args.name, args.key, args.overrides, args.effect, args.to};
  // One word is a configuration, or else a key.
  if (question.key.empty() && !is_config(args.name) && is_key(args.name, kDefaultConfig))
    question.config = kDefaultConfig, question.key = args.name;
  if (!question.key.empty()) {
    show_key(question, reading);
    return 0;
  }
  if (!args.effect.empty() || !args.to.empty())
    throw Error(ErrorKind::kUsage, "--effect and --to need a key", {},
                "gpuloom config show " + args.name + " sm.l1.mshrs --effect launch.yaml");
  return args.unknowns ? unknowns_command(args.name, args.overrides)
                       : show_command(args.name, args.overrides, args.origin);
}

}  // namespace

void add_config_command(CLI::App& app, int& exit_code, ConfigReading reading) {
  auto args = std::make_shared<ConfigArguments>();
  CLI::App* config = app.add_subcommand("config", "List, show, check and compare configurations");
  config->require_subcommand(1);

  config->add_subcommand("list", "List the configuration names, for --config and 'show'")
      ->callback([&exit_code] { exit_code = guarded(list_command); });

  CLI::App* show_app = config->add_subcommand(
      "show", "Every value of a configuration with what it extends, or all that is known about one key");
  show_app
      ->add_option("name", args->name,
                   "A name such as h200, or a file; a key without a name is looked up in h200")
      ->required();
  show_app->add_option("key", args->key,
                       "A key or group, such as sm.l1.mshrs: meaning, range, source, reader, effect");
  show_app->add_option("--effect", args->effect,
                       "With a key: run this launch file, and again with the value a quarter larger");
  show_app->add_option("--to", args->to, "With --effect: the value to compare with");
  show_app->add_flag("--origin", args->origin,
                     "Also print the file, line and column that each value came from");
  show_app->add_flag("--unknowns", args->unknowns, "Only values without a source, each with its reasoning");
  show_app->add_option("-s,--set", args->overrides, "Override: sm.shared.banks=64")->allow_extra_args(false);
  show_app->callback([args, &exit_code, reading] {
    exit_code = guarded([&] { return show_configuration(*args, reading); });
  });

  CLI::App* validate =
      config->add_subcommand("validate", "Check configurations; prints every problem with its position");
  validate->add_option("files", args->names, "Names or files")->required();
  validate->add_option("-s,--set", args->overrides, "Override: sm.shared.banks=64")->allow_extra_args(false);
  validate->callback([args, &exit_code, reading = std::move(reading)] {
    exit_code = validate_command(args->names, args->overrides, reading);
  });

  CLI::App* schema = config->add_subcommand(
      "schema",
      "The JSON schema of configurations, launch files or sweeps, for editors (yaml-language-server)");
  schema->add_option("of", args->schema, "config, launch or sweep")
      ->default_val("config")
      ->check(CLI::IsMember({"config", "launch", "sweep"}));
  schema->callback([args, &exit_code] {
    exit_code = guarded([&] {
      print(sim::schema_text(args->schema));
      return 0;
    });
  });

  CLI::App* diff = config->add_subcommand("diff", "Values that differ between two configurations");
  diff->add_option("a", args->name, "The first configuration: a name or file")->required();
  diff->add_option("b", args->other, "The second configuration: a name or file")->required();
  diff->add_flag("--origin", args->origin, "Also print where each value came from");
  diff->callback([args, &exit_code] {
    exit_code = guarded([&] { return diff_command(args->name, args->other, args->origin); });
  });
}

}  // namespace gpuloom::cli
