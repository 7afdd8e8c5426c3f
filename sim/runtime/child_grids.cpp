// SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/child_grids.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/demangle.h"
#include "base/error.h"

namespace gpuloom::sim {
namespace {

constexpr uint64_t kTailStream = 3;       // cudaStreamTailLaunch
constexpr uint64_t kFunctionStride = 16;  // of addresses of functions (memory_view.h)

}  // namespace

bool launches_kernels(const ptx::Program& program) {
  return std::any_of(program.calls.begin(), program.calls.end(), [](const ptx::CallSite& c) {
    return c.external.starts_with("__cudaCDP2LaunchDevice") || c.external.starts_with("__cudaCDP2Mem");
  });
}

ChildGrids::~ChildGrids() {
  for (const auto& [address, child] : prepared_) device_.memory().free(address);
  for (const Child& child : launched_)
    if (child.parameters != 0) device_.memory().free(child.parameters);
}

void ChildGrids::provide(ptx::Launch& launch) {
  launch.child_parameters = [this](const ptx::ChildGrid& grid) { return prepare(grid); };
  launch.launch_child = [this](uint64_t parameters, uint64_t stream) { this->launch(parameters, stream); };
  launch.launch_copy = [this](const ptx::ChildCopy& copy, uint64_t stream) { launch_copy(copy, stream); };
}

uint64_t ChildGrids::prepare(const ptx::ChildGrid& grid) {
  const auto& functions = module_.module().functions;
  const uint64_t index = (grid.function - ptx::kFunctionBase) / kFunctionStride;
  Kernel* kernel = grid.function >= ptx::kFunctionBase && index < functions.size()
                       ? module_.find_kernel(functions[index].name)
                       : nullptr;
  if (kernel == nullptr)
    throw Error(
        ErrorKind::kProgram,
        fmt::format("a kernel launches address {:#x}, where no kernel of its module begins", grid.function));
  const uint64_t bytes = std::max<uint64_t>(kernel->program->param_bytes, 1);
  const uint64_t address =
      device_.memory().allocate(bytes, "parameters of a grid of '" + short_name(kernel->name()) + "'");
  prepared_[address] = {kernel, grid, address, false, {}};
  return address;
}

void ChildGrids::launch(uint64_t parameters, uint64_t stream) {
  const auto known = prepared_.find(parameters);
  if (known == prepared_.end())
    throw Error(ErrorKind::kProgram,
                "a kernel launches a grid with parameters that no cudaGetParameterBuffer gave");
  Child child = known->second;
  child.tail = stream == kTailStream;
  prepared_.erase(known);
  launched_.push_back(child);
}

void ChildGrids::launch_copy(const ptx::ChildCopy& copy, uint64_t stream) {
  Child child;
  child.tail = stream == kTailStream;
  child.copy = copy;
  launched_.push_back(child);
}

void ChildGrids::carry_out(const ptx::ChildCopy& copy) {
  DeviceMemory& memory = device_.memory();
  for (uint64_t row = 0; row < copy.height && copy.width != 0; ++row) {
    const uint64_t to = copy.to + row * copy.to_pitch;
    if (copy.fill)
      memory.fill(to, copy.value, copy.width);
    else
      memory.write(to, memory.view(copy.from + row * copy.from_pitch, copy.width), copy.width);
  }
}

std::vector<uint8_t> ChildGrids::taken_parameters(const Child& child) {
  std::vector<uint8_t> bytes(child.kernel->program->param_bytes);
  device_.memory().read(child.parameters, bytes.data(), bytes.size());
  return bytes;
}

void ChildGrids::run(const LaunchOptions& options, LaunchOutcome& outcome) {
  std::stable_partition(launched_.begin(), launched_.end(), [](const Child& c) { return !c.tail; });
  for (Child& child : launched_) {
    if (!outcome.complete) return;
    if (child.copy) {
      carry_out(*child.copy);
      continue;
    }
    LaunchRequest request;
    request.kernel = child.kernel;
    request.grid = child.grid.grid;
    request.block = child.grid.block;
    request.dynamic_shared_bytes = child.grid.shared_bytes;
    request.params = taken_parameters(child);
    device_.memory().free(child.parameters);
    child.parameters = 0;
    const LaunchOutcome inner = device_.launch(request, options);
    outcome.complete = inner.complete;
    outcome.warp_instructions += inner.warp_instructions;
    outcome.thread_instructions += inner.thread_instructions;
  }
}

}  // namespace gpuloom::sim
