// SPDX-License-Identifier: Apache-2.0
// Steps of a one-pass scan in which blocks look back at 32 predecessors at a time, clock by clock.
#include <vector>
#include "../harness.cuh"
__device__ __forceinline__ unsigned warp_scan(unsigned v, int lane) {
#pragma unroll
  for (int o = 1; o < 32; o <<= 1) { unsigned u = __shfl_up_sync(~0u, v, o); if (lane >= o) v += u; }
  return v;
}
extern "C" __global__ void look(unsigned* out, const unsigned* in, volatile unsigned long long* status, unsigned* ticket, unsigned* times) {
  __shared__ unsigned part[8], tile, before; int t = threadIdx.x, lane = t & 31, warp = t >> 5;
  unsigned c0, c1, c2, c3, c4, c5 = 0, c6 = 0, c7, c8, first = 0; c0 = now();
  if (t == 0) tile = atomicAdd(ticket, 1u); __syncthreads();
  c1 = now();
  unsigned b = tile; uint4 v = ((const uint4*)in)[b * 256 + t]; unsigned own = v.x + v.y + v.z + v.w, inc = warp_scan(own, lane); if (lane == 31) part[warp] = inc; c2 = now(); __syncthreads();
  c3 = now();
  unsigned add = 0, total = 0; for (int w = 0; w < 8; w++) { if (w < warp) add += part[w]; total += part[w]; }
  if (warp == 0) {
    if (lane == 0) status[b] = (b ? 1ull : 2ull) << 32 | total;
    c4 = now();
    unsigned sum = 0; int at = (int)b - 1 - lane;
    while (b) {
      unsigned long long s = 2ull << 32; if (at >= 0) do { s = status[at]; ++c5; } while (s >> 32 == 0);
      if (!first) first = now();
      unsigned done = __ballot_sync(~0u, s >> 32 == 2); unsigned x = done && lane > __ffs(done) - 1 ? 0 : (unsigned)s;
      ++c6;
      sum += __reduce_add_sync(~0u, x); if (done) break; at -= 32;
    }
    c7 = now();
    if (lane == 0) { if (b) status[b] = 2ull << 32 | (sum + total); before = sum; }
  }
  __syncthreads(); c8 = now();
  unsigned x = before + add + inc - own; ((uint4*)out)[b * 256 + t] = make_uint4(x, x + v.x, x + v.x + v.y, x + v.x + v.y + v.z);
  if (t == 0) {
    unsigned sm, ns; asm volatile("mov.u32 %0, %%smid;" : "=r"(sm)); asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(ns));
    unsigned* o = times + b * 16; o[0] = sm; o[1] = c0; o[2] = c1; o[3] = c2; o[4] = c3; o[5] = c4; o[6] = first; o[7] = c7; o[8] = c8; o[9] = c5; o[10] = c6; o[11] = ns;
  }
}
int main() {
  unsigned *out, *in, *ticket, *times, *junk; unsigned long long* status;
  cudaMalloc(&out, 4 << 20); cudaMalloc(&in, 4 << 20); cudaMalloc(&status, 8192); cudaMalloc(&ticket, 4); cudaMalloc(&times, 65536); cudaMalloc(&junk, 256 << 20);
  cudaMemset(in, 0, 4 << 20);
  printf("launch,tile,sm,begin,ticket,loaded,barrier,published,first,done,end,polls,windows,ns\n");
  for (int rep = 0; rep < 4; ++rep) {
    cudaMemset(status, 0, 8192); cudaMemset(ticket, 0, 4); if (rep & 1) cudaMemset(junk, rep, 256 << 20);
    look<<<1024, 256>>>(out, in, status, ticket, times);
    if (cudaDeviceSynchronize()) { printf("error\n"); return 1; }
    std::vector<unsigned> h(16384); cudaMemcpy(h.data(), times, 65536, cudaMemcpyDeviceToHost);
    for (int b = 0; b < 1024; ++b) { printf("%d,%d", rep, b); for (int k = 0; k < 12; ++k) printf(",%u", h[b * 16 + k]); printf("\n"); }
  }
}
