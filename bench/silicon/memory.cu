// SPDX-License-Identifier: Apache-2.0
// Global-memory cases: streaming, coalescing, caches, residency.
#include "harness.cuh"

extern "C" __global__ void vecadd(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
extern "C" __global__ void saxpy_grid_stride(float* y, const float* x, float alpha, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = alpha * x[i] + y[i];
}
extern "C" __global__ void copy_float4(float4* dst, const float4* src, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) dst[i] = src[i];
}
extern "C" __global__ void copy_u8(uint8_t* dst, const uint8_t* src, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) dst[i] = src[i] ^ 0x5a;
}
extern "C" __global__ void strided_read(float* dst, const float* src, int stride, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) dst[i] = src[(size_t)i * stride];
}
extern "C" __global__ void offset_read(float* dst, const float* src, int offset, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) dst[i] = src[i + offset];
}
extern "C" __global__ void gather(float* dst, const float* src, const unsigned* index, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) dst[i] = src[index[i]];
}
extern "C" __global__ void scatter(float* dst, const float* src, const unsigned* index, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) dst[index[i]] = src[i];
}
extern "C" __global__ void stencil5(float* out, const float* in, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  int k = y * width + x;
  out[k] = 0.5f * in[k] + 0.125f * (in[k - 1] + in[k + 1] + in[k - width] + in[k + width]);
}
extern "C" __global__ void stencil7_3d(float* out, const float* in, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1) return;
  int plane = nx * ny, k = y * nx + x;
  float below = in[k], mid = in[k + plane];
  for (int z = 1; z < nz - 1; z++) {
    float above = in[k + (z + 1) * plane]; int q = k + z * plane;
    out[q] = 0.4f * mid + 0.1f * (above + below + in[q - 1] + in[q + 1] + in[q - nx] + in[q + nx]);
    below = mid; mid = above;
  }
}
extern "C" __global__ void transpose_naive(float* out, const float* in, int n) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(size_t)x * n + y + j] = in[(size_t)(y + j) * n + x];
}
extern "C" __global__ void reread(float* out, const float* hot, int n, int rounds) {  // every block reads the same n floats, `rounds` times
  float acc = 0;
  for (int r = 0; r < rounds; r++)
    for (int i = threadIdx.x; i < n; i += blockDim.x) acc += hot[(i + r) & (n - 1)];
  out[blockIdx.x * blockDim.x + threadIdx.x] = acc;
}
extern "C" __global__ void hot_and_stream(float* stream, const float* hot, int hot_n, int per_thread) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, total = gridDim.x * blockDim.x;
  for (int k = 0; k < per_thread; k++) {
    int i = t + k * total;
    stream[i] = stream[i] + hot[i % hot_n];
  }
}
extern "C" __global__ void ldg_readonly(float* out, const float* __restrict__ a, const float* __restrict__ w, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  if (i + 16 <= n) { for (int k = 0; k < 16; k++) s += a[i + k] * w[k]; out[i] = s; }
}
__constant__ float coeff[1024] = {1.0f, 0.5f, 0.25f, 0.125f, 2.0f, 3.0f, 4.0f, 5.0f};
extern "C" __global__ void constant_uniform(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; float v = in[i], s = 0;
  for (int k = 0; k < n; k++) s = s * v + coeff[k];
  out[i] = s;
}
extern "C" __global__ void constant_divergent(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; float v = in[i], s = 0;
  for (int k = 0; k < n; k++) s = s * v + coeff[(k + threadIdx.x) & 1023];
  out[i] = s;
}
extern "C" __global__ void local_array(unsigned* out, const unsigned* in, int rounds) {  // dynamically indexed array: local memory
  unsigned a[64]; int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 64; k++) a[k] = in[i] + k;
  unsigned s = in[i];
  for (int r = 0; r < rounds; r++) { s = s * 1664525u + 1013904223u; a[s >> 26] += s; s ^= a[(s >> 20) & 63]; }
  out[i] = s;
}

