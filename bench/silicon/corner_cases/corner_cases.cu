// SPDX-License-Identifier: Apache-2.0
// Twenty kernels unlike those of the suite, which nobody fitted anything to: see README.md.
#include "../harness.cuh"
#include <cuda_fp16.h>

extern "C" __global__ void one_warp_sum(float* out, const float* in, int n) {  // one warp on the whole GPU
  float s = 0; for (int i = threadIdx.x; i < n; i += 32) s += in[i];
  for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
  if (threadIdx.x == 0) out[0] = s;
}
extern "C" __global__ void tiny_blocks(unsigned* out, const unsigned* in) {  // a big grid of one-warp blocks
  unsigned i = blockIdx.x * 32 + threadIdx.x; out[i] = in[i] * 2654435761u ^ (i >> 3);
}
extern "C" __global__ void mixed_pipes(float* out, const float* in, int n) {  // fp32, integer, special functions and conversions together
  int i = blockIdx.x * blockDim.x + threadIdx.x; float x = in[i], y = x * 0.5f; unsigned h = i;
  for (int k = 0; k < n; k++) {
    x = fmaf(x, y, 0.25f); h = h * 1664525u + 1013904223u; y = __sinf(x) + (float)(h >> 20) * 0x1p-12f; h ^= __float_as_uint(y); x = fminf(x, 2.0f) - (float)__popc(h) * 0.01f;
  }
  out[i] = x + y;
}
extern "C" __global__ void collatz(unsigned* out, const unsigned* in, int limit) {  // every lane its own trip count
  int i = blockIdx.x * blockDim.x + threadIdx.x; unsigned long long v = in[i] + 1; int c = 0;
  while (v != 1 && c < limit) { v = v & 1 ? 3 * v + 1 : v >> 1; c++; }
  out[i] = c;
}
extern "C" __global__ void decision_tree(int* out, const float* in, const float* node, int depth) {  // divergent walk through a table
  int i = blockIdx.x * blockDim.x + threadIdx.x; float x = in[i]; int p = 0;
  for (int d = 0; d < depth; d++) {
    float t = node[p];
    if (x < t) { p = 2 * p + 1; x = x * 1.25f + 0.1f; } else { p = 2 * p + 2; x = x - t * 0.5f; }
    if (x > 4.0f) { x = sqrtf(x); p ^= 1; }
  }
  out[i] = p;
}
extern "C" __global__ void odd_stride(float* out, const float* in, int n, int stride) {  // stride of 7 elements, wraps around
  int i = blockIdx.x * blockDim.x + threadIdx.x; float s = 0;
  for (int k = 0; k < 8; k++) s += in[(unsigned)(i * stride + k * 12345) % (unsigned)n];
  out[i] = s;
}
struct Particle { float x, y, z, vx, vy, vz, m; };
extern "C" __global__ void aos_update(Particle* p, float dt, int n) {  // structures of 28 bytes
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
  Particle q = p[i]; float r = rsqrtf(q.x * q.x + q.y * q.y + q.z * q.z + 1.0f), a = -q.m * r * r * r;
  q.vx += a * q.x * dt; q.vy += a * q.y * dt; q.vz += a * q.z * dt; q.x += q.vx * dt; q.y += q.vy * dt; q.z += q.vz * dt; p[i] = q;
}
extern "C" __global__ void dgemm_tile(double* c, const double* a, const double* b, int n) {  // f64, 16 x 16 tiles
  __shared__ double s[16][16], t[16][17]; int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x; double sum = 0;
  for (int k = 0; k < n; k += 16) {
    s[y][x] = a[row * n + k + x]; t[y][x] = b[(k + y) * n + col]; __syncthreads();
    for (int j = 0; j < 16; j++) sum += s[y][j] * t[j][x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}
extern "C" __global__ void f64_newton(double* out, const double* in, int n) {  // division and square root in f64
  int i = blockIdx.x * blockDim.x + threadIdx.x; double a = in[i], x = a;
  for (int k = 0; k < n; k++) x = 0.5 * (x + a / x) + 1e-3 * sqrt(x);
  out[i] = x;
}
extern "C" __global__ void long_chain(unsigned* out, const unsigned* in, int n) {  // one block an SM, one chain of dependent loads and arithmetic
  unsigned p = threadIdx.x + blockIdx.x * blockDim.x, s = 0;
  for (int k = 0; k < n; k++) { p = in[p & 0xffff]; s = s * 33 + (p ^ (s >> 5)); p += s & 15; }
  out[threadIdx.x + blockIdx.x * blockDim.x] = s;
}
extern "C" __global__ void many_barriers(float* out, const float* in, int rounds) {  // neighbours in shared memory, a barrier each round
  __shared__ float s[2][512]; int t = threadIdx.x; s[0][t] = in[blockIdx.x * 512 + t]; __syncthreads();
  for (int r = 0; r < rounds; r++) { s[(r + 1) & 1][t] = 0.5f * s[r & 1][(t + 1) & 511] + 0.25f * s[r & 1][(t + 511) & 511]; __syncthreads(); }
  out[blockIdx.x * 512 + t] = s[rounds & 1][t];
}
extern "C" __global__ void warp_scan_rows(unsigned* out, const unsigned* in, int rows) {  // shuffles: inclusive scan of 32-wide rows
  int lane = threadIdx.x & 31, w = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, nw = gridDim.x * blockDim.x >> 5;
  for (int r = w; r < rows; r += nw) {
    unsigned v = in[r * 32 + lane];
    for (int o = 1; o < 32; o <<= 1) { unsigned u = __shfl_up_sync(~0u, v, o); if (lane >= o) v += u; }
    out[r * 32 + lane] = v;
  }
}
extern "C" __global__ void conv5x5(float* out, const float* in, const float* w, int width) {  // register window, halo in shared memory
  __shared__ float t[20][36]; int x0 = blockIdx.x * 32, y0 = blockIdx.y * 16;
  for (int k = threadIdx.y * 32 + threadIdx.x; k < 20 * 36; k += 512) {
    int y = y0 + k / 36 - 2, x = x0 + k % 36 - 2; t[k / 36][k % 36] = (y >= 0 && x >= 0 && y < width && x < width) ? in[y * width + x] : 0.0f;
  }
  __syncthreads(); float s = 0;
#pragma unroll
  for (int j = 0; j < 5; j++)
#pragma unroll
    for (int i = 0; i < 5; i++) s = fmaf(t[threadIdx.y + j][threadIdx.x + i], w[j * 5 + i], s);
  out[(y0 + threadIdx.y) * width + x0 + threadIdx.x] = s;
}
extern "C" __global__ void byte_histogram(unsigned* hist, const unsigned char* in, int n) {  // one histogram a warp in shared memory
  __shared__ unsigned h[8][256]; int w = threadIdx.x >> 5;
  for (int k = threadIdx.x; k < 2048; k += 256) h[k >> 8][k & 255] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) atomicAdd(&h[w][in[i]], 1u);
  __syncthreads(); unsigned s = 0; for (int j = 0; j < 8; j++) s += h[j][threadIdx.x];
  if (s) atomicAdd(&hist[threadIdx.x], s);
}
extern "C" __global__ void half_softplus(half* out, const half* in, int n) {  // two-byte accesses, half arithmetic, special functions
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; half x = in[i]; float f = __half2float(x);
  out[i] = __hadd(__float2half(__logf(1.0f + __expf(f))), __hmul(x, __float2half(0.125f)));
}
extern "C" __global__ void string_search(int* count, const unsigned char* text, const unsigned char* pattern, int n, int m) {  // bytes, early exits
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i + m > n) return;
  for (int k = 0; k < m; k++) if (text[i + k] != pattern[k]) return;
  atomicAdd(count, 1);
}
extern "C" __global__ void lu_column(float* m, int n, int steps) {  // serial steps with less and less parallel work
  extern __shared__ float a[]; float* g = m + blockIdx.x * n * n; int t = threadIdx.x;
  for (int k = t; k < n * n; k += blockDim.x) a[k] = g[k];
  __syncthreads();
  for (int k = 0; k < steps; k++) {
    float p = 1.0f / a[k * n + k];
    if (t > k && t < n) a[t * n + k] *= p;
    __syncthreads();
    if (t > k && t < n) { float l = a[t * n + k]; for (int j = k + 1; j < n; j++) a[t * n + j] -= l * a[k * n + j]; }
    __syncthreads();
  }
  for (int k = t; k < n * n; k += blockDim.x) g[k] = a[k];
}
extern "C" __global__ void xorshift_walk(unsigned* out, unsigned* grid, int steps) {  // scattered writes and reads, 64-bit generator
  int i = blockIdx.x * blockDim.x + threadIdx.x; unsigned long long s = (i + 1) * 0x9E3779B97F4A7C15ull; unsigned acc = 0;
  for (int k = 0; k < steps; k++) {
    s ^= s << 13; s ^= s >> 7; s ^= s << 17; unsigned a = (unsigned)(s >> 40) & 0xfffff; acc += grid[a];
  }
  out[i] = acc;
}
extern "C" __global__ void merge_path(unsigned* out, const unsigned* a, const unsigned* b, int n) {  // each thread merges eight values
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * 8; int lo = max(0, i - n), hi = min(i, n);
  while (lo < hi) { int m = (lo + hi) >> 1; if (a[m] <= b[i - m - 1]) lo = m + 1; else hi = m; }
  int x = lo, y = i - lo;
  for (int k = 0; k < 8; k++) { bool take = y >= n || (x < n && a[x] <= b[y]); out[i + k] = take ? a[x++] : b[y++]; }
}
extern "C" __global__ void grid_stride_poly(float* y, const float* x, int n) {  // few blocks, long loops, wide loads, a polynomial of degree twelve
  const float4* p = (const float4*)x; float4* q = (float4*)y;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
    float4 v = p[i], r; float* vv = &v.x; float* rr = &r.x;
#pragma unroll
    for (int c = 0; c < 4; c++) { float s = 0.001f; for (int d = 1; d <= 12; d++) s = fmaf(s, vv[c], 1.0f / d); rr[c] = s; }
    q[i] = r;
  }
}
void register_corner_cases() {
  CASE("one_warp_sum", "corner_cases", one_warp_sum, "one warp on the whole GPU").g(1).b(32).out("out", "f32", 1).in("in", "f32", 8192, "uniform", 201).i(8192);
  CASE("tiny_blocks", "corner_cases", tiny_blocks, "65536 blocks of one warp").g(65536).b(32).out("out", "u32", 2097152).in("in", "u32", 2097152, "raw", 202);
  CASE("mixed_pipes", "corner_cases", mixed_pipes, "fp32, integer, special functions and conversions").g(264).b(192).out("out", "f32", 264 * 192).in("in", "f32", 264 * 192, "uniform", 203).i(64);
  CASE("collatz", "corner_cases", collatz, "data-dependent trip counts").g(200).b(128).out("out", "u32", 25600).in("in", "u32", 25600, "range", 204, 100000).i(400);
  CASE("decision_tree", "corner_cases", decision_tree, "divergent walk").g(300).b(256).out("out", "i32", 76800).in("in", "f32", 76800, "uniform", 205).in("node", "f32", 16384, "uniform", 206).i(12);
  CASE("odd_stride", "corner_cases", odd_stride, "stride of seven elements").g(512).b(160).out("out", "f32", 81920).in("in", "f32", 1 << 20, "uniform", 207).i(1 << 20).i(7);
  CASE("aos_update", "corner_cases", aos_update, "structures of 28 bytes").g(1000).b(100).out("p", "f32", 700000, "positive", 208).f(0.01f).i(100000);
  CASE("dgemm_tile", "corner_cases", dgemm_tile, "f64 tiles").g(12, 12).b(16, 16).out("c", "f64", 192 * 192).in("a", "f64", 192 * 192, "uniform", 209).in("b", "f64", 192 * 192, "uniform", 210).i(192);
  CASE("f64_newton", "corner_cases", f64_newton, "f64 division and square root").g(132).b(96).out("out", "f64", 132 * 96).in("in", "f64", 132 * 96, "positive", 211).i(24);
  CASE("long_chain", "corner_cases", long_chain, "dependent loads and arithmetic").g(132).b(64).out("out", "u32", 132 * 64).in("in", "u32", 65536, "range", 212, 65536).i(300);
  CASE("many_barriers", "corner_cases", many_barriers, "a barrier each round").g(264).b(512).out("out", "f32", 264 * 512).in("in", "f32", 264 * 512, "uniform", 213).i(80);
  CASE("warp_scan_rows", "corner_cases", warp_scan_rows, "shuffles").g(396).b(128).out("out", "u32", 65536 * 8).in("in", "u32", 65536 * 8, "range", 214, 1000).i(16384);
  CASE("conv5x5", "corner_cases", conv5x5, "halo in shared memory").g(24, 48).b(32, 16).out("out", "f32", 768 * 768).in("in", "f32", 768 * 768, "uniform", 215).in("w", "f32", 25, "uniform", 216).i(768);
  CASE("byte_histogram", "corner_cases", byte_histogram, "one histogram a warp").g(132).b(256).out("hist", "u32", 256).in("in", "u8", 1 << 20, "raw", 217).i(1 << 20);
  CASE("half_softplus", "corner_cases", half_softplus, "two-byte accesses").g(2048).b(128).out("out", "f16", 2048 * 128).in("in", "f16", 2048 * 128, "uniform", 218).i(2048 * 128);
  CASE("string_search", "corner_cases", string_search, "bytes and early exits").g(2048).b(256).out("count", "i32", 1).in("text", "u8", 2048 * 256, "range", 219, 3).in("pattern", "u8", 6, "range", 220, 3).i(2048 * 256).i(6);
  CASE("lu_column", "corner_cases", lu_column, "serial steps, shrinking work").g(140).b(64).dyn(64 * 64 * 4).out("m", "f32", 140 * 4096, "positive", 221).i(64).i(48);
  CASE("xorshift_walk", "corner_cases", xorshift_walk, "random reads of 4 MiB").g(160).b(128).out("out", "u32", 20480).in("grid", "u32", 1 << 20, "raw", 222).i(32);
  CASE("merge_path", "corner_cases", merge_path, "binary search, then merge").g(64).b(256).out("out", "u32", 131072).in("a", "u32", 65536, "iota").in("b", "u32", 65536, "iota").i(65536);
  CASE("grid_stride_poly", "corner_cases", grid_stride_poly, "wide loads, few blocks").g(100).b(256).out("y", "f32", 1 << 21).in("x", "f32", 1 << 21, "uniform", 223).i(1 << 21);
}
