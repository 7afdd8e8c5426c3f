// SPDX-License-Identifier: Apache-2.0
// Two blocks of a cluster that exchange an edge, and wait for each other after each step of their own. Repaired, they
// wait where the edge has been written.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void __cluster_dims__(2, 1, 1) planted(float* out, int steps) {
  __shared__ float edge[256];
  cg::cluster_group cluster = cg::this_cluster();
  float* other = cluster.map_shared_rank(edge, cluster.block_rank() ^ 1);
  float v = threadIdx.x;
  edge[threadIdx.x] = v;
  cluster.sync();
  for (int k = 0; k < steps; ++k) {
    v = v * 0.99f + 0.01f;
    cluster.sync();  // defect
    if (k % 8 == 7) {
      other[threadIdx.x] = v;
      cluster.sync();  // defect
      v += edge[threadIdx.x];
    }
  }
  cluster.sync();
  out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
extern "C" __global__ void __cluster_dims__(2, 1, 1) repaired(float* out, int steps) {
  __shared__ float edge[2][256];
  cg::cluster_group cluster = cg::this_cluster();
  float* other = cluster.map_shared_rank(&edge[0][0], cluster.block_rank() ^ 1);
  float v = threadIdx.x;
  edge[0][threadIdx.x] = v;
  cluster.sync();
  for (int k = 0; k < steps; ++k) {
    v = v * 0.99f + 0.01f;
    if (k % 8 == 7) {
      const int turn = (k / 8) % 2;
      other[turn * 256 + threadIdx.x] = v;
      cluster.sync();
      v += edge[turn][threadIdx.x];
    }
  }
  cluster.sync();
  out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