void register_memory() {
  CASE("vecadd_64k", "memory", vecadd, "one partial wave").g(256).b(256).in("a", "f32", 65536, "uniform", 1).in("b", "f32", 65536, "uniform", 2).out("c", "f32", 65536).i(65536);
  CASE("vecadd_1m", "memory", vecadd, "streaming, fits L2").g(4096).b(256).in("a", "f32", 1 << 20, "uniform", 1).in("b", "f32", 1 << 20, "uniform", 2).out("c", "f32", 1 << 20).i(1 << 20);
  CASE("vecadd_16m", "memory", vecadd, "streaming, DRAM bound").g(65536).b(256).in("a", "f32", 1 << 24, "uniform", 1).in("b", "f32", 1 << 24, "uniform", 2).out("c", "f32", 1 << 24).i(1 << 24);
  CASE("saxpy_persistent", "memory", saxpy_grid_stride, "grid stride loop, two blocks an SM").g(264).b(512).out("y", "f32", 1 << 21, "uniform", 3).in("x", "f32", 1 << 21, "uniform", 4).f(2.5f).i(1 << 21);
  CASE("copy_float4_1m", "memory", copy_float4, "16 B accesses").g(1024).b(256).out("dst", "f32", 1 << 20).in("src", "f32", 1 << 20, "uniform", 5).i(1 << 18);
  CASE("copy_u8_1m", "memory", copy_u8, "1 B accesses").g(4096).b(256).out("dst", "u8", 1 << 20).in("src", "u8", 1 << 20, "raw", 6).i(1 << 20);
  for (int s : {2, 4, 8, 32}) { std::string n = "strided_read_" + std::to_string(s);
    CASE(strdup(n.c_str()), "memory", strided_read, "coalescing with a stride").g(1024).b(256).out("dst", "f32", 1 << 18).in("src", "f32", (1 << 18) * (uint64_t)s, "uniform", 7).i(s).i(1 << 18); }
  CASE("offset_read_1", "memory", offset_read, "misaligned by one float").g(4096).b(256).out("dst", "f32", 1 << 20).in("src", "f32", (1 << 20) + 64, "uniform", 8).i(1).i(1 << 20);
  CASE("gather_random", "memory", gather, "random gather").g(1024).b(256).out("dst", "f32", 1 << 18).in("src", "f32", 1 << 22, "uniform", 9).in("index", "u32", 1 << 18, "range", 10, 1 << 22).i(1 << 18);
  CASE("gather_local", "memory", gather, "gather in a 16 KiB window: L1 hits").g(1024).b(256).out("dst", "f32", 1 << 18).in("src", "f32", 4096, "uniform", 9).in("index", "u32", 1 << 18, "range", 10, 4096).i(1 << 18);
  CASE("scatter_perm", "memory", scatter, "random permutation scatter").g(1024).b(256).out("dst", "f32", 1 << 18).in("src", "f32", 1 << 18, "uniform", 11).in("index", "u32", 1 << 18, "perm", 12).i(1 << 18);
  CASE("stencil5_1k", "memory", stencil5, "2D 5 point").g(32, 128).b(32, 8).out("out", "f32", 1 << 20).in("in", "f32", 1 << 20, "uniform", 13).i(1024).i(1024);
  CASE("stencil7_128", "memory", stencil7_3d, "3D 7 point, marching in z").g(4, 32).b(32, 4).out("out", "f32", 1 << 21).in("in", "f32", 1 << 21, "uniform", 14).i(128).i(128).i(128);
  CASE("transpose_naive_1k", "memory", transpose_naive, "uncoalesced stores").g(32, 32).b(32, 8).out("out", "f32", 1 << 20).in("in", "f32", 1 << 20, "uniform", 15).i(1024);
  CASE("reread_l1", "memory", reread, "16 KiB re-read: L1 hits").g(132).b(256).out("out", "f32", 132 * 256).in("hot", "f32", 4096, "uniform", 16).i(4096).i(16);
  CASE("reread_l2", "memory", reread, "4 MiB re-read by all: L2 hits").g(264).b(512).out("out", "f32", 264 * 512).in("hot", "f32", 1 << 20, "uniform", 17).i(1 << 20).i(1);
  CASE("l2_persist_off", "memory", hot_and_stream, "hot 16 MiB + stream 128 MiB, no window").g(1056).b(512).out("stream", "f32", 1056 * 512 * 62, "uniform", 18).in("hot", "f32", 4 << 20, "uniform", 19).i(4 << 20).i(62).l2(1, 16 << 20, 0.0f, 30 << 20, 3);
  CASE("l2_persist_on", "memory", hot_and_stream, "hot 16 MiB persisting + stream 128 MiB").g(1056).b(512).out("stream", "f32", 1056 * 512 * 62, "uniform", 18).in("hot", "f32", 4 << 20, "uniform", 19).i(4 << 20).i(62).l2(1, 16 << 20, 1.0f, 30 << 20, 3);
  CASE("ldg_readonly", "memory", ldg_readonly, "sliding window through the read-only path").g(1024).b(256).out("out", "f32", 1 << 18).in("a", "f32", 1 << 18, "uniform", 20).in("w", "f32", 16, "uniform", 21).i(1 << 18);
  CASE("constant_uniform", "memory", constant_uniform, "constant cache broadcast").g(264).b(256).out("out", "f32", 264 * 256).in("in", "f32", 264 * 256, "uniform", 22).i(256);
  CASE("constant_divergent", "memory", constant_divergent, "constant cache serialised").g(132).b(128).out("out", "f32", 132 * 128).in("in", "f32", 132 * 128, "uniform", 23).i(64);
  CASE("local_array", "memory", local_array, "dynamically indexed local memory").g(264).b(128).out("out", "u32", 264 * 128).in("in", "u32", 264 * 128, "raw", 24).i(64);
}
