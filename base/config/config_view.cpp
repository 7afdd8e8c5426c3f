// SPDX-License-Identifier: Apache-2.0
#include "base/config/config_view.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/config/config_state.h"
#include "base/config/units.h"
#include "base/text.h"

namespace gpuloom {
namespace {

std::string range_text(const std::string& what, const std::string& min, const std::string& max, bool low,
                       bool high) {
  if (low && high) return what + " from " + min + " to " + max;
  if (low) return what + ", " + min + " or more";
  if (high) return what + ", " + max + " or less";
  return what;
}

// Leaves out bounds that only the type sets, unless the value is beyond them.
std::string integer_text(int64_t min, int64_t max, bool beyond = false) {
  const bool low = min != std::numeric_limits<int64_t>::min();
  return range_text("a whole number", std::to_string(min), std::to_string(max), low,
                    beyond || max < std::numeric_limits<uint32_t>::max());
}

std::string reader_of(const ReadAt& at) { return reader_text(at.file_name(), at.line(), at.function_name()); }

void mark_read(const ConfigNode& node, std::unordered_set<const ConfigNode*>& read) {
  read.insert(&node);
  for (const auto& child : node.children) mark_read(child, read);
}

}  // namespace

ConfigView::ConfigView(ConfigState* state, const ConfigNode* node, std::string path)
    : state_(state), node_(node), path_(std::move(path)) {}

std::string ConfigView::path_of(std::string_view key) const {
  if (key.empty()) return path_;
  return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
}

bool ConfigView::has(std::string_view key) const {
  if (node_ == nullptr) return false;
  state_->asked[node_].emplace_back(key);
  state_->optional.insert(path_of(key));
  return node_->find(key) != nullptr;
}

void ConfigView::note_read(KeyRead read) const {
  if (state_ != nullptr) state_->reads.push_back(std::move(read));
}

const ConfigNode* ConfigView::fetch(std::string_view key, std::string_view expected) const {
  if (node_ == nullptr) return nullptr;
  if (key.empty()) {
    state_->read.insert(node_);
    return node_;
  }
  state_->asked[node_].emplace_back(key);
  const ConfigNode* found = node_->find(key);
  if (found != nullptr) {
    state_->read.insert(found);
  } else {
    state_->missing.push_back({node_, std::string(key), path_of(key), std::string(expected)});
  }
  return found;
}

void ConfigView::mismatch(const ConfigNode& node, std::string_view key, std::string_view expected,
                          std::string hint) const {
  state_->problems.push_back(
      {node.where, path_of(key) + ": expected " + std::string(expected) + ", got " + node.describe(),
       std::move(hint)});
  mark_read(node, state_->read);  // what is below a wrong value needs no complaint of its own
  state_->wrong.insert(path_of(key));
}

const ConfigNode* ConfigView::fetch_scalar(std::string_view key, std::string_view expected) const {
  const ConfigNode* node = fetch(key, expected);
  if (node != nullptr && !node->is_scalar()) {
    mismatch(*node, key, expected);
    return nullptr;
  }
  return node;
}

bool ConfigView::sound(const std::string& path) const {
  return state_ == nullptr || state_->wrong.count(path) == 0;
}

void ConfigView::problem(std::string_view key, std::string message, std::string hint) const {
  if (node_ == nullptr) return;
  state_->problems.push_back({where(key), path_of(key) + ": " + std::move(message), std::move(hint)});
}

void ConfigView::information(std::string_view key, const std::string& reason) const {
  const ConfigNode* value = node_ == nullptr ? nullptr : node_->find(key);
  if (value == nullptr || !value->is_scalar()) return;  // reported by whoever read it
  for (auto read = state_->reads.rbegin(); read != state_->reads.rend(); ++read)
    if (read->path == path_of(key)) {
      read->information = reason;
      break;
    }
  if (value->replaced.empty() || value->replaced == value->scalar ||
      state_->shipped.count(value->where.file) != 0)
    return;
  problem(key, "changing it has no effect: " + reason, "leave it out");
}

FilePosition ConfigView::where(std::string_view key) const {
  if (node_ == nullptr) return {};
  const ConfigNode* found = key.empty() ? node_ : node_->find(key);
  return found != nullptr ? found->where : node_->where;
}

ConfigView ConfigView::child(std::string_view key) const {
  note_read({.path = path_of(key), .kind = KeyKind::kMap, .expected = "a map"});
  const ConfigNode* node = fetch(key, "a map");
  if (node != nullptr && !node->is_map()) {
    mismatch(*node, key, "a map");
    node = nullptr;
  }
  return {state_, node, path_of(key)};
}

ConfigView ConfigView::optional_child(std::string_view key) const {
  if (!has(key)) return {state_, nullptr, path_of(key)};
  return child(key);
}

std::vector<std::pair<std::string, ConfigView>> ConfigView::children(std::string_view key) const {
  std::vector<std::pair<std::string, ConfigView>> result;
  const ConfigView group = child(key);
  if (!group.present()) return result;
  state_->named.insert(group.path_);
  for (const auto& entry : group.node_->children) {
    state_->asked[group.node_].push_back(entry.key);
    state_->read.insert(&entry);
    result.emplace_back(entry.key, ConfigView(state_, &entry, group.path_of(entry.key)));
  }
  return result;
}

std::vector<ConfigView> ConfigView::items(std::string_view key) const {
  std::vector<ConfigView> result;
  note_read({.path = path_of(key), .kind = KeyKind::kList, .expected = "a list"});
  const ConfigNode* node = fetch(key, "a list");
  if (node == nullptr) return result;
  state_->listed.insert(path_of(key));
  if (!node->is_list()) {
    mismatch(*node, key, "a list");
    return result;
  }
  for (size_t i = 0; i < node->children.size(); ++i) {
    result.emplace_back(state_, &node->children[i], path_of(key) + "." + std::to_string(i));
  }
  return result;
}

int64_t ConfigView::integer(std::string_view key, int64_t min, int64_t max, ReadAt at) const {
  const std::string expected = integer_text(min, max);
  note_read({.path = path_of(key),
             .kind = KeyKind::kInteger,
             .expected = expected,
             .min = static_cast<double>(min),
             .max = static_cast<double>(max),
             .reader = reader_of(at)});
  const int64_t fallback = std::clamp<int64_t>(0, min, max);
  const ConfigNode* node = fetch_scalar(key, expected);
  if (node == nullptr) return fallback;
  int64_t value = 0;
  if (!parse_integer(node->scalar, value) || value < min || value > max) {
    double number = 0;
    const bool numeric = parse_number(node->scalar, number);
    const bool with_unit = !numeric && !is_malformed_quantity(node->scalar) && !node->scalar.empty() &&
                           std::isdigit(static_cast<unsigned char>(node->scalar[0])) != 0;
    const bool beyond = numeric && number > static_cast<double>(max);
    mismatch(*node, key, integer_text(min, max, beyond), with_unit ? "this value does not take a unit" : "");
    return fallback;
  }
  return value;
}

uint32_t ConfigView::count(std::string_view key, uint32_t min, uint32_t max, ReadAt at) const {
  return static_cast<uint32_t>(integer(key, min, max, at));
}

double ConfigView::number(std::string_view key, double min, double max, ReadAt at) const {
  const std::string expected =
      range_text("a number", format_number(min), format_number(max), min > -1e300, max < 1e300);
  note_read({.path = path_of(key),
             .kind = KeyKind::kNumber,
             .expected = expected,
             .min = min,
             .max = max,
             .reader = reader_of(at)});
  const double fallback = std::clamp(0.0, min, max);
  const ConfigNode* node = fetch_scalar(key, expected);
  if (node == nullptr) return fallback;
  double value = 0;
  if (!parse_number(node->scalar, value) || value < min || value > max) {
    mismatch(*node, key, expected);
    return fallback;
  }
  return value;
}

bool ConfigView::boolean(std::string_view key, ReadAt at) const {
  note_read({.path = path_of(key),
             .kind = KeyKind::kBoolean,
             .expected = "true or false",
             .words = {"true", "false"},
             .reader = reader_of(at)});
  const ConfigNode* node = fetch_scalar(key, "true or false");
  if (node == nullptr) return false;
  if (node->scalar != "true" && node->scalar != "false") mismatch(*node, key, "true or false");
  return node->scalar == "true";
}

std::string ConfigView::text(std::string_view key, ReadAt at) const {
  note_read({.path = path_of(key), .kind = KeyKind::kText, .expected = "text", .reader = reader_of(at)});
  const ConfigNode* node = fetch_scalar(key, "text");
  return node == nullptr ? std::string() : node->scalar;
}

double ConfigView::quantity(std::string_view key, const UnitTable& units, double min, double max,
                            const ReadAt& at) const {
  note_read({.path = path_of(key),
             .kind = KeyKind::kQuantity,
             .expected = units.expected,
             .units = &units,
             .min = min,
             .max = max,
             .reader = reader_of(at)});
  const ConfigNode* node = fetch_scalar(key, units.expected);
  if (node == nullptr) return min;
  const Quantity got = parse_quantity(node->scalar, units);
  if (got.status == Quantity::Status::kOk && got.value >= min && got.value <= max) return got.value;
  std::string hint;
  const std::vector<std::string> names = unit_names(units);
  if (got.status == Quantity::Status::kNoUnit) {
    hint = "the unit is missing: " + node->scalar + names[0] + "?";
  } else if (got.status == Quantity::Status::kWrongUnit) {
    hint = "units are " + either(names);
    const std::string meant = closest(got.unit, names);
    if (got.unit == "K" || got.unit == "k" || got.unit == "M" || got.unit == "G") {
      if (&units == &kSizeUnits) hint = "KiB is 1024 bytes and KB is 1000";
    } else if (!meant.empty()) {
      hint = did_you_mean(got.unit, names);
    }
  } else if (got.status == Quantity::Status::kOk) {
    hint = "out of range";
  }
  mismatch(*node, key, units.expected, hint);
  return min;
}

uint64_t ConfigView::size_bytes(std::string_view key, uint64_t min, uint64_t max, ReadAt at) const {
  const double value = quantity(key, kSizeUnits, static_cast<double>(min), static_cast<double>(max), at);
  if (value != std::floor(value))
    problem(key, "expected a whole number of bytes, got " + format_number(value));
  return static_cast<uint64_t>(value);
}

uint32_t ConfigView::cycles(std::string_view key, uint32_t min, uint32_t max, ReadAt at) const {
  const double value = quantity(key, kCycleUnits, min, max, at);
  if (value != std::floor(value))
    problem(key, "expected a whole number of cycles, got " + format_number(value));
  return static_cast<uint32_t>(value);
}

double ConfigView::frequency(std::string_view key, ReadAt at) const {
  return quantity(key, kFrequencyUnits, 1, 1e15, at);
}
double ConfigView::bandwidth(std::string_view key, ReadAt at) const {
  return quantity(key, kBandwidthUnits, 1, 1e18, at);
}
double ConfigView::bytes_per_cycle(std::string_view key, ReadAt at) const {
  return quantity(key, kBytesPerCycleUnits, 1.0 / 1024, 1e9, at);
}
double ConfigView::nanoseconds(std::string_view key, ReadAt at) const {
  return quantity(key, kDurationUnits, 0, 1e15, at);
}

size_t ConfigView::choice_index(std::string_view key, const std::vector<std::string>& words,
                                ReadAt at) const {
  note_read({.path = path_of(key),
             .kind = KeyKind::kChoice,
             .expected = either(words),
             .words = words,
             .reader = reader_of(at)});
  const ConfigNode* node = fetch_scalar(key, either(words));
  if (node == nullptr) return 0;
  const auto found = std::find(words.begin(), words.end(), node->scalar);
  if (found == words.end()) {
    mismatch(*node, key, either(words), did_you_mean(node->scalar, words));
    return 0;
  }
  return static_cast<size_t>(found - words.begin());
}

std::string ConfigView::word_or_file(std::string_view key, const std::vector<std::string>& words,
                                     const char* suffix, ReadAt at) const {
  const std::string expected = either(words) + ", or a file *" + suffix;
  note_read({.path = path_of(key),
             .kind = KeyKind::kChoice,
             .expected = expected,
             .words = words,
             .suffix = suffix,
             .reader = reader_of(at)});
  const ConfigNode* node = fetch_scalar(key, expected);
  if (node == nullptr) return words.front();
  if (node->scalar.ends_with(suffix) || std::find(words.begin(), words.end(), node->scalar) != words.end())
    return node->scalar;
  mismatch(*node, key, expected, did_you_mean(node->scalar, words));
  return words.front();
}

std::string ConfigView::one_of(std::string_view key, const std::vector<std::string>& words, ReadAt at) const {
  return words[choice_index(key, words, at)];
}

std::string ConfigView::one_of(std::string_view key, std::initializer_list<std::string_view> words,
                               ReadAt at) const {
  return one_of(key, std::vector<std::string>(words.begin(), words.end()), at);
}

std::vector<int64_t> ConfigView::integers(std::string_view key, int64_t min, int64_t max, ReadAt at) const {
  std::vector<int64_t> values;
  for (const ConfigView& item : items(key)) values.push_back(item.integer(kSelf, min, max, at));
  return values;
}

std::vector<uint64_t> ConfigView::sizes_bytes(std::string_view key, ReadAt at) const {
  std::vector<uint64_t> values;
  for (const ConfigView& item : items(key))
    values.push_back(item.size_bytes(kSelf, 0, uint64_t{1} << 62, at));
  return values;
}

void ConfigView::power_of_two(std::string_view key, uint64_t value) const {
  if (std::has_single_bit(value)) return;
  const uint64_t below = std::bit_floor(std::max<uint64_t>(value, 1));
  problem(key, "must be a power of two",
          "the nearest are " + std::to_string(below) + " and " + std::to_string(2 * below));
}

std::vector<std::string> ConfigView::texts(std::string_view key, ReadAt at) const {
  std::vector<std::string> values;
  for (const ConfigView& item : items(key)) values.push_back(item.text(kSelf, at));
  return values;
}

std::vector<std::string> ConfigView::texts_of(std::string_view key, const std::vector<std::string>& words,
                                              ReadAt at) const {
  std::vector<std::string> values;
  for (const ConfigView& item : items(key)) values.push_back(item.one_of(kSelf, words, at));
  return values;
}

}  // namespace gpuloom
