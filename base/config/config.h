// SPDX-License-Identifier: Apache-2.0
// Loading of a configuration: a YAML file, the files it extends, and overrides from the command line.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/config/config_node.h"
#include "base/config/config_view.h"

namespace gpuloom {

// The directory with cc/, gpu/, test/ and studies/: $GPULOOM_CONFIG_DIR, else beside the program or library
// (../share/gpuloom/configs, ../configs, ../../configs), else the source tree that this was built from.
std::string config_directory();

// Names below the configuration directory, without ".yaml", sorted: "cc/sm_90", "gpu/h200".
std::vector<std::string> list_configs();
// Whether Config::load would find a file for this name.
bool is_config(const std::string& name);

// How messages call the document, and what they say of a key that nobody reads and that resembles none.
struct DocumentWords {
  std::string name = "the configuration";
  std::string unread = "no part of the model reads it";
};

class Config {
 public:
  // `name` is a path to a file, or a name below the configuration directory, with or without its folder:
  // "gpu/h200", "h200". `overrides` are "path.to.key=value" (a value is YAML, so lists work; elements of
  // lists are reached by number); the key must exist. Throws gpuloom::Error: kInput with all problems of the
  // files, kUsage for a malformed override.
  static Config load(const std::string& name, const std::vector<std::string>& overrides = {});
  // The same from text, for tests and for programs that make configurations; `extends` works as from a file
  // of that name.
  static Config parse(std::string_view text, const std::string& file,
                      const std::vector<std::string>& overrides = {});

  // The same from a tree that a program has put together, where nothing is extended or overridden.
  static Config from(ConfigNode tree, const std::string& name);

  Config(Config&&) noexcept;
  Config& operator=(Config&&) noexcept;
  ~Config();

  ConfigView root() const;
  const ConfigNode& tree() const;
  const ConfigState& state() const { return *state_; }              // for config_schema.cpp
  const std::string& name() const { return name_; }                 // as asked for
  const std::vector<std::string>& files() const { return files_; }  // that it was merged from, base first
  // Whether it is what loading `name`, with no overrides, gives: known without reading the files again.
  bool is_unchanged(const std::string& name) const;

  // Throws one error with everything that reading found wrong, and with every key that nobody has read.
  void check(const DocumentWords& words = {}) const;
  // The same, by the name that says what it adds.
  void check_all_read() const { check(); }
  // What check() would report, unread keys included.
  std::vector<ConfigProblem> problems(const DocumentWords& words = {}) const;
  // Problems that need no schema: numbers with a malformed or unknown unit.
  std::vector<ConfigProblem> unit_problems() const;

  // "path = value" lines of every scalar and list in order, without positions: equal for equal
  // configurations.
  std::string canonical() const;
  // SHA-256 of canonical(), for provenance.
  std::string digest() const;

 private:
  Config(std::string name, ConfigNode tree, std::vector<std::string> files);
  std::string name_;
  std::vector<std::string> files_;
  std::string path_;  // of its own file where nothing is overridden; otherwise empty
  std::unique_ptr<ConfigState> state_;
};

}  // namespace gpuloom
