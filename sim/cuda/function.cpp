// SPDX-License-Identifier: Apache-2.0
// Launches, attributes of kernels, occupancy.
#include "sim/host/function.h"

#include <algorithm>

#include "sim/cuda/driver.h"
#include "sim/cudart/launch.h"

namespace gpuloom::driver {
namespace {

using cudart::Dim3;
using cudart::KernelHandle;
using cudart::LaunchAttribute;

cudart::KernelNode launched_node(KernelHandle function, Dim3 grid, Dim3 block, unsigned shared,
                                 void** arguments, void** extra) {
  return {function, grid, block, shared, arguments, arguments == nullptr ? extra : nullptr};
}

void launch_node(host::Runtime& r, host::Context& c, const cudart::KernelNode& node, host::Stream& stream,
                 bool cooperative) {
  host::Launch l = cudart::launch_of(r, c, node);
  l.cooperative = cooperative;
  c.submit(stream, std::move(l));
}

// CU_FUNC_ATTRIBUTE_*.
std::optional<int> attribute_of(const host::FunctionFacts& f, int attribute) {
  const int values[] = {f.threads_max,
                        static_cast<int>(f.shared_static),
                        static_cast<int>(f.constant),
                        static_cast<int>(f.local),
                        f.registers,
                        f.ptx_version,
                        f.binary_version,
                        0,  // the PTX was not compiled with -dlcm=ca
                        f.shared_dynamic_max,
                        f.carveout,
                        f.cluster_must_be_set ? 1 : 0,
                        static_cast<int>(f.cluster_required.x),
                        static_cast<int>(f.cluster_required.y),
                        static_cast<int>(f.cluster_required.z),
                        f.nonportable_cluster ? 1 : 0,
                        f.cluster_policy};
  if (attribute < 0 || attribute >= static_cast<int>(std::size(values))) return std::nullopt;
  return values[attribute];
}

// The block size with which most threads of an SM are busy; of equals the largest. As the runtime's header
// does it (cuda_runtime.h, cudaOccupancyMaxPotentialBlockSize), from the largest block down.
int best_block(int* grid, int* block, KernelHandle function, size_t (*shared_of)(int), size_t shared,
               int limit) {
  return call([&](host::Runtime& r, host::Context& c) {
    host::require(grid != nullptr && block != nullptr);
    host::Function& f = r.programs().function(function);
    const host::FunctionFacts facts = host::facts_of(c.device(), c.launcher(), f);
    const int most = limit > 0 ? std::min(limit, facts.threads_max) : facts.threads_max;
    constexpr int kWarp = 32;
    int best_threads = 0;
    for (int size = (most + kWarp - 1) / kWarp * kWarp; size > 0; size -= kWarp) {
      const int threads = std::min(size, most);
      const size_t bytes = shared_of != nullptr ? shared_of(threads) : shared;
      const auto blocks =
          static_cast<int>(host::occupancy_of(c.device(), c.launcher(), f, threads, bytes).blocks);
      if (blocks * threads <= best_threads) continue;
      best_threads = blocks * threads;
      *block = threads;
      *grid = blocks * static_cast<int>(c.device().gpu().sm_count());
    }
    host::require(best_threads != 0);
  });
}

}  // namespace

GPULOOM_BOTH(cuLaunchKernel, _ptsz,
             (KernelHandle function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
              unsigned bz, unsigned shared, StreamHandle stream, void** arguments, void** extra),
             function, gx, gy, gz, bx, by, bz, shared, stream, arguments, extra) {
  return call([&](host::Runtime& r, host::Context& c) {
    launch_node(r, c, launched_node(function, {gx, gy, gz}, {bx, by, bz}, shared, arguments, extra),
                cudart::stream_of(c, stream, defaults), false);
  });
}

GPULOOM_BOTH(cuLaunchCooperativeKernel, _ptsz,
             (KernelHandle function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
              unsigned bz, unsigned shared, StreamHandle stream, void** arguments),
             function, gx, gy, gz, bx, by, bz, shared, stream, arguments) {
  return call([&](host::Runtime& r, host::Context& c) {
    launch_node(r, c, launched_node(function, {gx, gy, gz}, {bx, by, bz}, shared, arguments, nullptr),
                cudart::stream_of(c, stream, defaults), true);
  });
}

GPULOOM_BOTH(cuLaunchKernelEx, _ptsz,
             (const LaunchConfig* config, KernelHandle function, void** arguments, void** extra), config,
             function, arguments, extra) {
  return call([&](host::Runtime& r, host::Context& c) {
    host::require(config != nullptr);
    host::Stream& s = cudart::stream_of(c, config->stream, defaults);
    host::Launch l = cudart::launch_of(
        r, c, launched_node(function, config->grid, config->block, config->shared, arguments, extra));
    host::Event* completed = nullptr;
    for (unsigned k = 0; k < config->attribute_count; ++k) {
      const LaunchAttribute& a = config->attributes[k];
      if (a.id == cudart::kAttributeLaunchCompletionEvent || a.id == cudart::kAttributeProgrammaticEvent)
        completed = &cudart::event_of(c, a.value.event.event);
      else
        cudart::apply(l, a);
    }
    c.submit(s, std::move(l));
    if (completed != nullptr) c.record(*completed, s);
  });
}

GPULOOM_CUDA int cuFuncGetAttribute(int* value, int attribute, KernelHandle function) {
  return call([&](host::Runtime& r, host::Context& c) {
    const auto known =
        attribute_of(host::facts_of(c.device(), c.launcher(), r.programs().function(function)), attribute);
    host::require(value != nullptr && known.has_value());
    *value = *known;
  });
}

GPULOOM_CUDA int cuKernelGetAttribute(int* value, int attribute, KernelHandle kernel, int) {
  return cuFuncGetAttribute(value, attribute, kernel);
}

GPULOOM_CUDA int cuFuncSetAttribute(KernelHandle function, int attribute, int value) {
  return call([&](host::Runtime& r, host::Context& c) {
    host::set_attribute(c.device(), c.launcher(), r.programs().function(function), attribute, value);
  });
}

GPULOOM_CUDA int cuKernelSetAttribute(int attribute, int value, KernelHandle kernel, int) {
  return cuFuncSetAttribute(kernel, attribute, value);
}

GPULOOM_SAME(cuFuncSetCacheConfig, cudaFuncSetCacheConfig, (const void* function, int config), function,
             config)
GPULOOM_SAME(cuFuncSetSharedMemConfig, cudaFuncSetSharedMemConfig, (const void* function, int config),
             function, config)
GPULOOM_SAME(cuFuncGetName, cudaFuncGetName, (const char** name, const void* function), name, function)
GPULOOM_SAME(cuKernelGetName, cudaFuncGetName, (const char** name, const void* kernel), name, kernel)
GPULOOM_SAME(cuFuncGetParamInfo, cudaFuncGetParamInfo,
             (const void* function, size_t index, size_t* offset, size_t* size), function, index, offset,
             size)
GPULOOM_SAME(cuKernelGetParamInfo, cudaFuncGetParamInfo,
             (const void* kernel, size_t index, size_t* offset, size_t* size), kernel, index, offset, size)
GPULOOM_SAME(cuOccupancyMaxActiveBlocksPerMultiprocessor, cudaOccupancyMaxActiveBlocksPerMultiprocessor,
             (int* blocks, const void* function, int threads, size_t shared), blocks, function, threads,
             shared)
GPULOOM_SAME(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
             cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
             (int* blocks, const void* function, int threads, size_t shared, unsigned flags), blocks,
             function, threads, shared, flags)
GPULOOM_SAME(cuOccupancyAvailableDynamicSMemPerBlock, cudaOccupancyAvailableDynamicSMemPerBlock,
             (size_t * bytes, const void* function, int blocks, int threads), bytes, function, blocks,
             threads)

GPULOOM_CUDA int cuOccupancyMaxPotentialBlockSize(int* grid, int* block, KernelHandle function,
                                                  size_t (*shared_of)(int), size_t shared, int limit) {
  return best_block(grid, block, function, shared_of, shared, limit);
}

GPULOOM_CUDA int cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, KernelHandle function,
                                                           size_t (*shared_of)(int), size_t shared, int limit,
                                                           unsigned) {
  return best_block(grid, block, function, shared_of, shared, limit);
}

namespace {

cudart::LaunchConfig runtime_config(const LaunchConfig& c) {
  return {c.grid, c.block, c.shared, c.stream, c.attributes, c.attribute_count};
}

}  // namespace

extern "C" int cudaOccupancyMaxActiveClusters(int*, const void*, const cudart::LaunchConfig*);
extern "C" int cudaOccupancyMaxPotentialClusterSize(int*, const void*, const cudart::LaunchConfig*);

GPULOOM_CUDA int cuOccupancyMaxActiveClusters(int* clusters, KernelHandle function,
                                              const LaunchConfig* config) {
  return in_context([&]() -> int {
    if (config == nullptr) return kInvalidValue;
    const cudart::LaunchConfig c = runtime_config(*config);
    return cudaOccupancyMaxActiveClusters(clusters, function, &c);
  });
}

GPULOOM_CUDA int cuOccupancyMaxPotentialClusterSize(int* size, KernelHandle function,
                                                    const LaunchConfig* config) {
  return in_context([&]() -> int {
    if (config == nullptr) return kInvalidValue;
    const cudart::LaunchConfig c = runtime_config(*config);
    return cudaOccupancyMaxPotentialClusterSize(size, function, &c);
  });
}

}  // namespace gpuloom::driver
