// SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/child_grids.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/demangle.h"
#include "base/error.h"

namespace gpuloom::sim {
namespace {

constexpr uint64_t kTailStream = 3;       // cudaStreamTailLaunch
constexpr uint64_t kForgetStream = 4;     // cudaStreamFireAndForget
constexpr uint64_t kFunctionStride = 16;  // of addresses of functions (memory_view.h)

bool calls(const ptx::Program& program, std::string_view name) {
  return std::any_of(program.calls.begin(), program.calls.end(),
                     [&](const ptx::CallSite& c) { return c.external.starts_with(name); });
}

}  // namespace

bool Child::at_tail() const { return stream == kTailStream; }
bool Child::fired() const { return stream == kForgetStream; }

bool launches_kernels(const ptx::Program& program) {
  return calls(program, "__cudaCDP2LaunchDevice") || calls(program, "__cudaCDP2Mem");
}

bool has_events_between_children(const ptx::Program& program) {
  return calls(program, "__cudaCDP2StreamWaitEvent");
}

ChildCalls::~ChildCalls() {
  for (const uint64_t address : memory_) device_.memory().free(address);
}

void ChildCalls::provide(ptx::Launch& launch) {
  launch.child_parameters = [this](const ptx::ChildGrid& grid) { return prepare(grid); };
  launch.launch_child = [this](uint64_t parameters, uint64_t stream, const ptx::ChildCaller& caller) {
    this->launch(parameters, stream, caller);
  };
  launch.launch_copy = [this](const ptx::ChildCopy& copy, uint64_t stream, const ptx::ChildCaller& caller) {
    take_({.stream = stream, .copy = copy, .caller = caller});
  };
}

uint64_t ChildCalls::prepare(const ptx::ChildGrid& grid) {
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
  memory_.push_back(address);
  prepared_[address] = {.kernel = kernel, .grid = grid, .parameters = address};
  return address;
}

void ChildCalls::launch(uint64_t parameters, uint64_t stream, const ptx::ChildCaller& caller) {
  const auto known = prepared_.find(parameters);
  if (known == prepared_.end())
    throw Error(ErrorKind::kProgram,
                "a kernel launches a grid with parameters that no cudaGetParameterBuffer gave");
  Child child = std::move(known->second);
  prepared_.erase(known);
  child.stream = stream;
  child.caller = caller;
  take_(std::move(child));
}

LaunchRequest ChildCalls::request(const Child& child) {
  LaunchRequest request;
  request.kernel = child.kernel;
  request.grid = child.grid.grid;
  request.block = child.grid.block;
  request.dynamic_shared_bytes = child.grid.shared_bytes;
  request.params.resize(child.kernel->program->param_bytes);
  device_.memory().read(child.parameters, request.params.data(), request.params.size());
  return request;
}

void carry_out(Device& device, const ptx::ChildCopy& copy) {
  DeviceMemory& memory = device.memory();
  for (uint64_t row = 0; row < copy.height && copy.width != 0; ++row) {
    const uint64_t to = copy.to + row * copy.to_pitch;
    if (copy.fill)
      memory.fill(to, copy.value, copy.width);
    else
      memory.write(to, memory.view(copy.from + row * copy.from_pitch, copy.width), copy.width);
  }
}

void ChildGrids::run(const LaunchOptions& options, LaunchOutcome& outcome) {
  std::stable_partition(launched_.begin(), launched_.end(), [](const Child& c) { return !c.at_tail(); });
  for (const Child& child : launched_) {
    if (!outcome.complete) return;
    if (child.copy) {
      carry_out(device_, *child.copy);
      continue;
    }
    const LaunchRequest request = calls_.request(child);
    const EndedFn taker = options.child_launched ? options.child_launched(request, 0) : EndedFn();
    const LaunchOutcome inner = device_.launch(request, options);
    outcome.complete = inner.complete;
    if (taker) {
      taker(request, inner);
      continue;
    }
    outcome.warp_instructions += inner.warp_instructions;
    outcome.thread_instructions += inner.thread_instructions;
  }
}

}  // namespace gpuloom::sim
