// SPDX-License-Identifier: Apache-2.0
// What the L1 and L2 count for cp.async whose shared addresses stand otherwise to sectors than the global ones, and for prefetches; what bulk
// reductions take. `copies list` names the counted launches in order, `copies` makes them (for Nsight Compute), `copies times` times bulk writes.
#include <cstring>
#include <vector>
#include "../harness.cuh"
static char* d_buf; static unsigned* d_out; static bool listing;

__device__ __forceinline__ unsigned sh(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
struct Pattern { const char* name; int bytes, ca, g_lane, g_row, s_lane, s_row, row, g0, s0, xr, rounds; };  // a lane's place: lane % row * lane step + lane / row * row step
__global__ void copies(char* p, Pattern q, unsigned* out) {
  extern __shared__ __align__(1024) char s[]; int t = threadIdx.x, c = t % q.row, r = t / q.row;
  const char* g = p + q.g0 + c * q.g_lane + r * q.g_row; unsigned a = sh(s) + q.s0 + (c ^ q.xr) * q.s_lane + r * q.s_row;
  for (int k = 0; k < q.rounds; k++) {
    if (q.bytes == 16 && !q.ca) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(a), "l"(g) : "memory");
    else if (q.bytes == 16) asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" :: "r"(a), "l"(g) : "memory");
    else if (q.bytes == 8) asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" :: "r"(a), "l"(g) : "memory");
    else asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(a), "l"(g) : "memory");
    asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
  }
  if (s[t] == 77) out[0] = 1;
}
static void copy_case(Pattern q, int warps) {
  if (listing) { printf("copy,%s,bytes%d,%s,g_lane%d,g_row%d,s_lane%d,s_row%d,row%d,g0_%d,s0_%d,xor%d,rounds%d,warps%d\n", q.name, q.bytes, q.ca ? "ca" : "cg", q.g_lane, q.g_row, q.s_lane, q.s_row, q.row, q.g0, q.s0, q.xr, q.rounds, warps); return; }
  copies<<<1, warps * 32, 32768>>>(d_buf, q, d_out); OK(cudaGetLastError()); OK(cudaDeviceSynchronize());
}
// kind: 0 prefetch.L2, 1 prefetch.L1, 2 prefetchu.L1, 3 prefetch.L2::evict_last, 4 ld L2::64B, 5 L2::128B, 6 L2::256B, 7 ld; then, with `then`, loads of the same
__global__ void hints(char* p, int kind, int step, int lanes, int then, int n, int far, unsigned* out) {
  int t = threadIdx.x; if ((t & 31) >= lanes) return; unsigned s = 0, v;
  for (int k = 0; k < n; k++) {
    char* a = p + (size_t)t * step + (size_t)k * far;
    switch (kind) {
      case 0: asm volatile("prefetch.global.L2 [%0];" :: "l"(a) : "memory"); break;
      case 1: asm volatile("prefetch.global.L1 [%0];" :: "l"(a) : "memory"); break;
      case 2: asm volatile("prefetchu.L1 [%0];" :: "l"(a) : "memory"); break;
      case 3: asm volatile("prefetch.global.L2::evict_last [%0];" :: "l"(a) : "memory"); break;
      case 4: asm volatile("ld.global.L2::64B.u32 %0, [%1];" : "=r"(v) : "l"(a) : "memory"); s += v; break;
      case 5: asm volatile("ld.global.L2::128B.u32 %0, [%1];" : "=r"(v) : "l"(a) : "memory"); s += v; break;
      case 6: asm volatile("ld.global.L2::256B.u32 %0, [%1];" : "=r"(v) : "l"(a) : "memory"); s += v; break;
      case 7: asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(a) : "memory"); s += v; break;
    }
  }
  if (then) {
    unsigned t0 = clock(); while (clock() - t0 < 4000u) {}
    for (int k = 0; k < n; k++) { asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p + (size_t)t * step + (size_t)k * far) : "memory"); s += v; }
  }
  if (s == 12345) out[0] = s;
}
static void hint_case(const char* name, int kind, int step, int lanes, int then, int warps, int n, int far) {
  if (listing) { printf("hint,%s,step%d,lanes%d,then%d,warps%d,n%d,far%d\n", name, step, lanes, then, warps, n, far); return; }
  hints<<<1, warps * 32>>>(d_buf, kind, step, lanes, then, n, far, d_out); OK(cudaGetLastError()); OK(cudaDeviceSynchronize());
}
__global__ void bulk_hint(char* p, int bytes) { if (threadIdx.x == 0) asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" :: "l"(p), "r"(bytes) : "memory"); }
// Bulk writes: kind 0 store, 1 add.u32, 2 add.f32, 3 add.noftz.f16, 4 max.u32, 5 add.u64. Cycles of a block from first issue until wait_group 0.
__global__ void bulk(char* p, int kind, int bytes, int each, size_t stride, long long* out) {
  extern __shared__ __align__(1024) char s[]; int t = threadIdx.x; for (int i = t * 4; i < bytes; i += 128) *(unsigned*)(s + i) = 1;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); __syncthreads();
  if (t) return;
  char* to = p + blockIdx.x * stride; long long t0 = clock64(), t1;
  for (int k = 0; k < each; k++) {
    switch (kind) {
      case 0: asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" :: "l"(to), "r"(sh(s)), "r"(bytes) : "memory"); break;
      case 1: asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" :: "l"(to), "r"(sh(s)), "r"(bytes) : "memory"); break;
      case 2: asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" :: "l"(to), "r"(sh(s)), "r"(bytes) : "memory"); break;
      case 3: asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%0], [%1], %2;" :: "l"(to), "r"(sh(s)), "r"(bytes) : "memory"); break;
      case 4: asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.max.u32 [%0], [%1], %2;" :: "l"(to), "r"(sh(s)), "r"(bytes) : "memory"); break;
      case 5: asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u64 [%0], [%1], %2;" :: "l"(to), "r"(sh(s)), "r"(bytes) : "memory"); break;
    }
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  }
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); t1 = clock64(); out[blockIdx.x] = t1 - t0;
}
static void bulk_times() {
  long long* d; OK(cudaMalloc(&d, 132 * 8)); long long h[132]; cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b);
  printf("kind,bytes,each,blocks,stride,least,mean,most,ns\n");
  OK(cudaFuncSetAttribute(bulk, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
  for (int kind = 0; kind < 6; kind++) for (int bytes : {128, 1024, 4096}) for (int each : {1, 4, 16}) for (int blocks : {1, 16, 132}) for (size_t stride : {(size_t)0, (size_t)8192}) {
    if (kind > 1 && (bytes != 4096 || each == 4)) continue;
    float best = 1e9; long long least = 1 << 30, most = 0; double mean = 0;
    for (int run = 0; run < 4; run++) {
      OK(cudaDeviceSynchronize()); cudaEventRecord(a); bulk<<<blocks, 32, bytes>>>(d_buf, kind, bytes, each, stride, d); cudaEventRecord(b); OK(cudaDeviceSynchronize());
      float ms; cudaEventElapsedTime(&ms, a, b); OK(cudaMemcpy(h, d, blocks * 8, cudaMemcpyDeviceToHost));
      if (ms < best) { best = ms; least = 1 << 30; most = 0; mean = 0; for (int i = 0; i < blocks; i++) { if (h[i] < least) least = h[i]; if (h[i] > most) most = h[i]; mean += h[i]; } mean /= blocks; }
    }
    printf("%d,%d,%d,%d,%zu,%lld,%.0f,%lld,%.0f\n", kind, bytes, each, blocks, stride, least, mean, most, best * 1e6);
  }
}
int main(int argc, char** argv) {
  listing = argc > 1 && !strcmp(argv[1], "list");
  if (!listing) { OK(cudaMalloc(&d_buf, 64 << 20)); OK(cudaMemset(d_buf, 0, 64 << 20)); OK(cudaMalloc(&d_out, 1024)); }
  if (argc > 1 && !strcmp(argv[1], "times")) { bulk_times(); return 0; }
  const Pattern all[] = {
    {"plain", 16, 0, 16, 512, 16, 512, 32, 0, 0, 0, 1}, {"pitch80", 16, 0, 16, 1024, 16, 80, 4, 0, 0, 0, 1}, {"pitch144", 16, 0, 16, 1024, 16, 144, 8, 0, 0, 0, 1}, {"pitch288", 16, 0, 16, 1024, 16, 288, 16, 0, 0, 0, 1},
    {"pitch96", 16, 0, 16, 1024, 16, 96, 4, 0, 0, 0, 1}, {"pitch48", 16, 0, 16, 1024, 16, 48, 2, 0, 0, 0, 1}, {"pitch80close", 16, 0, 16, 64, 16, 80, 4, 0, 0, 0, 1},
    {"shifted16", 16, 0, 16, 512, 16, 512, 32, 0, 16, 0, 1}, {"both16", 16, 0, 16, 512, 16, 512, 32, 16, 16, 0, 1}, {"global16", 16, 0, 16, 512, 16, 512, 32, 16, 0, 0, 1}, {"shifted32", 16, 0, 16, 512, 16, 512, 32, 0, 32, 0, 1}, {"shifted112", 16, 0, 16, 512, 16, 512, 32, 0, 112, 0, 1},
    {"xor1", 16, 0, 16, 512, 16, 512, 32, 0, 0, 1, 1}, {"xor2", 16, 0, 16, 512, 16, 512, 32, 0, 0, 2, 1}, {"xor3", 16, 0, 16, 512, 16, 512, 32, 0, 0, 3, 1}, {"xor7", 16, 0, 16, 512, 16, 512, 32, 0, 0, 7, 1}, {"xor8", 16, 0, 16, 512, 16, 512, 32, 0, 0, 8, 1}, {"xor31", 16, 0, 16, 512, 16, 512, 32, 0, 0, 31, 1},
    {"lines", 16, 0, 128, 4096, 16, 512, 32, 0, 0, 0, 1}, {"columns", 16, 0, 16, 512, 128, 4096, 32, 0, 0, 0, 1}, {"columns144", 16, 0, 16, 512, 144, 4608, 32, 0, 0, 0, 1}, {"both_lines", 16, 0, 128, 4096, 128, 4096, 32, 0, 0, 0, 1},
    {"plain", 16, 1, 16, 512, 16, 512, 32, 0, 0, 0, 1}, {"shifted16", 16, 1, 16, 512, 16, 512, 32, 0, 16, 0, 1}, {"pitch80", 16, 1, 16, 1024, 16, 80, 4, 0, 0, 0, 1}, {"pitch144", 16, 1, 16, 1024, 16, 144, 8, 0, 0, 0, 1}, {"shifted16", 16, 1, 16, 512, 16, 512, 32, 0, 16, 0, 2}, {"plain", 16, 1, 16, 512, 16, 512, 32, 0, 0, 0, 2}, {"lines", 16, 1, 128, 4096, 16, 512, 32, 0, 0, 0, 1},
    {"plain", 8, 1, 8, 256, 8, 256, 32, 0, 0, 0, 1}, {"shifted8", 8, 1, 8, 256, 8, 256, 32, 0, 8, 0, 1}, {"shifted16", 8, 1, 8, 256, 8, 256, 32, 0, 16, 0, 1}, {"pitch72", 8, 1, 8, 1024, 8, 72, 8, 0, 0, 0, 1},
    {"plain", 4, 1, 4, 128, 4, 128, 32, 0, 0, 0, 1}, {"shifted4", 4, 1, 4, 128, 4, 128, 32, 0, 4, 0, 1}, {"shifted16", 4, 1, 4, 128, 4, 128, 32, 0, 16, 0, 1}, {"global4", 4, 1, 4, 128, 4, 128, 32, 4, 0, 0, 1}, {"pitch132", 4, 1, 4, 128, 132, 4224, 32, 0, 0, 0, 1}, {"lines", 4, 1, 128, 4096, 4, 128, 32, 0, 0, 0, 1}, {"rows68", 4, 1, 4, 1024, 4, 68, 16, 0, 0, 0, 1}, {"xor1", 4, 1, 4, 128, 4, 128, 32, 0, 0, 1, 1}, {"xor31", 4, 1, 4, 128, 4, 128, 32, 0, 0, 31, 1}, {"shifted4", 4, 1, 4, 128, 4, 128, 32, 0, 4, 0, 2},
  };
  for (const Pattern& q : all) copy_case(q, 1);
  for (const Pattern& q : all) if (q.bytes == 16 && !q.ca && q.row < 32) copy_case(q, 4);
  const char* names[] = {"prefetch.L2", "prefetch.L1", "prefetchu.L1", "prefetch.L2::evict_last", "ld.L2::64B", "ld.L2::128B", "ld.L2::256B", "ld"};
  for (int kind : {0, 1, 3}) for (int step : {4, 16, 32, 64, 128, 256}) hint_case(names[kind], kind, step, 32, 0, 1, 1, 65536);
  for (int kind : {0, 1}) for (int lanes : {1, 8, 31}) hint_case(names[kind], kind, 16, lanes, 0, 1, 1, 65536);
  for (int kind : {0, 1}) for (int step : {4, 16, 128}) hint_case(names[kind], kind, step, 32, 1, 1, 1, 65536);
  for (int kind : {0, 1}) { hint_case(names[kind], kind, 16, 32, 0, 8, 16, 65536); hint_case(names[kind], kind, 16, 32, 0, 1, 4, 0); }
  for (int kind : {4, 5, 6, 7}) for (int step : {32, 64, 128, 256, 512}) hint_case(names[kind], kind, step, 32, 0, 1, 1, 65536);
  for (int bytes : {16, 128, 1024, 4096}) { if (listing) printf("bulk_prefetch,bytes%d\n", bytes); else { bulk_hint<<<1, 32>>>(d_buf, bytes); OK(cudaDeviceSynchronize()); } }
  for (int kind : {0, 1}) { if (listing) { printf("bulk_%s,4096\n", kind ? "add" : "store"); continue; } bulk<<<1, 32, 4096>>>(d_buf, kind, 4096, 1, 0, (long long*)d_out); OK(cudaDeviceSynchronize()); }
  return 0;
}
