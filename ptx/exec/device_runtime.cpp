// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/device_runtime.h"

#include <array>
#include <cstdint>

#include "ptx/exec/call_arguments.h"

namespace gpuloom::ptx {
namespace {

enum Error : int { kSuccess = 0, kMemoryAllocation = 2 };  // cudaError_t

// void* GetParameterBufferV2(void* kernel, dim3 grid, dim3 block, unsigned shared_bytes)
void get_parameter_buffer(CallArguments& call) {
  const Launch& launch = *call.warp().launch;
  if (!launch.child_parameters)
    fault(call.warp(), call.instr(), call.lane(), FaultKind::kIllegal,
          "launches a kernel, which this way of running does not provide for");
  ChildGrid child;
  std::array<uint32_t, 3> grid{}, block{};
  call.get(1, grid.data(), sizeof grid);
  call.get(2, block.data(), sizeof block);
  child.function = call.get(0);
  child.grid = {grid[0], grid[1], grid[2]};
  child.block = {block[0], block[1], block[2]};
  child.shared_bytes = static_cast<uint32_t>(call.get(3));
  call.result(launch.child_parameters(child));
}

// cudaError_t LaunchDeviceV2(void* parameters, cudaStream_t stream)
void launch_device(CallArguments& call) {
  call.warp().launch->launch_child(call.get(0), call.get(1));
  call.result(kSuccess);
}

// cudaError_t StreamCreateWithFlags(cudaStream_t* stream, unsigned flags). Grids run one after another, so
// that one stream is like another; this is not a handle with a meaning of its own.
void create_stream(CallArguments& call) {
  constexpr uint64_t kStream = 0x100;
  call.write(call.get(0), &kStream, sizeof kStream);
  call.result(kSuccess);
}

// What would fail is a fault of the kernel, so nothing is left to tell of.
void succeed(CallArguments& call) { call.result(kSuccess); }

// cudaError_t Malloc(void** pointer, size_t bytes)
void allocate(CallArguments& call) {
  const Launch& launch = *call.warp().launch;
  const uint64_t address = launch.heap_allocate ? launch.heap_allocate(call.get(1)) : 0;
  call.write(call.get(0), &address, sizeof address);
  call.result(address == 0 ? kMemoryAllocation : kSuccess);
}

// cudaError_t Free(void* pointer)
void release(CallArguments& call) {
  const uint64_t address = call.get(0);
  const Launch& launch = *call.warp().launch;
  if (address != 0 && (!launch.heap_free || !launch.heap_free(address)))
    fault(call.warp(), call.instr(), call.lane(), FaultKind::kIllegal,
          "frees memory by cudaFree that no kernel's cudaMalloc gave");
  call.warp().global_low = 1;  // the allocation hit last may be gone
  call.warp().global_high = 0;
  call.result(kSuccess);
}

struct Named {
  std::string_view name;
  void (*function)(CallArguments&);
};
constexpr Named kFunctions[] = {{"GetParameterBufferV2", get_parameter_buffer},
                                {"LaunchDeviceV2", launch_device},
                                {"StreamCreateWithFlags", create_stream},
                                {"StreamDestroy", succeed},
                                {"GetLastError", succeed},
                                {"PeekAtLastError", succeed},
                                {"Malloc", allocate},
                                {"Free", release}};

}  // namespace

void (*device_runtime_function(std::string_view name))(CallArguments&) {
  constexpr std::string_view kPrefix = "__cudaCDP2";
  if (!name.starts_with(kPrefix)) return nullptr;
  name.remove_prefix(kPrefix.size());
  for (const Named& f : kFunctions)
    if (f.name == name) return f.function;
  return nullptr;
}

}  // namespace gpuloom::ptx
