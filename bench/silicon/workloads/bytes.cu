// SPDX-License-Identifier: Apache-2.0
// Sixth held-out set, bytes: digests, ciphers, text, pictures, joins, orders. See README.md.
#include "../harness.cuh"

__constant__ unsigned kSha[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
__device__ unsigned turn(unsigned v, int by) { return __funnelshift_r(v, v, by); }
// A message of four blocks a thread, words of all messages side by side.
extern "C" __global__ void __launch_bounds__(128) sha256_messages(unsigned* out, const unsigned* in, int messages) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= messages) return;
  unsigned h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  for (int block = 0; block < 4; ++block) {
    unsigned w[16], s[8];
#pragma unroll
    for (int i = 0; i < 16; ++i) w[i] = in[(size_t)(block * 16 + i) * messages + id];
#pragma unroll
    for (int i = 0; i < 8; ++i) s[i] = h[i];
#pragma unroll
    for (int i = 0; i < 64; ++i) {
      if (i >= 16) {
        unsigned a = w[(i + 1) & 15], b = w[(i + 14) & 15];
        w[i & 15] += (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + w[(i + 9) & 15] + (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
      }
      unsigned t1 = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) + kSha[i] + w[i & 15];
      unsigned t2 = (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
      s[7] = s[6]; s[6] = s[5]; s[5] = s[4]; s[4] = s[3] + t1; s[3] = s[2]; s[2] = s[1]; s[1] = s[0]; s[0] = t1 + t2;
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) h[i] += s[i];
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) out[(size_t)i * messages + id] = h[i];
}
// Ten rounds of table lookups as AES has them; the table lies in shared memory.
extern "C" __global__ void __launch_bounds__(256) cipher_tables(uint4* out, const uint4* in, const unsigned* table, const unsigned* keys, int blocks) {
  __shared__ unsigned t[256];
  t[threadIdx.x] = table[threadIdx.x];
  __syncthreads();
  for (int id = blockIdx.x * 256 + threadIdx.x; id < blocks; id += gridDim.x * 256) {
    uint4 s = in[id];
#pragma unroll
    for (int r = 0; r < 10; ++r) {
      uint4 n;
      n.x = t[s.x & 255] ^ turn(t[s.y >> 8 & 255], 24) ^ turn(t[s.z >> 16 & 255], 16) ^ turn(t[s.w >> 24], 8) ^ keys[r * 4];
      n.y = t[s.y & 255] ^ turn(t[s.z >> 8 & 255], 24) ^ turn(t[s.w >> 16 & 255], 16) ^ turn(t[s.x >> 24], 8) ^ keys[r * 4 + 1];
      n.z = t[s.z & 255] ^ turn(t[s.w >> 8 & 255], 24) ^ turn(t[s.x >> 16 & 255], 16) ^ turn(t[s.y >> 24], 8) ^ keys[r * 4 + 2];
      n.w = t[s.w & 255] ^ turn(t[s.x >> 8 & 255], 24) ^ turn(t[s.y >> 16 & 255], 16) ^ turn(t[s.z >> 24], 8) ^ keys[r * 4 + 3];
      s = n;
    }
    out[id] = s;
  }
}
__constant__ unsigned kCrc[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
// CRC-32 by nibbles, the table in constant memory, so that lanes ask for several words.
extern "C" __global__ void crc_nibbles(unsigned* out, const unsigned* in, int records, int words) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= records) return;
  unsigned crc = ~0u;
  for (int w = 0; w < words; ++w) {
    crc ^= in[(size_t)w * records + id];
#pragma unroll
    for (int k = 0; k < 8; ++k) crc = kCrc[crc & 15] ^ crc >> 4;
  }
  out[id] = ~crc;
}
// Counts a pattern of up to sixteen letters by its failure links, a piece of text a thread.
extern "C" __global__ void search_links(unsigned* count, const unsigned char* text, const unsigned char* pattern, int length, int piece, int letters) {
  __shared__ unsigned char p[16]; __shared__ int link[16];
  if (threadIdx.x == 0) {
    for (int i = 0; i < letters; ++i) p[i] = pattern[i] & 1;
    link[0] = 0;
    for (int i = 1, k = 0; i < letters; ++i) { while (k && p[k] != p[i]) k = link[k - 1]; if (p[k] == p[i]) ++k; link[i] = k; }
  }
  __syncthreads();
  int from = (blockIdx.x * blockDim.x + threadIdx.x) * piece, to = min(from + piece + letters - 1, length), k = 0; unsigned found = 0;
  for (int i = from; i < to; ++i) {
    unsigned char c = text[i] & 1;
    while (k && p[k] != c) k = link[k - 1];
    if (p[k] == c) ++k;
    if (k == letters) { ++found; k = link[k - 1]; }
  }
  for (int o = 16; o; o >>= 1) found += __shfl_down_sync(~0u, found, o);
  if ((threadIdx.x & 31) == 0 && found) atomicAdd(count + (blockIdx.x & 7), found);
}
// Three bytes to four letters, twelve bytes a thread.
extern "C" __global__ void base64_letters(uint4* out, const unsigned* in, int groups) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= groups) return;
  unsigned w[3] = {in[id * 3], in[id * 3 + 1], in[id * 3 + 2]}, r[4];
  const unsigned char* b = (const unsigned char*)w;
