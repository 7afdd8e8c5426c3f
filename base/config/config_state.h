// SPDX-License-Identifier: Apache-2.0
// What a Config and its views share. Only config.cpp and config_view.cpp include this.
#pragma once
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/config/config_node.h"
#include "base/config/config_schema.h"

namespace gpuloom {

struct ConfigState {
  ConfigNode tree;
  // A key that a reader asked for and that was not there; it becomes a problem unless a misspelling of it is
  // found.
  struct Missing {
    const ConfigNode* group;
    std::string key;
    std::string path;
    std::string expected;
  };
  std::vector<ConfigProblem> problems;
  std::vector<Missing> missing;
  std::unordered_set<std::string> wrong;  // paths of values that were not what their reader expected
  std::unordered_set<const ConfigNode*> read;
  std::unordered_map<const ConfigNode*, std::vector<std::string>> asked;  // keys that readers know, by group
  std::vector<KeyRead> reads;                                             // in the order of reading
  std::unordered_set<std::string> named, listed;  // paths of maps whose keys are names, and of lists
  std::unordered_set<std::string> optional;       // that a reader asked for before it read them
  std::unordered_set<std::string>
      shipped;  // files that lie in the configuration directory, as positions name them
};

}  // namespace gpuloom
