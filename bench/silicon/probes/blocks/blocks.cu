// SPDX-License-Identifier: Apache-2.0
// When the blocks of short kernels begin and end on each SM, what the steps of a grid's barrier take, what atomics cost by address.
#include <algorithm>
#include <string>
#include <vector>
#include "../harness.cuh"
struct Stamp { uint64_t begin, mid, end, wall; unsigned sm, pad; };
__device__ unsigned smid() { unsigned r; asm volatile("mov.u32 %0, %%smid;" : "=r"(r)); return r; }
__device__ uint64_t wall() { uint64_t t; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t) :: "memory"); return t; }
__device__ void stamp(Stamp* s, uint64_t b, uint64_t m, uint64_t w) {
  const uint64_t e = now64();
  if ((threadIdx.x & 31) == 0) s[(blockIdx.x * (size_t)blockDim.x + threadIdx.x) / 32] = {b, m, e, w, smid(), 0};
}
__global__ void touch(const float4* p, size_t n, float* out) { float s = 0; for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) s += p[i].x; if (s == 12345.f) *out = s; }
__global__ void nothing(Stamp* s, float* dst, const float* src, int stride) { const uint64_t b = now64(), w = wall(); stamp(s, b, b, w); }
__global__ void strided(Stamp* s, float* dst, const float* src, int stride) {
  const uint64_t b = now64(), w = wall(); const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = src[(size_t)i * stride]; uint64_t m; asm volatile("{ .reg .f32 t; add.f32 t, %1, 0f00000000; mov.u64 %0, %%clock64; }" : "=l"(m) : "f"(v) : "memory");
  if (v == 12345.f) m = 0; dst[i] = v; stamp(s, b, m, w);
}
__global__ void local_array(Stamp* st, unsigned* out, const unsigned* in, int rounds) {
  const uint64_t b = now64(), w = wall(); unsigned a[64]; int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 64; k++) a[k] = in[i] + k;
  unsigned s = in[i];
  for (int r = 0; r < rounds; r++) { s = s * 1664525u + 1013904223u; a[s >> 26] += s; s ^= a[(s >> 20) & 63]; }
  out[i] = s; stamp(st, b, b, w);
}
static float *src, *dst; static Stamp* stamps; static float4* flush_buf; static const size_t kFlush = size_t{256} << 20;
template <class F> static void timeline(const char* name, int grid, int threads, bool cold, F&& launch) {
  for (int k = 0; k < 2; ++k) {
    if (cold) touch<<<1056, 256>>>(flush_buf, kFlush / 16, dst);
    OK(cudaDeviceSynchronize()); launch(); OK(cudaGetLastError()); OK(cudaDeviceSynchronize());
  }
  const int warps = threads / 32; std::vector<Stamp> s((size_t)grid * warps);
  OK(cudaMemcpy(s.data(), stamps, s.size() * sizeof(Stamp), cudaMemcpyDeviceToHost));
  uint64_t w0 = ~0ull; for (auto& x : s) w0 = std::min(w0, x.wall);
  for (int bl = 0; bl < grid; ++bl) {
    uint64_t b0 = ~0ull, b1 = 0, m0 = ~0ull, m1 = 0, e0 = ~0ull, e1 = 0, w = ~0ull;
    for (int k = 0; k < warps; ++k) { auto& x = s[(size_t)bl * warps + k]; b0 = std::min(b0, x.begin); b1 = std::max(b1, x.begin); m0 = std::min(m0, x.mid); m1 = std::max(m1, x.mid); e0 = std::min(e0, x.end); e1 = std::max(e1, x.end); w = std::min(w, x.wall); }
    printf("%s,%d,%u,%llu,%llu,%llu,%llu,%llu,%llu,%llu\n", name, bl, s[(size_t)bl * warps].sm, (unsigned long long)b0, (unsigned long long)(b1 - b0), (unsigned long long)(m0 - b0), (unsigned long long)(m1 - b0), (unsigned long long)(e0 - b0), (unsigned long long)(e1 - b0), (unsigned long long)(w - w0));
  }
}
// --- a grid barrier in steps: bar, fence, atomic, polls until the count is there, fence, bar. times[round * 8 + ...]
__global__ void barrier_steps(unsigned* count, uint64_t* times, int rounds, int mode) {
  for (int r = 0; r < rounds; ++r) {
    uint64_t t0 = now64(), t1, t2, t3, t4, t5, t6; unsigned polls = 0; t1 = t2 = t3 = t4 = t5 = t0;
    __syncthreads(); t1 = now64();
    if (threadIdx.x == 0) {
      if (mode != 2) __threadfence();
      t2 = now64();
      const unsigned goal = (r + 1) * gridDim.x; unsigned old;
      old = atomicAdd(count, 1); if (old == 0xffffffff) polls = 1; t3 = now64();
      if (mode == 0) { while (*(volatile unsigned*)count < goal) ++polls; }
      else { unsigned v; do { asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(count) : "memory"); ++polls; } while (v < goal); }
      t4 = now64();
      if (mode != 2) __threadfence();
      t5 = now64();
    }
    __syncthreads(); t6 = now64();
    if (threadIdx.x == 0) { uint64_t* o = times + ((size_t)blockIdx.x * rounds + r) * 8; o[0] = t1 - t0; o[1] = t2 - t1; o[2] = t3 - t2; o[3] = t4 - t3; o[4] = t5 - t4; o[5] = t6 - t5; o[6] = polls; o[7] = t6 - t0; }
  }
}
static void barriers() {
  unsigned* count; uint64_t* times; const int rounds = 40; OK(cudaMalloc(&count, 1 << 20)); OK(cudaMalloc(&times, 132 * rounds * 64));
  for (int at : {0, 8192, 65536 * 3}) for (int mode : {0, 1, 2}) for (int blocks : {1, 2, 16, 132}) {
    unsigned* c = count + at / 4; OK(cudaMemset(count, 0, 1 << 20)); void* args[] = {&c, &times, (void*)&rounds, &mode};
    OK(cudaLaunchCooperativeKernel((void*)barrier_steps, dim3(blocks), dim3(256), args, 0, 0)); OK(cudaDeviceSynchronize());
    std::vector<uint64_t> t((size_t)blocks * rounds * 8); OK(cudaMemcpy(t.data(), times, t.size() * 8, cudaMemcpyDeviceToHost));
    printf("barrier,at%d,mode%d,blocks%d", at, mode, blocks);
    for (int k = 0; k < 8; ++k) { std::vector<uint64_t> v; for (int b = 0; b < blocks; ++b) for (int r = 10; r < rounds; ++r) v.push_back(t[((size_t)b * rounds + r) * 8 + k]); std::sort(v.begin(), v.end()); printf(",%llu/%llu/%llu", (unsigned long long)v[v.size() / 20], (unsigned long long)v[v.size() / 2], (unsigned long long)v[v.size() * 19 / 20]); }
    printf("\n");
  }
}
// --- dependent atomics and loads past L1 of one thread, by address: near and far side
__global__ void latency(unsigned* mem, int lines, int step, uint64_t* out) {
  for (int k = 0; k < lines; ++k) {
    unsigned x = 0; unsigned* p = mem + (size_t)k * step; x = atomicAdd(p, 0);
    uint64_t t = now64(); for (int j = 0; j < 8; ++j) x = atomicAdd(p + x, x); if (x == 1) out[1] = x; const uint64_t a = now64() - t;
    t = now64(); for (int j = 0; j < 8; ++j) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(x) : "l"(p + x) : "memory"); if (x == 1) out[1] = x; const uint64_t l = now64() - t;
    out[2 * k] = a; out[2 * k + 1] = l;
  }
}
int main() {
  OK(cudaMalloc(&src, 64 << 20)); OK(cudaMemset(src, 0, 64 << 20)); OK(cudaMalloc(&dst, 64 << 20)); OK(cudaMalloc(&stamps, sizeof(Stamp) << 17)); OK(cudaMalloc(&flush_buf, kFlush)); OK(cudaMemset(flush_buf, 0, kFlush));
  printf("name,block,sm,begin,last_begin,first_loaded,last_loaded,first_end,last_end,wall\n");
  timeline("empty_1024x256", 1024, 256, true, [] { nothing<<<1024, 256>>>(stamps, dst, src, 1); });
  for (int s : {1, 2, 4, 32}) { std::string n = "strided_" + std::to_string(s) + "_1024x256"; timeline(n.c_str(), 1024, 256, true, [s] { strided<<<1024, 256>>>(stamps, dst, src, s); }); }
  timeline("strided_2_warm", 1024, 256, false, [] { strided<<<1024, 256>>>(stamps, dst, src, 2); });
  timeline("strided_1_256x256", 256, 256, true, [] { strided<<<256, 256>>>(stamps, dst, src, 1); });
  timeline("strided_1_2048x128", 2048, 128, true, [] { strided<<<2048, 128>>>(stamps, dst, src, 1); });
  timeline("strided_1_2048x256", 2048, 256, true, [] { strided<<<2048, 256>>>(stamps, dst, src, 1); });
  timeline("local_array", 264, 128, true, [] { local_array<<<264, 128>>>(stamps, (unsigned*)dst, (unsigned*)src, 64); });
  barriers();
  uint64_t* o; OK(cudaMalloc(&o, 1 << 16)); const int lines = 48;
  for (int step : {32, 1024, 16384}) { latency<<<1, 1>>>((unsigned*)src, lines, step, o); OK(cudaDeviceSynchronize()); std::vector<uint64_t> v(lines * 2); OK(cudaMemcpy(v.data(), o, lines * 16, cudaMemcpyDeviceToHost)); printf("latency,step%d", step); for (auto x : v) printf(",%llu", (unsigned long long)x / 8); printf("\n"); }
  return 0;
}
