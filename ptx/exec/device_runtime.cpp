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

ChildCaller caller_of(const CallArguments& call) {
  const Warp& w = call.warp();
  return {w.cta->linear_id, w.now};
}

// Lanes ask one after another, and the warp goes on when the last has.
void takes_time(Warp& w) {
  if (w.launch->child_call_ns == 0) return;
  w.sleep_ns = w.launch->child_call_ns + (w.wait == Wait::kSleep ? w.sleep_ns : 0);
  w.wait = Wait::kSleep;
}

// cudaError_t LaunchDeviceV2(void* parameters, cudaStream_t stream)
void launch_device(CallArguments& call) {
  call.warp().launch->launch_child(call.get(0), call.get(1), caller_of(call));
  call.result(kSuccess);
  takes_time(call.warp());
}

// cudaError_t StreamCreateWithFlags(cudaStream_t* stream, unsigned flags), EventCreateWithFlags.
void create_stream(CallArguments& call) {
  const Launch& launch = *call.warp().launch;
  constexpr uint64_t kAny = 0x100;  // where grids run one after another, one stream is like another
  const uint64_t handle = launch.child_stream ? launch.child_stream() : kAny;
  call.write(call.get(0), &handle, sizeof handle);
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

void launch_copy(CallArguments& call, const ChildCopy& copy, uint64_t stream) {
  const Launch& launch = *call.warp().launch;
  if (!launch.launch_copy)
    fault(call.warp(), call.instr(), call.lane(), FaultKind::kIllegal,
          "copies memory by the device runtime, which this way of running does not provide for");
  launch.launch_copy(copy, stream, caller_of(call));
  call.result(kSuccess);
  takes_time(call.warp());
}

// cudaError_t MemcpyAsync(void* to, const void* from, size_t bytes, int kind, cudaStream_t stream)
void copy(CallArguments& call) {
  launch_copy(call, {.to = call.get(0), .from = call.get(1), .width = call.get(2)}, call.get(4));
}

// cudaError_t Memcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, stream)
void copy_rows(CallArguments& call) {
  const ChildCopy rows = {call.get(0), call.get(1), call.get(2), call.get(3), call.get(4), call.get(5)};
  launch_copy(call, rows, call.get(7));
}

// cudaError_t MemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream)
void fill(CallArguments& call) {
  const auto value = static_cast<uint8_t>(call.get(1));
  launch_copy(call, {.to = call.get(0), .width = call.get(2), .fill = true, .value = value}, call.get(3));
}

// cudaError_t Memset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height, stream)
void fill_rows(CallArguments& call) {
  const auto value = static_cast<uint8_t>(call.get(2));
  const ChildCopy rows = {.to = call.get(0),
                          .to_pitch = call.get(1),
                          .width = call.get(3),
                          .height = call.get(4),
                          .fill = true,
                          .value = value};
  launch_copy(call, rows, call.get(5));
}

// What a thread of a simulated GPU may ask of the device: there is one, and it is number 0.
template <int kValue>
void answer(CallArguments& call) {
  constexpr int value = kValue;
  call.write(call.get(0), &value, sizeof value);
  call.result(kSuccess);
}
constexpr int kRuntimeVersion = 13000;  // as cudaRuntimeGetVersion answers

// const char* GetErrorName(cudaError_t error), GetErrorString
template <bool kName>
void error_text(CallArguments& call) {
  const Launch& launch = *call.warp().launch;
  call.result(launch.error_text ? launch.error_text(static_cast<int>(call.get(0)), kName) : 0);
}

// void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned value). The handle is the address
// of the value (sim/host/graph.h).
void set_conditional(CallArguments& call) {
  const auto value = static_cast<uint32_t>(call.get(1));
  call.write(call.get(0), &value, sizeof value);
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
                                // Grids run in the order of their launch, where a kernel uses events:
                                // one that was recorded has happened for all that comes later.
                                {"StreamWaitEvent", succeed},
                                {"EventCreateWithFlags", create_stream},
                                {"EventRecord", succeed},
                                {"EventRecordWithFlags", succeed},
                                {"EventDestroy", succeed},
                                {"GetErrorName", error_text<true>},
                                {"GetErrorString", error_text<false>},
                                {"GetDevice", answer<0>},
                                {"GetDeviceCount", answer<1>},
                                {"RuntimeGetVersion", answer<kRuntimeVersion>},
                                {"MemcpyAsync", copy},
                                {"Memcpy2DAsync", copy_rows},
                                {"MemsetAsync", fill},
                                {"Memset2DAsync", fill_rows},
                                {"Malloc", allocate},
                                {"Free", release}};

}  // namespace

void (*device_runtime_function(std::string_view name))(CallArguments&) {
  if (name == "cudaGraphSetConditional") return set_conditional;
  constexpr std::string_view kPrefix = "__cudaCDP2";
  if (!name.starts_with(kPrefix)) return nullptr;
  name.remove_prefix(kPrefix.size());
  // The variant for -default-stream per-thread: one stream is like another.
  constexpr std::string_view kPerThread = "_ptsz";
  if (name.ends_with(kPerThread)) name.remove_suffix(kPerThread.size());
  for (const Named& f : kFunctions)
    if (f.name == name) return f.function;
  return nullptr;
}

}  // namespace gpuloom::ptx
