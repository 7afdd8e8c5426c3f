// SPDX-License-Identifier: Apache-2.0
// JSON schemas of the files that users write, for editors (yaml-language-server) and other tools.
#pragma once
#include <string>
#include <vector>

#include "base/config/config_schema.h"

namespace gpuloom::sim {

// "config", "launch" or "sweep", as JSON text. Throws Error (kUsage) for another word.
std::string schema_text(const std::string& of);

// What the reader of launch files takes, from configs/about/launch.yaml and launch_single.yaml, which have
// every key.
std::vector<KeyRead> launch_keys();
// Keys that the reader asks for and that those files do not have.
std::vector<std::string> launch_keys_without_example();

}  // namespace gpuloom::sim
