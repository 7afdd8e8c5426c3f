// SPDX-License-Identifier: Apache-2.0
// When each warp of a block reads its clock behind a barrier, and when it is done, in kernels that fill the issue slots.
#include <cstdio>
#include <cuda_runtime.h>
template <int PAD, int KIND>
__global__ void rate(unsigned* out, int seed, float fseed) {
  int x[8]; float f[8];
  for (int j = 0; j < 8; j++) { x[j] = seed + j + threadIdx.x; f[j] = fseed + j + threadIdx.x; }
#pragma unroll
  for (int k = 0; k < PAD; k++) asm volatile("xor.b32 %0, %0, %1;" : "+r"(x[0]) : "r"(x[1]));
  __syncthreads();
  asm volatile("" ::: "memory"); unsigned t0 = clock();
#pragma unroll 8
  for (int k = 0; k < 64; k++) {
#pragma unroll
    for (int j = 0; j < 8; j++) {
      if (KIND == 0) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(f[j]) : "f"(fseed));
      if (KIND == 1) asm volatile("add.s32 %0, %0, %2; fma.rn.f32 %1, %1, %3, %3;" : "+r"(x[j]), "+f"(f[j]) : "r"(seed), "f"(fseed));
      if (KIND == 2) asm volatile("add.s32 %0, %0, %1;" : "+r"(x[j]) : "r"(seed));
      if (KIND == 4) asm volatile("{ .reg .f64 t; cvt.f64.f32 t, %0; cvt.rn.f32.f64 %0, t; }" : "+f"(f[j]));
      if (KIND == 5) asm volatile("{ .reg .f64 t; .reg .b32 h; cvt.f64.f32 t, %0; mov.b64 {h, %0}, t; }" : "+f"(f[j]));
      if (KIND == 6) asm volatile("{ .reg .f64 t; cvt.rn.f64.s32 t, %0; cvt.rni.s32.f64 %0, t; }" : "+r"(x[j]));
      if (KIND == 3) asm volatile("{ .reg .f64 t; cvt.f64.f32 t, %0; fma.rn.f64 t, t, t, t; cvt.rn.f32.f64 %0, t; }" : "+f"(f[j]));
    }
  }
  unsigned t2 = clock();
  __syncthreads();
  unsigned t1 = clock();
  float s = 0; for (int j = 0; j < 8; j++) s += x[j] + f[j];
  if ((threadIdx.x & 31) == 0) { unsigned w = threadIdx.x >> 5; out[w * 3] = t0; out[w * 3 + 1] = t2; out[w * 3 + 2] = t1; }
  if (threadIdx.x == 0) out[96] = (unsigned)s;
}
#define CHAIN(name, stmt) __global__ void name(unsigned* out, int seed) { int x = seed; __shared__ volatile unsigned pin; asm volatile("" ::: "memory"); unsigned t0 = clock(); \
  _Pragma("unroll") for (int k = 0; k < 256; k++) { stmt; } pin = x; unsigned t1 = clock(); if (threadIdx.x == 0) { out[0] = t1 - t0; out[1] = x; } }
CHAIN(c_shl, asm volatile("shl.b32 %0, %0, %1;" : "+r"(x) : "r"(seed)))
CHAIN(c_mad, asm volatile("mad.lo.s32 %0, %0, %1, %1;" : "+r"(x) : "r"(seed)))
CHAIN(c_popc, asm volatile("popc.b32 %0, %0;" : "+r"(x)))
CHAIN(c_add, asm volatile("add.s32 %0, %0, %1;" : "+r"(x) : "r"(seed)))
// Nothing between the two: how clocks come out of a barrier.
__global__ void bare(unsigned* out) {
  __syncthreads(); unsigned t0 = clock(); unsigned t1 = clock(); unsigned t2 = clock();
  if ((threadIdx.x & 31) == 0) { unsigned w = threadIdx.x >> 5; out[w * 3] = t0; out[w * 3 + 1] = t1; out[w * 3 + 2] = t2; }
}
template <class F> void go(const char* name, F launch) {
  unsigned *d, h[97]; cudaMalloc(&d, sizeof h);
  for (int r = 0; r < 4; r++) {
    launch(d); cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    unsigned first = h[0]; for (int w = 1; w < 32; w++) if (int(h[w * 3] - first) < 0) first = h[w * 3];
    printf("%s run %d:", name, r); for (int w = 0; w < 32; w++) printf(" %u/%u/%u", h[w * 3] - first, h[w * 3 + 1] - first, h[w * 3 + 2] - first); printf("\n");
  }
  cudaFree(d);
}
#define GO(p, k) go("kind " #k " pad " #p, [](unsigned* d) { rate<p, k><<<1, 1024>>>(d, 3, 1.5f); });
#define ALL(k) GO(0, k) GO(1, k) GO(2, k) GO(3, k) GO(4, k) GO(5, k) GO(6, k) GO(7, k) GO(8, k)
int main() { go("bare", [](unsigned* d) { bare<<<1, 1024>>>(d); }); ALL(0) ALL(1) GO(0, 2) GO(3, 2) GO(0, 3) GO(3, 3) GO(0, 4) GO(0, 5) GO(0, 6)
  unsigned* d; cudaMalloc(&d, 8); unsigned h;
  for (int r = 0; r < 8; r++) {
#define ONE(k) k<<<1, 32>>>(d, 3); cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost); printf(#k " run %d: %u\n", r, h);
    ONE(c_shl) ONE(c_mad) ONE(c_popc) ONE(c_add) } return cudaDeviceSynchronize(); }
