// SPDX-License-Identifier: Apache-2.0
// What a kernel of one warp meets when caches are cold: constant lines, instruction lines, the first load, the way out.
// Run plainly, and under Nsight Compute, which flushes caches before each launch.
#include <cstring>
#include "../harness.cuh"
struct Big { unsigned v[1000]; };
// Constants of a launch: clocks before any, and after each of some lines was used.
__global__ void constants(unsigned* out, Big p) {
  __shared__ volatile unsigned pin[32];
  unsigned t[9];
  t[0] = now(); if (t[0] == 77) return;
  pin[0] = p.v[2]; t[1] = now();
  pin[1] = p.v[3]; t[2] = now();
  pin[2] = p.v[24]; t[3] = now();
  pin[3] = p.v[40]; t[4] = now();
  pin[4] = p.v[120]; t[5] = now();
  pin[5] = p.v[140]; t[6] = now();
  pin[6] = p.v[500]; t[7] = now();
  pin[7] = p.v[900]; t[8] = now();
  for (int k = 0; k < 9; k++) out[k] = t[k];
}
// The same at a distance that the launch names.
__global__ void indexed(unsigned* out, unsigned step, Big p) {
  __shared__ volatile unsigned pin[32];
  unsigned t[9], i = threadIdx.x & 0;
  t[0] = now(); if (t[0] == 77) return;
#pragma unroll
  for (int k = 0; k < 8; k++) { if (k) t[k] = now(); pin[k] = p.v[i]; i += step; }
  t[8] = now();
  for (int k = 0; k < 9; k++) out[k] = t[k];
}
// Straight code: a clock for each LINES lines of 128 bytes.
template <int LINES> __global__ void straight(unsigned* out, unsigned seed) {
  unsigned t[33], x = seed + threadIdx.x;
  t[0] = now(); if (t[0] == 77) return;
#pragma unroll
  for (int k = 0; k < 32; k++) {
#pragma unroll
    for (int j = 0; j < LINES * 8 - 1; j++) asm volatile("lop3.b32 %0, %0, %1, %2, 0xe8;" : "+r"(x) : "r"(seed), "r"(j * 77 + k));
    t[k + 1] = now();
  }
  for (int k = 0; k < 33; k++) out[k] = t[k]; out[40] = x;
}
// A load, a second of the same line, and one of a page far away.
__global__ void loads(unsigned* out, const unsigned* in) {
  __shared__ volatile unsigned pin[32];
  unsigned t[6];
  t[0] = now(); if (t[0] == 77) return;
  pin[0] = __ldcg(in); t[1] = now();
  pin[1] = __ldcg(in + 1); t[2] = now();
  pin[2] = __ldcg(in + 1024); t[3] = now();
  pin[3] = __ldcg(in + 1024 * 1024); t[4] = now();
  pin[4] = __ldcg(in + 4 * 1024 * 1024); t[5] = now();
  for (int k = 0; k < 6; k++) out[k] = t[k];
}
__global__ void empty() {}
__global__ void no_store(unsigned* out, unsigned v) { if (v == 77) out[0] = v; }
__global__ void one_store(unsigned* out, unsigned v) { if (v != 77) out[threadIdx.x] = v; }
__global__ void clock_store(unsigned* out, unsigned v) { unsigned t; t = now(); if (t == 77) return; out[0] = t; }
__global__ void one_load(unsigned* out, const unsigned* in) { if (__ldcg(in) == 77) out[threadIdx.x] = 1; }
__global__ void bulk(unsigned* out, const uint4* src, int rounds, int bytes) {
  extern __shared__ __align__(128) uint4 s[]; __shared__ __align__(8) unsigned long long bar; unsigned b = (unsigned)__cvta_generic_to_shared(&bar), a = (unsigned)__cvta_generic_to_shared(s);
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1; fence.mbarrier_init.release.cluster;" :: "r"(b)); unsigned t0, t1, first = 0;
  t0 = now();
  for (int k = 0; k < rounds; k++) { asm volatile("{ .reg .pred p; mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %3; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%1], [%2], %3, [%0]; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %4; @!p bra W; }" :: "r"(b), "r"(a), "l"(src), "r"(bytes), "r"(k & 1) : "memory"); if (k == 0) first = now(); }
  t1 = now(); out[0] = t1 - t0; out[1] = first - t0;
}
static unsigned *d, *in; static char* junk; static unsigned h[64];
template <class F> void go(const char* name, int words, F launch) {
  for (int r = 0; r < 4; r++) {
    if (r == 3) cudaMemset(junk, r, 256 << 20);  // nothing of it left in L2
    cudaMemset(d, 0, 256); cudaDeviceSynchronize(); launch(); cudaMemcpy(h, d, 256, cudaMemcpyDeviceToHost);
    printf("%s,%d", name, r); for (int k = 1; k < words; k++) printf(",%d", int(h[k] - h[k - 1])); printf("\n");
  }
}
int main() {
  cudaMalloc(&d, 1 << 20); cudaMalloc(&in, 64 << 20); cudaMalloc(&junk, 256 << 20); cudaMemset(in, 0, 64 << 20); cudaMemset(junk, 1, 256 << 20);
  Big p; memset(&p, 0, sizeof p);
  for (int g : {1, 132}) {
    printf("grid,%d\n", g);
    go("empty", 1, [&] { empty<<<g, 32>>>(); });
    go("no_store", 1, [&] { no_store<<<g, 32>>>(d, 1); });
    go("one_store", 1, [&] { one_store<<<g, 32>>>(d, 1); });
    go("clock_store", 1, [&] { clock_store<<<g, 32>>>(d, 1); });
    go("one_load", 1, [&] { one_load<<<g, 32>>>(d, in); });
    go("constants", 9, [&] { constants<<<g, 32>>>(d, p); });
    go("indexed16", 9, [&] { indexed<<<g, 32>>>(d, 16, p); });
    go("indexed64", 9, [&] { indexed<<<g, 32>>>(d, 64, p); });
    go("straight1", 33, [&] { straight<1><<<g, 32>>>(d, 3); });
    go("straight4", 33, [&] { straight<4><<<g, 32>>>(d, 3); });
    go("straight32", 33, [&] { straight<32><<<g, 32>>>(d, 3); });
    go("loads", 6, [&] { loads<<<g, 32>>>(d, in); });
  }
  if (getenv("PLAIN")) {
    cudaFuncSetAttribute(bulk, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10);
    for (int bytes = 16; bytes <= 32768; bytes = bytes < 256 ? bytes * 2 : bytes < 4096 ? bytes + 128 : bytes + 1024)
      for (int r = 0; r < 2; r++) {
        bulk<<<1, 1, 64 << 10>>>(d, (const uint4*)in, 64, bytes); cudaMemcpy(h, d, 8, cudaMemcpyDeviceToHost);
        unsigned a = h[0], f = h[1]; bulk<<<1, 1, 64 << 10>>>(d, (const uint4*)in, 320, bytes); cudaMemcpy(h, d, 8, cudaMemcpyDeviceToHost);
        printf("bulk,%d,%d,%u,%u,%.3f\n", bytes, r, a, f, (h[0] - a) / 256.0);
      }
  }
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
