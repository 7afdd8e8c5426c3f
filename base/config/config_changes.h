// SPDX-License-Identifier: Apache-2.0
// How a configuration differs from the one it is named after: -s, and files that extend it without a name of
// their own.
#pragma once
#include <string>
#include <vector>

#include "base/config/config.h"

namespace gpuloom {

struct ConfigChange {
  std::string key, from, to;  // "" for a side that has no such key
};

// Values that differ, by key.
std::vector<ConfigChange> config_changes(const Config& from, const Config& to);

// Against the stock configuration of the same `name:`; none where there is no such configuration.
std::vector<ConfigChange> changes_of(const Config& config, const std::string& name);

// "h200", "h200 + 1 change", "h200 + 2 changes".
std::string changed_name(const std::string& name, size_t changes);

}  // namespace gpuloom
