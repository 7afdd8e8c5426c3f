// SPDX-License-Identifier: Apache-2.0
// Conditional nodes of graphs: Context's part that decides what runs.
#include "sim/host/context.h"
#include "sim/host/status.h"

namespace gpuloom::host {

uint64_t Context::create_conditional(std::optional<uint32_t> at_launch) {
  const uint64_t handle = device_.memory().allocate(sizeof(uint32_t), "the value of a conditional node");
  device_.memory().fill(handle, 0, sizeof(uint32_t));
  conditionals_[handle] = at_launch;
  return handle;
}

std::optional<uint32_t> Context::conditional_at_launch(uint64_t handle) const {
  const auto known = conditionals_.find(handle);
  require(known != conditionals_.end());
  return known->second;
}

// What kernels have set. In a timed run the machine comes so far first: the decision takes no time of its
// own.
uint32_t Context::value_of(const Conditional& node) {
  carry_out_all();
  uint32_t value = 0;
  device_.memory().read(node.value, &value, sizeof value);
  return value;
}

void Context::run_conditional(const Conditional& node, Stream& stream) {
  const auto run = [&](size_t body) {
    if (body < node.bodies.size()) run_nodes(node.bodies[body]->order(), stream);
  };
  const uint32_t value = value_of(node);
  switch (node.kind) {
    case Conditional::Kind::kIf:
      return run(value != 0 ? 0 : 1);
    case Conditional::Kind::kSwitch:
      return run(value);
    case Conditional::Kind::kWhile:
      for (bool again = value != 0; again && launcher_.fault() == 0; again = value_of(node) != 0) run(0);
  }
}

}  // namespace gpuloom::host
