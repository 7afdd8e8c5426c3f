// SPDX-License-Identifier: Apache-2.0
// Values of conditional nodes: memory of the device that kernels set. A handle is its address.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "sim/host/memory.h"

namespace gpuloom::host {

// Graphs and nodes that use it hold it; it is freed after the last of them.
struct ConditionalValue {
  uint64_t handle = 0;
  std::optional<uint32_t> at_launch;  // what it becomes when the graph that has the node begins
};

class Conditionals {
 public:
  explicit Conditionals(Memory& memory) : memory_(memory) {}

  std::shared_ptr<const ConditionalValue> create(std::optional<uint32_t> at_launch);
  // Throws Failure (kInvalidValue) where there is none.
  std::shared_ptr<const ConditionalValue> find(uint64_t handle) const;
  uint32_t read(const ConditionalValue& value) const;
  // Frees those that nobody holds any more; what has been submitted is carried out before, for it may set
  // them.
  void free_unused();

 private:
  Memory& memory_;
  std::map<uint64_t, std::weak_ptr<const ConditionalValue>> values_;  // by handle
};

}  // namespace gpuloom::host
