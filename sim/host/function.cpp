// SPDX-License-Identifier: Apache-2.0
#include "sim/host/function.h"

#include <algorithm>

#include "base/error.h"
#include "sim/host/status.h"

namespace gpuloom::host {
namespace {

// cudaFuncAttribute.
enum : int {
  kMaxDynamicShared = 8,
  kCarveout = 9,
  kClusterMustBeSet = 10,
  kNonportable = 14,
  kClusterPolicy = 15
};

// As the machine program has them, which the lowering estimates. Where it does not lower the kernel: unknown.
uint32_t registers_of(sim::Device& device, const sim::Kernel& kernel) {
  try {
    return device.lowered(kernel).registers_per_thread;
  } catch (const Error&) {
    return kernel.program->registers_per_thread;
  }
}

const ptx::Directives* directives_of(const ptx::Program& program) {
  return program.functions.empty() || program.functions[0].function == nullptr
             ? nullptr
             : &program.functions[0].function->directives;
}

int threads_limit(const ptx::Directives* d, const arch::LimitsConfig& limits, uint32_t registers) {
  const auto product = [](const uint32_t(&n)[3]) { return n[0] * std::max(n[1], 1u) * std::max(n[2], 1u); };
  if (d != nullptr && d->reqntid[0] != 0) return static_cast<int>(product(d->reqntid));
  if (d != nullptr && d->maxntid[0] != 0) return static_cast<int>(product(d->maxntid));
  uint32_t most = limits.threads_per_block;
  // Whole warps of a block must find their registers.
  if (registers != 0) {
    const uint32_t unit = std::max(limits.register_allocation_unit, 1u);
    const uint32_t warp = (registers * 32 + unit - 1) / unit * unit;
    most = std::min(most, limits.registers_per_block / warp * 32);
  }
  return static_cast<int>(most);
}

}  // namespace

FunctionFacts facts_of(sim::Device& device, Launcher& launcher, Function& function) {
  const sim::Kernel& kernel = launcher.kernel(function);
  const ptx::Program& program = *kernel.program;
  const arch::LimitsConfig& limits = device.gpu().sm.limits;
  FunctionFacts f;
  f.shared_static = program.shared_static_bytes;
  f.constant = kernel.module->const_bank().size();
  f.local = program.local_bytes;
  f.registers = static_cast<int>(registers_of(device, kernel));
  const ptx::Directives* d = directives_of(program);
  f.threads_max = threads_limit(d, limits, static_cast<uint32_t>(f.registers));
  // The target that the PTX names, as a number: 90 of sm_90a.
  const auto& targets = kernel.module->module().targets;
  if (!targets.empty() && targets[0].starts_with("sm_")) f.ptx_version = std::atoi(targets[0].c_str() + 3);
  f.binary_version = static_cast<int>(device.gpu().cc_major * 10 + device.gpu().cc_minor);
  f.shared_dynamic_max = static_cast<int>(function.on(device).max_dynamic_shared.value_or(
      limits.shared_per_block - std::min(limits.shared_per_block, program.shared_static_bytes)));
  f.carveout = function.on(device).carveout;
  f.nonportable_cluster = function.on(device).nonportable_cluster;
  f.cluster_policy = function.on(device).cluster_policy;
  if (d != nullptr && d->reqnctapercluster[0] != 0)
    f.cluster_required = {d->reqnctapercluster[0], std::max(d->reqnctapercluster[1], 1u),
                          std::max(d->reqnctapercluster[2], 1u)};
  f.cluster_must_be_set = d != nullptr && d->explicit_cluster;
  return f;
}

void set_attribute(sim::Device& device, Launcher& launcher, Function& function, int attribute, int value) {
  const ptx::Program& program = *launcher.kernel(function).program;
  switch (attribute) {
    case kMaxDynamicShared: {
      const int64_t room =
          int64_t{device.gpu().sm.limits.shared_per_block_optin} - program.shared_static_bytes;
      require(value >= 0 && value <= room);
      function.on(device).max_dynamic_shared = static_cast<uint32_t>(value);
      return;
    }
    case kCarveout:
      require(value >= -1 && value <= 100);
      function.on(device).carveout = value;
      return;
    case kNonportable:
      function.on(device).nonportable_cluster = value != 0;
      return;
    case kClusterPolicy:
      require(value >= 0 && value <= 2);
      function.on(device).cluster_policy = value;
      return;
    case kClusterMustBeSet:  // and the required extents: what the PTX says holds
    case 11:
    case 12:
    case 13:
      throw Failure(Status::kNotPermitted);
    default:
      throw Failure(Status::kInvalidValue);
  }
}

arch::Occupancy occupancy_of(sim::Device& device, Launcher& launcher, Function& function, int threads,
                             size_t dynamic_shared) {
  const sim::Kernel& kernel = launcher.kernel(function);
  require(threads > 0 && dynamic_shared <= UINT32_MAX);
  arch::KernelResources k;
  k.threads = static_cast<uint32_t>(threads);
  k.registers_per_thread = registers_of(device, kernel);
  k.shared_static = kernel.program->shared_static_bytes;
  k.shared_dynamic = static_cast<uint32_t>(dynamic_shared);
  k.carveout_percent = function.on(device).carveout;
  k.optin = function.on(device).max_dynamic_shared.has_value();
  k.barriers = kernel.program->barrier_count;
  return arch::occupancy(device.gpu(), k);
}

size_t available_shared(sim::Device& device, Launcher& launcher, Function& function, int blocks,
                        int threads) {
  require(blocks > 0 && threads > 0);
  const FunctionFacts facts = facts_of(device, launcher, function);
  const auto fits = [&](size_t bytes) {
    return occupancy_of(device, launcher, function, threads, bytes).blocks >= static_cast<uint32_t>(blocks);
  };
  require(fits(0));
  size_t low = 0, high = static_cast<size_t>(facts.shared_dynamic_max);
  while (low < high) {
    const size_t middle = (low + high + 1) / 2;
    if (fits(middle))
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

}  // namespace gpuloom::host
