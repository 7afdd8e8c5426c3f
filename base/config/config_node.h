// SPDX-License-Identifier: Apache-2.0
// A configuration as a tree of maps, lists and scalars, each with the place in a file that it came from.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace gpuloom {

// One node. A map keeps its entries in file order in `children`, each with its `key`; a list keeps its
// elements there with empty keys; a scalar is text that nobody has interpreted yet, because only its reader
// knows the type and unit.
struct ConfigNode {
  enum class Kind : uint8_t { kNull, kScalar, kList, kMap };
  Kind kind = Kind::kNull;
  bool quoted = false;  // a scalar written in quotes, which is text even if it looks like a number
  std::string scalar;
  std::string key;
  FilePosition where;      // of the value
  FilePosition key_where;  // of the key; of the value for an element of a list
  std::string replaced;    // a scalar that took the place of another: that one's text
  std::vector<ConfigNode> children;

  bool is_map() const { return kind == Kind::kMap; }
  bool is_list() const { return kind == Kind::kList; }
  bool is_scalar() const { return kind == Kind::kScalar; }
  // The entry of a map, or nullptr.
  const ConfigNode* find(std::string_view name) const;
  ConfigNode* find(std::string_view name);
  // "a map", "a list of 3", "'text'", "nothing": for messages.
  std::string describe() const;
};

// One thing wrong with a configuration. Problems are collected so that a user sees all of them at once.
struct ConfigProblem {
  FilePosition where;
  std::string message;
  std::string hint;
};

// Throws one gpuloom::Error (kInput) with every problem, a line each, in file order; does nothing without a
// problem. where() and hint() of the error are those of the first problem.
void throw_problems(std::vector<ConfigProblem> problems);

// Parses YAML text into a tree; `file` is what positions name. Duplicate keys, several documents, tags, merge
// keys (`<<`) and keys that are not plain text are errors; anchors and aliases work. Throws gpuloom::Error
// with all problems found.
ConfigNode parse_yaml(std::string_view text, const std::string& file);

// Reads a file with parse_yaml; one that cannot be read is an Error of kind kInput.
ConfigNode parse_yaml_file(const std::string& path, const std::string& shown_as);

}  // namespace gpuloom
