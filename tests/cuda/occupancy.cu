// SPDX-License-Identifier: Apache-2.0
// Device properties, attributes of kernels, occupancy.
#include <cstring>

#include "check.h"

__global__ void __launch_bounds__(256) bounded(float* p) { p[threadIdx.x] += 1; }
__global__ void with_shared(float* p) {
  extern __shared__ float tile[];
  __shared__ float fixed[1024];
  tile[threadIdx.x] = fixed[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x] + fixed[threadIdx.x];
}

int main() {
  int count = 0, device = -1;
  CUDA(cudaGetDeviceCount(&count));
  CHECK(count >= 1);
  CUDA(cudaGetDevice(&device));
  CHECK(device == 0);
  EXPECT(cudaErrorInvalidDevice, cudaSetDevice(count));
  cudaDeviceProp p;
  CUDA(cudaGetDeviceProperties(&p, 0));
  int value = 0;
  CUDA(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
  CHECK(value == p.multiProcessorCount && value > 0);
  CUDA(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  CHECK(static_cast<size_t>(value) == p.sharedMemPerBlockOptin);
  CHECK(p.warpSize == 32 && p.major >= 5 && p.maxThreadsPerBlock == 1024 && p.totalGlobalMem > 0);
  CHECK(std::strlen(p.name) > 0 && p.unifiedAddressing == 1);
  CHECK(p.maxGridSize[0] == 2147483647 && p.maxThreadsDim[2] == 64);
  int runtime = 0;
  CUDA(cudaRuntimeGetVersion(&runtime));
  CHECK(runtime >= 13000 && runtime < 14000);

  cudaFuncAttributes a;
  CUDA(cudaFuncGetAttributes(&a, bounded));
  CHECK(a.maxThreadsPerBlock == 256 && a.numRegs > 0 && a.sharedSizeBytes == 0);
  CUDA(cudaFuncGetAttributes(&a, with_shared));
  CHECK(a.sharedSizeBytes == 4096 && a.maxDynamicSharedSizeBytes == 48 * 1024 - 4096);
  int blocks = 0, few = 0;
  CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 256, 0));
  CHECK(blocks == p.maxThreadsPerMultiProcessor / 256);
  CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&few, with_shared, 64, 40 * 1024));
  CHECK(few >= 1 && few < blocks);
  int grid = 0, block = 0;
  CUDA(cudaOccupancyMaxPotentialBlockSize(&grid, &block, bounded, 0, 0));
  CHECK(block > 0 && block <= 256 && grid >= p.multiProcessorCount);

  float* d;
  CUDA(cudaMalloc(&d, 4096));
  const int large = static_cast<int>(p.sharedMemPerBlockOptin) - 4096;
  with_shared<<<1, 64, large>>>(d);
  EXPECT(cudaErrorInvalidValue, cudaGetLastError());  // more than 48 KiB wants the attribute
  CUDA(cudaFuncSetAttribute(with_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, large));
  with_shared<<<1, 64, large>>>(d);
  CUDA(cudaGetLastError());
  EXPECT(cudaErrorInvalidValue,
         cudaFuncSetAttribute(with_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, large + 1));
  CUDA(cudaDeviceSynchronize());
  CUDA(cudaFree(d));
  return verdict();
}
