// SPDX-License-Identifier: Apache-2.0
// Grids and what they have launched (CUDA's dynamic parallelism): for those who wait they end as one.
#pragma once
#include <deque>
#include <functional>
#include <map>

#include "arch/simulation.h"
#include "arch/types.h"

namespace gpuloom::arch {

class Families {
 public:
  using TellFn = std::function<void(Ticket, Cycle)>;
  // `ended`: a piece has ended for others. `tail_begins`: the rest of its family has ended.
  Families(TellFn ended, TellFn tail_begins)
      : ended_(std::move(ended)), tail_begins_(std::move(tail_begins)) {}

  void add(Ticket ticket, const WorkOrder& order);
  // A grid that has launched others has not ended, which may name them again.
  bool open() const { return !families_.empty(); }
  // It has done its own work.
  void done(Ticket ticket, Cycle at);

 private:
  struct Family {
    size_t open = 1;  // of it, the grid itself and what it has launched, those that have not ended
    Cycle end = 0;
    std::deque<Ticket> tail;  // begin one after another when the rest has ended
  };
  void leave(Ticket of, Cycle at);

  TellFn ended_, tail_begins_;
  std::map<Ticket, Family> families_;  // by the grid
  std::map<Ticket, Ticket> parents_;   // of what has not ended
};

}  // namespace gpuloom::arch
