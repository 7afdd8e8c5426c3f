// SPDX-License-Identifier: Apache-2.0
// Arithmetic-bound cases.
#include "harness.cuh"
#include <cuda_fp16.h>
#include <mma.h>

extern "C" __global__ void fma_chain(float* out, const float* in, int n) {  // one dependent chain a thread
  int i = blockIdx.x * blockDim.x + threadIdx.x; float a = in[i], x = a;
  for (int k = 0; k < n; k++) { x = x * a + 0.5f; x = x * a + 0.25f; x = x * a + 0.125f; x = x * a + 0.0625f; }
  out[i] = x;
}
extern "C" __global__ void fma_ilp8(float* out, const float* in, int n) {  // eight independent chains a thread
  int i = blockIdx.x * blockDim.x + threadIdx.x; float a = in[i], x[8];
  for (int j = 0; j < 8; j++) x[j] = a + j;
  for (int k = 0; k < n; k++)
#pragma unroll
    for (int j = 0; j < 8; j++) x[j] = x[j] * a + 0.5f;
  float s = 0; for (int j = 0; j < 8; j++) s += x[j];
  out[i] = s;
}
extern "C" __global__ void int_hash(unsigned* out, const unsigned* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; unsigned h = in[i];
  for (int k = 0; k < n; k++) { h ^= h >> 16; h *= 0x85ebca6bu; h ^= h >> 13; h *= 0xc2b2ae35u; h ^= h >> 16; h += k; }
  out[i] = h;
}
extern "C" __global__ void bit_tricks(unsigned* out, const unsigned* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; unsigned h = in[i], s = 0;
  for (int k = 0; k < n; k++) { s += __popc(h) + __clz(h) + __ffs(h); h = __brev(h) ^ __byte_perm(h, s, 0x2130); h = __funnelshift_l(h, s, k & 31) + __vabsdiffu4(h, s); }
  out[i] = h + s;
}
extern "C" __global__ void int64_mul(unsigned long long* out, const unsigned* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; unsigned long long x = in[i] | 1;
  for (int k = 0; k < n; k++) { x = x * 6364136223846793005ull + 1442695040888963407ull; x ^= __umul64hi(x, x >> 7); }
  out[i] = x;
}
extern "C" __global__ void int_divide(unsigned* out, const unsigned* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; unsigned a = in[i], s = 0;
  for (int k = 1; k <= n; k++) { s += a / (unsigned)(k + (s & 7)); a += s % (unsigned)(k + 3); }
  out[i] = s;
}
extern "C" __global__ void dp_chain(double* out, const double* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; double a = in[i], x = a, y = a + 1;
  for (int k = 0; k < n; k++) { x = x * a + 0.5; y = y * a + 0.25; x = x * a + y; y = y * a + 0.125; }
  out[i] = x + y;
}
extern "C" __global__ void half2_fma(half2* out, const half2* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; half2 a = in[i], x = a, y = a, c = __float2half2_rn(0.5f);
  for (int k = 0; k < n; k++) { x = __hfma2(x, a, c); y = __hfma2(y, a, x); x = __hfma2(x, a, y); y = __hfma2(y, a, c); }
  out[i] = __hadd2(x, y);
}
extern "C" __global__ void special_functions(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; float x = in[i], s = 0;
  for (int k = 0; k < n; k++) { s += __sinf(x) + __expf(x * 0.01f); x = rsqrtf(x + 1.0f) + __log2f(s * s + 1.0f); }
  out[i] = s;
}
extern "C" __global__ void precise_math(float* out, const float* in, int n) {  // slow paths: sinf, powf, division, sqrt
  int i = blockIdx.x * blockDim.x + threadIdx.x; float x = in[i], s = 0;
  for (int k = 0; k < n; k++) { s += sinf(x * 3.0f) / (1.0f + expf(x)); x = sqrtf(x + 0.1f) + powf(x, 0.3f) * 0.1f; }
  out[i] = s;
}
extern "C" __global__ void black_scholes(float* call, float* put, const float* s, const float* x, const float* t, float r, float v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
  float sq = sqrtf(t[i]), d1 = (__logf(s[i] / x[i]) + (r + 0.5f * v * v) * t[i]) / (v * sq), d2 = d1 - v * sq;
  auto cnd = [](float d) { float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float c = 0.3989422804f * __expf(-0.5f * d * d) * (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1.0f - c : c; };
  float n1 = cnd(d1), n2 = cnd(d2), e = __expf(-r * t[i]);
  call[i] = s[i] * n1 - x[i] * e * n2; put[i] = x[i] * e * (1.0f - n2) - s[i] * (1.0f - n1);
}
extern "C" __global__ void nbody(float4* acc, const float4* pos, int n) {
  __shared__ float4 tile[128]; int i = blockIdx.x * 128 + threadIdx.x; float4 p = pos[i]; float ax = 0, ay = 0, az = 0;
  for (int t = 0; t < n; t += 128) {
    tile[threadIdx.x] = pos[t + threadIdx.x]; __syncthreads();
#pragma unroll 8
    for (int k = 0; k < 128; k++) { float4 q = tile[k]; float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
      float inv = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), s = q.w * inv * inv * inv; ax += dx * s; ay += dy * s; az += dz * s; }
    __syncthreads();
  }
  acc[i] = make_float4(ax, ay, az, 0);
}
extern "C" __global__ void mandelbrot(unsigned* out, int width, int height, int limit) {  // divergent trip counts
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; if (x >= width || y >= height) return;
  float cr = -2.0f + 3.0f * x / width, ci = -1.2f + 2.4f * y / height, zr = 0, zi = 0; int k = 0;
  while (k < limit && zr * zr + zi * zi < 4.0f) { float t = zr * zr - zi * zi + cr; zi = 2 * zr * zi + ci; zr = t; k++; }
  out[y * width + x] = k;
}
extern "C" __global__ void divergent_switch(unsigned* out, const unsigned* in, int n) {  // up to 8 paths in a warp
  int i = blockIdx.x * blockDim.x + threadIdx.x; unsigned h = in[i];
  for (int k = 0; k < n; k++) switch (h & 7) {
    case 0: h = h * 5 + 1; break; case 1: h = (h >> 3) ^ 0x9e3779b9; break; case 2: h += __popc(h) * 77; break; case 3: h = ~h * 3; break;
    case 4: h = (h << 7) | (h >> 25); break; case 5: h ^= h * h; break; case 6: h -= 0x1234567; break; default: h = h * 0x85ebca6b + 7; }
  out[i] = h;
}
extern "C" __global__ void monte_carlo_pi(unsigned* hits, int n) {
  unsigned s = (blockIdx.x * blockDim.x + threadIdx.x) * 747796405u + 2891336453u, c = 0;
  for (int k = 0; k < n; k++) { s = s * 1664525u + 1013904223u; float x = (s >> 8) * 0x1p-24f; s = s * 1664525u + 1013904223u; float y = (s >> 8) * 0x1p-24f; c += x * x + y * y < 1.0f; }
  for (int o = 16; o; o >>= 1) c += __shfl_down_sync(~0u, c, o);
  if ((threadIdx.x & 31) == 0) atomicAdd(hits, c);
}
extern "C" __global__ void wmma_gemm(float* c, const half* a, const half* b, int m, int n, int k) {  // one 16x16 tile a warp, straight from global
  using namespace nvcuda::wmma; int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, tiles_n = n / 16, tm = warp / tiles_n, tn = warp % tiles_n;
  fragment<accumulator, 16, 16, 16, float> acc; fill_fragment(acc, 0.0f);
  for (int q = 0; q < k; q += 16) {
    fragment<matrix_a, 16, 16, 16, half, row_major> fa; fragment<matrix_b, 16, 16, 16, half, row_major> fb;
    load_matrix_sync(fa, a + tm * 16 * k + q, k); load_matrix_sync(fb, b + q * n + tn * 16, n); mma_sync(acc, fa, fb, acc);
  }
  store_matrix_sync(c + tm * 16 * n + tn * 16, acc, n, mem_row_major);
}
extern "C" __global__ void mma_rate(float* out, int n) {  // mma.sync m16n8k16 f16, four independent accumulators
  unsigned a[4] = {0x3c003c00u, 0x3c003c00u, 0x38003800u, 0x38003800u}, b[2] = {0x3c003c00u, 0x34003400u}; float d[4][4] = {};
  for (int k = 0; k < n; k++)
#pragma unroll
    for (int j = 0; j < 4; j++)
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
        : "+f"(d[j][0]), "+f"(d[j][1]), "+f"(d[j][2]), "+f"(d[j][3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  float s = 0; for (int j = 0; j < 4; j++) s += d[j][0] + d[j][1] + d[j][2] + d[j][3];
  out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
__device__ __noinline__ unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
extern "C" __global__ void recursion(unsigned* out, const unsigned* in) { int i = blockIdx.x * blockDim.x + threadIdx.x; out[i] = fib(in[i]); }
typedef unsigned (*op_t)(unsigned, unsigned);
__device__ unsigned op_add(unsigned a, unsigned b) { return a + b; }
__device__ unsigned op_xor(unsigned a, unsigned b) { return a ^ b; }
__device__ unsigned op_mul(unsigned a, unsigned b) { return a * b; }
__device__ op_t ops[3] = {op_add, op_xor, op_mul};
extern "C" __global__ void indirect_calls(unsigned* out, const unsigned* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; unsigned h = in[i];
  for (int k = 0; k < n; k++) h = ops[(h >> 5) % 3](h, k * 2654435761u + 1);
  out[i] = h;
}
extern "C" __global__ void __launch_bounds__(256) many_registers(float* out, const float* in, int n) {  // register-limited occupancy
  int i = blockIdx.x * blockDim.x + threadIdx.x; float x[96];
#pragma unroll
  for (int j = 0; j < 96; j++) x[j] = in[i] + j;
  for (int k = 0; k < n; k++)
#pragma unroll
    for (int j = 0; j < 96; j++) x[j] = x[j] * 0.75f + x[(j + 17) % 96];
  float s = 0;
#pragma unroll
  for (int j = 0; j < 96; j++) s += x[j];
  out[i] = s;
}

void register_compute() {
  CASE("fma_chain", "compute", fma_chain, "latency bound, one warp a scheduler").g(132).b(128).out("out", "f32", 132 * 128).in("in", "f32", 132 * 128, "uniform", 31).i(512);
  CASE("fma_ilp8_full", "compute", fma_ilp8, "throughput bound").g(528).b(512).out("out", "f32", 528 * 512).in("in", "f32", 528 * 512, "uniform", 32).i(256);
  CASE("int_hash", "compute", int_hash).g(264).b(512).out("out", "u32", 264 * 512).in("in", "u32", 264 * 512, "raw", 33).i(256);
  CASE("bit_tricks", "compute", bit_tricks).g(264).b(256).out("out", "u32", 264 * 256).in("in", "u32", 264 * 256, "raw", 34).i(128);
  CASE("int64_mul", "compute", int64_mul).g(264).b(256).out("out", "f64", 264 * 256).in("in", "u32", 264 * 256, "raw", 35).i(128);
  CASE("int_divide", "compute", int_divide).g(264).b(256).out("out", "u32", 264 * 256).in("in", "u32", 264 * 256, "raw", 36).i(64);
  CASE("dp_chain", "compute", dp_chain, "fp64 pipe").g(264).b(256).out("out", "f64", 264 * 256).in("in", "f64", 264 * 256, "uniform", 37).i(128);
  CASE("half2_fma", "compute", half2_fma).g(264).b(256).out("out", "f16", 2 * 264 * 256).in("in", "f16", 2 * 264 * 256, "uniform", 38).i(256);
  CASE("special_functions", "compute", special_functions, "special function unit").g(264).b(256).out("out", "f32", 264 * 256).in("in", "f32", 264 * 256, "positive", 39).i(128);
  CASE("precise_math", "compute", precise_math, "libdevice slow paths").g(132).b(256).out("out", "f32", 132 * 256).in("in", "f32", 132 * 256, "positive", 40).i(32);
  CASE("black_scholes", "compute", black_scholes).g(1024).b(256).out("call", "f32", 1 << 18).out("put", "f32", 1 << 18).in("s", "f32", 1 << 18, "positive", 41).in("x", "f32", 1 << 18, "positive", 42).in("t", "f32", 1 << 18, "positive", 43).f(0.02f).f(0.3f).i(1 << 18);
  CASE("nbody_8k", "compute", nbody).g(64).b(128).out("acc", "f32", 4 * 8192).in("pos", "f32", 4 * 8192, "uniform", 44).i(8192);
  CASE("mandelbrot", "compute", mandelbrot, "loop divergence").g(16, 64).b(32, 8).out("out", "u32", 512 * 512).i(512).i(512).i(256);
  CASE("divergent_switch", "compute", divergent_switch, "branch divergence").g(264).b(256).out("out", "u32", 264 * 256).in("in", "u32", 264 * 256, "raw", 45).i(64);
  CASE("monte_carlo_pi", "compute", monte_carlo_pi).g(264).b(256).out("hits", "u32", 1).i(256);
  CASE("wmma_gemm_512", "compute", wmma_gemm, "tensor cores from global memory").g(128).b(256).out("c", "f32", 512 * 512).in("a", "f16", 512 * 512, "uniform", 46).in("b", "f16", 512 * 512, "uniform", 47).i(512).i(512).i(512);
  CASE("mma_rate", "compute", mma_rate, "tensor pipe rate").g(132).b(512).out("out", "f32", 132 * 512).i(256);
  CASE("recursion_fib", "compute", recursion, "call stack").g(132).b(64).out("out", "u32", 132 * 64).in("in", "u32", 132 * 64, "range", 48, 12);
  CASE("indirect_calls", "compute", indirect_calls, "function pointers").g(132).b(128).out("out", "u32", 132 * 128).in("in", "u32", 132 * 128, "raw", 49).i(64);
  CASE("many_registers", "compute", many_registers, "register-limited").g(264).b(256).out("out", "f32", 264 * 256).in("in", "f32", 264 * 256, "uniform", 50).i(32);
}
