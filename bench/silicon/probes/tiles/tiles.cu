// SPDX-License-Identifier: Apache-2.0
// How long blocks wait for tiles that come from memory. A block an SM fetches the tiles of a matrix product step by step, as kernels with
// cp.async do, and waits for each: 128 rows of A and of B, 128 bytes of each, `pitch` apart. Blocks of a row share A's tile, those of a column B's.
// L2 has clean lines of something else before (nobody needs the values). Prints a row a step of a block.
//   tiles [PITCH]     one pitch alone
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

constexpr size_t kSize = size_t{256} << 20;
constexpr int kBlocks = 64, kAcross = 8, kThreads = 128, kSteps = 8, kStage = 32768;

__global__ void sweep(const uint4* p, size_t n, int* out) {
  unsigned x = 0;
  for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < n; i += size_t{gridDim.x} * blockDim.x) x ^= p[i].x;
  if (x == 12345) *out = 1;
}

extern __shared__ __align__(128) char ring[];

__global__ void tiles(const char* a, const char* b, size_t pitch, int* out) {
  const int t = threadIdx.x, row = t / 8, column = t % 8 * 16;
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(ring)) + t * 16;
  const char* pa = a + size_t(blockIdx.x / kAcross * 128 + row) * pitch + column;
  const char* pb = b + size_t(blockIdx.x % kAcross * 128 + row) * pitch + column;
  for (int step = 0; step < kSteps; ++step, pa += 128, pb += 128) {
    __syncthreads();
    const unsigned from = clock();
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + i * 2048), "l"(pa + i * 16 * pitch) : "memory");
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + kStage / 2 + i * 2048), "l"(pb + i * 16 * pitch) : "memory");
    }
    asm volatile("cp.async.commit_group;\n cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    if (t == 0) out[blockIdx.x * kSteps + step] = clock() - from;
  }
}

int main(int argc, char** argv) {
  const long only = argc > 1 ? std::atol(argv[1]) : 0;
  char *data, *other;
  int* out;
  cudaMalloc(&data, kSize);
  cudaMalloc(&other, kSize);
  cudaMalloc(&out, kBlocks * kSteps * sizeof(int));
  std::printf("pitch,run,block,step,cycles\n");
  for (const long pitch : {1024, 2048, 4096}) {
    for (int run = 0; run < (only != 0 ? 1 : 8); ++run) {
      if (only != 0 && only != pitch) continue;
      for (int k = 0; k < 2; ++k) sweep<<<264, 256>>>(reinterpret_cast<uint4*>(other), kSize / 16, out);
      tiles<<<kBlocks, kThreads, kStage>>>(data, data + kSize / 4, size_t(pitch), out);
      std::vector<int> cycles(kBlocks * kSteps);
      cudaMemcpy(cycles.data(), out, cycles.size() * sizeof(int), cudaMemcpyDeviceToHost);
      for (int i = 0; i < kBlocks * kSteps; ++i) std::printf("%ld,%d,%d,%d,%d\n", pitch, run, i / kSteps, i % kSteps, cycles[i]);
    }
  }
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
