// SPDX-License-Identifier: Apache-2.0
// Third held-out set, data: sorts, searches, trees, codes and ciphers, big numbers, graphs. See README.md.
#include "../harness.cuh"

// A tree of sixteen keys a node over a sorted list, half a warp a query: a ballot a level.
extern "C" __global__ void tree_search(unsigned* found, const unsigned* sorted, const unsigned* queries, int n, int levels) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, query = t >> 4, lane = t & 15, half = threadIdx.x & 16; unsigned key = queries[query], lo = 0, width = 1u << (4 * levels - 4);
  for (int l = 0; l < levels; l++) {
    unsigned k = 3 * sorted[lo + lane * width], below = __ballot_sync(~0u, k <= key) >> half & 0xffff;
    lo += (below ? 31 - __clz(below) : 0) * width; width >>= 4;
  }
  if (lane == 0) found[query] = 3 * sorted[lo] == key ? lo : ~lo;
}
// Codes of unlike length packed into words: lengths are summed over the block, bits meet in shared memory.
extern "C" __global__ void pack_codes(unsigned* out, unsigned* bits, const unsigned char* text, const unsigned* table) {
  __shared__ unsigned code[256], words[640], sums[8]; int t = threadIdx.x, lane = t & 31, warp = t >> 5; code[t] = table[t]; for (int i = t; i < 640; i += 256) words[i] = 0;
  __syncthreads(); unsigned v = ((const unsigned*)text)[blockIdx.x * 256 + t], own = 0; unsigned long long packed = 0;
#pragma unroll
  for (int k = 0; k < 4; k++) { unsigned c = code[v >> 8 * k & 255], length = (c & 15) + 1; packed = packed << length | (c >> 8 & ((1u << length) - 1)); own += length; }
  unsigned inc = own;
#pragma unroll
  for (int o = 1; o < 32; o <<= 1) { unsigned u = __shfl_up_sync(~0u, inc, o); if (lane >= o) inc += u; }
  if (lane == 31) sums[warp] = inc;
  __syncthreads(); unsigned at = inc - own, all = 0; for (int w = 0; w < 8; w++) { if (w < warp) at += sums[w]; all += sums[w]; }
  while (own) {
    unsigned room = 32 - (at & 31), take = min(room, own), part = (unsigned)(packed >> (own - take)) & (take == 32 ? ~0u : (1u << take) - 1);
    atomicOr(&words[at >> 5], part << (room - take)); at += take; own -= take;
  }
  __syncthreads(); for (int i = t; i < 640; i += 256) out[blockIdx.x * 640 + i] = words[i];
  if (t == 0) bits[blockIdx.x] = all;
}
// MD5 of one block of 64 bytes a thread: tables of shifts and constants are known to the compiler.
__device__ __forceinline__ unsigned md5_step(int i, unsigned a, unsigned b, unsigned c, unsigned d, unsigned m, unsigned k, int s) {
  unsigned f = i < 16 ? (b & c) | (~b & d) : i < 32 ? (d & b) | (~d & c) : i < 48 ? b ^ c ^ d : c ^ (b | ~d); f += a + k + m; return b + __funnelshift_l(f, f, s);
}
extern "C" __global__ void md5_blocks(uint4* digest, const uint4* message, int rounds) {
  const unsigned k[64] = {
      0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
      0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8, 0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
      0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70, 0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
      0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1, 0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};
  const int s[16] = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21}; int id = blockIdx.x * blockDim.x + threadIdx.x; unsigned m[16], h[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
#pragma unroll
  for (int j = 0; j < 4; j++) { uint4 v = message[id * 4 + j]; m[4 * j] = v.x; m[4 * j + 1] = v.y; m[4 * j + 2] = v.z; m[4 * j + 3] = v.w; }
  for (int r = 0; r < rounds; r++) {
    unsigned a = h[0], b = h[1], c = h[2], d = h[3];
#pragma unroll
    for (int i = 0; i < 64; i++) {
      int g = i < 16 ? i : i < 32 ? (5 * i + 1) & 15 : i < 48 ? (3 * i + 5) & 15 : (7 * i) & 15; unsigned n = md5_step(i, a, b, c, d, m[g], k[i], s[(i >> 4) * 4 + (i & 3)]); a = d; d = c; c = b; b = n;
    }
    h[0] += a; h[1] += b; h[2] += c; h[3] += d; m[0] += r;
  }
  digest[id] = make_uint4(h[0], h[1], h[2], h[3]);
}
// Rounds of a cipher by a table in shared memory: four lookups a word, lanes at unlike places.
extern "C" __global__ void table_cipher(uint4* out, const uint4* in, const unsigned* table, const unsigned* keys, int rounds) {
  __shared__ unsigned s[256]; s[threadIdx.x] = table[threadIdx.x]; __syncthreads(); int i = blockIdx.x * blockDim.x + threadIdx.x; uint4 v = in[i]; unsigned x[4] = {v.x ^ keys[0], v.y ^ keys[1], v.z ^ keys[2], v.w ^ keys[3]};
  for (int r = 1; r <= rounds; r++) {
    unsigned y[4];
#pragma unroll
    for (int k = 0; k < 4; k++) y[k] = s[x[k] >> 24] ^ __byte_perm(s[x[(k + 1) & 3] >> 16 & 255], 0, 0x0321) ^ __byte_perm(s[x[(k + 2) & 3] >> 8 & 255], 0, 0x1032) ^ __byte_perm(s[x[(k + 3) & 3] & 255], 0, 0x2103) ^ keys[r * 4 + k];
#pragma unroll
    for (int k = 0; k < 4; k++) x[k] = y[k];
  }
  out[i] = make_uint4(x[0], x[1], x[2], x[3]);
}
// Keys of a block in order, a bit a pass: ballots count, shared memory exchanges.
extern "C" __global__ void split_sort(unsigned* keys, int bits) {
  __shared__ unsigned s[256], zeros[8]; int t = threadIdx.x, lane = t & 31, warp = t >> 5; unsigned key = keys[blockIdx.x * 256 + t];
  for (int b = 0; b < bits; b++) {
    unsigned one = key >> b & 1, votes = __ballot_sync(~0u, !one); if (lane == 0) zeros[warp] = __popc(votes);
    __syncthreads(); unsigned before = 0, all = 0;
#pragma unroll
    for (int w = 0; w < 8; w++) { if (w < warp) before += zeros[w]; all += zeros[w]; }
    unsigned rank = before + __popc(votes & ((1u << lane) - 1)); s[one ? all + t - rank : rank] = key; __syncthreads(); key = s[t];
  }
  keys[blockIdx.x * 256 + t] = key;
}
// 128 keys a warp, four a lane, sorted by exchanges between lanes and within them.
__device__ __forceinline__ void in_order(unsigned& a, unsigned& b, bool up) { unsigned lo = min(a, b), hi = max(a, b); a = up ? lo : hi; b = up ? hi : lo; }
extern "C" __global__ void lane_sort(uint4* keys, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31; if (i >= n) return; uint4 q = keys[i]; unsigned v[4] = {q.x, q.y, q.z, q.w};
  in_order(v[0], v[1], true); in_order(v[2], v[3], false); bool first = !(lane & 1); in_order(v[0], v[2], first); in_order(v[1], v[3], first); in_order(v[0], v[1], first); in_order(v[2], v[3], first);
#pragma unroll
  for (int size = 2; size <= 32; size <<= 1) {
    bool up = !(lane & size);
#pragma unroll
    for (int o = size >> 1; o; o >>= 1) {
      bool low = !(lane & o);
#pragma unroll
      for (int k = 0; k < 4; k++) { unsigned other = __shfl_xor_sync(~0u, v[k], o); v[k] = low == up ? min(v[k], other) : max(v[k], other); }
    }
    in_order(v[0], v[2], up); in_order(v[1], v[3], up); in_order(v[0], v[1], up); in_order(v[2], v[3], up);
  }
  keys[i] = make_uint4(v[0], v[1], v[2], v[3]);
}
// A pass of a radix sort within tiles: ranks by matching lanes, a scan of 256 digits, an exchange, rows out.
extern "C" __global__ void radix_tile(unsigned* out, unsigned* digits, const unsigned* keys, int shift) {
  __shared__ unsigned count[8][256], start[256], sums[8], s[2048]; int t = threadIdx.x, lane = t & 31, warp = t >> 5; unsigned key[8], rank[8];
#pragma unroll
  for (int w = 0; w < 8; w++) count[w][t] = 0;
#pragma unroll
  for (int k = 0; k < 8; k++) key[k] = keys[blockIdx.x * 2048 + warp * 256 + k * 32 + lane];
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 8; k++) {
    unsigned d = key[k] >> shift & 255, same = __match_any_sync(~0u, d), lower = __popc(same & ((1u << lane) - 1)); rank[k] = count[warp][d] + lower; __syncwarp();
    if (lower == 0) count[warp][d] += __popc(same);
    __syncwarp();
  }
  __syncthreads(); unsigned total = 0;
