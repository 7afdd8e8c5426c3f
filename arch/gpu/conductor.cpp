// SPDX-License-Identifier: Apache-2.0
#include "arch/gpu/conductor.h"

#include <algorithm>

#include "base/error.h"

namespace gpuloom::arch {

Conductor::Conductor(std::vector<Machine*> machines) : machines_(std::move(machines)) {
  for (Machine* m : machines_) m->connect(machines_);
}

// Of several at the same time the first by number.
Machine* Conductor::earliest() const {
  Machine* first = nullptr;
  double earliest = 0;
  for (Machine* m : machines_) {
    const Cycle next = m->next_step();
    if (next == kNever) continue;
    const double at = m->seconds(next);
    if (first != nullptr && at >= earliest) continue;
    first = m;
    earliest = at;
  }
  return first;
}

bool Conductor::step(const Machine& waits, Ticket goal) {
  Machine* first = earliest();
  if (first == nullptr) return false;
  Cycle bound = kNever;
  for (Machine* m : machines_)
    if (const Cycle next = m->next_step(); m != first && next != kNever)
      bound = std::min(bound, m->port().cycle_for(first->port(), next) + first->port().hears());
  first->step(bound, first == &waits ? goal : 0);
  return true;
}

void Conductor::advance_until(Machine& machine, Ticket goal) {
  while (!machine.work().done(goal))
    if (!step(machine, goal))
      throw Error(ErrorKind::kInternal, "work " + std::to_string(goal) + " waits for work that never ends");
  machine.reach(machine.work().end_of(goal));
}

void Conductor::advance_until_idle(Machine& machine) {
  while (const Ticket open = machine.first_open()) advance_until(machine, open);
}

void Conductor::advance_to(Machine& machine, Cycle cycle) {
  while (machine.next_step() < cycle)
    if (!step(machine, 0)) break;
  machine.reach(cycle);
}

}  // namespace gpuloom::arch
