// SPDX-License-Identifier: Apache-2.0
// Looks for a launch and a change that a key shows, to write its row.
#pragma once
#include <map>
#include <optional>

#include "tests/behaviour/configuration_keys/leaves.h"
#include "tests/behaviour/configuration_keys/rows.h"

namespace gpuloom::tests::keys {

class Search {
 public:
  Search(const std::vector<Launch>& launches, std::string machine)
      : launches_(&launches), machine_(std::move(machine)) {}
  // `known`: rows of keys that are shown by others, which hold the conditions (`with`) to keep.
  std::optional<Row> find(const Leaf& leaf, const Row* known);

 private:
  bool shows(const Launch& launch, const Change& change, const Change& with);
  const Outcome& before(const Launch& launch, const Change& with);

  const std::vector<Launch>* launches_;
  std::string machine_;
  std::map<std::string, Outcome> outcomes_;
};

}  // namespace gpuloom::tests::keys
