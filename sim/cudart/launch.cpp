// SPDX-License-Identifier: Apache-2.0
#include "sim/cudart/launch.h"

#include <algorithm>

namespace gpuloom::cudart {
namespace {

// kernelParams or extra of a kernel node: a list of keys that ends with 0 (CUDA driver API, cuLaunchKernel).
std::vector<uint8_t> packed_extra(host::Context& c, host::Function& f, void* const* extra) {
  enum : uint64_t { kEnd = 0, kBufferPointer = 1, kBufferSize = 2 };
  const void* buffer = nullptr;
  size_t bytes = 0;
  for (; address_of(*extra) != kEnd; extra += 2) {
    if (address_of(*extra) == kBufferPointer) buffer = extra[1];
    if (address_of(*extra) == kBufferSize) bytes = *static_cast<const size_t*>(extra[1]);
  }
  host::require(buffer != nullptr);
  return c.launcher().pack(f, buffer, bytes);
}

// A pointer that is not a kernel's is taken for a handle of one (H200: tests/cuda/rules).
host::Function& function_to_launch(host::Runtime& r, const void* function) {
  try {
    return r.programs().function(function);
  } catch (const Failure& failure) {
    if (failure.status() != Status::kInvalidDeviceFunction) throw;
    throw Failure(Status::kInvalidResourceHandle);
  }
}

uint32_t shared_bytes(size_t shared) {
  host::require(shared <= UINT32_MAX);
  return static_cast<uint32_t>(shared);
}

int launch(const void* function, Dim3 grid, Dim3 block, void** arguments, size_t shared, StreamHandle stream,
           Defaults defaults, bool cooperative) {
  return call([&](host::Runtime& r, host::Context& current) {
    auto [c, s] = any_stream(r, current, stream, defaults);  // it runs on the stream's device
    host::Launch l = launch_of(r, c, function, grid, block, arguments, shared);
    l.cooperative = cooperative;
    c.submit(s, std::move(l));
  });
}

// cudaAccessProperty.
enum : int { kNormal, kStreaming, kPersisting };

}  // namespace

sim::PolicyWindow window_of(const AccessWindow& w) {
  return {address_of(w.base), w.bytes, w.hit_ratio, w.hit == kPersisting, w.miss == kStreaming, 0};
}

AccessWindow abi_of(const sim::PolicyWindow& w) {
  return {pointer_of(w.address), w.bytes, static_cast<float>(w.hit_ratio),
          w.hit_persisting ? kPersisting : kNormal, w.miss_streaming ? kStreaming : kNormal};
}

host::Launch launch_of(host::Runtime& r, host::Context& c, const void* function, Dim3 grid, Dim3 block,
                       void* const* arguments, size_t shared) {
  host::Launch l;
  l.function = &function_to_launch(r, function);
  l.grid = dim_of(grid);
  l.block = dim_of(block);
  l.shared = shared_bytes(shared);
  l.params = c.launcher().pack(*l.function, arguments);
  return l;
}

host::Launch launch_of(host::Runtime& r, host::Context& c, const KernelNode& node) {
  if (node.extra == nullptr) {
    host::Launch l = launch_of(r, c, node.function, node.grid, node.block, node.arguments, node.shared);
    c.launcher().check(l);
    return l;
  }
  host::Launch l;
  l.function = &r.programs().function(node.function);
  l.grid = dim_of(node.grid);
  l.block = dim_of(node.block);
  l.shared = node.shared;
  l.params = packed_extra(c, *l.function, node.extra);
  c.launcher().check(l);
  return l;
}

void apply(host::Launch& launch, const LaunchAttribute& a) {
  switch (a.id) {
    case kAttributeCooperative:
      launch.cooperative = a.value.integer != 0;
      break;
    case kAttributeCluster:
      if (a.value.cluster.x != 0) launch.cluster = dim_of(a.value.cluster);
      break;
    case kAttributePriority:
      launch.priority = a.value.integer;
      break;
    case kAttributeCarveout:
      launch.carveout = a.value.carveout;
      break;
    case kAttributeAccessWindow:
      if (a.value.window.bytes != 0) launch.window = window_of(a.value.window);
      break;
    case kAttributeProgrammaticSerialization:
      launch.dependent = a.value.integer != 0;
      break;
    case kAttributeIgnore:
    case kAttributeSynchronizationPolicy:
    case kAttributeClusterPolicy:
    case kAttributeMemorySyncDomainMap:
    case kAttributeMemorySyncDomain:
    case kAttributePreferredCluster:
    case kAttributeNvlinkScheduling:
      break;
    case kAttributeDeviceUpdatable:
      throw Failure(static_cast<Status>(
          refuse("cudaLaunchAttributeDeviceUpdatableKernelNode", "kernels do not change nodes of graphs")));
    default:
      throw Failure(static_cast<Status>(
          refuse("a launch attribute", ("number " + std::to_string(a.id) + " is not known").c_str())));
  }
}

GPULOOM_CUDA unsigned __cudaPushCallConfiguration(Dim3 grid, Dim3 block, size_t shared, StreamHandle stream) {
  thread_state().configurations.push_back({grid, block, shared, stream});
  return 0;
}

GPULOOM_CUDA int __cudaPopCallConfiguration(Dim3* grid, Dim3* block, size_t* shared, void* stream) {
  auto& open = thread_state().configurations;
  if (open.empty()) return static_cast<int>(Status::kMissingConfiguration);
  *grid = open.back().grid;
  *block = open.back().block;
  *shared = open.back().shared;
  *static_cast<StreamHandle*>(stream) = open.back().stream;
  open.pop_back();
  return 0;
}

GPULOOM_BOTH(__cudaLaunchKernel, _ptsz,
             (KernelHandle kernel, Dim3 grid, Dim3 block, void** arguments, size_t shared,
              StreamHandle stream),
             kernel, grid, block, arguments, shared, stream) {
  return launch(kernel, grid, block, arguments, shared, stream, defaults, false);
}

GPULOOM_BOTH(cudaLaunchKernel, _ptsz,
             (const void* function, Dim3 grid, Dim3 block, void** arguments, size_t shared,
              StreamHandle stream),
             function, grid, block, arguments, shared, stream) {
  return launch(function, grid, block, arguments, shared, stream, defaults, false);
}

GPULOOM_BOTH(cudaLaunchCooperativeKernel, _ptsz,
             (const void* function, Dim3 grid, Dim3 block, void** arguments, size_t shared,
              StreamHandle stream),
             function, grid, block, arguments, shared, stream) {
  return launch(function, grid, block, arguments, shared, stream, defaults, true);
}

GPULOOM_BOTH(cudaLaunchKernelExC, _ptsz, (const LaunchConfig* config, const void* function, void** arguments),
             config, function, arguments) {
  return call([&](host::Runtime& r, host::Context& current) {
    host::require(config != nullptr);
    auto [c, s] = any_stream(r, current, config->stream, defaults);
    host::Launch l = launch_of(r, c, function, config->grid, config->block, arguments, config->shared);
    host::Event* completed = nullptr;
    for (unsigned k = 0; k < config->attribute_count; ++k) {
      const LaunchAttribute& a = config->attributes[k];
      if (a.id == kAttributeLaunchCompletionEvent || a.id == kAttributeProgrammaticEvent)
        completed = &event_of(c, a.value.event.event);
      else
        apply(l, a);
    }
    c.submit(s, std::move(l));
    if (completed != nullptr) c.record(*completed, s);
  });
}

}  // namespace gpuloom::cudart
