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

#include "sim/base/config/config.h"
#include "sim/base/error.h"
#include "sim/base/text.h"

namespace gpuloom::cli {
namespace {

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

// Runs one of the actions and turns what it throws into a message and an exit code.
template <class Action>
int guarded(Action action) {
  try {
    return action();
  } catch (const Error& e) {
    std::fprintf(stderr, "gpuloom: %s\n", e.what());
    return static_cast<int>(e.kind());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "gpuloom: internal error: %s\n", e.what());
    return static_cast<int>(ErrorKind::kInternal);
  }
}

// A scalar as YAML that reads back as the same scalar.
std::string scalar_text(const ConfigNode& node) {
  if (node.kind == ConfigNode::Kind::kNull) return "~";
  const bool plain =
      !node.scalar.empty() && !node.quoted && node.scalar.find_first_of("\n\t\"'") == std::string::npos;
  if (plain) return node.scalar;
  std::string text = "\"";
  for (const char c : node.scalar) {
    if (c == '\n') {
      text += "\\n";
    } else if (c == '\t') {
      text += "\\t";
    } else {
      if (c == '"' || c == '\\') text += '\\';
      text += c;
    }
  }
  return text + "\"";
}

bool has_map(const ConfigNode& node) {
  return node.is_map() || std::any_of(node.children.begin(), node.children.end(), has_map);
}

// A scalar, or a list without maps on one line.
std::string inline_text(const ConfigNode& node) {
  if (node.is_map()) return "{}";  // only empty ones come here
  if (!node.is_list()) return scalar_text(node);
  std::vector<std::string> items;
  for (const auto& child : node.children) items.push_back(inline_text(child));
  return "[" + join(items, ", ") + "]";
}

struct Line {
  std::string text;
  std::string origin;  // of the value on it; empty where there is none
};

void list_lines(const ConfigNode& node, size_t indent, std::vector<Line>& lines);

void map_lines(const ConfigNode& node, size_t indent, std::vector<Line>& lines) {
  for (const auto& child : node.children) {
    const std::string start = std::string(indent, ' ') + child.key + ":";
    if (!has_map(child)) {
      lines.push_back({start + " " + inline_text(child), child.where.str()});
    } else if (child.children.empty()) {
      lines.push_back({start + " {}", child.where.str()});
    } else {
      lines.push_back({start, ""});
      if (child.is_map()) {
        map_lines(child, indent + 2, lines);
      } else {
        list_lines(child, indent + 2, lines);
      }
    }
  }
}

// A list with maps in it: one element after another, the first line of each behind a dash.
void list_lines(const ConfigNode& node, size_t indent, std::vector<Line>& lines) {
  for (const auto& child : node.children) {
    const size_t first = lines.size();
    if (child.is_map()) {
      map_lines(child, indent + 2, lines);
    } else {
      lines.push_back({std::string(indent + 2, ' ') + inline_text(child), child.where.str()});
    }
    if (first < lines.size()) lines[first].text[indent] = '-';
  }
}

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
  std::vector<Line> lines;
  map_lines(config.tree(), 0, lines);
  size_t width = 0;
  for (const Line& line : lines) width = std::max(width, std::min<size_t>(line.text.size(), 60));
  for (const Line& line : lines) {
    std::string text = line.text;
    if (origin && !line.origin.empty()) {
      if (text.size() < width) text.resize(width, ' ');
      text += "  # " + line.origin;
    }
    print(text + "\n");
  }
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
  if (!has_map(node) || node.children.empty()) {
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
    print(std::string(1, sign) + " " + path + ": " + inline_text(*node) +
          (origin ? "  # " + node->where.str() : "") + "\n");
  };
  std::map<std::string, std::pair<const ConfigNode*, const ConfigNode*>> both;
  for (const auto& [path, node] : left) both[path].first = node;
  for (const auto& [path, node] : right) both[path].second = node;
  size_t differences = 0;
  for (const auto& [path, nodes] : both) {
    const auto& [l, r] = nodes;
    if (l != nullptr && r != nullptr && inline_text(*l) == inline_text(*r)) continue;
    ++differences;
    if (l != nullptr) side('-', path, l);
    if (r != nullptr) side('+', path, r);
  }
  if (differences == 0) print("no differences\n");
  return 0;
}

// What the options fill in; shared with the callbacks, which outlive this call.
struct Arguments {
  std::string name, other;
  std::vector<std::string> names, overrides;
  bool origin = false;
};

}  // namespace

void add_config_command(CLI::App& app, int& exit_code, ConfigReading reading) {
  auto args = std::make_shared<Arguments>();
  CLI::App* config = app.add_subcommand("config", "List, show, check and compare configurations");
  config->require_subcommand(1);

  config->add_subcommand("list", "Names of the configurations, for --config and 'show'")
      ->callback([&exit_code] { exit_code = guarded(list_command); });

  CLI::App* show =
      config->add_subcommand("show", "Every value of a configuration, after merging what it extends");
  show->add_option("name", args->name, "A name such as h200, or a file")->required();
  show->add_flag("--origin", args->origin, "Also print the file, line and column that each value came from");
  show->add_option("-s,--set", args->overrides, "Override: sm.shared.banks=64")->allow_extra_args(false);
  show->callback([args, &exit_code] {
    exit_code = guarded([&] { return show_command(args->name, args->overrides, args->origin); });
  });

  CLI::App* validate =
      config->add_subcommand("validate", "Check configurations; prints every problem with its position");
  validate->add_option("files", args->names, "Names or files")->required();
  validate->add_option("-s,--set", args->overrides, "Override: sm.shared.banks=64")->allow_extra_args(false);
  validate->callback([args, &exit_code, reading = std::move(reading)] {
    exit_code = validate_command(args->names, args->overrides, reading);
  });

  CLI::App* diff = config->add_subcommand("diff", "Values that differ between two configurations");
  diff->add_option("a", args->name, "A name or file")->required();
  diff->add_option("b", args->other, "A name or file")->required();
  diff->add_flag("--origin", args->origin, "Also print where each value came from");
  diff->callback([args, &exit_code] {
    exit_code = guarded([&] { return diff_command(args->name, args->other, args->origin); });
  });
}

}  // namespace gpuloom::cli