#pragma unroll
  for (int g = 0; g < 4; ++g) {
    unsigned v = b[g * 3] << 16 | b[g * 3 + 1] << 8 | b[g * 3 + 2], word = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      unsigned six = v >> (18 - 6 * k) & 63;
      unsigned letter = six < 26 ? 'A' + six : six < 52 ? 'a' + six - 26 : six < 62 ? '0' + six - 52 : six == 62 ? '+' : '/';
      word |= letter << (8 * k);
    }
    r[g] = word;
  }
  out[id] = make_uint4(r[0], r[1], r[2], r[3]);
}
// Median of five by five bytes by counting from above, a tile in shared memory.
extern "C" __global__ void __launch_bounds__(256) median_five(unsigned char* out, const unsigned char* in, int width, int height) {
  __shared__ unsigned char tile[20][36];
  int tx = threadIdx.x & 31, ty = threadIdx.x >> 5;
  for (int e = threadIdx.x; e < 12 * 36; e += 256) {
    int x = min(max((int)blockIdx.x * 32 + e % 36 - 2, 0), width - 1), y = min(max((int)blockIdx.y * 8 + e / 36 - 2, 0), height - 1);
    tile[e / 36][e % 36] = in[y * width + x];
  }
  __syncthreads();
  int low = 0;
#pragma unroll
  for (int bit = 7; bit >= 0; --bit) {
    int test = low | 1 << bit, n = 0;
#pragma unroll
    for (int dy = 0; dy < 5; ++dy)
#pragma unroll
      for (int dx = 0; dx < 5; ++dx) n += tile[ty + dy][tx + dx] >= test;
    if (n >= 13) low = test;
  }
  int x = blockIdx.x * 32 + tx, y = blockIdx.y * 8 + ty;
  if (x < width && y < height) out[y * width + x] = (unsigned char)low;
}
// Sobel's edges, four bytes a thread, by words.
extern "C" __global__ void sobel_words(uchar4* out, const unsigned* in, int words, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < 1 || x >= words - 1 || y < 1 || y >= height - 1) return;
  int p[3][6];
