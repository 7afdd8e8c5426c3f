// SPDX-License-Identifier: Apache-2.0
// Fourth held-out set, algorithms: transforms, sparse and hashed data, ciphers, alignment, recursion, stencils in time, 64-bit and double arithmetic. See README.md.
#include "../harness.cuh"

// Transform of 1,024 points a block, radix 4: five steps through shared memory.
__device__ __forceinline__ float2 times(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
extern "C" __global__ void __launch_bounds__(256) fft_radix4(float2* data) {
  __shared__ float re[1024], im[1024];
  int t = threadIdx.x; float2* p = data + blockIdx.x * 1024; float2 v[4];
#pragma unroll
  for (int k = 0; k < 4; k++) v[k] = p[t + k * 256];
#pragma unroll
  for (int step = 0; step < 5; step++) {
    int ns = 1 << 2 * step, j = t & (ns - 1); float angle = -1.57079633f * j / ns, s, c;
#pragma unroll
    for (int k = 1; k < 4; k++) { __sincosf(angle * k, &s, &c); v[k] = times(v[k], make_float2(c, s)); }
    float2 a = make_float2(v[0].x + v[2].x, v[0].y + v[2].y), b = make_float2(v[0].x - v[2].x, v[0].y - v[2].y), d = make_float2(v[1].x + v[3].x, v[1].y + v[3].y), e = make_float2(v[1].y - v[3].y, v[3].x - v[1].x);
    v[0] = make_float2(a.x + d.x, a.y + d.y); v[1] = make_float2(b.x + e.x, b.y + e.y); v[2] = make_float2(a.x - d.x, a.y - d.y); v[3] = make_float2(b.x - e.x, b.y - e.y);
    if (step == 4) break;
    int to = ((t - j) << 2) + j;
    if (step) __syncthreads();
#pragma unroll
    for (int k = 0; k < 4; k++) { re[to + k * ns] = v[k].x; im[to + k * ns] = v[k].y; }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 4; k++) v[k] = make_float2(re[t + k * 256], im[t + k * 256]);
  }
#pragma unroll
  for (int k = 0; k < 4; k++) p[t + k * 256] = v[k];
}
// A sparse matrix (rows) by 64 dense columns: a warp a row, indices passed between lanes.
extern "C" __global__ void spmm_csr(float2* c, const float* value, const unsigned* col, const unsigned* row, const float2* b, int rows, int cols) {
  int w = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31; if (w >= rows) return;
  unsigned begin = row[w], end = row[w + 1]; float2 sum = make_float2(0, 0);
  for (unsigned base = begin; base < end; base += 32) {
    unsigned at = base + lane; float v = 0; unsigned k = 0;
    if (at < end) { v = value[at]; k = col[at] % cols; }
    int here = min(32u, end - base);
    for (int j = 0; j < here; j++) { float f = __shfl_sync(~0u, v, j); float2 x = b[__shfl_sync(~0u, k, j) * 32 + lane]; sum.x += f * x.x; sum.y += f * x.y; }
  }
  c[w * 32 + lane] = sum;
}
// Keys look for themselves in a table in memory, place by place until they meet an equal tag or an end.
extern "C" __global__ void hash_probe(unsigned* found, unsigned long long* matches, const unsigned* table, const unsigned* keys, int n, unsigned mask) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; unsigned hits = 0;
  if (i < n) {
    unsigned key = keys[i], at = key * 2654435761u >> 7 & mask, steps = 0, v;
    while (((v = table[at]) & 15) != (key & 15) && (v & 63) != 61) { at = (at + 1) & mask; steps++; }
    bool hit = (v & 15) == (key & 15); found[i] = hit ? at : ~steps; hits = hit;
  }
  unsigned ballot = __ballot_sync(~0u, hits); if ((threadIdx.x & 31) == 0 && ballot) atomicAdd(matches, (unsigned long long)__popc(ballot));
}
// A level of a breadth-first search from a list, a warp a vertex; the next list by one atomic a warp.
extern "C" __global__ void bfs_frontier(unsigned* depth, unsigned* next_size, unsigned* next, const unsigned* list, const unsigned* offset, const unsigned* edge, int vertices, unsigned level) {
  int w = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31; unsigned v = list[w] % vertices, end = offset[v + 1];
  for (unsigned e = offset[v] + lane; __any_sync(~0u, e < end); e += 32) {
    unsigned to = 0; bool fresh = false;
    if (e < end) { to = edge[e] % vertices; fresh = depth[to] == 0 && atomicCAS(&depth[to], 0u, level) == 0; }
    unsigned mask = __ballot_sync(~0u, fresh), at = 0;
    if (mask) { if (lane == 0) at = atomicAdd(next_size, __popc(mask)); at = __shfl_sync(~0u, at, 0); if (fresh) next[at + __popc(mask & ((1u << lane) - 1))] = to; }
  }
}
// SHA-256 of one block of 64 bytes a thread; the message schedule in registers.
__constant__ unsigned sha_k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
__device__ __forceinline__ unsigned ror(unsigned x, int n) { return __funnelshift_r(x, x, n); }
extern "C" __global__ void sha256_blocks(unsigned* digest, const unsigned* message, int n) {
  int id = blockIdx.x * blockDim.x + threadIdx.x; if (id >= n) return; unsigned w[16], h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
#pragma unroll
  for (int j = 0; j < 16; j++) w[j] = __byte_perm(message[id * 16 + j], 0, 0x0123);
  unsigned a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], x = h[7];
