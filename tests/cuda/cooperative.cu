// SPDX-License-Identifier: Apache-2.0
// A grid that meets: cooperative groups' grid.sync, tiles, and clusters with distributed shared memory.
#include <cooperative_groups.h>

#include <vector>

#include "check.h"

namespace cg = cooperative_groups;

__global__ void rotate(int* a, int* b, int n, int steps) {
  const cg::grid_group grid = cg::this_grid();
  for (int step = 0; step < steps; ++step) {
    for (int i = static_cast<int>(grid.thread_rank()); i < n; i += static_cast<int>(grid.size()))
      b[(i + 1) % n] = a[i] + 1;
    grid.sync();
    int* swap = a;
    a = b;
    b = swap;
  }
}
__global__ void tile_sums(const int* in, int* out) {
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  int sum = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int k = 8; k > 0; k /= 2) sum += tile.shfl_down(sum, k);
  if (tile.thread_rank() == 0) out[(blockIdx.x * blockDim.x + threadIdx.x) / 16] = sum;
}
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
__global__ void __cluster_dims__(4, 1, 1) neighbours(int* out) {
  __shared__ int mine;
  const cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) mine = 10 * static_cast<int>(cluster.block_rank());
  cluster.sync();
  const int* other = cluster.map_shared_rank(&mine, (cluster.block_rank() + 1) % cluster.num_blocks());
  if (threadIdx.x == 0) out[blockIdx.x] = *other;
  cluster.sync();
}
#endif

int main() {
  const int n = 1000;
  std::vector<int> in(n, 0), out(n);
  int *a, *b;
  CUDA(cudaMalloc(&a, n * sizeof(int)));
  CUDA(cudaMalloc(&b, n * sizeof(int)));
  for (int i = 0; i < n; ++i) in[i] = i;
  CUDA(cudaMemcpy(a, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  int count = n, steps = 4;
  void* arguments[] = {&a, &b, &count, &steps};
  CUDA(cudaLaunchCooperativeKernel(rotate, dim3(8), dim3(64), arguments, 0, nullptr));
  CUDA(cudaMemcpy(out.data(), a, n * sizeof(int), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += out[(i + 4) % n] != i + 4;
  CHECK(wrong == 0);
  EXPECT(cudaErrorCooperativeLaunchTooLarge,
         cudaLaunchCooperativeKernel(rotate, dim3(1 << 20), dim3(1024), arguments, 0, nullptr));
  tile_sums<<<1, 64>>>(a, b);
  CUDA(cudaMemcpy(out.data(), b, 4 * sizeof(int), cudaMemcpyDeviceToHost));
  CUDA(cudaMemcpy(in.data(), a, 64 * sizeof(int), cudaMemcpyDeviceToHost));
  for (int t = 0; t < 4; ++t) {
    int sum = 0;
    for (int i = 0; i < 16; ++i) sum += in[16 * t + i];
    CHECK(out[t] == sum);
  }
  neighbours<<<8, 32>>>(b);
  CUDA(cudaMemcpy(out.data(), b, 8 * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < 8; ++i) CHECK(out[i] == 10 * ((i % 4 + 1) % 4));
  // Clusters whose size the launch gives.
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(6);
  config.blockDim = dim3(32);
  cudaLaunchAttribute attribute[1];
  attribute[0].id = cudaLaunchAttributeClusterDimension;
  attribute[0].val.clusterDim.x = 3;
  attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
  config.attrs = attribute;
  config.numAttrs = 1;
  EXPECT(cudaErrorInvalidClusterSize, cudaLaunchKernelEx(&config, neighbours, b));  // the kernel says 4
  CUDA(cudaFree(a));
  CUDA(cudaFree(b));
  return verdict();
}
