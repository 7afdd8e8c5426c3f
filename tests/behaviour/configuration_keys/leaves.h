// SPDX-License-Identifier: Apache-2.0
// The keys of a configuration, and what to change them to.
#pragma once
#include <string>
#include <vector>

#include "base/config/config_schema.h"
#include "tests/behaviour/configuration_keys/launches.h"

namespace gpuloom::tests::keys {

struct Leaf {
  std::string path, value;
  KeyRead read;
};
// Of every scalar and element of a list. A key that no reader has is an Error.
std::vector<Leaf> leaves_of(const std::string& machine);

// Whether the readers take the change; `refused` is their answer where they do not.
bool takes(const std::string& machine, const Change& change, std::string& refused);

// The changes to try, at most `most` that the readers take. `refused`: what they said of the last other one.
std::vector<Change> changes_of(const Leaf& leaf, const std::string& machine, size_t most,
                               std::string& refused);

}  // namespace gpuloom::tests::keys
