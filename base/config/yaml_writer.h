// SPDX-License-Identifier: Apache-2.0
// A tree of configuration as YAML text that reads back as the same tree.
#pragma once
#include <string>
#include <vector>

#include "base/config/config_node.h"

namespace gpuloom {

struct YamlLine {
  std::string text;
  std::string origin;  // position of the value on it; empty where there is none
};
std::vector<YamlLine> yaml_lines(const ConfigNode& tree);  // of a map
std::string yaml_text(const ConfigNode& tree);
// A scalar, or a list without maps, on one line.
std::string yaml_inline(const ConfigNode& node);
// Whether it is a map or a list with a map somewhere in it.
bool yaml_has_map(const ConfigNode& node);

}  // namespace gpuloom
