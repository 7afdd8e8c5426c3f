// SPDX-License-Identifier: Apache-2.0
// What is written about keys beside their values: configs/about/keys.yaml (meanings), effects.yaml (measured
// effects), shown.yaml (what a large change of each shows) and silent.yaml (keys that no launch can show, and
// why).
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gpuloom {

struct KeyRead;

struct KeyEffect {
  std::string from, to;  // the value, and what it was changed to
  std::string mean;      // percent of elapsed cycles
  std::string most;      // "gather_random -2.0", or "none"
};

// What the test of all keys saw when it changed one.
struct KeyShown {
  std::string machine;  // "h200"
  std::string change;   // "sm.l1.mshrs=1", and what was changed with it
  std::string launch;   // of tests/behaviour/configuration_keys
  std::string seen;     // "elapsed cycles 5120 -> 7044; 38 values differ"
};

class KeyMeanings {
 public:
  // From the folder of configurations. Throws Error where a file is malformed; one that is not there says
  // nothing.
  static KeyMeanings load();
  // The meanings alone, without the 380 KB of what was measured.
  static KeyMeanings load_meanings();
  // Of a path in which names and places are `*`; "" where nothing is written.
  const std::string& meaning(const std::string& schema_path) const;
  const KeyEffect* effect(const std::string& path) const;
  // On that machine, else on another one; nullptr where no launch shows the key.
  const KeyShown* shown(const std::string& path, const std::string& machine) const;
  // Why changing the key shows on no launch of the machine of that name; "" where it does.
  const std::string& silent(const std::string& path, const std::string& machine) const;
  const std::unordered_map<std::string, std::string>& meanings() const { return meanings_; }
  const std::string& config() const { return config_; }             // that effects were measured on
  const std::vector<std::string>& cases() const { return cases_; }  // and over which kernels

 private:
  struct Silent {
    std::string keys, machine, why;  // keys: `*` stands for anything; machine "": all
  };
  void read_silent(const std::string& file);
  void read_shown(const std::string& file);

  std::vector<Silent> silent_;
  std::unordered_map<std::string, std::string> meanings_;
  std::unordered_map<std::string, KeyEffect> effects_;
  std::unordered_multimap<std::string, KeyShown> shown_;
  std::string config_;
  std::vector<std::string> cases_;
};

// Whether a path fits a pattern, in which one `*` stands for anything.
bool key_matches(std::string_view pattern, std::string_view path);

// ", from 1 to 64 cycles" of a quantity whose reader has bounds; "" without.
std::string range_of(const KeyRead& read);

}  // namespace gpuloom
