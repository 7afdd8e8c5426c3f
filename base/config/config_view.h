// SPDX-License-Identifier: Apache-2.0
// Typed reading of one group of a configuration.
//
// A reader asks for each key by name, type and range. Whatever is wrong is collected with its position, and
// the call returns the smallest valid value, so that one run reports every problem; Config::check() then
// throws. So: read everything, check(), and only then build anything from the values. Values that need a rule
// of their own (a power of two, one size that must divide another) report through problem().
#pragma once
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/config/config_node.h"

namespace gpuloom {

struct ConfigState;  // what was read, what was asked for, and the problems so far (config.cpp)

// Handle to one node; cheap to copy, valid as long as its Config. Every `key` below may be kSelf: the node
// itself, as for the elements of a list.
inline constexpr std::string_view kSelf{};

// Where a key is read; a reader that asks on behalf of another passes on that one's.
using ReadAt = std::source_location;

class ConfigView {
 public:
  ConfigView(ConfigState* state, const ConfigNode* node, std::string path);

  // False for a group that is missing: reading from it yields fallbacks and reports nothing more.
  bool present() const { return node_ != nullptr; }
  // Whether the key is there. Asking makes the key a known one (for suggestions) but does not read it.
  bool has(std::string_view key) const;

  ConfigView child(std::string_view key) const;           // a map that must be there
  ConfigView optional_child(std::string_view key) const;  // a map, or a view that is not present()
  // The entries of a map whose keys are names and not a schema (operations, pipes), in file order.
  std::vector<std::pair<std::string, ConfigView>> children(std::string_view key) const;
  std::vector<ConfigView> items(std::string_view key) const;  // the elements of a list

  int64_t integer(std::string_view key, int64_t min = std::numeric_limits<int64_t>::min(),
                  int64_t max = std::numeric_limits<int64_t>::max(), ReadAt at = ReadAt::current()) const;
  uint32_t count(std::string_view key, uint32_t min = 0, uint32_t max = std::numeric_limits<uint32_t>::max(),
                 ReadAt at = ReadAt::current()) const;
  double number(std::string_view key, double min = -1e300, double max = 1e300,
                ReadAt at = ReadAt::current()) const;
  bool boolean(std::string_view key, ReadAt at = ReadAt::current()) const;
  std::string text(std::string_view key, ReadAt at = ReadAt::current()) const;

  // With units, which are required.
  // "228KiB"
  uint64_t size_bytes(std::string_view key, uint64_t min = 0, uint64_t max = uint64_t{1} << 62,
                      ReadAt at = ReadAt::current()) const;
  // "33cycles"
  uint32_t cycles(std::string_view key, uint32_t min = 0, uint32_t max = 1'000'000'000,
                  ReadAt at = ReadAt::current()) const;
  // "1980MHz", in hertz, above zero
  double frequency(std::string_view key, ReadAt at = ReadAt::current()) const;
  // "4.8TB/s", in bytes a second, above zero
  double bandwidth(std::string_view key, ReadAt at = ReadAt::current()) const;
  // "64B/cycle", above zero
  double bytes_per_cycle(std::string_view key, ReadAt at = ReadAt::current()) const;
  // "14ns", "2.5us"; zero or more
  double nanoseconds(std::string_view key, ReadAt at = ReadAt::current()) const;

  // One of several words; returns it. An unknown word names the nearest.
  std::string one_of(std::string_view key, std::initializer_list<std::string_view> words,
                     ReadAt at = ReadAt::current()) const;
  std::string one_of(std::string_view key, const std::vector<std::string>& words,
                     ReadAt at = ReadAt::current()) const;
  // One of several words, or the path of a file that ends in `suffix`.
  std::string word_or_file(std::string_view key, const std::vector<std::string>& words, const char* suffix,
                           ReadAt at = ReadAt::current()) const;
  // One of several words that stand for values: choice<Scheduler>("scheduler", {{"gto", Scheduler::kGto},
  // ...}).
  template <class T>
  T choice(std::string_view key, std::initializer_list<std::pair<std::string_view, T>> words,
           ReadAt at = ReadAt::current()) const {
    std::vector<std::string> names;
    for (const auto& [word, value] : words) names.emplace_back(word);
    return (words.begin() + choice_index(key, names, at))->second;
  }
  // Position of the word in the list; 0 after a problem.
  size_t choice_index(std::string_view key, const std::vector<std::string>& words,
                      ReadAt at = ReadAt::current()) const;

  // [1, 2, 3]
  std::vector<int64_t> integers(std::string_view key, int64_t min, int64_t max,
                                ReadAt at = ReadAt::current()) const;
  // [0KiB, 8KiB]
  std::vector<uint64_t> sizes_bytes(std::string_view key, ReadAt at = ReadAt::current()) const;
  // [sm_90, sm_90a]
  std::vector<std::string> texts(std::string_view key, ReadAt at = ReadAt::current()) const;
  // Each one of these.
  std::vector<std::string> texts_of(std::string_view key, const std::vector<std::string>& words,
                                    ReadAt at = ReadAt::current()) const;

  // Whether no problem with the value at this path (from the root, `limits.warps_per_sm`) is known. Rules
  // between values ask first: what was put in place of a wrong one may break them.
  bool sound(const std::string& path) const;
  // Reports a rule that the value breaks, at its position: problem("banks", "must be a power of two").
  void problem(std::string_view key, std::string message, std::string hint = {}) const;
  // Marks a value that nothing acts on: it informs a reader. A file or an override of the user's that changes
  // it is told so, with the reason; files of the configuration directory may state it.
  void information(std::string_view key, const std::string& reason) const;
  // The rule that a value be a power of two; the hint names the nearest two.
  void power_of_two(std::string_view key, uint64_t value) const;
  // Where the key's value is, or where the group is if there is none.
  FilePosition where(std::string_view key = kSelf) const;
  const std::string& path() const { return path_; }
  const ConfigNode* node() const { return node_; }

 private:
  std::string path_of(std::string_view key) const;
  const ConfigNode* fetch(std::string_view key,
                          std::string_view expected) const;  // marks as read; reports a missing key
  const ConfigNode* fetch_scalar(std::string_view key, std::string_view expected) const;
  void mismatch(const ConfigNode& node, std::string_view key, std::string_view expected,
                std::string hint = {}) const;
  // Value times unit; `units` is one of the tables of units.h.
  double quantity(std::string_view key, const struct UnitTable& units, double min, double max,
                  const ReadAt& at) const;
  void note_read(struct KeyRead read) const;

  ConfigState* state_;
  const ConfigNode* node_;
  std::string path_;
};

}  // namespace gpuloom
