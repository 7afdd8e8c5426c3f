// SPDX-License-Identifier: Apache-2.0
#include "arch/gpu/families.h"

#include <algorithm>

namespace gpuloom::arch {

void Families::add(Ticket ticket, const WorkOrder& order) {
  if (order.parent == 0) return;
  parents_[ticket] = order.parent;
  Family& family = families_[order.parent];
  if (order.tail)
    family.tail.push_back(ticket);
  else
    ++family.open;
}

// What comes after a grid waits for all that it has launched (CUDA C++ guide, dynamic parallelism: a parent
// is not complete before its children are).
void Families::done(Ticket ticket, Cycle at) {
  if (families_.contains(ticket)) return leave(ticket, at);
  ended_(ticket, at);
  if (const auto parent = parents_.extract(ticket)) leave(parent.mapped(), at);
}

void Families::leave(Ticket of, Cycle at) {
  Family& family = families_.at(of);
  family.end = std::max(family.end, at);
  if (--family.open != 0) return;
  const Cycle end = family.end;
  if (family.tail.empty()) {
    families_.erase(of);
    return done(of, end);
  }
  family.open = 1;
  const Ticket next = family.tail.front();
  family.tail.pop_front();
  tail_begins_(next, end);
}

}  // namespace gpuloom::arch