#pragma unroll 16
  for (int r = 0; r < 64; r++) {
    unsigned m = w[r & 15];
    if (r >= 16) { unsigned p = w[(r + 1) & 15], q = w[(r + 14) & 15]; m += (ror(p, 7) ^ ror(p, 18) ^ p >> 3) + w[(r + 9) & 15] + (ror(q, 17) ^ ror(q, 19) ^ q >> 10); w[r & 15] = m; }
    unsigned t1 = x + (ror(e, 6) ^ ror(e, 11) ^ ror(e, 25)) + ((e & f) ^ (~e & g)) + sha_k[r] + m, t2 = (ror(a, 2) ^ ror(a, 13) ^ ror(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    x = g; g = f; f = e; e = d + t1; d = c; c = b; b = a; a = t1 + t2;
  }
  unsigned o[8] = {a, b, c, d, e, f, g, x};
#pragma unroll
  for (int j = 0; j < 8; j++) digest[id * 8 + j] = __byte_perm(o[j] + h[j], 0, 0x0123);
}
// AES-like rounds by four tables of 256 words in constant memory: lanes ask for unlike words.
struct Tables { unsigned v[1024]; };
constexpr Tables make_tables() { Tables t{}; unsigned x = 12345; for (int i = 0; i < 1024; i++) { x ^= x << 13; x ^= x >> 17; x ^= x << 5; t.v[i] = x; } return t; }
__constant__ Tables aes = make_tables();
extern "C" __global__ void aes_constant(uint4* out, const uint4* in, const uint4* key, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; uint4 v = in[i];
  for (int r = 0; r < rounds; r++) {
    uint4 k = key[r], n;
    n.x = aes.v[v.x & 255] ^ aes.v[256 + (v.y >> 8 & 255)] ^ aes.v[512 + (v.z >> 16 & 255)] ^ aes.v[768 + (v.w >> 24)] ^ k.x;
    n.y = aes.v[v.y & 255] ^ aes.v[256 + (v.z >> 8 & 255)] ^ aes.v[512 + (v.w >> 16 & 255)] ^ aes.v[768 + (v.x >> 24)] ^ k.y;
    n.z = aes.v[v.z & 255] ^ aes.v[256 + (v.w >> 8 & 255)] ^ aes.v[512 + (v.x >> 16 & 255)] ^ aes.v[768 + (v.y >> 24)] ^ k.z;
    n.w = aes.v[v.w & 255] ^ aes.v[256 + (v.x >> 8 & 255)] ^ aes.v[512 + (v.y >> 16 & 255)] ^ aes.v[768 + (v.z >> 24)] ^ k.w;
    v = n;
  }
  out[i] = v;
}
// Local alignment with affine gaps: a warp a pair of 32 by m letters, a diagonal a step through shuffles.
extern "C" __global__ void align_affine(int* score, const unsigned char* query, const unsigned char* target, const int* matrix, int m) {
  __shared__ int s[24 * 24]; for (int i = threadIdx.x; i < 576; i += blockDim.x) s[i] = matrix[i];
  __syncthreads();
  int w = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31, mine = query[w * 32 + lane] * 24, h = 0, e = 0, f = 0, diagonal = 0, best = 0;
  for (int d = 0; d < m + 31; d++) {
    int up = __shfl_up_sync(~0u, h, 1), upf = __shfl_up_sync(~0u, f, 1), j = d - lane; if (lane == 0) { up = 0; upf = 0; }
    if (j >= 0 && j < m) {
      f = max(up - 11, upf - 1); e = max(h - 11, e - 1); int x = max(max(diagonal + s[mine + target[w * m + j]] - 4, 0), max(e, f)); h = x; best = max(best, x);
    }
    diagonal = up;
  }
  best = __reduce_max_sync(~0u, best); if (lane == 0) score[w] = best;
}
// Ways to fill a weight from a list: calls of itself, two a level.
__device__ __noinline__ unsigned ways(const unsigned* item, int left, int weight) {
  if (weight == 0) return 1; if (weight < 0 || left == 0) return 0;
  return ways(item, left - 1, weight) + ways(item, left - 1, weight - (int)item[left - 1]);
}
extern "C" __global__ void subset_ways(unsigned* out, const unsigned* items, int n, int count) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = ways(items + (i & 7) * count, count, 20 + i % 13); }
// Four time steps of heat in a tile of 32 x 32 before it goes back: the border is computed by neighbours too.
extern "C" __global__ void __launch_bounds__(1024) heat_four_steps(float* out, const float* in, int n, float k) {
  __shared__ float s[2][32][33]; int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 24 + tx - 4, y = blockIdx.y * 24 + ty - 4, cx = min(max(x, 0), n - 1), cy = min(max(y, 0), n - 1); float v = in[cy * n + cx]; s[0][ty][tx] = v;
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 4; i++) {
    if (tx > i && ty > i && tx < 31 - i && ty < 31 - i) {
      const float(*p)[33] = s[i & 1]; bool edge = x <= 0 || y <= 0 || x >= n - 1 || y >= n - 1; if (!edge) v += k * (p[ty][tx - 1] + p[ty][tx + 1] + p[ty - 1][tx] + p[ty + 1][tx] - 4 * v);
      s[i + 1 & 1][ty][tx] = v;
    }
    __syncthreads();
  }
  if (tx >= 4 && ty >= 4 && tx < 28 && ty < 28 && x < n && y < n) out[y * n + x] = v;
}
// Piecewise cubics from 40 KB of constant memory, the same place for all lanes of a warp, then unlike places.
struct Pieces { float v[10240]; };
constexpr Pieces make_pieces() { Pieces t{}; unsigned x = 99; for (int i = 0; i < 10240; i++) { x = x * 1664525u + 1013904223u; t.v[i] = (float)(x >> 16) * (1.0f / 65536) - 0.5f; } return t; }
__constant__ Pieces pieces = make_pieces();
extern "C" __global__ void constant_pieces(float* out, const float* in, int turns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; float x = in[i], y = 0;
  for (int k = 0; k < turns; k++) { const float* c = pieces.v + ((blockIdx.x * 37 + k * 61) % 2560) * 4; y = y * 0.5f + ((c[3] * x + c[2]) * x + c[1]) * x + c[0]; }
  const float* c = pieces.v + (int)(fabsf(y) * 1000) % 2560 * 4; out[i] = y + c[0] * x + c[1];
}
// Words of 16 letters of two bits: both strands, hashed, counted where lanes agree.
extern "C" __global__ void kmer_count(unsigned* bins, const unsigned* text, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; unsigned lo = text[i >> 4], hi = text[(i >> 4) + 1], w = __funnelshift_r(lo, hi, 2 * (i & 15)), r = __brev(~w); r = (r & 0x55555555u) << 1 | (r >> 1 & 0x55555555u);
  unsigned k = min(w, r); k ^= k >> 15; k *= 0x2c1b3c6du; k ^= k >> 12; k *= 0x297a2d39u; k ^= k >> 15; unsigned bin = k & 1023, same = __match_any_sync(__activemask(), bin);
  if ((__ffs(same) - 1) == (threadIdx.x & 31)) atomicAdd(&bins[bin], __popc(same));
}
// The longest match behind each byte in a window: loops that end early.
extern "C" __global__ void __launch_bounds__(128) longest_match(unsigned short* out, const unsigned char* text) {
  __shared__ unsigned char s[320]; int t = threadIdx.x, base = blockIdx.x * 128; for (int i = t; i < 320; i += 128) s[i] = text[base + i];
  __syncthreads(); int at = t + 128, best = 0, where = 0;
  for (int d = 1; d <= 96; d++) {
    if (best && s[at - d + best] != s[at + best]) continue;
    int len = 0; while (len < 32 && s[at - d + len] == s[at + len]) len++;
    if (len > best) { best = len; where = d; if (len == 32) break; }
  }
  out[base + t] = best << 8 | where;
}
// Powers modulo 64-bit numbers by Montgomery's steps.
extern "C" __global__ void modpow_u64(unsigned long long* out, const unsigned* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; unsigned long long m = ((unsigned long long)in[2 * i] << 31 | in[2 * i + 1]) | 1, inv = m;
  for (int k = 0; k < 5; k++) inv *= 2 - m * inv;
  auto mul = [&](unsigned long long a, unsigned long long b) { unsigned long long lo = a * b, hi = __umul64hi(a, b), q = lo * inv, r = __umul64hi(q, m); return hi >= r ? hi - r : hi - r + m; };
  unsigned long long one = (0 - m) % m, x = one + one >= m ? one + one - m : one + one, r = one; unsigned e = in[2 * i] ^ in[2 * i + 1];
  for (; e; e >>= 1) { if (e & 1) r = mul(r, x); x = mul(x, x); }
  out[i] = mul(r, 1);
}
// Real-space sums of charges in double precision: erfc, exp, square roots, divisions.
extern "C" __global__ void ewald_f64(double* energy, const double* q, int n, int around) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; double x = q[4 * i], y = q[4 * i + 1], z = q[4 * i + 2], sum = 0;
  for (int k = 1; k <= around; k++) { int j = (i + k) % n; double dx = x - q[4 * j], dy = y - q[4 * j + 1], dz = z - q[4 * j + 2], r = sqrt(dx * dx + dy * dy + dz * dz + 1e-3); sum += q[4 * j + 3] * erfc(0.7 * r) / r; }
  energy[i] = sum * q[4 * i + 3] + log(1 + exp(-sum));
}
// Orbits by Kepler's equation: sin and cos of doubles, Newton until it is exact enough.
extern "C" __global__ void kepler_f64(double2* out, const double* m, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; double mean = m[2 * i] * 3, e = 0.3 + 0.3 * m[2 * i + 1], a = mean, s, c;
  for (int k = 0; k < 20; k++) { sincos(a, &s, &c); double d = (a - e * s - mean) / (1 - e * c); a -= d; if (fabs(d) < 1e-12) break; }
  out[i] = make_double2(cos(a) - e, sqrt(1 - e * e) * sin(a));
}
// CRC of 64 bytes a thread, eight bytes a step, eight tables in shared memory.
extern "C" __global__ void __launch_bounds__(256) crc_eight(unsigned* out, const uint2* in, const unsigned* table) {
  __shared__ unsigned s[8][256]; int t = threadIdx.x;
#pragma unroll
  for (int k = 0; k < 8; k++) s[k][t] = table[k * 256 + t];
  __syncthreads(); int i = blockIdx.x * 256 + t; unsigned crc = ~0u;
  for (int k = 0; k < 8; k++) {
    uint2 v = in[i * 8 + k]; v.x ^= crc;
    crc = s[7][v.x & 255] ^ s[6][v.x >> 8 & 255] ^ s[5][v.x >> 16 & 255] ^ s[4][v.x >> 24] ^ s[3][v.y & 255] ^ s[2][v.y >> 8 & 255] ^ s[1][v.y >> 16 & 255] ^ s[0][v.y >> 24];
  }
  out[i] = ~crc;
}
// Three bytes become four letters: permutes and sums of bytes.
extern "C" __global__ void base64_words(uint4* out, const unsigned* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; unsigned a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2], w[4] = {__byte_perm(a, 0, 0x4012), __byte_perm(a, b, 0x4345), __byte_perm(b, c, 0x4234), __byte_perm(c, 0, 0x4123)};
#pragma unroll
  for (int k = 0; k < 4; k++) {
    unsigned v = w[k] & 0xffffff, x = (v >> 18) | (v >> 12 & 63) << 8 | (v >> 6 & 63) << 16 | (v & 63) << 24, lower = __vcmpgtu4(x, 0x19191919), digit = __vcmpgtu4(x, 0x33333333), plus = __vcmpgtu4(x, 0x3d3d3d3d), slash = __vcmpeq4(x, 0x3f3f3f3f);
    w[k] = __vadd4(__vadd4(x, 0x41414141), __vadd4(lower & 0x06060606, __vadd4(digit & 0xb5b5b5b5, __vadd4(plus & 0xf1f1f1f1, slash & 0x03030303))));
  }
  out[i] = make_uint4(w[0], w[1], w[2], w[3]);
}
// Transform of 8 x 8 pixels, quantised, in shared memory: eight threads a tile.
extern "C" __global__ void __launch_bounds__(128) dct8x8(short* out, const unsigned char* in, const float* quant, int width) {
  __shared__ float s[16][8][9]; int t = threadIdx.x, tile = t >> 3, l = t & 7, x0 = (blockIdx.x * 16 + tile) * 8, y0 = blockIdx.y * 8; float v[8];
  auto one = [](float(&a)[8]) {
    float s0 = a[0] + a[7], s1 = a[1] + a[6], s2 = a[2] + a[5], s3 = a[3] + a[4], d0 = a[0] - a[7], d1 = a[1] - a[6], d2 = a[2] - a[5], d3 = a[3] - a[4], e0 = s0 + s3, e1 = s1 + s2, f0 = s0 - s3, f1 = s1 - s2;
    a[0] = 0.35355339f * (e0 + e1); a[4] = 0.35355339f * (e0 - e1); a[2] = 0.46193977f * f0 + 0.19134172f * f1; a[6] = 0.19134172f * f0 - 0.46193977f * f1;
    a[1] = 0.49039264f * d0 + 0.41573481f * d1 + 0.27778512f * d2 + 0.09754516f * d3; a[3] = 0.41573481f * d0 - 0.09754516f * d1 - 0.49039264f * d2 - 0.27778512f * d3;
    a[5] = 0.27778512f * d0 - 0.49039264f * d1 + 0.09754516f * d2 + 0.41573481f * d3; a[7] = 0.09754516f * d0 - 0.27778512f * d1 + 0.41573481f * d2 - 0.49039264f * d3;
  };
  uint2 q = *(const uint2*)&in[(y0 + l) * width + x0];
#pragma unroll
  for (int k = 0; k < 8; k++) v[k] = (float)((k < 4 ? q.x >> 8 * k : q.y >> 8 * (k - 4)) & 255) - 128.0f;
  one(v);
#pragma unroll
  for (int k = 0; k < 8; k++) s[tile][l][k] = v[k];
  __syncwarp();
#pragma unroll
  for (int k = 0; k < 8; k++) v[k] = s[tile][k][l];
  one(v);
#pragma unroll
  for (int k = 0; k < 8; k++) out[(y0 + k) * width + x0 + l] = (short)__float2int_rn(v[k] / quant[k * 8 + l]);
}
void register_algorithms() {
  CASE("fft_radix4", "algorithms", fft_radix4, "1,024 points a block").g(300).b(256).out("data", "f32", 300 * 2048, "uniform", 660);
  CASE("spmm_csr", "algorithms", spmm_csr, "sparse by dense").g(500).b(128).out("c", "f32", 2000 * 64).in("value", "f32", 2000 * 64, "uniform", 661).in("col", "u32", 2000 * 64, "raw", 662).in("row", "u32", 2001, "csr_rows", 663, 20).in("b", "f32", 3000 * 64, "uniform", 664).i(2000).i(3000);
  CASE("hash_probe", "algorithms", hash_probe, "a table in memory").g(400).b(256).out("found", "u32", 102400).out("matches", "u32", 2).in("table", "u32", 1 << 18, "perm", 665).in("keys", "u32", 102400, "raw", 666).i(102300).i((1 << 18) - 1);
  CASE("bfs_frontier", "algorithms", bfs_frontier, "a warp a vertex of a list").g(250).b(256).out("depth", "u32", 20000).out("next_size", "u32", 1).in("next", "u32", 20000, "zero").in("list", "u32", 2000, "raw", 667).in("offset", "u32", 20001, "csr_rows", 668, 12).in("edge", "u32", 20000 * 25, "raw", 669).i(20000).i(3);
  CASE("sha256_blocks", "algorithms", sha256_blocks, "rounds by sixteen").g(200).b(128).out("digest", "u32", 25600 * 8).in("message", "u32", 25600 * 16, "raw", 670).i(25600);
  CASE("aes_constant", "algorithms", aes_constant, "tables in constant memory, unlike places").g(132).b(128).out("out", "u32", 16896 * 4).in("in", "u32", 16896 * 4, "raw", 671).in("key", "u32", 40, "raw", 672).i(10);
  CASE("align_affine", "algorithms", align_affine, "a diagonal a step, shuffles").g(264).b(128).out("score", "i32", 1056).in("query", "u8", 1056 * 32, "range", 673, 24).in("target", "u8", 1056 * 96, "range", 674, 24).in("matrix", "u32", 576, "range", 675, 12).i(96);
  CASE("subset_ways", "algorithms", subset_ways, "calls of itself").g(66).b(64).out("out", "u32", 4224).in("items", "u32", 8 * 9, "range", 676, 9).i(4224).i(9);
  CASE("heat_four_steps", "algorithms", heat_four_steps, "four steps a tile").g(22, 22).b(32, 32).out("out", "f32", 512 * 512).in("in", "f32", 512 * 512, "positive", 677).i(512).f(0.2f);
  CASE("constant_pieces", "algorithms", constant_pieces, "40 KB of constants").g(300).b(128).out("out", "f32", 38400).in("in", "f32", 38400, "uniform", 678).i(48);
  CASE("kmer_count", "algorithms", kmer_count, "funnel shifts, matching lanes").g(500).b(256).out("bins", "u32", 1024).in("text", "u32", 8002, "raw", 679).i(127999);
  CASE("longest_match", "algorithms", longest_match, "loops that end early").g(400).b(128).out("out", "f16", 400 * 128).in("text", "u8", 400 * 128 + 320, "range", 680, 3);
  CASE("modpow_u64", "algorithms", modpow_u64, "products of 64 bits").g(150).b(128).out("out", "f64", 19200).in("in", "u32", 38400, "raw", 681).i(19199);
  CASE("ewald_f64", "algorithms", ewald_f64, "erfc of doubles").g(132).b(64).out("energy", "f64", 8448).in("q", "f64", 8448 * 4, "uniform", 682).i(8448).i(24);
  CASE("kepler_f64", "algorithms", kepler_f64, "sine and cosine of doubles").g(200).b(96).out("out", "f64", 38400).in("m", "f64", 38400, "uniform", 683).i(19190);
  CASE("crc_eight", "algorithms", crc_eight, "eight tables").g(264).b(256).out("out", "u32", 67584).in("in", "u32", 67584 * 16, "raw", 684).in("table", "u32", 2048, "raw", 685);
  CASE("base64_words", "algorithms", base64_words, "permuted bytes").g(500).b(192).out("out", "u32", 96000 * 4).in("in", "u32", 96000 * 3, "raw", 686).i(95990);
  CASE("dct8x8", "algorithms", dct8x8, "eight threads a tile").g(8, 100).b(128).out("out", "f16", 1024 * 800).in("in", "u8", 1024 * 800, "raw", 687).in("quant", "f32", 64, "positive", 688).i(1024);
}
