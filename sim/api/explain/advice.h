// SPDX-License-Identifier: Apache-2.0
// Advice: what to change in a kernel where a switch of `ideal` saves time. Texts, conditions and sources are
// data, a file each in configs/advice (its README says what the keys mean).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sim/api/explain/facts.h"

namespace gpuloom::sim {

struct AdviceCondition {
  std::string fact, over;  // `over`: the fact that it is divided by; "" for none
  std::optional<double> above, below;
  bool holds(const Facts& facts) const;
};

struct Advice {
  std::string id, title, remedy, check, source;
  bool defect = false;                // else a limit of the machine that the kernel reaches
  std::vector<std::string> switches;  // all of them on: what the advice can save
  double share = 1;  // of what the switches save, where the advice removes a part of what they make free
  std::vector<AdviceCondition> when;  // all must hold
  double least_pct = 0;               // of the kernel's cycles
  std::string lines_by;               // counter of lines; "" where no line is to blame
  bool lines_lost = false;            // not all of the counter, but what the switches take away of it
  // Parts of PTX operations: of the first a line must have one, of the second none.
  std::vector<std::string> operations, other_than;
  std::vector<std::string> evidence;  // facts
  double error_pct = 0;               // of the model's cycles on kernels of this kind, beside silicon
  std::vector<std::string> error_cases;
  std::string error_source;
  size_t demands() const { return when.size() + operations.size(); }  // how special it is
  // Whether its conditions hold; those on switches only once they have been run (`measured`).
  bool fits(const Facts& facts, bool measured) const;
};

// All of the folder of configurations, in the order of their ids. Throws Error (kInput) that says what is
// wrong in which file, and where.
std::vector<Advice> load_advice();
Advice read_advice(const std::string& path);

}  // namespace gpuloom::sim
