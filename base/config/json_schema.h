// SPDX-License-Identifier: Apache-2.0
// JSON schemas, which editors take for YAML files, made from what readers have read.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/config/config_schema.h"

namespace gpuloom {

class KeyMeanings;

// The schema of a file with these keys, one for each path and kind as keys_read() gives them. Groups are
// closed: another key is an error, except where policies may bring groups of their own. `known`:
// descriptions, where there are some.
nlohmann::ordered_json json_schema(const std::vector<KeyRead>& keys, const KeyMeanings& known);

// Puts together what several files have of a schema: a path and kind once, with the widest range.
void join_keys(std::vector<KeyRead>& all, const std::vector<KeyRead>& more);

}  // namespace gpuloom
