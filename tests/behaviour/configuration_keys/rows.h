// SPDX-License-Identifier: Apache-2.0
// What is written about keys for the test that changes them all: shown_by.yaml names for each key a launch
// and a change that it shows; configs/about/silent.yaml says of the others why they cannot show.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "tests/behaviour/configuration_keys/launches.h"

namespace gpuloom::tests::keys {

struct Row {
  std::string key, machine;  // machine "": of all that have no row of their own
  std::string launch;
  Change change;  // the key, and what has to change with it
  Change with;    // holds before and after
};

struct Silent {
  std::string keys, machine, why;  // keys: a pattern; machine "": all
};

struct Known {
  std::vector<Row> rows;
  std::vector<Silent> silent;
  // A row or a reason for the machine goes before those for all.
  const Row* row(const std::string& machine, const std::string& key) const;
  const Silent* reason(const std::string& machine, const std::string& key) const;
};

Known read_rows();
std::string row_text(const Row& row);  // a line of shown_by.yaml
// A line of configs/about/shown.yaml.
std::string shown_text(const Row& row, const std::string& machine, const std::string& seen);

}  // namespace gpuloom::tests::keys
