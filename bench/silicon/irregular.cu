// SPDX-License-Identifier: Apache-2.0
// Irregular cases: data-dependent addresses and trip counts.
#include "harness.cuh"
extern "C" __global__ void spmv_csr(float* y, const unsigned* rows, const unsigned* cols, const float* vals, const float* x, int n, int ncols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x; if (r >= n) return; float s = 0;
  for (unsigned k = rows[r]; k < rows[r + 1]; k++) s += vals[k] * x[cols[k] % ncols]; y[r] = s;
}
extern "C" __global__ void spmv_csr_warp(float* y, const unsigned* rows, const unsigned* cols, const float* vals, const float* x, int n, int ncols) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32; if (r >= n) return; float s = 0;
  for (unsigned k = rows[r] + lane; k < rows[r + 1]; k += 32) s += vals[k] * x[cols[k] % ncols];
  for (int o = 16; o; o >>= 1) s += __shfl_down_sync(~0u, s, o); if (lane == 0) y[r] = s;
}
extern "C" __global__ void bfs_level(unsigned* level, const unsigned* rows, const unsigned* cols, int n, int cur) {  // frontier: level <= cur from hashing
  int v = blockIdx.x * blockDim.x + threadIdx.x; if (v >= n || (v * 2654435761u >> 28) > (unsigned)cur) return;
  for (unsigned k = rows[v]; k < rows[v + 1]; k++) atomicMin(&level[cols[k] % n], cur + 1);
}
extern "C" __global__ void hash_insert(unsigned* table, const unsigned* keys, int n, unsigned mask, unsigned* failed) {  // open addressing with CAS
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; unsigned key = keys[i] | 1, h = key * 0x9E3779B1u;
  for (int probe = 0; probe < 64; probe++) { unsigned slot = (h + probe) & mask, old = atomicCAS(&table[slot], 0u, key); if (old == 0 || old == key) return; }
  atomicAdd(failed, 1u);
}
extern "C" __global__ void list_walk(unsigned* out, const unsigned* next, int steps) {
  unsigned p = blockIdx.x * blockDim.x + threadIdx.x; for (int k = 0; k < steps; k++) p = next[p]; out[blockIdx.x * blockDim.x + threadIdx.x] = p;
}
extern "C" __global__ void binary_search(unsigned* out, const unsigned* keys, const unsigned* sorted, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; unsigned lo = 0, hi = m, key = keys[i];
  while (lo < hi) { unsigned mid = (lo + hi) / 2; if (sorted[mid] < key) lo = mid + 1; else hi = mid; } out[i] = lo;
}
void register_irregular() {
  const int n = 16384;
  CASE("spmv_csr", "irregular", spmv_csr, "one thread a row").g(n / 128).b(128).out("y", "f32", n).in("rows", "u32", n + 1, "csr_rows", 91, 16).in("cols", "u32", n * 32, "raw", 92).in("vals", "f32", n * 32, "uniform", 93).in("x", "f32", n, "uniform", 94).i(n).i(n);
  CASE("spmv_csr_warp", "irregular", spmv_csr_warp, "one warp a row").g(n / 8).b(256).out("y", "f32", n).in("rows", "u32", n + 1, "csr_rows", 91, 16).in("cols", "u32", n * 32, "raw", 92).in("vals", "f32", n * 32, "uniform", 93).in("x", "f32", n, "uniform", 94).i(n).i(n);
  CASE("bfs_level", "irregular", bfs_level, "atomicMin on random neighbours").g(4 * n / 256).b(256).out("level", "u32", 4 * n, "raw", 95).in("rows", "u32", 4 * n + 1, "csr_rows", 96, 8).in("cols", "u32", 4 * n * 16, "raw", 97).i(4 * n).i(3);
  CASE("hash_insert", "irregular", hash_insert, "atomicCAS open addressing").g(512).b(256).in("table", "u32", 1 << 18, "zero").in("keys", "u32", 1 << 17, "raw", 98).i(1 << 17).i((1 << 18) - 1).out("failed", "u32", 1);
  CASE("list_walk", "irregular", list_walk, "dependent loads, L2").g(132).b(128).out("out", "u32", 132 * 128).in("next", "u32", 1 << 18, "perm", 99).i(64);
  CASE("binary_search", "irregular", binary_search).g(512).b(256).out("out", "u32", 1 << 17).in("keys", "u32", 1 << 17, "range", 100, 1 << 20).in("sorted", "u32", 1 << 20, "iota").i(1 << 17).i(1 << 20);
}
