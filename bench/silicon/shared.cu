// SPDX-License-Identifier: Apache-2.0
// Shared-memory cases: bank conflicts, tiling, barriers, collectives, clusters.
#include "harness.cuh"
#include <cooperative_groups.h>
#include <cuda_fp16.h>
namespace cg = cooperative_groups;

extern "C" __global__ void bank_stride(float* out, int stride, int rounds) {  // 32-bit loads, lane l reads word l*stride
  __shared__ float s[4096]; for (int i = threadIdx.x; i < 4096; i += blockDim.x) s[i] = i; __syncthreads();
  float acc = 0; int p = (threadIdx.x & 31) * stride;
  for (int r = 0; r < rounds; r++) { acc += s[p & 4095]; p += 1 + (int)(acc < 0); }
  out[blockIdx.x * blockDim.x + threadIdx.x] = acc;
}
extern "C" __global__ void bank_stride_store(float* out, int stride, int rounds) {
  __shared__ float s[4096]; int p = (threadIdx.x & 31) * stride; volatile float* v = s;
  for (int r = 0; r < rounds; r++) { v[p & 4095] = r + p; p++; }
  __syncthreads(); out[blockIdx.x * blockDim.x + threadIdx.x] = s[threadIdx.x];
}
extern "C" __global__ void bank_stride64(double* out, int stride, int rounds) {
  __shared__ double s[2048]; for (int i = threadIdx.x; i < 2048; i += blockDim.x) s[i] = i; __syncthreads();
  double acc = 0; int p = (threadIdx.x & 31) * stride;
  for (int r = 0; r < rounds; r++) { acc += s[p & 2047]; p += 1 + (int)(acc < 0); }
  out[blockIdx.x * blockDim.x + threadIdx.x] = acc;
}
extern "C" __global__ void bank_stride128(float4* out, int stride, int rounds) {
  __shared__ float4 s[1024]; for (int i = threadIdx.x; i < 1024; i += blockDim.x) s[i] = make_float4(i, i, i, i); __syncthreads();
  float4 acc = make_float4(0, 0, 0, 0); int p = (threadIdx.x & 31) * stride;
  for (int r = 0; r < rounds; r++) { float4 q = s[p & 1023]; acc.x += q.x; acc.y += q.y; acc.z += q.z; acc.w += q.w; p += 1 + (int)(acc.x < 0); }
  out[blockIdx.x * blockDim.x + threadIdx.x] = acc;
}
extern "C" __global__ void bank_random(unsigned* out, const unsigned* idx, int rounds) {
  __shared__ unsigned s[4096]; for (int i = threadIdx.x; i < 4096; i += blockDim.x) s[i] = i * 2654435761u; __syncthreads();
  unsigned p = idx[blockIdx.x * blockDim.x + threadIdx.x], acc = 0;
  for (int r = 0; r < rounds; r++) { acc += s[p & 4095]; p = p * 1664525u + 1013904223u; p ^= p >> 16; }
  out[blockIdx.x * blockDim.x + threadIdx.x] = acc;
}
extern "C" __global__ void transpose_conflict(float* out, const float* in, int n) {
  __shared__ float t[32][32]; int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) t[threadIdx.y + j][threadIdx.x] = in[(size_t)(y + j) * n + x];
  __syncthreads(); x = blockIdx.y * 32 + threadIdx.x; y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(size_t)(y + j) * n + x] = t[threadIdx.x][threadIdx.y + j];
}
extern "C" __global__ void transpose_padded(float* out, const float* in, int n) {
  __shared__ float t[32][33]; int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) t[threadIdx.y + j][threadIdx.x] = in[(size_t)(y + j) * n + x];
  __syncthreads(); x = blockIdx.y * 32 + threadIdx.x; y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(size_t)(y + j) * n + x] = t[threadIdx.x][threadIdx.y + j];
}
extern "C" __global__ void matmul_naive(float* c, const float* a, const float* b, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x; float s = 0;
  for (int e = 0; e < n; e++) s += a[row * n + e] * b[e * n + col];
  c[row * n + col] = s;
}
template <int T> __device__ void matmul_tile(float* c, const float* a, const float* b, int n) {
  __shared__ float as[T][T], bs[T][T]; int r = threadIdx.y, q = threadIdx.x, row = blockIdx.y * T + r, col = blockIdx.x * T + q; float s = 0;
  for (int m = 0; m < n; m += T) {
    as[r][q] = a[row * n + m + q]; bs[r][q] = b[(m + r) * n + col]; __syncthreads();
    for (int e = 0; e < T; e++) s += as[r][e] * bs[e][q];
    __syncthreads();
  }
  c[row * n + col] = s;
}
extern "C" __global__ void matmul_tiled16(float* c, const float* a, const float* b, int n) { matmul_tile<16>(c, a, b, n); }
extern "C" __global__ void matmul_tiled32(float* c, const float* a, const float* b, int n) { matmul_tile<32>(c, a, b, n); }
extern "C" __global__ void __launch_bounds__(256) sgemm_64x64(float* c, const float* a, const float* b, int n) {  // 4x4 outputs a thread, k tile of 16
  __shared__ float as[16][64], bs[16][64]; int t = threadIdx.x, tx = t % 16, ty = t / 16, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64; float acc[4][4] = {};
  for (int m = 0; m < n; m += 16) {
    for (int q = t; q < 1024; q += 256) { as[q % 16][q / 16] = a[(row0 + q / 16) * n + m + q % 16]; bs[q / 64][q % 64] = b[(m + q / 64) * n + col0 + q % 64]; }
    __syncthreads();
#pragma unroll
    for (int e = 0; e < 16; e++) { float x[4], y[4];
#pragma unroll
      for (int j = 0; j < 4; j++) { x[j] = as[e][ty * 4 + j]; y[j] = bs[e][tx * 4 + j]; }
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) acc[i][j] += x[i] * y[j]; }
    __syncthreads();
  }
  for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) c[(row0 + ty * 4 + i) * n + col0 + tx * 4 + j] = acc[i][j];
}
extern "C" __global__ void reduce_interleaved(float* out, const float* in) {  // divergent, strided: conflicts
  __shared__ float s[512]; int t = threadIdx.x; s[t] = in[blockIdx.x * 512 + t]; __syncthreads();
  for (int k = 1; k < 512; k *= 2) { int i = 2 * k * t; if (i < 512) s[i] += s[i + k]; __syncthreads(); }
  if (t == 0) out[blockIdx.x] = s[0];
}
extern "C" __global__ void reduce_sequential(float* out, const float* in) {
  __shared__ float s[512]; int t = threadIdx.x; s[t] = in[blockIdx.x * 512 + t]; __syncthreads();
  for (int k = 256; k > 0; k /= 2) { if (t < k) s[t] += s[t + k]; __syncthreads(); }
  if (t == 0) out[blockIdx.x] = s[0];
}
extern "C" __global__ void reduce_shuffle(float* out, const float* in, int n) {
  __shared__ float s[32]; float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += in[i];
  for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v; __syncthreads();
  if (threadIdx.x < 32) { v = threadIdx.x < blockDim.x / 32 ? s[threadIdx.x] : 0; for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o); if (threadIdx.x == 0) out[blockIdx.x] = v; }
}
extern "C" __global__ void scan_block(unsigned* out, const unsigned* in) {
  __shared__ unsigned s[2][512]; int t = threadIdx.x, p = 0; s[0][t] = in[blockIdx.x * 512 + t]; __syncthreads();
  for (int k = 1; k < 512; k *= 2) { s[1 - p][t] = t >= k ? s[p][t] + s[p][t - k] : s[p][t]; p = 1 - p; __syncthreads(); }
  out[blockIdx.x * 512 + t] = s[p][t];
}
extern "C" __global__ void bitonic_sort(unsigned* data) {
  __shared__ unsigned s[1024]; int t = threadIdx.x; s[t] = data[blockIdx.x * 1024 + t]; __syncthreads();
  for (int k = 2; k <= 1024; k *= 2) for (int j = k / 2; j > 0; j /= 2) { int x = t ^ j; if (x > t) { bool up = (t & k) == 0; unsigned a = s[t], b = s[x]; if ((a > b) == up) { s[t] = b; s[x] = a; } } __syncthreads(); }
  data[blockIdx.x * 1024 + t] = s[t];
}
extern "C" __global__ void histogram_shared(unsigned* bins, const unsigned char* in, int n) {
  __shared__ unsigned s[256]; for (int i = threadIdx.x; i < 256; i += blockDim.x) s[i] = 0; __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&s[in[i]], 1u);
  __syncthreads(); for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], s[i]);
}
extern "C" __global__ void histogram_global(unsigned* bins, const unsigned char* in, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[in[i]], 1u);
}
extern "C" __global__ void histogram_cluster(unsigned* bins, const unsigned* in, int n, int bins_per_block) {  // distributed shared memory
  extern __shared__ unsigned sh[]; cg::cluster_group cluster = cg::this_cluster(); int size = cluster.num_blocks();
  for (int i = threadIdx.x; i < bins_per_block; i += blockDim.x) sh[i] = 0; cluster.sync();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) { unsigned b = in[i] % (bins_per_block * size); atomicAdd(cluster.map_shared_rank(sh, b / bins_per_block) + b % bins_per_block, 1u); }
  cluster.sync(); unsigned* mine = bins + cluster.block_rank() * bins_per_block; for (int i = threadIdx.x; i < bins_per_block; i += blockDim.x) atomicAdd(&mine[i], sh[i]);
}
extern "C" __global__ void cluster_ring(float* out, const float* in, int rounds) {  // each block reads its right neighbour's shared memory
  __shared__ float s[2][256]; cg::cluster_group cluster = cg::this_cluster(); int t = threadIdx.x, p = 0; s[0][t] = in[blockIdx.x * 256 + t]; cluster.sync();
  for (int r = 0; r < rounds; r++) { float v = cluster.map_shared_rank(&s[p][0], (cluster.block_rank() + 1) % cluster.num_blocks())[t]; s[1 - p][t] = v * 0.5f + s[p][t] * 0.5f; p = 1 - p; cluster.sync(); }
  out[blockIdx.x * 256 + t] = s[p][t];
}
extern "C" __global__ void barrier_storm(unsigned* out, int rounds) {
  unsigned v = threadIdx.x; for (int r = 0; r < rounds; r++) { v = v * 5 + 1; __syncthreads(); } out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
extern "C" __global__ void big_shared(float* out, const float* in, int rounds) {  // shared-memory-limited occupancy
  extern __shared__ float big[]; int t = threadIdx.x; for (int i = t; i < 24576; i += 256) big[i] = in[i & 4095] + i; __syncthreads();
  float acc = 0; for (int r = 0; r < rounds; r++) acc += big[(t * 33 + r * 256) % 24576]; out[blockIdx.x * 256 + t] = acc;
}
extern "C" __global__ void softmax_rows(float* out, const float* in, int n) {
  __shared__ float red[32]; const float* row = in + (size_t)blockIdx.x * n; float m = -1e30f, s = 0; int t = threadIdx.x, w = t / 32, lane = t % 32;
  for (int i = t; i < n; i += blockDim.x) m = fmaxf(m, row[i]);
  for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o)); if (lane == 0) red[w] = m; __syncthreads();
  m = red[lane % (blockDim.x / 32)]; for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o)); __syncthreads();
  for (int i = t; i < n; i += blockDim.x) s += __expf(row[i] - m);
  for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o); if (lane == 0) red[w] = s; __syncthreads();
  s = lane < blockDim.x / 32 ? red[lane] : 0; for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
  float inv = 1.0f / s; for (int i = t; i < n; i += blockDim.x) out[(size_t)blockIdx.x * n + i] = __expf(row[i] - m) * inv;
}
extern "C" __global__ void ldmatrix_conflict(unsigned* out, int pitch_words, int rounds) {  // ldmatrix.x4 on rows `pitch_words` apart
  __shared__ __align__(16) unsigned s[8192]; for (int i = threadIdx.x; i < 8192; i += blockDim.x) s[i] = i; __syncthreads();
  unsigned base = __cvta_generic_to_shared(s), acc = 0, lane = threadIdx.x % 32, addr = base + (lane % 16) * pitch_words * 4 + (lane / 16) * 16;
  for (int r = 0; r < rounds; r++) { unsigned d0, d1, d2, d3; asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];" : "=r"(d0), "=r"(d1), "=r"(d2), "=r"(d3) : "r"(addr + (acc & 0)*4)); acc += d0 + d1 + d2 + d3; }
  out[blockIdx.x * blockDim.x + threadIdx.x] = acc;
}

