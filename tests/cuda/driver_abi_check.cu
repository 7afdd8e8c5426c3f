// SPDX-License-Identifier: Apache-2.0
// The types of sim/cuda/abi.h beside those of a toolkit, and names of results.
#include <cuda.h>

#include <cstddef>

#include "check.h"
#include "sim/cuda/abi.h"

namespace ours = gpuloom::driver;

#define SAME_SIZE(theirs, own) CHECK(sizeof(theirs) == sizeof(ours::own))
#define SAME_PLACE(theirs, field, own, name) CHECK(offsetof(theirs, field) == offsetof(ours::own, name))

void sizes() {
  SAME_SIZE(CUDA_MEMCPY2D, Copy2D);
  SAME_SIZE(CUDA_MEMCPY3D, Copy3D);
  SAME_SIZE(CUDA_ARRAY_DESCRIPTOR, ArrayDesc);
  SAME_SIZE(CUDA_ARRAY3D_DESCRIPTOR, ArrayDesc3D);
  SAME_SIZE(CUDA_RESOURCE_DESC, DriverResourceDesc);
  SAME_SIZE(CUDA_TEXTURE_DESC, DriverTextureDesc);
  SAME_SIZE(CUctxCreateParams, ContextParams);
  SAME_SIZE(CUlaunchConfig, LaunchConfig);
  SAME_SIZE(CUDA_KERNEL_NODE_PARAMS, KernelNode);
  SAME_SIZE(CUDA_MEMCPY_NODE_PARAMS, CopyNode);
  CHECK(sizeof(CUDA_MEMSET_NODE_PARAMS) == sizeof(gpuloom::cudart::MemsetAbi));
  CHECK(sizeof(CUDA_MEM_ALLOC_NODE_PARAMS) == sizeof(gpuloom::cudart::AllocateNode));
  CHECK(sizeof(CUgraphNodeParams) == sizeof(gpuloom::cudart::NodeParams));
  CHECK(sizeof(CUlaunchAttribute) == sizeof(gpuloom::cudart::LaunchAttribute));
}

void places() {
  SAME_PLACE(CUDA_MEMCPY3D, dstHost, Copy3D, to.host);
  SAME_PLACE(CUDA_MEMCPY3D, dstHeight, Copy3D, to.height);
  SAME_PLACE(CUDA_MEMCPY2D, dstPitch, Copy2D, to.pitch);
  SAME_PLACE(CUDA_RESOURCE_DESC, res.linear.sizeInBytes, DriverResourceDesc, linear.bytes);
  SAME_PLACE(CUDA_RESOURCE_DESC, res.pitch2D.pitchInBytes, DriverResourceDesc, pitched.pitch);
  SAME_PLACE(CUDA_TEXTURE_DESC, borderColor, DriverTextureDesc, border);
  SAME_PLACE(CUDA_KERNEL_NODE_PARAMS, kern, KernelNode, kernel);
  SAME_PLACE(CUDA_MEMCPY_NODE_PARAMS, copyParams, CopyNode, copy);
  SAME_PLACE(CUlaunchConfig, attrs, LaunchConfig, attributes);
  CHECK(offsetof(CUgraphNodeParams, kernel) == offsetof(gpuloom::cudart::NodeParams, kernel));
  CHECK(offsetof(CUgraphNodeParams, memset) == offsetof(gpuloom::cudart::NodeParams, memset));
}

// Every result of the header has its name here.
void results() {
#define GPULOOM_RESULT(name, value) CHECK(CUDA_##name == static_cast<CUresult>(value));
#include "sim/cuda/result.inc"
#undef GPULOOM_RESULT
}

int main() {
  sizes();
  places();
  results();
  return verdict();
}
