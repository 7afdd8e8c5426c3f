// SPDX-License-Identifier: Apache-2.0
#include "base/config/config_merge.h"

#include <charconv>

#include "base/text.h"

namespace gpuloom {
namespace {

void set_origin(ConfigNode& node, const FilePosition& where) {
  node.where = where;
  node.key_where = where;
  for (auto& child : node.children) set_origin(child, where);
}

// Paths of every scalar and list below a node that end in `leaf` spelled right: who writes banks=64 means
// sm.shared.banks.
void collect_paths(const ConfigNode& node, const std::string& path, std::vector<std::string>& paths) {
  for (const auto& child : node.children) {
    if (!node.is_map()) break;
    const std::string name = path.empty() ? child.key : path + "." + child.key;
    paths.push_back(name);
    collect_paths(child, name, paths);
  }
}

std::string suggest(const ConfigNode& tree, const ConfigNode& group, const std::string& group_path,
                    const std::string& asked, const std::string& key) {
  std::vector<std::string> keys;
  for (const auto& child : group.children) keys.push_back(child.key);
  const std::string near = closest(key, keys);
  if (!near.empty()) return "did you mean '" + (group_path.empty() ? near : group_path + "." + near) + "'?";
  std::vector<std::string> paths;
  collect_paths(tree, "", paths);
  std::vector<std::string> ends;
  for (const auto& path : paths) {
    if (path.size() > asked.size() && path.ends_with("." + asked)) ends.push_back("'" + path + "'");
  }
  if (!ends.empty() && ends.size() <= 4) return "did you mean " + either(ends) + "?";
  const std::string near_path = did_you_mean(asked, paths);
  return near_path.empty() ? did_you_mean(key, paths) : near_path;
}

ConfigNode* step(ConfigNode& group, const std::string& key) {
  if (group.is_map()) return group.find(key);
  size_t index = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
  const bool whole = error == std::errc{} && end == key.data() + key.size() && !key.empty();
  return group.is_list() && whole && index < group.children.size() ? &group.children[index] : nullptr;
}

}  // namespace

void merge_config(ConfigNode& base, ConfigNode over, const std::string& path,
                  std::vector<ConfigProblem>& problems) {
  for (auto& entry : over.children) {
    const std::string entry_path = path.empty() ? entry.key : path + "." + entry.key;
    ConfigNode* under = base.find(entry.key);
    if (under == nullptr) {
      base.children.push_back(std::move(entry));
    } else if (under->is_map() && entry.is_map()) {
      merge_config(*under, std::move(entry), entry_path, problems);
    } else if (under->is_map() != entry.is_map()) {
      problems.push_back({entry.where,
                          entry_path + ": " + entry.describe() + " cannot replace " + under->describe(),
                          "the other is at " + under->key_where.str()});
    } else {
      entry.replaced = std::move(under->scalar);
      *under = std::move(entry);
    }
  }
  base.where = over.where;
  base.key_where = over.key_where;
}

void override_config(ConfigNode& tree, const std::string& assignment) {
  const FilePosition origin{"command line", 0, 0};
  const size_t equals = assignment.find('=');
  const std::string path(trim(assignment.substr(0, equals)));
  if (equals == std::string::npos || path.empty()) {
    throw Error(ErrorKind::kUsage,
                "expected an override such as sm.shared.banks=64, got '" + assignment + "'", origin);
  }
  ConfigNode* node = &tree;
  std::string walked;
  for (const std::string& key : split(path, '.')) {
    ConfigNode* next = step(*node, key);
    if (next == nullptr) {
      throw Error(ErrorKind::kUsage, "the configuration has no key '" + path + "' to override", origin,
                  suggest(tree, *node, walked, path, key));
    }
    walked = walked.empty() ? key : walked + "." + key;
    node = next;
  }
  ConfigNode value;
  try {
    value = parse_yaml(assignment.substr(equals + 1), "override of " + path);
  } catch (const Error& e) {
    throw Error(ErrorKind::kUsage, path + ": " + e.message(), origin, e.hint());
  }
  if (value.is_map() || node->is_map() != value.is_map()) {
    throw Error(ErrorKind::kUsage,
                path + ": an override sets a value or a list, and this is " + node->describe(), origin);
  }
  value.key = node->key;
  value.replaced = std::move(node->scalar);
  set_origin(value, origin);
  *node = std::move(value);
}

}  // namespace gpuloom