#pragma unroll
  for (int w = 0; w < 8; w++) { unsigned c = count[w][t]; count[w][t] = total; total += c; }
  unsigned inc = total;
#pragma unroll
  for (int o = 1; o < 32; o <<= 1) { unsigned u = __shfl_up_sync(~0u, inc, o); if (lane >= o) inc += u; }
  if (lane == 31) sums[warp] = inc;
  __syncthreads(); unsigned before = 0; for (int w = 0; w < warp; w++) before += sums[w];
  start[t] = before + inc - total; digits[blockIdx.x * 256 + t] = total; __syncthreads();
#pragma unroll
  for (int k = 0; k < 8; k++) { unsigned d = key[k] >> shift & 255; s[start[d] + count[warp][d] + rank[k]] = key[k]; }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 8; k++) out[blockIdx.x * 2048 + k * 256 + t] = s[k * 256 + t];
}
// The k-th largest of a row: digit by digit from the top, a histogram in shared memory each.
extern "C" __global__ void row_select(float* threshold, unsigned* above, const float* rows, int width, unsigned k) {
  __shared__ unsigned h[256], digit, rest; int t = threadIdx.x; unsigned prefix = 0, mask = 0; const float* p = rows + (size_t)blockIdx.x * width; if (t == 0) rest = k;
  for (int shift = 24; shift >= 0; shift -= 8) {
    h[t] = 0; __syncthreads();
    for (int i = t; i < width; i += 256) { unsigned u = __float_as_uint(p[i]); u ^= u >> 31 ? ~0u : 0x80000000u; if ((u & mask) == prefix) atomicAdd(&h[u >> shift & 255], 1u); }
    __syncthreads();
    if (t == 0) { unsigned left = rest; int d = 255; while (h[d] < left) left -= h[d--]; digit = d; rest = left; }
    __syncthreads(); prefix |= digit << shift; mask |= 255u << shift;
  }
  unsigned mine = 0; for (int i = t; i < width; i += 256) { unsigned u = __float_as_uint(p[i]); u ^= u >> 31 ? ~0u : 0x80000000u; mine += u > prefix; }
  mine = __reduce_add_sync(~0u, mine); if (t == 0) h[0] = 0; __syncthreads(); if ((t & 31) == 0) atomicAdd(&h[0], mine); __syncthreads();
  if (t == 0) { threshold[blockIdx.x] = __uint_as_float(prefix ^ (prefix >> 31 ? 0x80000000u : ~0u)); above[blockIdx.x] = h[0]; }
}
// Common neighbours along edges: two sorted lists are merged a thread.
extern "C" __global__ void common_neighbours(unsigned* count, const unsigned* rows, const unsigned* cols, const unsigned* u, const unsigned* v, int edges, unsigned mask) {
  int e = blockIdx.x * blockDim.x + threadIdx.x; if (e >= edges) return; unsigned a = u[e] & mask, b = v[e] & mask, i = rows[a], j = rows[b], ia = i, jb = j, sum = 0, sa = a % 5 + 1, sb = b % 5 + 1;
  while (i < rows[a + 1] && j < rows[b + 1]) {
    unsigned x = (cols[i] - ia) * sa + a % 7, y = (cols[j] - jb) * sb + b % 7;
    if (x == y) { sum++; i++; j++; } else if (x < y) i++; else j++;
  }
  count[e] = sum;
}
// What a new centre would gain: distances in sixteen dimensions, a saving to the present centre of each point.
extern "C" __global__ void centre_gain(float* lower, unsigned char* change, float* gain, const float* points, const float* weight, const float* cost, const unsigned* assigned, int n, int who, int centres) {
  __shared__ float c[16]; if (threadIdx.x < 16) c[threadIdx.x] = points[threadIdx.x * n + who];
  __syncthreads(); int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; float x = 0;
  for (int d = 0; d < 16; d++) { float v = points[d * n + i] - c[d]; x += v * v; }
  x *= weight[i] * 0.1f; float now = cost[i]; change[i] = 0;
  if (x < now) { change[i] = 1; lower[i] = x - now; gain[i * 4] = 0; } else gain[i * 4 + assigned[i] % centres % 4] = now - x;
}
// Rays against a tree of boxes: a stack a thread, the nearer child first.
extern "C" __global__ void tree_rays(float* depth, unsigned* visits, const float4* boxes, const float* directions, int leaves) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; float dx = 1.0f / (directions[3 * i] + 2.0f), dy = 1.0f / directions[3 * i + 1], dz = 1.0f / directions[3 * i + 2], best = 1e9f; unsigned stack[24], seen = 0; int top = 0; stack[top++] = 1;
  while (top) {
    unsigned node = stack[--top]; float4 b = boxes[node]; float r = node >= leaves ? 0.05f : 0.1f + 1.5f / (32 - __clz(node)); seen++;
    float x0 = (b.x - r + 1.5f) * dx, x1 = (b.x + r + 1.5f) * dx, y0 = (b.y - r) * dy, y1 = (b.y + r) * dy, z0 = (b.z - r) * dz, z1 = (b.z + r) * dz;
    float in = fmaxf(fmaxf(fminf(x0, x1), fminf(y0, y1)), fmaxf(fminf(z0, z1), 0.0f)), out = fminf(fminf(fmaxf(x0, x1), fmaxf(y0, y1)), fminf(fmaxf(z0, z1), best));
    if (in > out) continue;
    if (node >= leaves) { best = in; continue; }
    unsigned near = node * 2 + (dy < 0); stack[top++] = near ^ 1; stack[top++] = near;
  }
  depth[i] = best; visits[i] = seen;
}
// A filter of bits: three places a key.
extern "C" __global__ void bloom_insert(unsigned* filter, const unsigned* keys, int n, int bits) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; unsigned k = keys[i], h = k * 0x9E3779B1u, g = (k ^ k >> 15) * 0x85EBCA77u | 1;
#pragma unroll
  for (int j = 0; j < 3; j++) { unsigned at = (h + j * g) >> (32 - bits), bit = 1u << (at & 31); if (!(filter[at >> 5] & bit)) atomicOr(&filter[at >> 5], bit); }
}
// Edit distances by words of 64 bits: a pattern a thread, text for the block in shared memory.
extern "C" __global__ void edit_distance(int* distance, const unsigned char* patterns, const unsigned char* text, int length) {
  __shared__ unsigned char s[512]; __shared__ unsigned long long eq[4][64]; int t = threadIdx.x, score = 64, i = blockIdx.x * 64 + t; for (int k = t; k < length; k += 64) s[k] = text[blockIdx.x * length + k] & 3;
  for (int c = 0; c < 4; c++) eq[c][t] = 0;
  for (int k = 0; k < 64; k++) eq[patterns[i * 64 + k] & 3][t] |= 1ull << k;
  __syncthreads(); unsigned long long pv = ~0ull, mv = 0; int best = 64;
  for (int k = 0; k < length; k++) {
    unsigned long long e = eq[s[k]][t], xv = e | mv, xh = (((e & pv) + pv) ^ pv) | e, ph = mv | ~(xh | pv), mh = pv & xh;
    score += (int)(ph >> 63) - (int)(mh >> 63); ph <<= 1; mh <<= 1; pv = mh | ~(xv | ph); mv = ph & xv; best = min(best, score);
  }
  distance[i] = best;
}
// Products of 256-bit numbers after Montgomery, eight words of 32 bits, carries in 64 bits.
extern "C" __global__ void montgomery256(unsigned* r, const unsigned* a, const unsigned* b, const unsigned* m, int n, int times) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; unsigned x[8], y[8], p[8], t[9];
#pragma unroll
  for (int k = 0; k < 8; k++) { x[k] = a[k * n + i]; y[k] = b[k * n + i]; p[k] = m[k] | (k == 0); }
  x[7] &= 0x3fffffff; y[7] &= 0x3fffffff; p[7] |= 0x80000000; unsigned inverse = 1;
  for (int k = 0; k < 5; k++) inverse *= 2 - p[0] * inverse;
  inverse = 0u - inverse;
  for (int times_left = times; times_left; times_left--) {
#pragma unroll
    for (int k = 0; k < 9; k++) t[k] = 0;
#pragma unroll
    for (int j = 0; j < 8; j++) {
      unsigned long long c = 0;
#pragma unroll
      for (int k = 0; k < 8; k++) { c += (unsigned long long)x[k] * y[j] + t[k]; t[k] = (unsigned)c; c >>= 32; }
      c += t[8]; t[8] = (unsigned)c; unsigned q = t[0] * inverse; c = ((unsigned long long)q * p[0] + t[0]) >> 32;
#pragma unroll
      for (int k = 1; k < 8; k++) { c += (unsigned long long)q * p[k] + t[k]; t[k - 1] = (unsigned)c; c >>= 32; }
      c += t[8]; t[7] = (unsigned)c; t[8] = (unsigned)(c >> 32);
    }
#pragma unroll
    for (int k = 0; k < 8; k++) x[k] = t[k];
  }
