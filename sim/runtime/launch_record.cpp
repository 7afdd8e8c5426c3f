// SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/launch_record.h"

#include <algorithm>
#include <filesystem>

#include "sim/runtime/launch_buffer.h"

namespace gpuloom::sim {
namespace {

void set(ConfigNode& map, const std::string& key, const std::string& text) {
  ConfigNode* node = map.find(key);
  if (node == nullptr) {
    node = &*map.children.emplace(map.children.begin());
    node->key = key;
  }
  node->kind = ConfigNode::Kind::kScalar;
  node->scalar = text;
}

void drop(ConfigNode& map, std::string_view key) {
  std::erase_if(map.children, [&](const ConfigNode& child) { return child.key == key; });
}

void visit_data(ConfigNode& node, const std::function<void(ConfigNode&)>& visit) {
  if (node.key == "init" && node.is_map())
    if (ConfigNode* file = node.find("file")) visit(*file);
  if (node.key == "against" && node.is_scalar()) visit(node);
  for (ConfigNode& child : node.children) visit_data(child, visit);
}

// Kernels by the names that the run gave them: a command line may have left the only one's out.
void name_kernels(ConfigNode& tree, const RunReport& run) {
  if (tree.find("program") != nullptr) return;
  if (ConfigNode* launches = tree.find("launches")) {
    for (size_t i = 0; i < std::min(launches->children.size(), run.kernels.size()); ++i)
      set(launches->children[i], "kernel", run.kernels[i].name);
  } else if (!run.kernels.empty()) {
    set(tree, "kernel", run.kernels[0].name);
  }
}

}  // namespace

void visit_launch_paths(ConfigNode& tree, const std::function<void(ConfigNode&)>& visit) {
  if (ConfigNode* ptx = tree.find("ptx")) visit(*ptx);
  if (ConfigNode* link = tree.find("link"))
    for (ConfigNode& path : link->children) visit(path);
  for (ConfigNode& child : tree.children) visit_data(child, visit);
}

ConfigNode launch_record(const LaunchFile& file, const RunReport& run, const std::string& folder) {
  namespace fs = std::filesystem;
  ConfigNode tree = file.tree;
  const auto from_folder = [&](const std::string& path) { return fs::proximate(path, folder).string(); };
  drop(tree, "module");
  const bool made = !run.made_ptx.empty();
  if (made)
    for (const char* key : {"ptx", "link", "compiler_arguments"}) drop(tree, key);
  visit_launch_paths(
      tree, [&](ConfigNode& path) { path.scalar = from_folder(launch_path(path.scalar, file.folder)); });
  set(tree, "ptx", made ? "module.ptx" : from_folder(file.ptx));
  name_kernels(tree, run);
  return tree;
}

}  // namespace gpuloom::sim
