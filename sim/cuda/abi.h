// SPDX-License-Identifier: Apache-2.0
// Structures of the driver API, by our own declarations, where they differ from the runtime's
// (tests/cuda/driver_abi_check.cu compares them with the headers of a toolkit where there is one).
#pragma once
#include "sim/cudart/abi.h"

namespace gpuloom::driver {

using DevicePointer = unsigned long long;  // CUdeviceptr
using ContextHandle = struct ContextHandleTag*;
using MemoryHandle = unsigned long long;  // CUmemGenericAllocationHandle

// CU_MEMORYTYPE_*.
enum MemoryType : int { kHostMemory = 1, kDeviceMemory = 2, kArrayMemory = 3, kUnifiedMemory = 4 };

struct CopySide2D {
  size_t x, y;  // bytes, rows
  int type;
  void* host;
  DevicePointer device;
  cudart::ArrayHandle array;
  size_t pitch;
};
struct Copy2D {  // CUDA_MEMCPY2D
  CopySide2D from, to;
  size_t width, height;
};
static_assert(sizeof(Copy2D) == 128);

struct CopySide3D {
  size_t x, y, z, level;
  int type;
  void* host;
  DevicePointer device;
  cudart::ArrayHandle array;
  void* reserved;
  size_t pitch, height;
};
struct Copy3D {  // CUDA_MEMCPY3D
  CopySide3D from, to;
  size_t width, height, depth;
};
static_assert(sizeof(Copy3D) == 200);

struct ArrayDesc {  // CUDA_ARRAY_DESCRIPTOR
  size_t width, height;
  int format;
  unsigned channels;
};
static_assert(sizeof(ArrayDesc) == 24);

struct ArrayDesc3D {  // CUDA_ARRAY3D_DESCRIPTOR
  size_t width, height, depth;
  int format;
  unsigned channels, flags;
};
static_assert(sizeof(ArrayDesc3D) == 40);

struct DriverResourceDesc {  // CUDA_RESOURCE_DESC
  int type;
  union {
    cudart::ArrayHandle array;
    cudart::MipmappedArrayHandle mipmapped;
    struct {
      DevicePointer pointer;
      int format;
      unsigned channels;
      size_t bytes;
    } linear;
    struct {
      DevicePointer pointer;
      int format;
      unsigned channels;
      size_t width, height, pitch;
    } pitched;
    int reserved[32];
  };
  unsigned flags;
};
static_assert(sizeof(DriverResourceDesc) == 144);

struct DriverTextureDesc {  // CUDA_TEXTURE_DESC
  int address[3];
  int filter;
  unsigned flags, anisotropy;
  int mip_filter;
  float level_bias, level_min, level_max;
  float border[4];
  int reserved[12];
};
static_assert(sizeof(DriverTextureDesc) == 104);

struct AllocationProperties {  // CUmemAllocationProp
  int type, handles;
  cudart::Location location;
  void* security;
  struct {
    unsigned char compression, rdma;
    unsigned short usage;
    unsigned char reserved[4];
  } flags;
};
static_assert(sizeof(AllocationProperties) == 32);

struct ContextParams {  // CUctxCreateParams
  void* affinities;
  int affinity_count;
  void* graphics;
};

struct LaunchConfig {  // CUlaunchConfig
  cudart::Dim3 grid, block;
  unsigned shared;
  cudart::StreamHandle stream;
  cudart::LaunchAttribute* attributes;
  unsigned attribute_count;
};
static_assert(sizeof(LaunchConfig) == 56);

struct CopyNode {  // CUDA_MEMCPY_NODE_PARAMS
  int flags, reserved;
  ContextHandle context;
  Copy3D copy;
};

struct KernelNode {  // CUDA_KERNEL_NODE_PARAMS_v2
  cudart::KernelNode common;
  cudart::KernelHandle kernel;
  ContextHandle context;
};
static_assert(sizeof(KernelNode) == 72);

}  // namespace gpuloom::driver
