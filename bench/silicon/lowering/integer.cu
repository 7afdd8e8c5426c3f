// SPDX-License-Identifier: Apache-2.0
// Integer code: bits, hashes, strings, 64-bit arithmetic, division, sorting.
#include <cstdint>

#define GID (blockIdx.x * blockDim.x + threadIdx.x)

extern "C" __global__ void div_mod_u32(const unsigned* a, const unsigned* b, unsigned* q, unsigned* r, int n) {
  const int i = GID;
  if (i >= n) return;
  q[i] = a[i] / b[i];
  r[i] = a[i] % b[i];
}

extern "C" __global__ void div_mod_s32(const int* a, const int* b, int* q, int* r, int n) {
  const int i = GID;
  if (i >= n) return;
  q[i] = a[i] / b[i];
  r[i] = a[i] % b[i];
}

extern "C" __global__ void index_3d_div(const float* __restrict__ in, float* __restrict__ out, int nx, int ny, int n) {
  const int i = GID;
  if (i >= n) return;
  const int x = i % nx, y = i / nx % ny, z = i / (nx * ny);
  out[(x * ny + y) * 16 + z] = in[i];
}

extern "C" __global__ void div_const(const int* a, int* out, int n) {
  const int i = GID;
  if (i >= n) return;
  const int v = a[i];
  out[i] = v / 7 + v % 10 * 3 + (v >> 1) / 100 + static_cast<int>(static_cast<unsigned>(v) % 1000u);
}

extern "C" __global__ void div_u64(const uint64_t* a, const uint64_t* b, uint64_t* q, int n) {
  const int i = GID;
  if (i < n) q[i] = a[i] / b[i];
}

extern "C" __global__ void hash_fnv_bytes(const uint8_t* __restrict__ text, const int* __restrict__ begin, uint32_t* out,
                                          int n) {
  const int i = GID;
  if (i >= n) return;
  uint32_t h = 2166136261u;
  for (int k = begin[i]; k < begin[i + 1]; ++k) h = (h ^ text[k]) * 16777619u;
  out[i] = h;
}

extern "C" __global__ void hash_murmur3(const uint32_t* __restrict__ keys, uint32_t* out, int n, uint32_t seed) {
  const int i = GID;
  if (i >= n) return;
  uint32_t h = seed;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    uint32_t x = keys[i * 4 + k] * 0xcc9e2d51u;
    x = (x << 15 | x >> 17) * 0x1b873593u;
    h ^= x;
    h = (h << 13 | h >> 19) * 5 + 0xe6546b64u;
  }
  h ^= h >> 16;
  h *= 0x85ebca6bu;
  h ^= h >> 13;
  h *= 0xc2b2ae35u;
  out[i] = h ^ h >> 16;
}

extern "C" __global__ void splitmix64(uint64_t* out, uint64_t seed, int rounds) {
  uint64_t s = seed + GID, x = 0;
  for (int r = 0; r < rounds; ++r) {
    s += 0x9e3779b97f4a7c15ull;
    uint64_t z = s;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    x ^= z ^ z >> 31;
  }
  out[GID] = x;
}

extern "C" __global__ void mulmod_61(const uint64_t* a, const uint64_t* b, uint64_t* out, int n) {
  const int i = GID;
  if (i >= n) return;
  const uint64_t lo = a[i] * b[i], hi = __umul64hi(a[i], b[i]), m = (1ull << 61) - 1;
  uint64_t r = (lo & m) + (lo >> 61 | hi << 3);
  if (r >= m) r -= m;
  out[i] = r;
}

extern "C" __global__ void bits_morton(const uint3* __restrict__ p, uint32_t* out, int n) {
  const int i = GID;
  if (i >= n) return;
  const uint3 v = p[i];
  const auto spread = [](uint32_t x) {
    x &= 0x3ff;
    x = (x | x << 16) & 0x30000ff;
    x = (x | x << 8) & 0x300f00f;
    x = (x | x << 4) & 0x30c30c3;
    return (x | x << 2) & 0x9249249;
  };
  out[i] = spread(v.x) | spread(v.y) << 1 | spread(v.z) << 2;
}

extern "C" __global__ void bits_mixed(const uint32_t* a, uint32_t* out, int n) {
  const int i = GID;
  if (i >= n) return;
  const uint32_t v = a[i];
  uint32_t r = __popc(v) + __clz(v) * 3 + __ffs(v) + (__brev(v) >> 3);
  r ^= __byte_perm(v, r, 0x2541) + __funnelshift_l(v, r, 7);
  r = min(r, v) + max(r & 0xffff, v >> 16) + __vadd4(v, r) + __usad(v, r, 5);
  out[i] = r ^ (v >> 5 & 0x1f) << 20;
}

