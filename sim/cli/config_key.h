// SPDX-License-Identifier: Apache-2.0
// `config show KEY`: one key of a configuration, from every side.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "base/config/config.h"

namespace gpuloom::cli {

struct KeyQuestion {
  std::string config, key;
  std::vector<std::string> overrides;
  std::string effect;  // a launch file on which to measure what the key does; "" for none
  std::string to;      // the value to measure with; "" for a quarter more
};

// Whether a word names a key and not a configuration: some configuration's tree has it.
bool is_key(const std::string& word, const std::string& config);

// Meaning, kind and range, source, reader and effect of the key, or of each key of the group. `reading` reads
// the whole configuration. Throws Error (kUsage) for a key that does not exist, naming the nearest.
void show_key(const KeyQuestion& question, const std::function<void(const Config&)>& reading);

}  // namespace gpuloom::cli
