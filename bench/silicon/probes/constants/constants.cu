// SPDX-License-Identifier: Apache-2.0
// Indexed loads from the constant bank (LDC with a register): how misses of several warps and of one warp overlap,
// by lines and addresses. One block on one SM; every warp reads its clock around each pass; pass 0 finds the
// lines in L2 at best, later ones in the SM's second constant cache, or in the small one where they fit.
#include <vector>
#include "../harness.cuh"
__constant__ uint32_t table[16384];
__device__ uint32_t ldc(uint32_t at) { uint32_t v; asm volatile("ld.const.u32 %0, [%1];" : "=r"(v) : "r"(at)); return v; }
// lane l of warp w, load k: word (w * warp_step + k * step + (l % ways) * lane_step) modulo words, or at random
template <int U>
__global__ void stream(uint2* out, uint32_t* sink, int passes, int loads, int warp_step, int step, int ways, int lane_step, int words, int random) {
  const uint32_t base = (uint32_t)__cvta_generic_to_constant(table), warp = threadIdx.x / 32, lane = threadIdx.x % 32 % ways;
  uint32_t sum = 0;
  for (int p = 0; p < passes; ++p) {
    __syncthreads();
    uint32_t at = warp * warp_step + lane * lane_step, h = (warp * 32 + lane) * 2654435761u + 12345;
    const uint32_t t = now();
    for (int k = 0; k < loads; k += U) {
      uint32_t v[U];
#pragma unroll
      for (int u = 0; u < U; ++u) {
        h = h * 1664525u + 1013904223u;
        const uint32_t word = (random ? h >> 12 : at) & (uint32_t)(words - 1);
        v[u] = ldc(base + word * 4);
        at += step;
      }
#pragma unroll
      for (int u = 0; u < U; ++u) sum += v[u];
      at += sum & 1; h += sum & 1;  // zeros: the next turn waits
    }
    const uint32_t e = now() + (sum & 1);
    if (threadIdx.x % 32 == 0) out[p * 32 + warp] = make_uint2(t, e);
  }
  sink[threadIdx.x] = sum;
}
static uint2* out; static uint32_t* sink;
template <int U>
void one(const char* name, int warps, int loads, int warp_step, int step, int ways, int lane_step, int words, int random) {
  for (int rep = 0; rep < 3; ++rep) {
    stream<U><<<1, warps * 32>>>(out, sink, 4, loads, warp_step, step, ways, lane_step, words, random);
    if (cudaDeviceSynchronize()) { printf("error %s\n", cudaGetErrorString(cudaGetLastError())); return; }
    std::vector<uint2> h(128); cudaMemcpy(h.data(), out, 128 * 8, cudaMemcpyDeviceToHost);
    printf("%s,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d", name, U, warps, loads, warp_step, step, ways, lane_step, words, random, rep);
    for (int p = 0; p < 4; ++p) { uint32_t b = ~0u, e = 0; for (int w = 0; w < warps; ++w) { b = h[p * 32 + w].x < b ? h[p * 32 + w].x : b; e = h[p * 32 + w].y > e ? h[p * 32 + w].y : e; } printf(",%u", e - b); }
    printf("\n");
  }
}
template <int U>
void all() {
  for (int w : {1, 2, 4, 8, 16, 32}) {
    one<U>("hit_same", w, 64, 0, 0, 1, 0, 16384, 0);                 // one word for all
    one<U>("hit_small", w, 64, 16, 1, 1, 0, 256, 0);                 // 1 KiB
    one<U>("lines64", w, 64, 0, 16, 1, 0, 16384, 0);                 // 64 lines of 64 B, the same for all warps
    one<U>("lines64_own", w, 64, 64 * 16 / 4, 16, 1, 0, 16384, 0);   // warps at other places
    one<U>("lines256", w, 32, 0, 64, 1, 0, 16384, 0);                // 256 B apart
    one<U>("words_64k", w, 64, 64 * 16 / 4, 4, 1, 0, 16384, 0);      // 16 B apart: four loads a line
    for (int ways : {2, 4, 8, 16, 32}) {
      one<U>("ways_small", w, 32, 0, 0, ways, 1, 256, 0);            // words of a line or two
      one<U>("ways_line", w, 32, 0, 0, ways, 16, 512, 0);            // each its line, within 2 KiB
      one<U>("ways_far", w, 32, 0, 512, ways, 16, 16384, 0);         // each its line, 64 KiB in turn
    }
    for (int kib : {1, 2, 4, 8, 64}) one<U>("random", w, 32, 0, 0, 32, 1, kib * 256, 1);
    for (int kib : {1, 2, 4, 64}) one<U>("random_uniform", w, 64, 0, 0, 1, 1, kib * 256, 1);
  }
}
int main() {
  cudaMalloc(&out, 4096); cudaMalloc(&sink, 4096);
  printf("what,loads_in_flight,warps,loads,warp_step,step,ways,lane_step,words,random,launch,pass0,pass1,pass2,pass3\n");
  all<1>(); all<4>(); all<16>();
}