#pragma unroll
  for (int r = 0; r < 3; ++r) {
    const unsigned* row = in + (size_t)(y + r - 1) * words + x; unsigned a = row[-1], b = row[0], c = row[1];
    p[r][0] = a >> 24; p[r][1] = b & 255; p[r][2] = b >> 8 & 255; p[r][3] = b >> 16 & 255; p[r][4] = b >> 24; p[r][5] = c & 255;
  }
  unsigned char v[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    int gx = p[0][k + 2] + 2 * p[1][k + 2] + p[2][k + 2] - p[0][k] - 2 * p[1][k] - p[2][k], gy = p[2][k] + 2 * p[2][k + 1] + p[2][k + 2] - p[0][k] - 2 * p[0][k + 1] - p[0][k + 2];
    v[k] = (unsigned char)min(255, (abs(gx) + abs(gy)) >> 2);
  }
  out[(size_t)y * words + x] = make_uchar4(v[0], v[1], v[2], v[3]);
}
// Sums of all before in one pass: a block looks back at those in front of it.
extern "C" __global__ void __launch_bounds__(256) scan_look_back(unsigned* out, const unsigned* in, unsigned* state, unsigned* next, int n) {
  __shared__ unsigned part[8], block, before;
  if (threadIdx.x == 0) block = atomicAdd(next, 1u);
  __syncthreads();
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, at = block * 1024 + threadIdx.x * 4;
  uint4 v = at + 3 < n ? *(const uint4*)(in + at) : make_uint4(0, 0, 0, 0);
  v.x &= 255; v.y = (v.y & 255) + v.x; v.z = (v.z & 255) + v.y; v.w = (v.w & 255) + v.z;
  unsigned sum = v.w;
  for (int o = 1; o < 32; o <<= 1) { unsigned u = __shfl_up_sync(~0u, sum, o); if (lane >= o) sum += u; }
  if (lane == 31) part[warp] = sum;
  __syncthreads();
  unsigned mine = sum - v.w, all = 0;
#pragma unroll
  for (int w = 0; w < 8; ++w) { if (w < warp) mine += part[w]; all += part[w]; }
  if (threadIdx.x == 0) {
    volatile unsigned* s = state;
    if (block == 0) { s[0] = all << 2 | 2; before = 0; }
    else {
      s[block] = all << 2 | 1; unsigned sum_before = 0;
      for (int b = (int)block - 1;; --b) { unsigned got; do got = s[b]; while (!(got & 3)); sum_before += got >> 2; if (got & 2) break; }
      s[block] = (sum_before + all) << 2 | 2; before = sum_before;
    }
  }
  __syncthreads();
  mine += before;
  if (at + 3 < n) *(uint4*)(out + at) = make_uint4(mine + v.x, mine + v.y, mine + v.z, mine + v.w);
}
// Counts of 256 values, a table a warp in shared memory, joined at the end.
extern "C" __global__ void __launch_bounds__(128) histogram_by_warp(unsigned* out, const unsigned* in, int words) {
  __shared__ unsigned table[4][256];
  for (int e = threadIdx.x; e < 1024; e += 128) (&table[0][0])[e] = 0;
  __syncthreads();
  unsigned* mine = table[threadIdx.x >> 5];
  for (int i = blockIdx.x * 128 + threadIdx.x; i < words; i += gridDim.x * 128) {
    unsigned w = in[i] & 0x3f7f7f0f;
    atomicAdd(mine + (w & 255), 1u); atomicAdd(mine + (w >> 8 & 255), 1u); atomicAdd(mine + (w >> 16 & 255), 1u); atomicAdd(mine + (w >> 24), 1u);
  }
  __syncthreads();
  for (int e = threadIdx.x; e < 256; e += 128) { unsigned s = table[0][e] + table[1][e] + table[2][e] + table[3][e]; if (s) atomicAdd(out + e, s); }
}
// Probes a table of keys that another kernel would have built: open addresses, keys are their own slots' hash or not there.
extern "C" __global__ void join_probe(unsigned* match, const unsigned* table, const unsigned* keys, int n, unsigned mask) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  unsigned key = keys[id] % 100000u, slot = key * 2654435761u >> 8 & mask, found = ~0u;
  for (int k = 0; k < 12; ++k) { unsigned got = table[slot] % 100000u; if (got == key) { found = slot; break; } if (got % 7 == 0) break; slot = slot + 1 & mask; }
  match[id] = found;
}
// Runs spread out again: each place finds its run by halving.
extern "C" __global__ void runs_expand(unsigned* out, const unsigned* start, const unsigned* value, int runs, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int lo = 0, hi = runs;
  while (hi - lo > 1) { int mid = (lo + hi) >> 1; if (start[mid] <= (unsigned)i) lo = mid; else hi = mid; }
  out[i] = value[lo];
}
// 32 by 32 bits turned over by five exchanges.
extern "C" __global__ void bits_turn(unsigned* out, const unsigned* in, int words) {
  int id = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned v = id < words ? in[id] : 0, mask = 0x0000ffffu;
#pragma unroll
  for (int o = 16; o; o >>= 1) {
    unsigned other = __shfl_xor_sync(~0u, v, o);
    v = lane & o ? (v & ~mask) | (other >> o & mask) : (v & mask) | (other << o & ~mask);
    mask ^= mask << (o >> 1);
  }
  if (id < words) out[id] = v;
}
// Lengths of letters in UTF-8: marks by bytes, places by ballots.
extern "C" __global__ void text_letters(unsigned* places, unsigned* counts, const unsigned char* text, int n) {
  __shared__ unsigned part[8];
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  bool first = i < n && (text[i] & 0xc0) != 0x80;
  unsigned vote = __ballot_sync(~0u, first);
  if (lane == 0) part[warp] = __popc(vote);
  __syncthreads();
  unsigned before = __popc(vote & ((1u << lane) - 1));
  for (int w = 0; w < warp; ++w) before += part[w];
  if (first) places[blockIdx.x * 256 + before] = i;
  if (threadIdx.x == 255) counts[blockIdx.x] = before + first;
}
void register_bytes() {
  CASE("sha256_messages", "bytes", sha256_messages, "digests").g(160).b(128).out("out", "u32", 8 * 20480).in("in", "u32", 64 * 20480, "raw", 961).i(20480);
  CASE("cipher_tables", "bytes", cipher_tables, "table in shared memory").g(132).b(256).out("out", "u32", 90000 * 4).in("in", "u32", 90000 * 4, "raw", 962).in("table", "u32", 256, "raw", 963).in("keys", "u32", 40, "raw", 964).i(90000);
  CASE("crc_nibbles", "bytes", crc_nibbles, "constants by lane").g(150).b(128).out("out", "u32", 19200).in("in", "u32", 19200 * 24, "raw", 965).i(19200).i(24);
  CASE("search_links", "bytes", search_links, "failure links").g(120).b(192).out("count", "u32", 8).in("text", "u8", 120 * 192 * 40, "raw", 966).in("pattern", "u8", 16, "raw", 967).i(120 * 192 * 40).i(40).i(9);
  CASE("base64_letters", "bytes", base64_letters, "selects").g(500).b(256).out("out", "u32", 128000 * 4).in("in", "u32", 128000 * 3, "raw", 968).i(127990);
  CASE("median_five", "bytes", median_five, "counting bits").g(20, 60).b(256).out("out", "u8", 630 * 478).in("in", "u8", 630 * 478, "raw", 969).i(630).i(478);
  CASE("sobel_words", "bytes", sobel_words, "four bytes a thread").g(2, 700).b(160).out("out", "u8", 300 * 4 * 700).in("in", "u32", 300 * 700, "raw", 970).i(300).i(700);
  CASE("scan_look_back", "bytes", scan_look_back, "one pass").g(400).b(256).out("out", "u32", 409600).in("in", "u32", 409600, "raw", 971).in("state", "u32", 400, "zero").in("next", "u32", 1, "zero").i(409600);
  CASE("histogram_by_warp", "bytes", histogram_by_warp, "a table a warp").g(264).b(128).out("out", "u32", 256).in("in", "u32", 300000, "raw", 972).i(299990);
  CASE("join_probe", "bytes", join_probe, "open addresses").g(600).b(256).out("match", "u32", 153600).in("table", "u32", 131072, "raw", 973).in("keys", "u32", 153600, "raw", 974).i(153500).val(131071u, "u32");
  CASE("runs_expand", "bytes", runs_expand, "halving").g(700).b(256).out("out", "u32", 179200).in("start", "u32", 20000, "csr_rows", 975, 8).in("value", "u32", 20000, "raw", 976).i(20000).i(179100);
  CASE("bits_turn", "bytes", bits_turn, "exchanges").g(800).b(256).out("out", "u32", 204800).in("in", "u32", 204800, "raw", 977).i(204790);
  CASE("text_letters", "bytes", text_letters, "ballots").g(1000).b(256).out("places", "u32", 256000).out("counts", "u32", 1000).in("text", "u8", 256000, "raw", 978).i(255900);
}
void register_inference(); void register_science();
void register_workloads() { register_inference(); register_science(); register_bytes(); }
