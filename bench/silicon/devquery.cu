// SPDX-License-Identifier: Apache-2.0
// Prints the device's properties, limits and a sweep of the runtime's own occupancy answers as JSON lines.
#include <cuda_runtime.h>
#include <cstdio>
extern "C" __global__ void __launch_bounds__(1024) k_small(float* p) { p[threadIdx.x] += 1; }
extern "C" __global__ void k_dyn(float* p) { extern __shared__ float s[]; s[threadIdx.x] = p[threadIdx.x]; __syncthreads(); p[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x]; }
extern "C" __global__ void __launch_bounds__(256) k_regs(float* p, int n) { float x[100]; for (int j = 0; j < 100; j++) x[j] = p[j + threadIdx.x]; for (int k = 0; k < n; k++)
#pragma unroll
  for (int j = 0; j < 100; j++) x[j] = x[j] * x[(j + 7) % 100] + 1; float s = 0; for (int j = 0; j < 100; j++) s += x[j]; p[threadIdx.x] = s; }
int main() {
  cudaDeviceProp p; cudaGetDeviceProperties(&p, 0); int clk, mclk, v; cudaDeviceGetAttribute(&clk, cudaDevAttrClockRate, 0); cudaDeviceGetAttribute(&mclk, cudaDevAttrMemoryClockRate, 0);
  printf("{\"name\":\"%s\",\"cc\":\"%d.%d\",\"sms\":%d,\"clock_khz\":%d,\"mem_clock_khz\":%d,\"bus_bits\":%d,\"l2\":%d,\"persisting_l2_max\":%d,\"access_policy_max_window\":%d,\"smem_per_sm\":%zu,\"smem_optin\":%zu,\"smem_reserved\":%zu,\"regs_per_sm\":%d,\"regs_per_block\":%d,\"threads_per_sm\":%d,\"blocks_per_sm\":%d,\"async_engines\":%d,\"global_mem\":%zu,\"concurrent_kernels\":%d}\n",
    p.name, p.major, p.minor, p.multiProcessorCount, clk, mclk, p.memoryBusWidth, p.l2CacheSize, p.persistingL2CacheMaxSize, p.accessPolicyMaxWindowSize, p.sharedMemPerMultiprocessor, p.sharedMemPerBlockOptin, p.reservedSharedMemPerBlock, p.regsPerMultiprocessor, p.regsPerBlock, p.maxThreadsPerMultiProcessor, p.maxBlocksPerMultiProcessor, p.asyncEngineCount, p.totalGlobalMem, p.concurrentKernels);
  for (int a = 1; a < 160; a++) if (cudaDeviceGetAttribute(&v, (cudaDeviceAttr)a, 0) == cudaSuccess) printf("{\"attr\":%d,\"value\":%d}\n", a, v);
  cudaGetLastError();
  struct { const char* n; const void* f; } ks[] = {{"k_small", (void*)k_small}, {"k_dyn", (void*)k_dyn}, {"k_regs", (void*)k_regs}};
  for (auto& k : ks) { cudaFuncAttributes fa; cudaFuncGetAttributes(&fa, k.f); cudaFuncSetAttribute(k.f, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024 - (int)fa.sharedSizeBytes);
    for (int block = 32; block <= fa.maxThreadsPerBlock; block += 32) for (size_t dyn : {0, 1024, 5000, 16384, 33000, 49152, 65536, 100000, 116736, 200000, 232448}) { int n = -1; cudaError_t e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, k.f, block, dyn);
      printf("{\"occ\":\"%s\",\"regs\":%d,\"static\":%zu,\"block\":%d,\"dyn\":%zu,\"blocks\":%d,\"err\":%d}\n", k.n, fa.numRegs, fa.sharedSizeBytes, block, dyn, n, (int)e); } }
  cudaFuncSetAttribute((void*)k_dyn, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  for (int cs : {1, 2, 4, 8, 16}) for (int block : {64, 256, 512, 1024}) for (size_t dyn : {0, 16384, 65536, 116736, 200000}) { cudaLaunchConfig_t c{}; c.gridDim = dim3(cs * 64); c.blockDim = dim3(block); c.dynamicSmemBytes = dyn; cudaLaunchAttribute at; at.id = cudaLaunchAttributeClusterDimension; at.val.clusterDim.x = cs; at.val.clusterDim.y = at.val.clusterDim.z = 1; c.attrs = &at; c.numAttrs = 1; int n = -1; cudaError_t e = cudaOccupancyMaxActiveClusters(&n, (const void*)k_dyn, &c);
    printf("{\"clusters\":\"k_dyn\",\"cluster\":%d,\"block\":%d,\"dyn\":%zu,\"n\":%d,\"err\":%d}\n", cs, block, dyn, n, (int)e); }
}
