// SPDX-License-Identifier: Apache-2.0
// The order of operations within each block, at a budget of registers.
#pragma once
#include <cstdint>
#include <memory>

#include "ptx/machine/graph.h"

namespace gpuloom::ptx {

constexpr uint32_t kNotForValues = 3;  // registers: the stack pointer and two hidden ones (allocate.cpp)

class Scheduler {
 public:
  // Keeps the order that the graph has now as the source order. `thrifty`: also orders that save registers
  // whatever that costs in time.
  Scheduler(Graph& graph, bool thrifty);
  ~Scheduler();

  // Puts the graph's blocks in order so that at most `limit` 32-bit registers hold values, where that can be
  // done; returns the most that do. May be called again with another limit. Where one block takes more, the
  // others may too, up to `far_too_many`, beyond which the order is of no use.
  uint32_t run(uint32_t limit, uint32_t far_too_many = UINT32_MAX);
  // Of a block, by place in the order that the last run() made: where the node stood before the first one.
  const std::vector<uint32_t>& order_of(uint32_t block) const;
  // About the fewest registers that can hold values, whatever the order.
  uint32_t least() const;
  // Cycles of a warp in the order that the last run() made, each block once; in loops more.
  double length() const;
  // Greater after each run() that made another order than the one before it.
  uint32_t orders() const { return orders_; }

 private:
  uint32_t order(uint32_t limit);

  struct Blocks;
  Graph& g_;
  uint32_t orders_ = 1;
  std::unique_ptr<Blocks> blocks_;
};

// Makes values again where they are needed that live where more than `limit` registers hold values
// (rematerialize.cpp); false where there are none.
bool rematerialize_sums(Graph& graph, uint32_t limit);

}  // namespace gpuloom::ptx
