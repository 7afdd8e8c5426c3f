// SPDX-License-Identifier: Apache-2.0
#include "base/config/key_meanings.h"

#include <cmath>
#include <filesystem>

#include "base/config/config.h"
#include "base/config/config_schema.h"
#include "base/config/units.h"
#include "base/text.h"

namespace gpuloom {
namespace {

// Bounds that only keep numbers from overflowing are not worth saying.
constexpr double kUnbounded = 1e9;

void collect(const ConfigNode& node, const std::string& path,
             std::unordered_map<std::string, std::string>& all) {
  if (node.is_scalar()) all[path] = node.scalar;
  for (const ConfigNode& child : node.children)
    collect(child, path.empty() ? child.key : path + "." + child.key, all);
}

// Whole numbers with all their digits.
std::string bound(double value) {
  const bool whole = value == std::floor(value) && std::abs(value) < 1e15;
  return whole ? std::to_string(static_cast<int64_t>(value)) : format_number(value);
}

}  // namespace

KeyMeanings KeyMeanings::load_meanings() {
  KeyMeanings known;
  const std::string file = config_directory() + "/about/keys.yaml";
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored)) collect(parse_yaml_file(file, file), "", known.meanings_);
  return known;
}

KeyMeanings KeyMeanings::load() {
  KeyMeanings known = load_meanings();
  const std::string folder = config_directory() + "/about/";
  std::error_code ignored;
  if (std::filesystem::exists(folder + "silent.yaml", ignored)) known.read_silent(folder + "silent.yaml");
  if (std::filesystem::exists(folder + "shown.yaml", ignored)) known.read_shown(folder + "shown.yaml");
  if (!std::filesystem::exists(folder + "effects.yaml", ignored)) return known;
  const Config file =
      Config::from(parse_yaml_file(folder + "effects.yaml", folder + "effects.yaml"), "effects");
  known.config_ = file.root().text("config");
  known.cases_ = file.root().texts("cases");
  for (const ConfigView& row : file.root().items("effects"))
    known.effects_[row.text("key")] = {row.text("from"), row.text("to"), row.text("mean"), row.text("most")};
  file.check();
  return known;
}

void KeyMeanings::read_silent(const std::string& file) {
  const Config config = Config::from(parse_yaml_file(file, file), "silent");
  for (const ConfigView& row : config.root().items("silent"))
    silent_.push_back(
        {row.text("keys"), row.has("machine") ? row.text("machine") : std::string(), row.text("why")});
  config.check();
}

void KeyMeanings::read_shown(const std::string& file) {
  const Config config = Config::from(parse_yaml_file(file, file), "shown");
  for (const ConfigView& row : config.root().items("shown"))
    shown_.emplace(row.text("key"), KeyShown{row.text("machine"), join(row.texts("change"), " "),
                                             row.text("launch"), row.text("seen")});
  config.check();
}

const std::string& KeyMeanings::meaning(const std::string& schema_path) const {
  static const std::string kNone;
  const auto found = meanings_.find(schema_path);
  return found == meanings_.end() ? kNone : found->second;
}

const KeyEffect* KeyMeanings::effect(const std::string& path) const {
  const auto found = effects_.find(path);
  return found == effects_.end() ? nullptr : &found->second;
}

const KeyShown* KeyMeanings::shown(const std::string& path, const std::string& machine) const {
  const KeyShown* other = nullptr;
  for (auto [at, end] = shown_.equal_range(path); at != end; ++at) {
    if (at->second.machine == machine) return &at->second;
    if (other == nullptr || at->second.machine < other->machine) other = &at->second;
  }
  return other;
}

const std::string& KeyMeanings::silent(const std::string& path, const std::string& machine) const {
  static const std::string kNone;
  for (const Silent& s : silent_)
    if ((s.machine.empty() || s.machine == machine) && key_matches(s.keys, path)) return s.why;
  return kNone;
}

bool key_matches(std::string_view pattern, std::string_view path) {
  const size_t star = pattern.find('*');
  if (star == std::string_view::npos) return path == pattern;
  return path.size() + 1 >= pattern.size() && path.starts_with(pattern.substr(0, star)) &&
         path.ends_with(pattern.substr(star + 1));
}

std::string range_of(const KeyRead& read) {
  const std::string unit = read.units == nullptr ? std::string() : unit_names(*read.units).front();
  const bool low = read.min > 0, high = read.max < kUnbounded;
  if (low && high) return ", from " + bound(read.min) + " to " + bound(read.max) + unit;
  if (high) return ", " + bound(read.max) + unit + " or less";
  if (low && read.min > 1) return ", " + bound(read.min) + unit + " or more";
  return {};
}

}  // namespace gpuloom
