// SPDX-License-Identifier: Apache-2.0
// The switches of `ideal` that `gpuloom explain` tries, each with what a kernel must have done for it to
// matter.
#pragma once
#include <string>
#include <vector>

#include "sim/api/explain/facts.h"

namespace gpuloom::sim {

struct IdealSwitch {
  std::string key, what;  // "ideal.bank_conflicts", "bank conflicts"
  std::vector<std::string>
      touches;  // facts of the plain run: where all are zero, it changes nothing; none: always run
};
const std::vector<IdealSwitch>& ideal_switches();
// Throws Error (kInput) for a key that is not one of them.
const IdealSwitch& ideal_switch(const std::string& key);
bool may_matter(const IdealSwitch& which, const Facts& facts);

}  // namespace gpuloom::sim
