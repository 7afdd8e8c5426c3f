// SPDX-License-Identifier: Apache-2.0
#include "base/config/config_changes.h"

#include <map>
#include <utility>

#include "base/config/yaml_writer.h"
#include "base/error.h"

namespace gpuloom {
namespace {

void flatten(const ConfigNode& node, const std::string& path, std::map<std::string, std::string>& values) {
  if (!yaml_has_map(node) || node.children.empty()) {
    values[path] = yaml_inline(node);
    return;
  }
  for (size_t i = 0; i < node.children.size(); ++i) {
    const ConfigNode& child = node.children[i];
    const std::string key = node.is_map() ? child.key : std::to_string(i);
    flatten(child, path.empty() ? key : path + "." + key, values);
  }
}

}  // namespace

std::vector<ConfigChange> config_changes(const Config& from, const Config& to) {
  std::map<std::string, std::string> left, right;
  flatten(from.tree(), "", left);
  flatten(to.tree(), "", right);
  std::map<std::string, ConfigChange> changes;
  for (const auto& [key, value] : left)
    if (const auto there = right.find(key); there == right.end() || there->second != value)
      changes[key] = {key, value, there == right.end() ? "" : there->second};
  for (const auto& [key, value] : right)
    if (left.count(key) == 0) changes[key] = {key, "", value};
  std::vector<ConfigChange> list;
  for (auto& [key, change] : changes)
    if (key != "description") list.push_back(std::move(change));
  return list;
}

std::vector<ConfigChange> changes_of(const Config& config, const std::string& name) {
  if (config.is_unchanged(name)) return {};
  try {
    return config_changes(Config::load(name), config);
  } catch (const Error&) {
    return {};  // a file's own name
  }
}

std::string changed_name(const std::string& name, size_t changes) {
  if (changes == 0) return name;
  return name + " + " + std::to_string(changes) + (changes == 1 ? " change" : " changes");
}

}  // namespace gpuloom
