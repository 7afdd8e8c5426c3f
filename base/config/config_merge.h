// SPDX-License-Identifier: Apache-2.0
// Putting trees of configuration together. Inner header of base/config.
#pragma once
#include <string>
#include <vector>

#include "base/config/config_node.h"

namespace gpuloom {

// Lays `over` on `base`: maps merge key by key, anything else replaces. A value may not become a map or a map
// a value: that is a problem, because it is nearly always a wrong indentation. Every value keeps the position
// it came from.
void merge_config(ConfigNode& base, ConfigNode over, const std::string& path,
                  std::vector<ConfigProblem>& problems);

// Applies "path.to.key=value". Throws Error: kUsage if it is malformed or names no existing key.
void override_config(ConfigNode& tree, const std::string& assignment);

}  // namespace gpuloom
