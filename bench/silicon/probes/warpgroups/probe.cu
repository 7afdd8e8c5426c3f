// SPDX-License-Identifier: Apache-2.0
// Shared memory of blocks that have ended, warps that come late to their warpgroup's wgmma, copies of nothing.
// nvcc -std=c++17 -gencode arch=compute_90a,code=sm_90a -o probe probe.cu -lcuda; run.sh asks every question.
#include <cuda.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include <cstdint>
#define CK(x) do { auto r_ = (x); if (r_ != 0) { printf("FAIL %s line %d: %d\n", #x, __LINE__, int(r_)); exit(3); } } while (0)
__device__ inline uint32_t sptr(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ inline uint32_t mapa(uint32_t a, uint32_t r) { uint32_t o; asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(o) : "r"(a), "r"(r)); return o; }
extern "C" __global__ void __cluster_dims__(2,1,1) exited(int op, unsigned long long* out, unsigned long long wild) {
  __shared__ alignas(128) unsigned long long s[64];
  __shared__ alignas(16) unsigned long long bar, mine;
  uint32_t rank; asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (threadIdx.x == 0) { for (int i = 0; i < 64; i++) s[i] = 1000 * (rank + 1) + i;
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(sptr(&bar)));
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(sptr(&mine)));
    asm volatile("fence.mbarrier_init.release.cluster;"); }
  __syncthreads();
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
  if (rank == 0) return;
  long long t = clock64(); while (clock64() - t < 2000000) {}
  if (threadIdx.x != 0) return;
  uint32_t a = mapa(sptr(s), 0), b = mapa(sptr(&bar), 0), v = 0;
  unsigned long long w = 77;
  switch (op) {
    case 0: asm volatile("ld.shared::cluster.u64 %0, [%1];" : "=l"(w) : "r"(a + 8)); break;
    case 1: asm volatile("st.shared::cluster.u64 [%0], %1;" :: "r"(a + 8), "l"(5ull) : "memory"); break;
    case 2: asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(b) : "memory"); break;
    case 3: asm volatile("atom.shared::cluster.add.u32 %0, [%1], 1;" : "=r"(v) : "r"(a + 8) : "memory"); w = v; break;
    case 4: asm volatile("red.shared::cluster.add.u32 [%0], 1;" :: "r"(a + 8) : "memory"); break;
    case 5: asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u64 [%0], %1, [%2];" :: "r"(a + 8), "l"(5ull), "r"(b) : "memory"); break;
    case 6: asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 64, [%2];" :: "r"(a), "r"(sptr(s)), "r"(b) : "memory"); break;
    case 7: asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" :: "r"(a + 8), "r"(5), "r"(b) : "memory"); break;
    case 8: asm volatile("ld.u64 %0, [%1];" : "=l"(w) : "l"(__cvta_shared_to_generic(a + 8))); break;
    case 9: { uint32_t off = mapa(sptr(s), 1); asm volatile("ld.shared::cluster.u64 %0, [%1];" : "=l"(w) : "r"(off + 8)); break; }
    case 10: asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory"); w = 99; break;
  }
  t = clock64(); while (clock64() - t < 200000) {}
  out[0] = w; out[1] = 1;
}
extern "C" __global__ void zfill(int op, unsigned* out, unsigned long long wild) {
  __shared__ alignas(128) unsigned s[128];
  s[threadIdx.x] = 0x11111111; s[threadIdx.x + 32] = 0x22222222; __syncthreads();
  uint32_t a = sptr(s) + threadIdx.x * 16;
  if (threadIdx.x < 8) {
  if (op == 0) asm volatile("cp.async.cg.shared.global [%0], [%1], 16, 0;" :: "r"(a), "l"(wild) : "memory");
  if (op == 1) asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; cp.async.cg.shared.global [%0], [%1], 16, p; }" :: "r"(a), "l"(wild), "r"(1) : "memory");
  if (op == 2) { int n = out[0] == 12345 ? 4 : 0; asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" :: "r"(a), "l"(wild), "r"(n) : "memory"); }
  if (op == 3) { int n = out[0] == 12345 ? 4 : 0; asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" :: "r"(a), "l"(wild), "r"(n) : "memory"); }
  if (op == 4) { unsigned p = out[0] == 12345 ? 0 : 1; asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; cp.async.ca.shared.global [%0], [%1], 8, p; }" :: "r"(a), "l"(wild), "r"(p) : "memory"); }
  if (op == 5) { int n = out[0] == 12345 ? 4 : 20; asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" :: "r"(a), "l"((unsigned long long)out), "r"(n) : "memory"); }
  if (op == 6) { int n = out[0] == 12345 ? 4 : -1; asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" :: "r"(a), "l"((unsigned long long)out), "r"(n) : "memory"); }
  if (op == 7) { int n = out[0] == 12345 ? 4 : 5; asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" :: "r"(a), "l"((unsigned long long)out), "r"(n) : "memory"); }
  asm volatile("cp.async.wait_all;" ::: "memory"); }
  __syncthreads();
  out[64 + threadIdx.x] = s[threadIdx.x];
}
extern "C" __global__ void __launch_bounds__(128) wg(int delayed, int where, long long* out, float* dout, int n) {
  __shared__ alignas(1024) unsigned short sa[64 * 16], sb[8 * 16];
  int warp = threadIdx.x / 32;
  for (int i = threadIdx.x; i < 64 * 16; i += 128) sa[i] = 0x3c00;
  for (int i = threadIdx.x; i < 8 * 16; i += 128) sb[i] = 0x3c00;
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  auto desc = [](uint32_t a, uint64_t lead, uint64_t stride) { return uint64_t((a & 0x3ffff) >> 4) | (lead >> 4) << 16 | (stride >> 4) << 32; };
  uint64_t da = desc(sptr(sa), 128, 256), db = desc(sptr(sb), 128, 256);
  float d0 = 0, d1 = 0, d2 = 0, d3 = 0;
  long long t0 = clock64(), t1, t2, t3, t4;
  auto spin = [&](int w) { if (warp == delayed && where == w) { long long t = clock64(); while (clock64() - t < 20000) {} } __syncwarp(); };
  spin(0);
  asm volatile("wgmma.fence.sync.aligned;" : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3) :: "memory");
  t1 = clock64(); spin(1);
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %6, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, p, 1, 1, 0, 0; }" : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3) : "l"(da), "l"(db), "r"(n));
  t2 = clock64();
  if (where >= 10 && warp == 1) {  // warp 1 overwrites B while the delayed warp has not issued
    long long t = clock64(); while (clock64() - t < 5000) {}
    for (int i = threadIdx.x % 32; i < 8 * 16; i += 32) ((volatile unsigned short*)sb)[i] = 0x4000;
    asm volatile("fence.proxy.async;" ::: "memory");
  }
  if (where == 10 && warp == delayed) { }
  spin(2);
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  t3 = clock64(); spin(3);
  asm volatile("wgmma.wait_group.sync.aligned 0;" : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3) :: "memory");
  t4 = clock64();
  if (threadIdx.x % 32 == 0) { long long* o = out + warp * 5; o[0] = t0; o[1] = t1; o[2] = t2; o[3] = t3; o[4] = t4; }
  dout[threadIdx.x] = d0;
}
// the delayed warp issues late (after the fence), warp 1 changes B in between
extern "C" __global__ void __launch_bounds__(128) wgb(int delayed, long long* out, float* dout, int n) {
  __shared__ alignas(1024) unsigned short sa[64 * 16], sb[8 * 16];
  int warp = threadIdx.x / 32;
  for (int i = threadIdx.x; i < 64 * 16; i += 128) sa[i] = 0x3c00;
  for (int i = threadIdx.x; i < 8 * 16; i += 128) sb[i] = 0x3c00;
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  auto desc = [](uint32_t a, uint64_t lead, uint64_t stride) { return uint64_t((a & 0x3ffff) >> 4) | (lead >> 4) << 16 | (stride >> 4) << 32; };
  uint64_t da = desc(sptr(sa), 128, 256), db = desc(sptr(sb), 128, 256);
  float d0 = 0, d1 = 0, d2 = 0, d3 = 0;
  long long t0 = clock64(), t1, t2, t3, t4;
  asm volatile("wgmma.fence.sync.aligned;" : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3) :: "memory");
  t1 = clock64();
  if (warp == delayed) { long long t = clock64(); while (clock64() - t < 20000) {} }
  __syncwarp();
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %6, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, p, 1, 1, 0, 0; }" : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3) : "l"(da), "l"(db), "r"(n));
  t2 = clock64();
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  if (warp == (delayed + 1) % 4) {
    long long t = clock64(); while (clock64() - t < 5000) {}
    for (int i = threadIdx.x % 32; i < 8 * 16; i += 32) ((volatile unsigned short*)sb)[i] = 0x4000;
    asm volatile("fence.proxy.async;" ::: "memory");
  }
  __syncwarp();
  t3 = clock64();
  asm volatile("wgmma.wait_group.sync.aligned 0;" : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3) :: "memory");
  t4 = clock64();
  if (threadIdx.x % 32 == 0) { long long* o = out + warp * 5; o[0] = t0; o[1] = t1; o[2] = t2; o[3] = t3; o[4] = t4; }
  dout[threadIdx.x] = d0;
}
int main(int argc, char** argv) {
  std::string what = argv[1]; int k = argc > 2 ? atoi(argv[2]) : 0;
  CK(cudaFree(0));
  if (what == "exited") {
    unsigned long long* o; CK(cudaMalloc(&o, 64)); CK(cudaMemset(o, 0, 64));
    exited<<<2, 32>>>(k, o, 0); cudaError_t e = cudaDeviceSynchronize();
    unsigned long long h[2] = {0, 0}; if (!e) cudaMemcpy(h, o, 16, cudaMemcpyDeviceToHost);
    printf("exited op %d: %d %s value %llu done %llu\n", k, e, cudaGetErrorName(e), h[0], h[1]); return 0;
  }
  if (what == "zfill") {
    unsigned* o; CK(cudaMalloc(&o, 4096)); CK(cudaMemset(o, 0x33, 4096));
    unsigned long long wild[] = {0x123456789a0ull, 0x3, 0x123456789a4ull, 1};
    zfill<<<1, 32>>>(k % 10, o, wild[k / 10]); cudaError_t e = cudaDeviceSynchronize(); unsigned h[128] = {}; if (!e) cudaMemcpy(h, o, 512, cudaMemcpyDeviceToHost);
    printf("zfill op %d wild %llx: %d %s", k % 10, wild[k / 10], e, cudaGetErrorName(e)); for (int i = 64; i < 74; i++) printf(" %08x", h[i]); printf("\n"); return 0;
  }
  if (what == "wg") {
    long long* o; float* d; CK(cudaMalloc(&o, 640)); CK(cudaMalloc(&d, 512));
    for (int round = 0; round < 2; round++)
    for (int where = 0; where < 5; where++) for (int del = 0; del < 4; del += 3) {
      if (where == 4) wgb<<<1, 128>>>(del, o, d, 0); else wg<<<1, 128>>>(del, where, o, d, 0);
      cudaError_t e = cudaDeviceSynchronize(); long long h[20]; float f[128]; CK(cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost)); CK(cudaMemcpy(f, d, sizeof f, cudaMemcpyDeviceToHost));
      if (round == 0) continue;
      printf("wg where %d delayed %d: %s\n", where, del, cudaGetErrorName(e)); long long t0 = h[0];
      for (int w = 0; w < 4; w++) { printf("  warp %d:", w); for (int i = 0; i < 5; i++) printf(" %lld", h[w * 5 + i] - t0); printf("  d %g\n", f[w * 32]); }
    }
    return 0;
  }
}