#pragma unroll
  for (int k = 0; k < 8; k++) r[k * n + i] = x[k];
}
// Sums over runs of equal heads: a scan of pairs through shuffles, the last lane of a run writes.
extern "C" __global__ void segment_sums(float* out, const float* in, const unsigned* heads, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31; if (i >= n) return; bool head = lane == 0 || heads[i] % 5 == 0; float v = in[i]; unsigned starts = __ballot_sync(~0u, head); int first = 31 - __clz(starts & (~0u >> (31 - lane)));
#pragma unroll
  for (int o = 1; o < 32; o <<= 1) { float u = __shfl_up_sync(~0u, v, o); if (lane - o >= first) v += u; }
  if (lane == 31 || (starts >> (lane + 1) & 1)) out[i - lane + first] = v;
}
void register_data() {
  CASE("tree_search", "data", tree_search, "sixteen keys a node").g(512).b(256).out("found", "u32", 8192).in("sorted", "u32", 65536, "iota").in("queries", "u32", 8192, "range", 501, 196608).i(65536).i(4);
  CASE("pack_codes", "data", pack_codes, "codes of unlike length").g(200).b(256).out("out", "u32", 200 * 640).out("bits", "u32", 200).in("text", "u8", 200 * 1024, "raw", 502).in("table", "u32", 256, "raw", 503);
  CASE("md5_blocks", "data", md5_blocks, "long unrolled integer code").g(264).b(64).out("digest", "u32", 264 * 64 * 4).in("message", "u32", 264 * 64 * 16, "raw", 504).i(2);
  CASE("table_cipher", "data", table_cipher, "random shared lookups").g(132).b(256).out("out", "u32", 132 * 1024).in("in", "u32", 132 * 1024, "raw", 505).in("table", "u32", 256, "raw", 506).in("keys", "u32", 44, "raw", 507).i(10);
  CASE("split_sort", "data", split_sort, "a bit a pass").g(160).b(256).out("keys", "u32", 160 * 256, "raw", 508).i(16);
  CASE("lane_sort", "data", lane_sort, "128 keys a warp").g(300).b(128).out("keys", "u32", 300 * 512, "raw", 509).i(300 * 128);
  CASE("radix_tile", "data", radix_tile, "256 digits, tiles of 2048").g(200).b(256).out("out", "u32", 200 * 2048).out("digits", "u32", 200 * 256).in("keys", "u32", 200 * 2048, "raw", 510).i(8);
  CASE("row_select", "data", row_select, "the k-th largest of a row").g(132).b(256).out("threshold", "f32", 132).out("above", "u32", 132).in("rows", "f32", 132 * 3000, "uniform", 511).i(3000).i(50);
  CASE("common_neighbours", "data", common_neighbours, "merges of lists").g(128).b(128).out("count", "u32", 16384).in("rows", "u32", 4097, "csr_rows", 512, 16).in("cols", "u32", 4096 * 32, "iota").in("u", "u32", 16384, "raw", 513).in("v", "u32", 16384, "raw", 514).i(16384).i(4095);
  CASE("centre_gain", "data", centre_gain, "distances, two outcomes").g(256).b(128).out("lower", "f32", 32768).out("change", "u8", 32768).out("gain", "f32", 4 * 32768).in("points", "f32", 16 * 32768, "uniform", 515).in("weight", "f32", 32768, "positive", 516).in("cost", "f32", 32768, "positive", 517).in("assigned", "u32", 32768, "raw", 518).i(32768).i(777).i(9);
  CASE("tree_rays", "data", tree_rays, "a stack a thread").g(66).b(128).out("depth", "f32", 66 * 128).out("visits", "u32", 66 * 128).in("boxes", "f32", 4 * 2048, "uniform", 519).in("directions", "f32", 3 * 66 * 128, "uniform", 520).i(1024);
  CASE("bloom_insert", "data", bloom_insert, "bits by atomics").g(256).b(256).out("filter", "u32", 32768).in("keys", "u32", 65536, "raw", 521).i(65536).i(20);
  CASE("edit_distance", "data", edit_distance, "words of 64 bits").g(198).b(64).out("distance", "i32", 198 * 64).in("patterns", "u8", 198 * 64 * 64, "raw", 522).in("text", "u8", 198 * 300, "raw", 523).i(300);
  CASE("montgomery256", "data", montgomery256, "256-bit products").g(132).b(96).out("r", "u32", 8 * 132 * 96).in("a", "u32", 8 * 132 * 96, "raw", 524).in("b", "u32", 8 * 132 * 96, "raw", 525).in("m", "u32", 8, "raw", 526).i(132 * 96).i(4);
  CASE("segment_sums", "data", segment_sums, "a scan by heads").g(528).b(256).out("out", "f32", 528 * 256).in("in", "f32", 528 * 256, "uniform", 527).in("heads", "u32", 528 * 256, "raw", 528).i(528 * 256);
}
