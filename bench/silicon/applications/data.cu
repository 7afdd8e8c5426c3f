// SPDX-License-Identifier: Apache-2.0
// Fifth held-out set, data: scans, sorts, codes, tables, graphs, hashes, interpreters, sums of doubles. See README.md.
#include "../harness.cuh"

// Kogge and Stone: two rows of shared memory in turn.
extern "C" __global__ void __launch_bounds__(512) scan_kogge_stone(int* out, const int* in, int n) {
  __shared__ int s[2][512];
  int t = threadIdx.x, i = blockIdx.x * 512 + t, from = 0;
  s[0][t] = i < n ? in[i] : 0;
  for (int step = 1; step < 512; step <<= 1) {
    __syncthreads();
    s[from ^ 1][t] = s[from][t] + (t >= step ? s[from][t - step] : 0);
    from ^= 1;
  }
  if (i < n) out[i] = s[from][t];
}
// Blelloch: up and down a tree, places shifted so that banks differ.
#define PLACE(i) ((i) + ((i) >> 5))
extern "C" __global__ void scan_blelloch(float* out, const float* in, int n) {
  extern __shared__ float s[];
  int t = threadIdx.x, base = blockIdx.x * n, half = n / 2, offset = 1;
  s[PLACE(t)] = in[base + t]; s[PLACE(t + half)] = in[base + t + half];
  for (int d = half; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) { int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1; s[PLACE(b)] += s[PLACE(a)]; }
    offset *= 2;
  }
  if (t == 0) s[PLACE(n - 1)] = 0;
  for (int d = 1; d < n; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (t < d) { int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1; float x = s[PLACE(a)]; s[PLACE(a)] = s[PLACE(b)]; s[PLACE(b)] += x; }
  }
  __syncthreads();
  out[base + t] = s[PLACE(t)]; out[base + t + half] = s[PLACE(t + half)];
}
// One pass of a radix sort of a tile: counts of four bits a thread in packed bytes, a scan of them, stores by rank.
extern "C" __global__ void __launch_bounds__(256) radix_pass4(unsigned* out, unsigned* counts, const unsigned* in, int shift) {
  __shared__ unsigned hist[16][257]; __shared__ unsigned sums[16], sorted[1024];
  int t = threadIdx.x; unsigned v[4];
  uint4 q = ((const uint4*)in)[blockIdx.x * 256 + t]; v[0] = q.x; v[1] = q.y; v[2] = q.z; v[3] = q.w;
  for (int d = 0; d < 16; ++d) hist[d][t] = 0;
  for (int k = 0; k < 4; ++k) hist[v[k] >> shift & 15][t]++;
  __syncthreads();
  int warp = t >> 5, lane = t & 31;
  for (int d = warp; d < 16; d += 8) {
    unsigned run = 0;
    for (int k = 0; k < 8; ++k) {
      unsigned x = hist[d][k * 32 + lane], y = x;
      for (int o = 1; o < 32; o <<= 1) { unsigned up = __shfl_up_sync(~0u, y, o); if (lane >= o) y += up; }
      hist[d][k * 32 + lane] = run + y - x; run += __shfl_sync(~0u, y, 31);
    }
    if (lane == 0) { sums[d] = run; counts[blockIdx.x * 16 + d] = run; }
  }
  __syncthreads();
  if (t == 0) { unsigned run = 0; for (int d = 0; d < 16; ++d) { unsigned x = sums[d]; sums[d] = run; run += x; } }
  __syncthreads();
  for (int k = 0; k < 4; ++k) { unsigned d = v[k] >> shift & 15; sorted[sums[d] + hist[d][t]++] = v[k]; }
  __syncthreads();
  for (int k = t; k < 1024; k += 256) out[blockIdx.x * 1024 + k] = sorted[k];
}
// One step of a bitonic network over memory, 64-bit keys.
extern "C" __global__ void bitonic_global(unsigned long long* key, int j, int k) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ j;
  if (other > i) {
    unsigned long long a = key[i], b = key[other];
    if ((a > b) == ((i & k) == 0)) { key[i] = b; key[other] = a; }
  }
}
// Odd and even neighbours are exchanged until a block is in order.
extern "C" __global__ void __launch_bounds__(128) odd_even_sort(int* data) {
  __shared__ int s[256];
  int t = threadIdx.x, base = blockIdx.x * 256;
  s[t] = data[base + t]; s[t + 128] = data[base + t + 128];
  __syncthreads();
  for (int round = 0; round < 256; ++round) {
    int i = 2 * t + (round & 1);
    if (i + 1 < 256 && s[i] > s[i + 1]) { int x = s[i]; s[i] = s[i + 1]; s[i + 1] = x; }
    __syncthreads();
  }
  data[base + t] = s[t]; data[base + t + 128] = s[t + 128];
}
// A thread sorts 24 values of its own: quicksort with a stack in local memory.
extern "C" __global__ void quick_thread(int* out, const int* in, int n) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  int v[24], stack[16], top = 0;
  for (int i = 0; i < 24; ++i) v[i] = in[i * n + id];
  stack[top++] = 0 << 8 | 23;
  while (top) {
    int e = stack[--top], lo = e >> 8, hi = e & 255;
    while (hi - lo > 4) {
      int pivot = v[(lo + hi) / 2], i = lo, j = hi;
      while (i <= j) { while (v[i] < pivot) ++i; while (v[j] > pivot) --j; if (i <= j) { int x = v[i]; v[i++] = v[j]; v[j--] = x; } }
      if (j - lo < hi - i) { if (i < hi) stack[top++] = i << 8 | hi; hi = j; } else { if (lo < j) stack[top++] = lo << 8 | j; lo = i; }
      if (hi < lo) break;
    }
    for (int i = lo + 1; i <= hi; ++i) { int x = v[i], j = i - 1; while (j >= lo && v[j] > x) { v[j + 1] = v[j]; --j; } v[j + 1] = x; }
  }
  for (int i = 0; i < 24; ++i) out[i * n + id] = v[i];
}
// Runs of equal bytes, a warp a line of 256: votes find the heads, lengths are distances between bits.
extern "C" __global__ void rle_warp(unsigned char* value, unsigned char* length, unsigned* runs, const unsigned char* in, int lines) {
  int line = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (line >= lines) return;
  const unsigned char* p = in + line * 256; unsigned count = 0, open = 0;
  for (int base = 0; base < 256; base += 32) {
    unsigned char v = p[base + lane]; bool head = base + lane == 0 || v != p[base + lane - 1];
    unsigned heads = __ballot_sync(~0u, head), before = heads & ((1u << lane) - 1), rank = count + __popc(before);
    if (head) { value[line * 256 + rank] = v; if (rank) length[line * 256 + rank - 1] = before ? lane - (31 - __clz(before)) : open + lane; }
    open = heads ? __clz(heads) + 1 : open + 32; count += __popc(heads);
  }
  if (lane == 0) { length[line * 256 + count - 1] = open; runs[line] = count; }
}
// Codes of unlike length are read bit by bit along a tree in shared memory.
extern "C" __global__ void __launch_bounds__(128) huffman_decode(unsigned char* out, const unsigned* bits, const unsigned* shape, int words, int symbols) {
  __shared__ unsigned short tree[128][2];
  for (int i = threadIdx.x; i < 128; i += 128) { tree[i][0] = i < 62 && shape[i] % 5 ? 2 * i + 1 : 0x8000 | i; tree[i][1] = i < 62 && shape[i] % 7 ? 2 * i + 2 : 0x8000 | (i + 100); }
  __syncthreads();
  int id = blockIdx.x * 128 + threadIdx.x, used = 0, node = 0, made = 0; unsigned word = 0;
  const unsigned* p = bits + id * words;
  while (made < symbols && used < words * 32) {
    if ((used & 31) == 0) word = p[used >> 5];
    node = tree[node][word & 1]; word >>= 1; ++used;
    if (node & 0x8000) { out[id * symbols + made++] = node; node = 0; }
  }
}
// Differences of sorted numbers in one to five bytes, a thread a list of 32.
extern "C" __global__ void varint_pack(unsigned char* out, unsigned* size, const unsigned* in, int lists) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= lists) return;
  unsigned char* p = out + id * 160; unsigned last = 0;
  for (int k = 0; k < 32; ++k) {
    unsigned v = in[k * lists + id] >> (k % 4 * 7), d = (v - last) << 1 ^ (unsigned)((int)(v - last) >> 31); last = v;
    while (d >= 128) { *p++ = d | 128; d >>= 7; }
    *p++ = d;
  }
  size[id] = p - (out + id * 160);
}
// Groups: a table in shared memory by compare and swap, sums, least and greatest; then all blocks' tables meet in memory.
extern "C" __global__ void __launch_bounds__(256) group_by_hash(unsigned* sums, int* least, int* most, const unsigned* key, const int* value, int n, int groups) {
  __shared__ unsigned keys[512], total[512]; __shared__ int lo[512], hi[512];
  for (int i = threadIdx.x; i < 512; i += 256) { keys[i] = ~0u; total[i] = 0; lo[i] = 0x7fffffff; hi[i] = -0x7fffffff; }
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    unsigned k = key[i] % groups, at = k * 0x9E3779B1u >> 23; int v = value[i];
    while (true) { unsigned old = atomicCAS(&keys[at], ~0u, k); if (old == ~0u || old == k) break; at = (at + 1) & 511; }
    atomicAdd(&total[at], (unsigned)v & 0xffff); atomicMin(&lo[at], v); atomicMax(&hi[at], v);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 512; i += 256) if (unsigned k = keys[i]; k != ~0u) { atomicAdd(&sums[k], total[i]); atomicMin(&least[k], lo[i]); atomicMax(&most[k], hi[i]); }
}
// Four chains of dependent loads a thread, each through a permutation of 4 MB.
extern "C" __global__ void chase_four(unsigned* out, const unsigned* next, int steps, unsigned mask) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, a = i * 97 & mask, b = i * 193 & mask, c = i * 389 & mask, d = i * 769 & mask;
  for (int s = 0; s < steps; ++s) { a = next[a]; b = next[b]; c = next[c]; d = next[d]; }
  out[i] = a ^ b ^ c ^ d;
}
// A search of a sorted list laid out as a tree by levels, without branches.
extern "C" __global__ void search_eytzinger(unsigned* out, const unsigned* tree, const unsigned* want, int n, int levels) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = want[i], k = 1;
  for (int l = 0; l < levels; ++l) k = 2 * k + (tree[k] < x);
  out[i] = k >> __ffs(~k);
}
// Bins in memory, lanes with the same bin found by match, their leader adds for all.
extern "C" __global__ void histogram_match(unsigned* bins, const unsigned short* in, int n, int shift) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned b = in[i] >> shift, peers = __match_any_sync(__activemask(), b);
    if ((threadIdx.x & 31) == __ffs(peers) - 1) atomicAdd(&bins[b], __popc(peers));
  }
}
// A level of a search from below: vertices not yet found look for a found neighbour and leave at the first.
extern "C" __global__ void bfs_bottom_up(unsigned* next, unsigned* parent, const unsigned* found, const unsigned* offset, const unsigned* edge, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x; bool now = false;
  if (v < n && !(found[v >> 5] >> (v & 31) & 1)) {
    for (unsigned e = offset[v]; e < offset[v + 1]; ++e) {
      unsigned u = edge[e] % n;
      if ((found[u >> 5] & found[(u >> 5) ^ 1]) >> (u & 31) & 1) { parent[v] = u; now = true; break; }
    }
  }
  unsigned word = __ballot_sync(~0u, now);
  if ((threadIdx.x & 31) == 0 && v < n) next[v >> 5] = word;
}
// Ranks of pages: eight lanes a page pull from its neighbours.
extern "C" __global__ void pagerank_pull(float* next, const float* rank, const unsigned* degree, const unsigned* offset, const unsigned* edge, int n, float damp) {
  int v = (blockIdx.x * blockDim.x + threadIdx.x) / 8, lane = threadIdx.x % 8;
  if (v >= n) return;
  float sum = 0;
  for (unsigned e = offset[v] + lane, end = offset[v + 1]; e < end; e += 8) { unsigned u = edge[e] % n; sum += rank[u] / (float)((degree[u] & 15) + 1); }
  unsigned mask = 0xffu << (threadIdx.x & 24);
  for (int o = 4; o; o >>= 1) sum += __shfl_down_sync(mask, sum, o, 8);
  if (lane == 0) next[v] = (1 - damp) / n + damp * sum;
}
// Components: the least label of both ends goes to both, by atomics only where it is less.
extern "C" __global__ void label_edges(unsigned* label, unsigned* changed, const unsigned* old, const uint2* edge, int edges, unsigned n) {
  int e = blockIdx.x * blockDim.x + threadIdx.x; bool any = false;
  if (e < edges) {
    uint2 q = edge[e]; unsigned a = q.x % n, b = q.y % n, la = old[a], lb = old[b];
    if (la < lb) { atomicMin(&label[b], la); any = true; } else if (lb < la) { atomicMin(&label[a], lb); any = true; }
  }
  if (__syncthreads_count(any) && threadIdx.x == 0) atomicAdd(changed, 1);
}
// Walks over a graph: a 64-bit generator chooses the edge.
extern "C" __global__ void random_walks(unsigned* ends, unsigned* visits, const unsigned* offset, const unsigned* edge, int walks, unsigned n, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= walks) return;
  unsigned long long state = i * 0x9E3779B97F4A7C15ull + 1; unsigned v = i % n, longest = 0;
  for (int s = 0; s < steps; ++s) {
    unsigned begin = offset[v], degree = offset[v + 1] - begin;
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    if (degree == 0) break;
    v = edge[begin + (unsigned)(state >> 33) % degree] % n; longest = max(longest, degree);
  }
  ends[i] = v; atomicAdd(&visits[v & 1023], longest);
}
// Longest common subsequence of two strings in words of 64 bits: votes make the masks, then one thread works.
extern "C" __global__ void __launch_bounds__(64) lcs_bits(unsigned* out, const unsigned char* s1, const unsigned char* s2, int length) {
  __shared__ unsigned has[4][2]; __shared__ unsigned carry;
  int t = threadIdx.x, id = blockIdx.x; unsigned char mine = s1[id * 64 + t];
  for (int k = 0; k < 4; ++k) { unsigned b = __ballot_sync(~0u, mine == k); if ((t & 31) == 0) has[k][t >> 5] = b; }
  __syncthreads();
  if (t == 0) {
    unsigned long long v = ~0ull;
    for (int j = 0; j < length; ++j) { int c = s2[id * length + j] & 3; unsigned long long m = has[c][0] | (unsigned long long)has[c][1] << 32, u = v & m; v = (v + u) | (v - u); }
    carry = __popcll(~v);
  }
  __syncthreads();
  if (t == 32) out[id] = carry;
}
// Points are added to the nearest of 32 centres, whole numbers in shared memory, then in memory.
extern "C" __global__ void __launch_bounds__(192) kmeans_update(unsigned long long* sums, unsigned* sizes, const float2* points, const float2* centres, int n) {
  __shared__ float2 c[32]; __shared__ int sx[32], sy[32]; __shared__ unsigned size[32];
  int t = threadIdx.x;
  if (t < 32) { c[t] = centres[t]; sx[t] = sy[t] = 0; size[t] = 0; }
  __syncthreads();
  for (int i = blockIdx.x * 192 + t; i < n; i += gridDim.x * 192) {
    float2 p = points[i]; float best = 1e30f; int who = 0;
    for (int k = 0; k < 32; ++k) { float dx = p.x - c[k].x, dy = p.y - c[k].y, d = dx * dx + dy * dy; if (d < best) { best = d; who = k; } }
    atomicAdd(&sx[who], (int)(p.x * 1024)); atomicAdd(&sy[who], (int)(p.y * 1024)); atomicAdd(&size[who], 1u);
  }
  __syncthreads();
  if (t < 32) { atomicAdd(&sums[t * 2], (unsigned long long)(long long)sx[t]); atomicAdd(&sums[t * 2 + 1], (unsigned long long)(long long)sy[t]); atomicAdd(&sizes[t], size[t]); }
}
// Letters of one to four bytes are counted, sixteen bytes a load.
extern "C" __global__ void __launch_bounds__(256) utf8_count(unsigned* counts, const uint4* text, int n) {
  __shared__ unsigned part[4];
  if (threadIdx.x < 4) part[threadIdx.x] = 0;
  __syncthreads();
  unsigned one = 0, two = 0, three = 0, four = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    uint4 q = text[i]; unsigned w[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      unsigned h = w[k] & 0x80808080u, b = w[k] << 1 & 0x80808080u, c = w[k] << 2 & 0x80808080u, d = w[k] << 3 & 0x80808080u;
      one += __popc(~h & 0x80808080u); two += __popc(h & b & ~c); three += __popc(h & b & c & ~d); four += __popc(h & b & c & d);
    }
  }
  one = __reduce_add_sync(~0u, one); two = __reduce_add_sync(~0u, two); three = __reduce_add_sync(~0u, three); four = __reduce_add_sync(~0u, four);
  if ((threadIdx.x & 31) == 0) { atomicAdd(&part[0], one); atomicAdd(&part[1], two); atomicAdd(&part[2], three); atomicAdd(&part[3], four); }
  __syncthreads();
  if (threadIdx.x < 4) atomicAdd(&counts[threadIdx.x], part[threadIdx.x]);
}
// A machine of eight orders, a program in constant memory, a stack of registers in shared memory.
__constant__ unsigned char program[64] = {0, 3, 0, 7, 1, 2, 5, 0, 13, 3, 4, 1, 0, 21, 6, 2, 0, 5, 7, 1, 3, 0, 9, 2, 5, 4, 1, 6, 0, 31, 3, 2, 0, 17, 7, 5, 1, 4, 0, 3, 2, 6, 1, 5, 0, 11, 3, 7, 2, 4, 0, 2, 1, 6, 5, 3, 0, 19, 2, 7, 4, 1, 5, 255};
extern "C" __global__ void __launch_bounds__(128) bytecode_vm(unsigned* out, const unsigned* in, int rounds) {
  __shared__ unsigned stack[16][128];
  int t = threadIdx.x; unsigned a = in[blockIdx.x * 128 + t], sp = 0;
  for (int k = 0; k < 16; ++k) stack[k][t] = a + k;
  for (int r = 0; r < rounds; ++r) {
    for (int pc = 0;;) {
      int op = program[pc++];
      if (op == 255) break;
      switch (op) {
        case 0: stack[sp & 15][t] = a; ++sp; a += program[pc++]; break;
        case 1: a += stack[--sp & 15][t]; break;
        case 2: a *= stack[(sp - 1) & 15][t] | 1; break;
        case 3: a ^= a >> 15; break;
        case 4: { unsigned x = stack[--sp & 15][t]; stack[sp++ & 15][t] = a; a = x; break; }
        case 5: a = __funnelshift_l(a, a, 7); break;
        case 6: if (a & 1) a = a * 3 + 1; else a >>= 1; break;
        case 7: a = a > 0x40000000u ? a - stack[sp & 15][t] : a + 0x1234567u; break;
      }
    }
  }
  out[blockIdx.x * 128 + t] = a;
}
// Sum of products of doubles with what rounding leaves, one sum a block.
extern "C" __global__ void __launch_bounds__(256) dot_compensated(double* out, const double2* x, const double2* y, int n) {
  __shared__ double high[256], low[256];
  int t = threadIdx.x; double s = 0, c = 0;
  auto add = [&](double p, double e) { double z = s + p, b = z - s; c += ((s - (z - b)) + (p - b)) + e; s = z; };
  for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) { double2 a = x[i], b = y[i]; double p = a.x * b.x, q = a.y * b.y; add(p, fma(a.x, b.x, -p)); add(q, fma(a.y, b.y, -q)); }
  high[t] = s; low[t] = c;
  for (int h = 128; h; h >>= 1) { __syncthreads(); if (t < h) { s = high[t]; c = low[t]; add(high[t + h], low[t + h]); high[t] = s; low[t] = c; } }
  if (t == 0) out[blockIdx.x] = s + c;
}
// A hash of 64 bits of sixteen words a thread, as in tables of databases.
extern "C" __global__ void hash64_words(unsigned long long* out, const uint2* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long h = 0x27D4EB2F165667C5ull + i;
  for (int k = 0; k < 8; ++k) {
    uint2 w = in[k * n + i]; unsigned long long v = w.x | (unsigned long long)w.y << 32;
    v *= 0xC2B2AE3D27D4EB4Full; v = v << 31 | v >> 33; v *= 0x9E3779B185EBCA87ull; h ^= v; h = (h << 27 | h >> 37) * 0x9E3779B185EBCA87ull + 0x85EBCA77C2B2AE63ull;
  }
  h ^= h >> 33; h *= 0xC2B2AE3D27D4EB4Full; h ^= h >> 29; h *= 0x165667B19E3779F9ull; out[i] = h ^ h >> 32;
}
void register_data() {
  CASE("scan_kogge_stone", "data", scan_kogge_stone, "a barrier a step").g(300).b(512).out("out", "i32", 153600).in("in", "u32", 153600, "range", 900, 100).i(153590);
  CASE("scan_blelloch", "data", scan_blelloch, "a tree, padded").g(260).b(256).dyn(528 * 4).out("out", "f32", 260 * 512).in("in", "f32", 260 * 512, "uniform", 901).i(512);
  CASE("radix_pass4", "data", radix_pass4, "four bits").g(200).b(256).out("out", "u32", 204800).out("counts", "u32", 3200).in("in", "u32", 204800, "raw", 902).i(8);
  CASE("bitonic_global", "data", bitonic_global, "64-bit keys").g(1024).b(256).out("key", "u32", 524288, "raw", 903).i(64).i(1024);
  CASE("odd_even_sort", "data", odd_even_sort, "256 rounds").g(132).b(128).out("data", "i32", 132 * 256, "raw", 904);
  CASE("quick_thread", "data", quick_thread, "local stack").g(100).b(96).out("out", "i32", 24 * 9600).in("in", "i32", 24 * 9600, "raw", 905).i(9600);
  CASE("rle_warp", "data", rle_warp, "votes").g(250).b(128).out("value", "u8", 256000).out("length", "u8", 256000).out("runs", "u32", 1000).in("in", "u8", 256000, "range", 906, 2).i(1000);
  CASE("huffman_decode", "data", huffman_decode, "a tree by bits").g(66).b(128).out("out", "u8", 8448 * 32).in("bits", "u32", 8448 * 5, "raw", 907).in("shape", "u32", 128, "raw", 908).i(5).i(32);
  CASE("varint_pack", "data", varint_pack, "bytes of unlike number").g(80).b(128).out("out", "u8", 10000 * 160).out("size", "u32", 10000).in("in", "u32", 320000, "raw", 909).i(10000);
  CASE("group_by_hash", "data", group_by_hash, "tables meet").g(132).b(256).out("sums", "u32", 300).out("least", "i32", 300).out("most", "i32", 300).in("key", "u32", 150000, "raw", 910).in("value", "i32", 150000, "raw", 911).i(150000).i(300);
  CASE("chase_four", "data", chase_four, "four chains").g(132).b(64).out("out", "u32", 8448).in("next", "u32", 1 << 20, "perm", 912).i(40).i((1 << 20) - 1);
  CASE("search_eytzinger", "data", search_eytzinger, "no branches").g(300).b(256).out("out", "u32", 76800).in("tree", "u32", 1 << 16, "raw", 913).in("want", "u32", 76800, "raw", 914).i(76700).i(15);
  CASE("histogram_match", "data", histogram_match, "leaders of lanes").g(264).b(128).out("bins", "u32", 1024).in("in", "u8", 400002, "raw", 915).i(200001).i(6);
  CASE("bfs_bottom_up", "data", bfs_bottom_up, "leave at the first").g(300).b(256).out("next", "u32", 2400).out("parent", "u32", 76800).in("found", "u32", 2400, "raw", 916).in("offset", "u32", 76801, "csr_rows", 917, 9).in("edge", "u32", 76800 * 19, "raw", 918).i(76800);
  CASE("pagerank_pull", "data", pagerank_pull, "eight lanes a page").g(500).b(256).out("next", "f32", 16000).in("rank", "f32", 16000, "positive", 919).in("degree", "u32", 16000, "raw", 920).in("offset", "u32", 16001, "csr_rows", 921, 15).in("edge", "u32", 16000 * 31, "raw", 922).i(15990).f(0.85f);
  CASE("label_edges", "data", label_edges, "least of both").g(400).b(256).out("label", "u32", 40000, "iota").out("changed", "u32", 1).in("old", "u32", 40000, "iota").in("edge", "u32", 204800, "raw", 923).i(102400).i(40000);
  CASE("random_walks", "data", random_walks, "remainders").g(160).b(128).out("ends", "u32", 20480).out("visits", "u32", 1024).in("offset", "u32", 10001, "csr_rows", 924, 12).in("edge", "u32", 10000 * 25, "raw", 925).i(20480).i(10000).i(24);
  CASE("lcs_bits", "data", lcs_bits, "one thread works").g(400).b(64).out("out", "u32", 400).in("s1", "u8", 25600, "range", 926, 4).in("s2", "u8", 400 * 200, "range", 927, 4).i(200);
  CASE("kmeans_update", "data", kmeans_update, "whole numbers").g(132).b(192).out("sums", "u32", 128).out("sizes", "u32", 32).in("points", "f32", 200000, "uniform", 928).in("centres", "f32", 64, "uniform", 929).i(100000);
  CASE("utf8_count", "data", utf8_count, "sixteen bytes a load").g(200).b(256).out("counts", "u32", 4).in("text", "u8", 4000000, "raw", 930).i(250000);
  CASE("bytecode_vm", "data", bytecode_vm, "a switch in a loop").g(132).b(128).out("out", "u32", 16896).in("in", "u32", 16896, "raw", 931).i(6);
  CASE("dot_compensated", "data", dot_compensated, "sums of doubles").g(150).b(256).out("out", "f64", 150).in("x", "f64", 400000, "uniform", 932).in("y", "f64", 400000, "uniform", 933).i(200000);
  CASE("hash64_words", "data", hash64_words, "64-bit products").g(250).b(192).out("out", "f64", 48000).in("in", "u32", 48000 * 16, "raw", 934).i(47990);
}