extern "C" __global__ void bswap_crc(const uint32_t* __restrict__ words, uint32_t* out, int words_each) {
  const uint32_t* w = words + GID * words_each;
  uint32_t crc = ~0u;
  for (int k = 0; k < words_each; ++k) {
    crc ^= __byte_perm(w[k], 0, 0x0123);
#pragma unroll
    for (int b = 0; b < 8; ++b) crc = crc & 0x80000000u ? crc << 1 ^ 0x04c11db7u : crc << 1;
  }
  out[GID] = crc;
}

extern "C" __global__ void strlen_count(const char* __restrict__ text, const int* __restrict__ begin, int* len, int n) {
  const int i = GID;
  if (i >= n) return;
  const char* s = text + begin[i];
  int k = 0, words = 0;
  bool in = false;
  while (s[k] != 0) {
    const bool letter = (s[k] >= 'a' && s[k] <= 'z') || (s[k] >= 'A' && s[k] <= 'Z');
    words += letter && !in;
    in = letter;
    ++k;
  }
  len[i] = words << 16 | k;
}

extern "C" __global__ void gcd_euclid(const unsigned* a, const unsigned* b, unsigned* out, int n) {
  const int i = GID;
  if (i >= n) return;
  unsigned x = a[i], y = b[i];
  while (y != 0) {
    const unsigned t = x % y;
    x = y;
    y = t;
  }
  out[i] = x;
}

extern "C" __global__ void bitonic_step(int* data, int j, int k) {
  const unsigned i = GID, other = i ^ j;
  if (other <= i) return;
  const int a = data[i], b = data[other];
  if ((a > b) == ((i & k) == 0)) {
    data[i] = b;
    data[other] = a;
  }
}

extern "C" __global__ void bitonic_shared(int* data) {
  __shared__ int s[512];
  const int t = threadIdx.x;
  s[t] = data[blockIdx.x * 512 + t];
  s[t + 256] = data[blockIdx.x * 512 + t + 256];
  for (int k = 2; k <= 512; k <<= 1) {
    for (int j = k >> 1; j > 0; j >>= 1) {
      __syncthreads();
      const int p = 2 * t - (t & (j - 1)), q = p + j;
      const bool up = (p & k) == 0;
      const int a = s[p], b = s[q];
      if (a > b == up) {
        s[p] = b;
        s[q] = a;
      }
    }
  }
  __syncthreads();
  data[blockIdx.x * 512 + t] = s[t];
  data[blockIdx.x * 512 + t + 256] = s[t + 256];
}

extern "C" __global__ void insertion_local(const int* __restrict__ in, int* out) {
  int v[16];
#pragma unroll
  for (int k = 0; k < 16; ++k) v[k] = in[GID * 16 + k];
  for (int k = 1; k < 16; ++k) {
    const int x = v[k];
    int j = k - 1;
    while (j >= 0 && v[j] > x) {
      v[j + 1] = v[j];
      --j;
    }
    v[j + 1] = x;
  }
#pragma unroll
  for (int k = 0; k < 16; ++k) out[GID * 16 + k] = v[k];
}

extern "C" __global__ void radix_rank(const uint32_t* __restrict__ keys, uint32_t* ranks, uint32_t* counts, int shift) {
  __shared__ uint32_t digit_count[8][16];
  const int t = threadIdx.x, warp = t / 32, lane = t % 32;
  if (t < 128) (&digit_count[0][0])[t] = 0;
  __syncthreads();
  const uint32_t d = keys[GID] >> shift & 15;
  const unsigned peers = __match_any_sync(~0u, d);
  const unsigned below = __popc(peers & ((1u << lane) - 1));
  if (below == 0) digit_count[warp][d] = __popc(peers);
  __syncthreads();
  uint32_t base = 0;
  for (int w = 0; w < warp; ++w) base += digit_count[w][d];
  ranks[GID] = base + below;
  if (t < 16) {
    uint32_t sum = 0;
#pragma unroll
    for (int w = 0; w < 8; ++w) sum += digit_count[w][t];
    counts[blockIdx.x * 16 + t] = sum;
  }
}

extern "C" __global__ void merge_path(const int* __restrict__ a, const int* __restrict__ b, int* __restrict__ out, int na,
                                      int nb) {
  const int diag = GID * 4;
  int lo = max(0, diag - nb), hi = min(diag, na);
  while (lo < hi) {
    const int mid = (lo + hi) >> 1;
    if (a[mid] <= b[diag - 1 - mid]) lo = mid + 1;
    else hi = mid;
  }
  int i = lo, j = diag - lo;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const bool take_a = j >= nb || (i < na && a[i] <= b[j]);
    if (diag + k < na + nb) out[diag + k] = take_a ? a[i] : b[j];
    if (take_a) ++i;
    else ++j;
  }
}
