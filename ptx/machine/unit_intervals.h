// SPDX-License-Identifier: Apache-2.0
// How long operations of a block keep the ALU and the tensor cores from the next one, for the list scheduler.
#pragma once
#include <cstdint>
#include <vector>

#include "ptx/machine/graph.h"
#include "ptx/machine/ready_queue.h"

namespace gpuloom::ptx {

// Until when a unit may not be asked again.
struct Busy {
  uint32_t alu = 0, matrix = 0;
};

class UnitIntervals {
 public:
  UnitIntervals(const Graph& g, const std::vector<Node>& nodes);

  const std::vector<ReadyQueue::Kind>& kinds() const { return kinds_; }
  uint32_t when_free(uint32_t node, const Busy& busy) const;
  void take(uint32_t node, uint32_t now, Busy& busy) const;
  // Kinds that may come while `node` waits for its unit, a bit each; 0 where it does not wait.
  unsigned fillers(uint32_t node, const Busy& busy, uint32_t now) const;

 private:
  std::vector<uint16_t> alu_, matrix_;  // by node; 0: does not run there
  std::vector<ReadyQueue::Kind> kinds_;
};

}  // namespace gpuloom::ptx
