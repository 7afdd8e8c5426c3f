// SPDX-License-Identifier: Apache-2.0
#include "base/config/config.h"

#include <algorithm>
#include <cctype>

#include "base/config/config_merge.h"
#include "base/config/config_search.h"
#include "base/config/config_state.h"
#include "base/config/units.h"
#include "base/hash.h"
#include "base/text.h"

namespace gpuloom {
namespace {

// Follows `extends` from the file asked for down to the one that extends nothing, then merges upwards.
class Loader {
 public:
  ConfigNode load(ConfigNode top, const std::string& path, const std::string& shown) {
    ConfigNode tree = resolve(std::move(top), path, shown);
    throw_problems(std::move(problems_));
    return tree;
  }
  // A group that names a profile begins with the values of that file: `lowering: {profile: ptxas13_sm80}`
  // with those of configs/lowering/ptxas13_sm80.yaml.
  void use_profiles(ConfigNode& tree) {
    for (const char* group : kProfiled) {
      ConfigNode* own = tree.find(group);
      const ConfigNode* profile = own == nullptr || !own->is_map() ? nullptr : own->find("profile");
      if (profile == nullptr || !profile->is_scalar()) continue;
      const FoundConfig file = find_profile(group, profile->scalar, profile->where);
      ConfigNode merged = resolve(parse_yaml_file(file.path, file.shown), file.path, file.shown);
      merged.key = group;
      merge_config(merged, std::move(*own), group, problems_);
      *own = std::move(merged);
    }
    throw_problems(std::move(problems_));
  }

  std::vector<std::string> files;
  std::unordered_set<std::string> shipped;

 private:
  static constexpr const char* kProfiled[] = {"lowering"};

  ConfigNode resolve(ConfigNode node, const std::string& path, const std::string& shown) {
    if (!node.is_map())
      throw Error(ErrorKind::kInput, "a configuration is a map, and this file holds " + node.describe(),
                  node.where);
    chain_.push_back(path);
    if (is_shipped(path)) shipped.insert(shown);
    const auto extends = std::find_if(node.children.begin(), node.children.end(),
                                      [](const ConfigNode& child) { return child.key == "extends"; });
    if (extends == node.children.end()) {
      files.push_back(shown);
      return node;
    }
    if (!extends->is_scalar()) {
      throw Error(ErrorKind::kInput,
                  "extends: expected the name of one configuration, got " + extends->describe(),
                  extends->where);
    }
    const FoundConfig below = find_extended(extends->scalar, path, extends->where);
    if (std::find(chain_.begin(), chain_.end(), below.path) != chain_.end()) {
      throw Error(ErrorKind::kInput, "extends: '" + extends->scalar + "' extends this file in turn",
                  extends->where);
    }
    node.children.erase(extends);
    ConfigNode base = resolve(parse_yaml_file(below.path, below.shown), below.path, below.shown);
    files.push_back(shown);
    merge_config(base, std::move(node), "", problems_);
    return base;
  }

  std::vector<std::string> chain_;
  std::vector<ConfigProblem> problems_;
};

// Another profile first, since it brings the values that others change.
void override_all(Loader& loader, ConfigNode& tree, const std::vector<std::string>& overrides) {
  const auto names_profile = [](const std::string& assignment) {
    return trim(assignment.substr(0, assignment.find('='))).ends_with(".profile");
  };
  for (const std::string& assignment : overrides)
    if (names_profile(assignment)) override_config(tree, assignment);
  loader.use_profiles(tree);
  for (const std::string& assignment : overrides)
    if (!names_profile(assignment)) override_config(tree, assignment);
}

// Reports the keys that nobody has read, each once, without what is below it.
class UnreadFinder {
 public:
  UnreadFinder(const ConfigState& state, const DocumentWords& words, std::vector<ConfigProblem>& problems)
      : state_(state), words_(words), problems_(problems) {}

  void visit(const ConfigNode& node, const std::string& path) {
    if (!node.is_map()) {
      // Elements of a list that was read as a whole were read one by one; a list of maps is looked into.
      for (size_t i = 0; i < node.children.size(); ++i)
        visit(node.children[i], path + "." + std::to_string(i));
      return;
    }
    for (const auto& child : node.children) {
      const std::string child_path = path.empty() ? child.key : path + "." + child.key;
      if (state_.read.count(&child) != 0) {
        visit(child, child_path);
        continue;
      }
      const std::string meant = missing_like(node, child.key);
      std::string hint = meant.empty() ? known_like(node, child.key) : "did you mean '" + meant + "'?";
      if (!meant.empty()) explained.push_back({&node, meant});
      problems_.push_back(
          {child.key_where,
           "unknown key '" + child.key + "' in " + (path.empty() ? words_.name : "'" + path + "'"),
           std::move(hint)});
    }
  }
  // Missing keys whose misspelling has been reported.
  std::vector<std::pair<const ConfigNode*, std::string>> explained;

