// SPDX-License-Identifier: Apache-2.0
// What the memory system asks of whoever gives the GPU its work.
#pragma once
#include "arch/types.h"

namespace gpuloom::arch {

class Commands {
 public:
  virtual ~Commands() = default;
  // When something of its own is due: work that may begin, bytes of a copy.
  virtual Cycle next_cycle() const = 0;
  // Copies send what is due before `cycle`; called in the order of time of everything that goes to memory.
  virtual void send_until(Cycle cycle) = 0;
  virtual bool copying() const = 0;
  // Begins what may begin before `end`.
  virtual void begin_until(Cycle end) = 0;
  // Nobody runs, and all before `end` is served: takes what has ended.
  virtual void settle(Cycle end) = 0;
  // Only one grid is under way, nothing can begin before it ends, and it is waited for.
  virtual bool one_grid() const = 0;
  // What is waited for has been reached, or the SMs must be run in another way.
  virtual bool pauses() const = 0;
};

}  // namespace gpuloom::arch
