// SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/launch_occupancy.h"

#include <utility>

namespace gpuloom::sim {

arch::KernelResources launch_resources(const LaunchRequest& request, uint32_t registers) {
  arch::KernelResources r;
  r.threads = static_cast<uint32_t>(request.block.count());
  r.registers_per_thread = registers;
  r.shared_dynamic = request.dynamic_shared_bytes;
  r.shared_static = request.kernel->program->shared_static_bytes;
  r.barriers = request.kernel->program->barrier_count;
  return r;
}

std::vector<std::string> limiters_of(const arch::Occupancy& o) {
  const std::pair<const char*, uint32_t> limits[] = {{"warps", o.limit_warps},
                                                     {"registers", o.limit_registers},
                                                     {"shared memory", o.limit_shared},
                                                     {"blocks", o.limit_blocks},
                                                     {"barriers", o.limit_barriers}};
  std::vector<std::string> names;
  for (const auto& [name, limit] : limits)
    if (limit == o.blocks) names.emplace_back(name);
  return names;
}

}  // namespace gpuloom::sim