 private:
  std::string missing_like(const ConfigNode& group, const std::string& key) const {
    std::vector<std::string> keys;
    for (const auto& missing : state_.missing) {
      if (missing.group == &group) keys.push_back(missing.key);
    }
    return closest(key, keys);
  }
  std::string known_like(const ConfigNode& group, const std::string& key) const {
    const auto asked = state_.asked.find(&group);
    if (asked == state_.asked.end()) return words_.unread;
    // Suggesting a key that this file has already would make a duplicate; one that it extends may be meant.
    const FilePosition& here = group.find(key)->key_where;
    std::vector<std::string> free;
    for (const std::string& known : asked->second) {
      const ConfigNode* there = group.find(known);
      if (there == nullptr || there->key_where.file != here.file) free.push_back(known);
    }
    const std::string hint = did_you_mean(key, free);
    return hint.empty() ? words_.unread : hint;
  }
  const ConfigState& state_;
  const DocumentWords& words_;
  std::vector<ConfigProblem>& problems_;
};

// "did you mean '128KB'? " for a unit that is nearly one, case aside.
std::string near_unit(const std::string& text) {
  const auto lower_case = [](std::string word) {
    for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return word;
  };
  const size_t begin = text.find_last_of("0123456789.") + 1;
  const std::string unit = text.substr(begin);
  std::string best;
  size_t best_distance = 3;
  for (const UnitTable* table : {&kSizeUnits, &kCycleUnits, &kFrequencyUnits, &kBandwidthUnits,
                                 &kBytesPerCycleUnits, &kDurationUnits}) {
    for (const std::string& known : unit_names(*table)) {
      const size_t distance = edit_distance(lower_case(unit), lower_case(known));
      if (distance < best_distance && distance < known.size()) {
        best = known;
        best_distance = distance;
      }
    }
  }
  return best.empty() ? "" : "did you mean '" + text.substr(0, begin) + best + "'? ";
}

void find_bad_units(const ConfigNode& node, const std::string& path, std::vector<ConfigProblem>& problems) {
  if (node.is_scalar() && !node.quoted && is_malformed_quantity(node.scalar)) {
    problems.push_back({node.where,
                        path + ": '" + node.scalar + "' is neither a number nor a number with a known unit",
                        near_unit(node.scalar) + "text that starts with a digit needs quotes"});
  }
  for (size_t i = 0; i < node.children.size(); ++i) {
    const ConfigNode& child = node.children[i];
    const std::string key = node.is_map() ? child.key : std::to_string(i);
    find_bad_units(child, path.empty() ? key : path + "." + key, problems);
  }
}

void write_canonical(const ConfigNode& node, const std::string& path, std::vector<std::string>& lines) {
  if (node.is_map()) {
    for (const auto& child : node.children)
      write_canonical(child, path.empty() ? child.key : path + "." + child.key, lines);
    return;
  }
  if (!node.is_list()) {
    lines.push_back(path + " = " + node.scalar);
    return;
  }
  if (node.children.empty()) lines.push_back(path + " = []");
  for (size_t i = 0; i < node.children.size(); ++i)
    write_canonical(node.children[i], path + "." + std::to_string(i), lines);
}

}  // namespace

Config::Config(std::string name, ConfigNode tree, std::vector<std::string> files)
    : name_(std::move(name)), files_(std::move(files)), state_(std::make_unique<ConfigState>()) {
  state_->tree = std::move(tree);
}
Config::Config(Config&&) noexcept = default;
Config& Config::operator=(Config&&) noexcept = default;
Config::~Config() = default;

Config Config::load(const std::string& name, const std::vector<std::string>& overrides) {
  const FoundConfig file = find_config(name);
  Loader loader;
  ConfigNode tree = loader.load(parse_yaml_file(file.path, file.shown), file.path, file.shown);
  override_all(loader, tree, overrides);
  Config config(name, std::move(tree), std::move(loader.files));
  config.state_->shipped = std::move(loader.shipped);
  if (overrides.empty()) config.path_ = file.path;
  return config;
}

bool Config::is_unchanged(const std::string& name) const {
  return !path_.empty() && is_config(name) && path_ == find_config(name).path;
}

Config Config::parse(std::string_view text, const std::string& file,
                     const std::vector<std::string>& overrides) {
  Loader loader;
  ConfigNode tree = loader.load(parse_yaml(text, file), file, file);
  override_all(loader, tree, overrides);
  Config config(file, std::move(tree), std::move(loader.files));
  config.state_->shipped = std::move(loader.shipped);
  return config;
}

Config Config::from(ConfigNode tree, const std::string& name) { return {name, std::move(tree), {name}}; }

ConfigView Config::root() const { return {state_.get(), &state_->tree, ""}; }
const ConfigNode& Config::tree() const { return state_->tree; }

std::vector<ConfigProblem> Config::problems(const DocumentWords& words) const {
  std::vector<ConfigProblem> problems = state_->problems;
  UnreadFinder unread(*state_, words, problems);
  unread.visit(state_->tree, "");
  std::vector<std::string> said;
  for (const auto& missing : state_->missing) {
    const auto explained = std::find(unread.explained.begin(), unread.explained.end(),
                                     std::make_pair(missing.group, missing.key));
    if (explained != unread.explained.end() ||
        std::find(said.begin(), said.end(), missing.path) != said.end())
      continue;
    said.push_back(missing.path);
    problems.push_back(
        {missing.group->key_where, "missing key '" + missing.path + "': expected " + missing.expected, {}});
  }
  return problems;
}

void Config::check(const DocumentWords& words) const { throw_problems(problems(words)); }

std::vector<ConfigProblem> Config::unit_problems() const {
  std::vector<ConfigProblem> problems;
  find_bad_units(state_->tree, "", problems);
  return problems;
}

std::string Config::canonical() const {
  std::vector<std::string> lines;
  write_canonical(state_->tree, "", lines);
  std::sort(lines.begin(), lines.end());
  return join(lines, "\n") + "\n";
}

std::string Config::digest() const { return sha256_hex(canonical()); }

}  // namespace gpuloom
