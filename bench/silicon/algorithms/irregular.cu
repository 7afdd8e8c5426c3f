// SPDX-License-Identifier: Apache-2.0
// Second held-out set, irregular: sorting, scans, graphs, hashing, searches. See README.md.
#include "../harness.cuh"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void odd_even_merge(unsigned* keys, unsigned* values) {  // sorting network on pairs, 1024 a block in shared memory
  __shared__ unsigned k[1024], v[1024]; unsigned t = threadIdx.x, base = blockIdx.x * 1024;
  k[t] = keys[base + t]; k[t + 512] = keys[base + t + 512]; v[t] = values[base + t]; v[t + 512] = values[base + t + 512];
  auto order = [&](unsigned a, unsigned b) { unsigned x = k[a], y = k[b]; if (x > y) { k[a] = y; k[b] = x; unsigned u = v[a]; v[a] = v[b]; v[b] = u; } };
  for (unsigned size = 2; size <= 1024; size <<= 1) {
    unsigned step = size / 2, rank = t & (step - 1); __syncthreads(); unsigned p = 2 * t - rank; order(p, p + step);
    for (step >>= 1; step; step >>= 1) { __syncthreads(); p = 2 * t - (t & (step - 1)); if (rank >= step) order(p - step, p); }
  }
  __syncthreads(); keys[base + t] = k[t]; keys[base + t + 512] = k[t + 512]; values[base + t] = v[t]; values[base + t + 512] = v[t + 512];
}
extern "C" __global__ void radix_match(unsigned* counts, const unsigned* keys, int shift) {  // digit counts by matching lanes, a histogram a warp
  __shared__ unsigned h[8][64]; int t = threadIdx.x, warp = t >> 5, lane = t & 31; h[warp][lane] = 0; h[warp][lane + 32] = 0; __syncwarp();
  for (int k = 0; k < 16; k++) {
    unsigned d = keys[blockIdx.x * 4096 + k * 256 + t] >> shift & 63, same = __match_any_sync(~0u, d);
    if ((same & ((1u << lane) - 1)) == 0) h[warp][d] += __popc(same);
    __syncwarp();
  }
  __syncthreads(); if (t < 64) { unsigned s = 0; for (int w = 0; w < 8; w++) s += h[w][t]; counts[t * gridDim.x + blockIdx.x] = s; }
}
__device__ __forceinline__ unsigned warp_scan(unsigned v, int lane) {
#pragma unroll
  for (int o = 1; o < 32; o <<= 1) { unsigned u = __shfl_up_sync(~0u, v, o); if (lane >= o) v += u; }
  return v;
}
extern "C" __global__ void scan_lookback(unsigned* out, const unsigned* in, volatile unsigned long long* status, unsigned* ticket) {  // one pass, blocks look back at their predecessors
  __shared__ unsigned part[8], tile, before; int t = threadIdx.x, lane = t & 31, warp = t >> 5; if (t == 0) tile = atomicAdd(ticket, 1u); __syncthreads();
  unsigned b = tile; uint4 v = ((const uint4*)in)[b * 256 + t]; unsigned own = v.x + v.y + v.z + v.w, inc = warp_scan(own, lane); if (lane == 31) part[warp] = inc; __syncthreads();
  unsigned add = 0, total = 0; for (int w = 0; w < 8; w++) { if (w < warp) add += part[w]; total += part[w]; }
  if (warp == 0) {
    if (lane == 0) status[b] = (b ? 1ull : 2ull) << 32 | total;
    unsigned sum = 0; int at = (int)b - 1 - lane;
    while (b) {
      unsigned long long s = 2ull << 32; if (at >= 0) do s = status[at]; while (s >> 32 == 0);
      unsigned done = __ballot_sync(~0u, s >> 32 == 2); unsigned x = done && lane > __ffs(done) - 1 ? 0 : (unsigned)s;
      sum += __reduce_add_sync(~0u, x); if (done) break; at -= 32;
    }
    if (lane == 0) { if (b) status[b] = 2ull << 32 | (sum + total); before = sum; }
  }
  __syncthreads(); unsigned x = before + add + inc - own; ((uint4*)out)[b * 256 + t] = make_uint4(x, x + v.x, x + v.x + v.y, x + v.x + v.y + v.z);
}
extern "C" __global__ void spmv_ell(float* y, const unsigned* cols, const float* vals, const float* x, int n, int width, unsigned mask) {  // column-major, padded rows
  int r = blockIdx.x * blockDim.x + threadIdx.x; if (r >= n) return; float s = 0;
  for (int k = 0; k < width; k++) { unsigned c = cols[k * n + r]; if (c & 0x80000000u) continue; s += vals[k * n + r] * x[c & mask]; }
  y[r] = s;
}
extern "C" __global__ void join_shared(unsigned* hits, const unsigned* build, const unsigned* probe, int n) {  // hash table in shared memory by atomicCAS, then probes
  __shared__ unsigned table[2048], found; int t = threadIdx.x; for (int k = t; k < 2048; k += 256) table[k] = 0; if (t == 0) found = 0; __syncthreads();
  for (int k = t; k < 1024; k += 256) { unsigned key = build[blockIdx.x * 1024 + k] + 1, h = key * 0x9E3779B1u >> 21; for (;;) { unsigned old = atomicCAS(&table[h], 0u, key); if (old == 0 || old == key) break; h = (h + 1) & 2047; } }
  __syncthreads(); unsigned mine = 0;
  for (int k = t; k < n; k += 256) { unsigned key = probe[k] + 1, h = key * 0x9E3779B1u >> 21; while (table[h] != 0 && table[h] != key) h = (h + 1) & 2047; mine += table[h] == key; }
  if (mine) atomicAdd(&found, mine); __syncthreads(); if (t == 0) hits[blockIdx.x] = found;
}
extern "C" __global__ void bfs_queue(unsigned* distance, unsigned* size, unsigned* next, const unsigned* frontier, const unsigned* rows, const unsigned* cols, int n, unsigned mask, unsigned level) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; unsigned v = frontier[i];  // a frontier's neighbours into a queue, one atomic a warp
  for (unsigned e = rows[v]; e < rows[v + 1]; e++) {
    unsigned u = cols[e] & mask; if (distance[u] != 0 || atomicCAS(&distance[u], 0u, level) != 0) continue;
    cg::coalesced_group g = cg::coalesced_threads(); unsigned at = 0; if (g.thread_rank() == 0) at = atomicAdd(size, g.size());
    next[g.shfl(at, 0) + g.thread_rank()] = u;
  }
}
extern "C" __global__ void queens(unsigned* count, int n) {  // backtracking: a stack of masks a thread, every thread its own depth
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, full = (1u << n) - 1, a = i % n, b = i / n % n, c = i / n / n; if (c >= n) return;
  unsigned col[16], left[16], right[16], free[16]; int row = 3; unsigned sum = 0, q0 = 1u << a, q1 = 1u << b, q2 = 1u << c;
  if (q1 & (q0 | q0 << 1 | q0 >> 1)) return; if (q2 & (q0 | q1 | q1 << 1 | q1 >> 1 | q0 << 2 | q0 >> 2)) return;
  col[3] = q0 | q1 | q2; left[3] = (q0 << 3 | q1 << 2 | q2 << 1) & full; right[3] = q0 >> 3 | q1 >> 2 | q2 >> 1; free[3] = full & ~(col[3] | left[3] | right[3]);
  while (row >= 3) {
    if (free[row] == 0) { row--; continue; }
    unsigned bit = free[row] & -free[row]; free[row] ^= bit; if (row == n - 1) { sum++; continue; }
    col[row + 1] = col[row] | bit; left[row + 1] = (left[row] | bit) << 1 & full; right[row + 1] = (right[row] | bit) >> 1; row++; free[row] = full & ~(col[row] | left[row] | right[row]);
  }
  if (sum) atomicAdd(count, sum);
}
extern "C" __global__ void smith_waterman(int* best, const unsigned char* a, const unsigned char* b, int la, int lb) {  // a warp a pair, anti-diagonals through shuffles
  int lane = threadIdx.x & 31, w = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, top = 0; const unsigned char *p = a + w * la, *q = b + w * lb;
  for (int strip = 0; strip < la; strip += 32) {
    int ch = p[strip + lane], left = 0, up = 0, corner = 0;
    for (int d = 0; d < lb + 31; d++) {
      int j = d - lane; up = __shfl_up_sync(~0u, left, 1); if (lane == 0) up = 0;
      if (j >= 0 && j < lb) { int s = max(max(corner + (q[j] == ch ? 3 : -2), 0), max(left, up) - 1); left = s; top = max(top, s); }
      corner = up;
    }
  }
  top = __reduce_max_sync(~0u, top); if (lane == 0) best[w] = top;
}
extern "C" __global__ void dfa_match(unsigned* out, const unsigned char* text, const unsigned char* table, int length) {  // an automaton in shared memory, a byte at a time
  __shared__ unsigned char next[64 * 32]; for (int k = threadIdx.x; k < 2048; k += blockDim.x) next[k] = table[k] & 63;
  __syncthreads(); int i = blockIdx.x * blockDim.x + threadIdx.x; const unsigned* p = (const unsigned*)(text + (size_t)i * length); unsigned s = 0, hits = 0;
  for (int k = 0; k < length / 4; k++) { unsigned w = p[k];
#pragma unroll
    for (int j = 0; j < 4; j++) { s = next[s * 32 + (w & 31)]; w >>= 8; hits += s == 7; } }
  out[i] = hits << 8 | s;
}
extern "C" __global__ void grid_scan(unsigned* out, const unsigned* in, unsigned* sums, int per) {  // cooperative: blocks scan, wait for the grid, add
  __shared__ unsigned part[8], base; cg::grid_group grid = cg::this_grid(); int t = threadIdx.x, lane = t & 31, warp = t >> 5; unsigned carry = 0; const unsigned* p = in + blockIdx.x * per;
  unsigned s = 0; for (int k = t; k < per; k += 256) s += p[k];
  s = __reduce_add_sync(~0u, s); if (lane == 0) part[warp] = s; __syncthreads();
  if (t == 0) { s = 0; for (int w = 0; w < 8; w++) s += part[w]; sums[blockIdx.x] = s; }
  grid.sync(); if (warp == 0) { s = 0; for (int k = lane; k < blockIdx.x; k += 32) s += sums[k]; s = __reduce_add_sync(~0u, s); if (lane == 0) base = s; }
  __syncthreads(); carry = base;
  for (int k = 0; k < per; k += 256) {
    unsigned v = p[k + t], inc = warp_scan(v, lane); if (lane == 31) part[warp] = inc; __syncthreads();
    unsigned add = 0, all = 0; for (int w = 0; w < 8; w++) { if (w < warp) add += part[w]; all += part[w]; }
    out[blockIdx.x * per + k + t] = carry + add + inc - v; carry += all; __syncthreads();
  }
}
extern "C" __global__ void bins_u64(unsigned long long* bins, const unsigned* keys, const unsigned* weights, int n) {  // 64-bit atomics on global memory
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[keys[i] >> 20], (unsigned long long)weights[i] << 8);
}
extern "C" __global__ void union_find(unsigned* joined, unsigned* parent, const unsigned* u, const unsigned* v, int n, unsigned mask) {  // hooks the larger root to the smaller, then path lengths differ
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; unsigned a = u[i] & mask, b = v[i] & mask;
  for (;;) {
    while (a != parent[a]) a = parent[a];
    while (b != parent[b]) b = parent[b];
    if (a == b) return; if (a < b) { unsigned t = a; a = b; b = t; }
    unsigned old = atomicCAS(&parent[a], a, b); if (old == a) { atomicAdd(joined, 1u); return; } a = old;
  }
}
void register_irregular() {
  CASE("odd_even_merge", "irregular", odd_even_merge, "sorting network on pairs").g(264).b(512).out("keys", "u32", 264 * 1024, "raw", 351).out("values", "u32", 264 * 1024, "raw", 352);
  CASE("radix_match", "irregular", radix_match, "digit counts by matching lanes").g(256).b(256).out("counts", "u32", 64 * 256).in("keys", "u32", 1 << 20, "raw", 353).i(9);
  CASE("scan_lookback", "irregular", scan_lookback, "one-pass scan").g(1024).b(256).out("out", "u32", 1 << 20).in("in", "u32", 1 << 20, "range", 354, 1000).in("status", "u32", 2048, "zero").in("ticket", "u32", 1, "zero");
  CASE("spmv_ell", "irregular", spmv_ell, "padded rows, column-major").g(128).b(256).out("y", "f32", 32768).in("cols", "u32", 16 * 32768, "raw", 355).in("vals", "f32", 16 * 32768, "uniform", 356).in("x", "f32", 65536, "uniform", 357).i(32768).i(16).i(65535);
  CASE("join_shared", "irregular", join_shared, "hash table in shared memory").g(132).b(256).out("hits", "u32", 132).in("build", "u32", 132 * 1024, "range", 358, 8192).in("probe", "u32", 8192, "range", 359, 8192).i(8192);
  CASE("bfs_queue", "irregular", bfs_queue, "a queue, one atomic a warp").g(128).b(256).out("distance", "u32", 1 << 18).out("size", "u32", 1).in("next", "u32", 1 << 18, "zero").in("frontier", "u32", 32768, "perm", 360).in("rows", "u32", 32769, "csr_rows", 361, 6).in("cols", "u32", 32768 * 12, "raw", 362).i(32768).i((1 << 18) - 1).i(9);
  CASE("queens", "irregular", queens, "backtracking").g(12).b(96).out("count", "u32", 1).i(10);
  CASE("smith_waterman", "irregular", smith_waterman, "alignment, anti-diagonals").g(132).b(128).out("best", "i32", 528).in("a", "u8", 528 * 64, "range", 363, 4).in("b", "u8", 528 * 96, "range", 364, 4).i(64).i(96);
  CASE("dfa_match", "irregular", dfa_match, "an automaton a thread").g(200).b(128).out("out", "u32", 25600).in("text", "u8", 25600 * 128, "raw", 365).in("table", "u8", 2048, "raw", 366).i(128);
  CASE("grid_scan", "irregular", grid_scan, "cooperative, one grid barrier").g(132).b(256).out("out", "u32", 132 * 4096).in("in", "u32", 132 * 4096, "range", 367, 1000).in("sums", "u32", 132, "zero").i(4096).cooperative = true;
  CASE("bins_u64", "irregular", bins_u64, "64-bit atomics").g(264).b(256).out("bins", "u32", 8192).in("keys", "u32", 1 << 18, "raw", 368).in("weights", "u32", 1 << 18, "raw", 369).i(1 << 18);
  CASE("union_find", "irregular", union_find, "roots by compare and swap").g(64).b(256).out("joined", "u32", 1).in("parent", "u32", 65536, "iota").in("u", "u32", 16384, "raw", 370).in("v", "u32", 16384, "raw", 371).i(16384).i(65535);
}