void register_shared() {
  for (int s : {1, 2, 3, 4, 8, 16, 32, 33}) { std::string n = "bank_stride_" + std::to_string(s);
    CASE(strdup(n.c_str()), "shared", bank_stride, "n-way bank conflicts").g(132).b(128).out("out", "f32", 132 * 128).i(s).i(256); }
  for (int s : {1, 2, 32}) { std::string n = "bank_store_" + std::to_string(s);
    CASE(strdup(n.c_str()), "shared", bank_stride_store).g(132).b(128).out("out", "f32", 132 * 128).i(s).i(128); }
  for (int s : {1, 2, 16}) { std::string n = "bank64_stride_" + std::to_string(s);
    CASE(strdup(n.c_str()), "shared", bank_stride64).g(132).b(128).out("out", "f64", 132 * 128).i(s).i(128); }
  for (int s : {1, 2, 8}) { std::string n = "bank128_stride_" + std::to_string(s);
    CASE(strdup(n.c_str()), "shared", bank_stride128).g(132).b(128).out("out", "f32", 4 * 132 * 128).i(s).i(128); }
  CASE("bank_random", "shared", bank_random, "random banks").g(132).b(256).out("out", "u32", 132 * 256).in("idx", "u32", 132 * 256, "raw", 61).i(128);
  CASE("transpose_conflict_1k", "shared", transpose_conflict, "32-way conflicts").g(32, 32).b(32, 8).out("out", "f32", 1 << 20).in("in", "f32", 1 << 20, "uniform", 62).i(1024);
  CASE("transpose_padded_1k", "shared", transpose_padded, "conflict free").g(32, 32).b(32, 8).out("out", "f32", 1 << 20).in("in", "f32", 1 << 20, "uniform", 62).i(1024);
  CASE("matmul_naive_256", "shared", matmul_naive).g(16, 16).b(16, 16).out("c", "f32", 65536).in("a", "f32", 65536, "uniform", 63).in("b", "f32", 65536, "uniform", 64).i(256);
  CASE("matmul_tiled16_256", "shared", matmul_tiled16).g(16, 16).b(16, 16).out("c", "f32", 65536).in("a", "f32", 65536, "uniform", 63).in("b", "f32", 65536, "uniform", 64).i(256);
  CASE("matmul_tiled32_512", "shared", matmul_tiled32).g(16, 16).b(32, 32).out("c", "f32", 1 << 18).in("a", "f32", 1 << 18, "uniform", 63).in("b", "f32", 1 << 18, "uniform", 64).i(512);
  CASE("sgemm_64x64_512", "shared", sgemm_64x64, "register blocked").g(8, 8).b(256).out("c", "f32", 1 << 18).in("a", "f32", 1 << 18, "uniform", 63).in("b", "f32", 1 << 18, "uniform", 64).i(512);
  CASE("reduce_interleaved", "shared", reduce_interleaved).g(1024).b(512).out("out", "f32", 1024).in("in", "f32", 1 << 19, "uniform", 65);
  CASE("reduce_sequential", "shared", reduce_sequential).g(1024).b(512).out("out", "f32", 1024).in("in", "f32", 1 << 19, "uniform", 65);
  CASE("reduce_shuffle", "shared", reduce_shuffle).g(264).b(512).out("out", "f32", 264).in("in", "f32", 1 << 21, "uniform", 65).i(1 << 21);
  CASE("scan_block", "shared", scan_block).g(1024).b(512).out("out", "u32", 1 << 19).in("in", "u32", 1 << 19, "raw", 66);
  CASE("bitonic_sort", "shared", bitonic_sort).g(256).b(1024).out("data", "u32", 1 << 18, "raw", 67);
  CASE("histogram_shared", "shared", histogram_shared, "shared atomics").g(264).b(256).out("bins", "u32", 256).in("in", "u8", 1 << 20, "raw", 68).i(1 << 20);
  CASE("histogram_global", "shared", histogram_global, "contended global atomics").g(264).b(256).out("bins", "u32", 256).in("in", "u8", 1 << 18, "raw", 68).i(1 << 18);
  CASE("histogram_cluster8", "shared", histogram_cluster, "distributed shared memory atomics").g(128).b(256).c(8).dyn(1024).out("bins", "u32", 2048).in("in", "u32", 1 << 19, "raw", 69).i(1 << 19).i(256);
  CASE("cluster_ring4", "shared", cluster_ring, "distributed shared memory reads").g(128).b(256).c(4).out("out", "f32", 128 * 256).in("in", "f32", 128 * 256, "uniform", 70).i(64);
  CASE("barrier_storm", "shared", barrier_storm).g(132).b(512).out("out", "u32", 132 * 512).i(256);
  CASE("big_shared_96k", "shared", big_shared, "shared-memory-limited occupancy").g(264).b(256).dyn(98304).out("out", "f32", 264 * 256).in("in", "f32", 4096, "uniform", 71).i(64);
  CASE("softmax_rows", "shared", softmax_rows).g(512).b(256).out("out", "f32", 512 * 1024).in("in", "f32", 512 * 1024, "uniform", 72).i(1024);
  CASE("ldmatrix_pitch16", "shared", ldmatrix_conflict, "ldmatrix, rows 64 B apart").g(132).b(128).out("out", "u32", 132 * 128).i(16).i(128);
  CASE("ldmatrix_pitch20", "shared", ldmatrix_conflict, "ldmatrix, rows 80 B apart").g(132).b(128).out("out", "u32", 132 * 128).i(20).i(128);
  CASE("ldmatrix_pitch32", "shared", ldmatrix_conflict, "ldmatrix, rows 128 B apart").g(132).b(128).out("out", "u32", 132 * 128).i(32).i(128);
}
