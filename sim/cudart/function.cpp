// SPDX-License-Identifier: Apache-2.0
// Attributes of kernels, and occupancy.
#include "sim/host/function.h"

#include <algorithm>

#include "sim/cudart/launch.h"

namespace gpuloom::cudart {
namespace {

uint32_t cluster_blocks(const LaunchConfig& config) {
  host::Launch launch;
  for (unsigned k = 0; k < config.attribute_count; ++k)
    if (config.attributes[k].id == kAttributeCluster) apply(launch, config.attributes[k]);
  return launch.cluster ? static_cast<uint32_t>(launch.cluster->count()) : 0;
}

int threads_of(const LaunchConfig& config) {
  return static_cast<int>(config.block.x * config.block.y * config.block.z);
}

}  // namespace

GPULOOM_CUDA int cudaFuncGetAttributes(FunctionAttributes* attributes, const void* function) {
  return call([&](host::Runtime& r, host::Context& c) {
    host::require(attributes != nullptr);
    const host::FunctionFacts f = host::facts_of(c.device(), c.launcher(), r.programs().function(function));
    *attributes = {};
    attributes->shared_bytes = f.shared_static;
    attributes->const_bytes = f.constant;
    attributes->local_bytes = f.local;
    attributes->max_threads = f.threads_max;
    attributes->registers = f.registers;
    attributes->ptx_version = f.ptx_version;
    attributes->binary_version = f.binary_version;
    attributes->max_dynamic_shared = f.shared_dynamic_max;
    attributes->carveout = f.carveout;
    attributes->cluster_must_be_set = f.cluster_must_be_set ? 1 : 0;
    attributes->cluster_width = static_cast<int>(f.cluster_required.x);
    attributes->cluster_height = static_cast<int>(f.cluster_required.y);
    attributes->cluster_depth = static_cast<int>(f.cluster_required.z);
    attributes->cluster_policy = f.cluster_policy;
    attributes->nonportable_cluster = f.nonportable_cluster ? 1 : 0;
  });
}

GPULOOM_CUDA int cudaFuncSetAttribute(const void* function, int attribute, int value) {
  return call([&](host::Runtime& r, host::Context& c) {
    host::set_attribute(c.device(), c.launcher(), r.programs().function(function), attribute, value);
  });
}

GPULOOM_CUDA int cudaKernelSetAttributeForDevice(KernelHandle kernel, int attribute, int value, int) {
  return cudaFuncSetAttribute(kernel, attribute, value);
}

// Preferences between L1 and shared memory that hardware since 7.0 takes as hints.
GPULOOM_CUDA int cudaFuncSetCacheConfig(const void* function, int) {
  return call([&](host::Runtime& r, host::Context&) { r.programs().function(function); });
}
GPULOOM_CUDA int cudaFuncSetSharedMemConfig(const void* function, int) {
  return call([&](host::Runtime& r, host::Context&) { r.programs().function(function); });
}

GPULOOM_CUDA int cudaFuncGetName(const char** name, const void* function) {
  return call_anyway([&](host::Runtime& r) {
    host::require(name != nullptr);
    *name = r.programs().function(function).name.c_str();
  });
}

GPULOOM_CUDA int cudaFuncGetParamInfo(const void* function, size_t index, size_t* offset, size_t* size) {
  return call([&](host::Runtime& r, host::Context& c) {
    const auto& params = c.launcher().kernel(r.programs().function(function)).program->params;
    host::require(index < params.size() && offset != nullptr);
    *offset = params[index].offset;
    if (size != nullptr) *size = params[index].size_bytes;
  });
}

GPULOOM_CUDA int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function,
                                                                        int threads, size_t shared,
                                                                        unsigned) {
  return call([&](host::Runtime& r, host::Context& c) {
    host::require(blocks != nullptr);
    *blocks = static_cast<int>(
        host::occupancy_of(c.device(), c.launcher(), r.programs().function(function), threads, shared)
            .blocks);
  });
}

GPULOOM_CUDA int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads,
                                                               size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared, 0);
}

GPULOOM_CUDA int cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* function, int blocks,
                                                           int threads) {
  return call([&](host::Runtime& r, host::Context& c) {
    host::require(bytes != nullptr);
    *bytes =
        host::available_shared(c.device(), c.launcher(), r.programs().function(function), blocks, threads);
  });
}

GPULOOM_CUDA int cudaOccupancyMaxActiveClusters(int* clusters, const void* function,
                                                const LaunchConfig* config) {
  return call([&](host::Runtime& r, host::Context& c) {
    host::require(clusters != nullptr && config != nullptr);
    host::Function& f = r.programs().function(function);
    const auto one = host::occupancy_of(c.device(), c.launcher(), f, threads_of(*config), config->shared);
    *clusters = static_cast<int>(
        arch::max_active_clusters(c.device().gpu(), one, std::max(1u, cluster_blocks(*config))));
  });
}

GPULOOM_CUDA int cudaOccupancyMaxPotentialClusterSize(int* size, const void* function,
                                                      const LaunchConfig* config) {
  return call([&](host::Runtime& r, host::Context& c) {
    host::require(size != nullptr && config != nullptr);
    host::Function& f = r.programs().function(function);
    const auto one = host::occupancy_of(c.device(), c.launcher(), f, threads_of(*config), config->shared);
    *size = static_cast<int>(
        arch::max_potential_cluster_size(c.device().gpu(), one, f.on(c.device()).nonportable_cluster));
  });
}

}  // namespace gpuloom::cudart
