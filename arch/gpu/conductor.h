// SPDX-License-Identifier: Apache-2.0
// Several machines on one timeline: each goes on in turn, the one that is earliest first, as far as nothing
// of the others can reach it. What one does reaches another no sooner than the link takes.
#pragma once
#include <vector>

#include "arch/gpu/machine.h"

namespace gpuloom::arch {

class Conductor {
 public:
  explicit Conductor(std::vector<Machine*> machines);
  void advance_until(Machine& machine, Ticket goal);
  // All of this machine's work, and what that waits for.
  void advance_until_idle(Machine& machine);
  void advance_to(Machine& machine, Cycle cycle);

 private:
  // False: nobody has anything to do.
  bool step(const Machine& waits, Ticket goal);
  Machine* earliest() const;

  std::vector<Machine*> machines_;
};

}  // namespace gpuloom::arch
