// SPDX-License-Identifier: Apache-2.0
// What a fence or a cluster barrier costs when many warps of many SMs do it at once. A line: kind, blocks, warps, blocks a cluster, launch, least, mean and most cycles a
// turn, and the same of one behind a block barrier.
#include <vector>
#include <algorithm>
#include "../harness.cuh"
enum { kFenceGpu, kStFenceGpu, kLdFenceGpu, kFenceCta, kStsFenceCta, kStFenceCta, kClusterBar, kStClusterBar, kStsClusterBar, kLdsFenceGpu, kRelaxedBar, kKinds };
static const char* names[] = {"fence_gpu", "st_fence_gpu", "ld_fence_gpu", "fence_cta", "sts_fence_cta", "st_fence_cta", "cluster_bar", "st_cluster_bar", "sts_cluster_bar", "sts_fence_gpu", "cluster_bar_relaxed"};
template <int K>
__device__ __forceinline__ unsigned step(unsigned* g, unsigned* s, unsigned v) {
  unsigned r = 0;
  if (K == kStFenceGpu || K == kStFenceCta || K == kStClusterBar) asm volatile("st.global.u32 [%0], %1;" :: "l"(g), "r"(v) : "memory");
  if (K == kLdFenceGpu) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(r) : "l"(g) : "memory");
  if (K == kStsFenceCta || K == kStsClusterBar || K == kLdsFenceGpu) asm volatile("st.shared.u32 [%0], %1;" :: "r"((unsigned)__cvta_generic_to_shared(s)), "r"(v) : "memory");
  if (K == kFenceGpu || K == kStFenceGpu || K == kLdFenceGpu || K == kLdsFenceGpu) asm volatile("fence.acq_rel.gpu;" ::: "memory");
  if (K == kFenceCta || K == kStsFenceCta || K == kStFenceCta) asm volatile("fence.acq_rel.cta;" ::: "memory");
  if (K == kClusterBar || K == kStClusterBar || K == kStsClusterBar) asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
  if (K == kRelaxedBar) asm volatile("barrier.cluster.arrive.relaxed.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
  return r;
}
template <int K>
__global__ void turns(unsigned* out, unsigned* buf, int n) {
  __shared__ unsigned s[1024];
  unsigned* g = buf + (blockIdx.x * blockDim.x + threadIdx.x);
  unsigned* sh = s + threadIdx.x; unsigned sum = 0, a, b, c;
  step<K>(g, sh, 1); __syncthreads();
  a = now(); sum += step<K>(g, sh, 2); b = now();
  __syncthreads();
  unsigned t; t = now();
  for (int k = 0; k < n; ++k) sum += step<K>(g, sh, k);
  c = now();
  if (threadIdx.x % 32 == 0) { unsigned* o = out + (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * 2; o[0] = c - t; o[1] = b - a; }
  if (sum == 12345) out[0] = sum;
}
static unsigned *out, *buf;
template <int K>
void one(int blocks, int warps, int cluster) {
  const int n = 32;
  for (int rep = 0; rep < 3; ++rep) {
    cudaLaunchConfig_t cfg{}; cfg.gridDim = blocks; cfg.blockDim = warps * 32;
    cudaLaunchAttribute at{}; at.id = cudaLaunchAttributeClusterDimension; at.val.clusterDim.x = cluster; at.val.clusterDim.y = at.val.clusterDim.z = 1;
    if (cluster) { cfg.attrs = &at; cfg.numAttrs = 1; }
    cudaLaunchKernelEx(&cfg, turns<K>, out, buf, n);
    if (cudaDeviceSynchronize()) { printf("error %s\n", cudaGetErrorString(cudaGetLastError())); return; }
    if (rep == 0) continue;
    std::vector<unsigned> h(blocks * warps * 2); cudaMemcpy(h.data(), out, h.size() * 4, cudaMemcpyDeviceToHost);
    double sum = 0, first = 0; unsigned lo = ~0u, hi = 0, flo = ~0u, fhi = 0;
    for (size_t i = 0; i < h.size(); i += 2) { sum += h[i]; lo = std::min(lo, h[i]); hi = std::max(hi, h[i]); first += h[i + 1]; flo = std::min(flo, h[i + 1]); fhi = std::max(fhi, h[i + 1]); }
    double m = h.size() / 2;
    printf("%s,%d,%d,%d,%d,%.1f,%.1f,%.1f,%u,%.1f,%u\n", names[K], blocks, warps, cluster, rep, lo / double(n), sum / m / n, hi / double(n), flo, first / m, fhi);
  }
}
template <int K>
void all() {
  for (int blocks : {1, 8, 132, 264, 528})
    for (int w : {1, 2, 4, 8, 16, 32}) {
      if (blocks / 132 * w > 64) continue;
      if (K == kClusterBar || K == kStClusterBar || K == kStsClusterBar || K == kRelaxedBar) { for (int c : {1, 2, 4, 8}) if (blocks % c == 0) one<K>(blocks, w, c); }
      else one<K>(blocks, w, 0);
    }
}
int main() {
  cudaMalloc(&out, 1 << 20); cudaMalloc(&buf, 1 << 24);
  printf("kind,blocks,warps,cluster,launch,least,mean,most,once_least,once_mean,once_most\n");
  all<0>(); all<1>(); all<2>(); all<3>(); all<4>(); all<5>(); all<6>(); all<7>(); all<8>(); all<9>(); all<10>();
}
