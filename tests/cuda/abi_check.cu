// SPDX-License-Identifier: Apache-2.0
// The types of sim/cudart/abi.h beside those of a toolkit: sizes, and offsets of what programs read and write.
#include <cstddef>

#include "check.h"
#include "sim/cudart/abi.h"

namespace ours = gpuloom::cudart;

#define SAME_SIZE(theirs, own) CHECK(sizeof(theirs) == sizeof(ours::own))
#define SAME_PLACE(theirs, field, own, name) CHECK(offsetof(theirs, field) == offsetof(ours::own, name))

void sizes() {
  SAME_SIZE(cudaMemcpy3DParms, Copy3D);
  SAME_SIZE(cudaMemcpy3DPeerParms, Copy3DPeer);
  SAME_SIZE(cudaMemsetParams, MemsetAbi);
  SAME_SIZE(cudaHostNodeParams, HostNode);
  SAME_SIZE(cudaKernelNodeParams, KernelNode);
  SAME_SIZE(cudaAccessPolicyWindow, AccessWindow);
  SAME_SIZE(cudaLaunchAttribute, LaunchAttribute);
  SAME_SIZE(cudaLaunchConfig_t, LaunchConfig);
  SAME_SIZE(cudaFuncAttributes, FunctionAttributes);
  SAME_SIZE(cudaPointerAttributes, PointerAttributes);
  SAME_SIZE(cudaDeviceProp, DeviceProperties);
  SAME_SIZE(cudaResourceDesc, ResourceDesc);
  SAME_SIZE(cudaTextureDesc, TextureDesc);
  SAME_SIZE(cudaMemPoolProps, PoolProperties);
  SAME_SIZE(cudaMemAccessDesc, AccessDesc);
  SAME_SIZE(cudaMemAllocNodeParams, AllocateNode);
  SAME_SIZE(cudaGraphNodeParams, NodeParams);
  SAME_SIZE(cudaGraphEdgeData, EdgeData);
  SAME_SIZE(cudaGraphInstantiateParams, InstantiateParams);
  SAME_SIZE(cudaGraphExecUpdateResultInfo, UpdateInfo);
}

void places() {
  SAME_PLACE(cudaDeviceProp, totalGlobalMem, DeviceProperties, global_memory);
  SAME_PLACE(cudaDeviceProp, maxThreadsDim, DeviceProperties, block_max);
  SAME_PLACE(cudaDeviceProp, major, DeviceProperties, major);
  SAME_PLACE(cudaDeviceProp, multiProcessorCount, DeviceProperties, processors);
  SAME_PLACE(cudaDeviceProp, maxTexture2DLinear, DeviceProperties, texture_2d_linear);
  SAME_PLACE(cudaDeviceProp, maxSurface3D, DeviceProperties, surface_3d);
  SAME_PLACE(cudaDeviceProp, surfaceAlignment, DeviceProperties, surface_alignment);
  SAME_PLACE(cudaDeviceProp, asyncEngineCount, DeviceProperties, async_engines);
  SAME_PLACE(cudaDeviceProp, l2CacheSize, DeviceProperties, l2_size);
  SAME_PLACE(cudaDeviceProp, sharedMemPerMultiprocessor, DeviceProperties, shared_per_processor);
  SAME_PLACE(cudaDeviceProp, managedMemory, DeviceProperties, managed);
  SAME_PLACE(cudaDeviceProp, cooperativeLaunch, DeviceProperties, cooperative);
  SAME_PLACE(cudaDeviceProp, sharedMemPerBlockOptin, DeviceProperties, shared_optin);
  SAME_PLACE(cudaDeviceProp, reservedSharedMemPerBlock, DeviceProperties, shared_reserved);
  SAME_PLACE(cudaDeviceProp, clusterLaunch, DeviceProperties, cluster);
  SAME_PLACE(cudaMemcpy3DParms, dstPtr, Copy3D, target);
  SAME_PLACE(cudaMemcpy3DParms, kind, Copy3D, kind);
  SAME_PLACE(cudaKernelNodeParams, kernelParams, KernelNode, arguments);
  SAME_PLACE(cudaLaunchConfig_t, attrs, LaunchConfig, attributes);
  SAME_PLACE(cudaLaunchAttribute, val, LaunchAttribute, value);
  SAME_PLACE(cudaFuncAttributes, maxDynamicSharedSizeBytes, FunctionAttributes, max_dynamic_shared);
  SAME_PLACE(cudaFuncAttributes, nonPortableClusterSizeAllowed, FunctionAttributes, nonportable_cluster);
  SAME_PLACE(cudaTextureDesc, normalizedCoords, TextureDesc, normalized);
  SAME_PLACE(cudaTextureDesc, seamlessCubemap, TextureDesc, seamless);
  SAME_PLACE(cudaResourceDesc, res.pitch2D.pitchInBytes, ResourceDesc, resource.pitched.pitch);
  SAME_PLACE(cudaMemPoolProps, maxSize, PoolProperties, most);
  SAME_PLACE(cudaMemAllocNodeParams, dptr, AllocateNode, pointer);
  SAME_PLACE(cudaGraphNodeParams, memcpy.copyParams, NodeParams, copy.copy);
}

int main() {
  sizes();
  places();
  return verdict();
}
