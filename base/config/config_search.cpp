// SPDX-License-Identifier: Apache-2.0
#include "base/config/config_search.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "base/config/config.h"
#include "base/text.h"

namespace fs = std::filesystem;

namespace gpuloom {
namespace {

// Of the folder of configurations, in the order in which a name is looked up.
constexpr const char* kFolders[] = {"", "gpu", "test", "cc", "studies"};
constexpr const char* kLoweringGroup = "lowering";

bool is_config_directory(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path / "cc", ignored);
}

// Folder of the program, and of the library if this code is in one.
std::vector<fs::path> own_folders() {
  std::vector<fs::path> folders;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) folders.push_back(program.parent_path());
  static const char kHere = 0;
  Dl_info info{};
  if (dladdr(&kHere, &info) != 0 && info.dli_fname != nullptr) {
    const fs::path library = fs::weakly_canonical(info.dli_fname, error);
    if (!error) folders.push_back(library.parent_path());
  }
  return folders;
}

std::string shown_as(const fs::path& path) {
  std::error_code error;
  const fs::path relative = fs::proximate(path, error);
  if (error || relative.empty() || *relative.begin() == "..") return path.string();
  return relative.string();
}

std::optional<FoundConfig> if_file(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return std::nullopt;
  const fs::path canonical = fs::canonical(path, error);
  if (error) return std::nullopt;
  return FoundConfig{canonical.string(), shown_as(canonical)};
}

std::optional<FoundConfig> with_or_without_suffix(const fs::path& path) {
  if (auto found = if_file(path)) return found;
  return if_file(fs::path(path.string() + ".yaml"));
}

// The configurations of which `name` is the beginning: a100-40g and a100-80g for a100.
std::vector<std::string> variants(const std::string& name) {
  std::vector<std::string> found;
  for (const std::string& each : list_configs()) {
    const std::string last = each.substr(each.find('/') + 1);
    if (!name.empty() && last.starts_with(name + "-")) found.push_back(last);
  }
  return found;
}

std::string nearest(const std::string& name) {
  if (const std::vector<std::string> found = variants(name); !found.empty())
    return (found.size() == 1 ? "there is " : "there are ") + join(found, " and ");
  std::vector<std::string> known = list_configs();
  const std::vector<std::string> full = known;
  for (const std::string& each : full) known.push_back(each.substr(each.find('/') + 1));
  const std::string hint = did_you_mean(name, known);
  return hint.empty() ? "'gpuloom config list' shows the names" : hint;
}

}  // namespace

std::string config_directory() {
  if (const char* set = std::getenv("GPULOOM_CONFIG_DIR"); set != nullptr && *set != 0) {
    if (!is_config_directory(set)) {
      throw Error(ErrorKind::kUsage,
                  "GPULOOM_CONFIG_DIR is '" + std::string(set) + "', which has no folder cc/");
    }
    return set;
  }
  for (const fs::path& folder : own_folders()) {
    for (const char* place : {"../share/gpuloom/configs", "../configs", "../../configs"}) {
      const fs::path path = (folder / place).lexically_normal();
      if (is_config_directory(path)) return path.string();
    }
  }
  if (is_config_directory(GPULOOM_SOURCE_CONFIG_DIR)) return GPULOOM_SOURCE_CONFIG_DIR;
  throw Error(ErrorKind::kUsage,
              "the folder of configurations is neither next to the program nor in the source tree", {},
              "set GPULOOM_CONFIG_DIR");
}

std::vector<std::string> list_configs() {
  std::vector<std::string> names;
  const fs::path root = config_directory();
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.is_regular_file() && entry.path().extension() == ".yaml") {
      fs::path name = entry.path().lexically_relative(root);
      // Folders below hold what a study is made of (launches, sweeps), about/ what keys mean, advice/ what
      // `explain` says, lowering/ a group of others; find_config does not look there.
      if (std::distance(name.begin(), name.end()) > 2 || *name.begin() == "about" ||
          *name.begin() == "advice" || *name.begin() == kLoweringGroup)
        continue;
      names.push_back(name.replace_extension().generic_string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

FoundConfig find_config(const std::string& name) {
  if (auto found = if_file(name)) return *found;
  const bool is_path =
      name.ends_with(".yaml") || name.starts_with("/") || name.starts_with("./") || name.starts_with("../");
  if (!is_path && !name.empty()) {
    const fs::path root = config_directory();
    for (const char* folder : kFolders) {
      if (auto found = with_or_without_suffix(root / folder / name)) return *found;
    }
    throw Error(ErrorKind::kInput, "unknown configuration '" + name + "'", {}, nearest(name));
  }
  throw Error(ErrorKind::kInput, "cannot find the configuration file '" + name + "'");
}

bool is_config(const std::string& name) {
  if (if_file(name)) return true;
  const fs::path root = config_directory();
  return std::any_of(std::begin(kFolders), std::end(kFolders), [&](const char* folder) {
    return with_or_without_suffix(root / folder / name).has_value();
  });
}

bool is_shipped(const std::string& path) {
  std::error_code error;
  const fs::path root = fs::canonical(config_directory(), error);
  const fs::path inside = fs::path(path).lexically_relative(root);
  return !error && !inside.empty() && *inside.begin() != "..";
}

FoundConfig find_profile(const std::string& group, const std::string& name, const FilePosition& where) {
  const fs::path folder = fs::path(config_directory()) / group;
  if (auto found = with_or_without_suffix(name.ends_with(".yaml") ? fs::path(name) : folder / name))
    return *found;
  std::vector<std::string> known;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    known.push_back(entry.path().stem().string());
  std::sort(known.begin(), known.end());
  throw Error(ErrorKind::kInput, group + ".profile: unknown profile '" + name + "'", where,
              did_you_mean(name, known));
}

FoundConfig find_extended(const std::string& name, const std::string& from, const FilePosition& where) {
  // A file named h200.yaml may extend the h200 of the tree, but not itself.
  const auto other = [&](const std::optional<FoundConfig>& found) { return found && found->path != from; };
  if (auto found = with_or_without_suffix(fs::path(from).parent_path() / name); other(found)) return *found;
  for (const char* folder : kFolders)
    if (auto found = with_or_without_suffix(fs::path(config_directory()) / folder / name); other(found))
      return *found;
  throw Error(ErrorKind::kInput, "extends: unknown configuration '" + name + "'", where, nearest(name));
}

}  // namespace gpuloom
