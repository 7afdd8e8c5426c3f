// SPDX-License-Identifier: Apache-2.0
// How far are L2's slices? One lane on a chosen SM times dependent loads, atomics and bulk copies of 256 bytes at one place after another.
#include "../harness.cuh"
__global__ void places(unsigned* out, unsigned* buf, unsigned sm, int count, int step, int kind) {
  extern __shared__ __align__(128) uint4 s[]; __shared__ __align__(8) unsigned long long bar;
  unsigned id; asm volatile("mov.u32 %0, %%smid;" : "=r"(id)); if (id != sm) return;
  unsigned b = (unsigned)__cvta_generic_to_shared(&bar), a = (unsigned)__cvta_generic_to_shared(s), round = 0;
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1; fence.mbarrier_init.release.cluster;" :: "r"(b));
  for (int k = 0; k < count; k++) {
    unsigned* p = buf + (size_t)k * step / 4; unsigned t0 = 0, t1 = 0, x = 0;
    for (int pass = 0; pass < 2; pass++) {
      t0 = now();
      if (kind == 0) {
#pragma unroll
        for (int j = 0; j < 8; j++) x = __ldcg(p + x);
      } else if (kind == 1) {
#pragma unroll
        for (int j = 0; j < 8; j++) x = atomicAdd(p + x, 0);
      } else {
        for (int j = 0; j < 8; j++, round++) asm volatile("{ .reg .pred p; mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %3; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%1], [%2], %3, [%0]; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %4; @!p bra W; }" :: "r"(b), "r"(a), "l"(p), "r"(256), "r"(round & 1) : "memory");
      }
      if (x == 77) out[1000000] = 1;
      t1 = now();
    }
    out[k] = t1 - t0;
  }
}
int main() {
  unsigned *d, *buf; cudaMalloc(&d, 8 << 20); cudaMalloc(&buf, 64 << 20); cudaMemset(buf, 0, 64 << 20);
  static unsigned h[4096];
  cudaFuncSetAttribute(places, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10);
  for (int kind = 0; kind < 3; kind++)
    for (unsigned sm : {0u, 1u, 2u, 16u, 34u, 50u, 66u, 82u, 98u, 114u, 131u}) {
      int count = kind == 2 ? 128 : 256;
      places<<<132, 1, 200 << 10>>>(d, buf, sm, count, 1024, kind); cudaMemcpy(h, d, count * 4, cudaMemcpyDeviceToHost);
      printf("%d,%u", kind, sm); for (int k = 0; k < count; k++) printf(",%.1f", h[k] / 8.0); printf("\n");
    }
  // one SM, places 8 KiB apart over 32 MiB, and 128 bytes apart
  for (int step : {128, 8192, 131072}) { int count = step == 131072 ? 256 : 512; places<<<132, 1, 200 << 10>>>(d, buf, 0, count, step, 0); cudaMemcpy(h, d, count * 4, cudaMemcpyDeviceToHost);
    printf("step%d,0", step); for (int k = 0; k < count; k++) printf(",%.1f", h[k] / 8.0); printf("\n"); }
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
