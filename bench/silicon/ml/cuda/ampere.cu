// SPDX-License-Identifier: Apache-2.0
// Matrix products in the manner of multistage kernels: cp.async into a ring, ldmatrix from swizzled rows, mma.sync.
// A is rows by k, B columns by k (both with k innermost), C rows by columns.
#include "tile.cuh"

namespace {

// BYTES of k a stage; WARPS_M by WARPS_N warps of WM x WN sums each.
template <class Op, int BM, int BN, int BYTES, int WARPS_M, int WARPS_N, int STAGES>
struct Multistage {
  static constexpr int kThreads = WARPS_M * WARPS_N * 32, kChunks = BYTES / 16, kWm = BM / WARPS_M, kWn = BN / WARPS_N;
  static constexpr int kStage = (BM + BN) * BYTES;
  using Acc = typename Op::Acc;
  Acc acc[kWm / 16][kWn / 8][4];

  __device__ static uint32_t place(int row, int chunk) {
    const int mixed = kChunks == 8 ? chunk ^ (row & 7) : chunk ^ ((row >> 1) & 3);
    return uint32_t(row * BYTES + mixed * 16);
  }

  __device__ void clear() {
    for (auto& rows : acc)
      for (auto& cells : rows)
        for (auto& v : cells) v = 0;
  }

  template <int ROWS>
  __device__ static void fetch(uint32_t to, const char* from, size_t pitch, int first, int rows, size_t k) {
#pragma unroll
    for (int i = threadIdx.x; i < ROWS * kChunks; i += kThreads) {
      const int row = i / kChunks, chunk = i % kChunks;
      const bool live = first + row < rows;
      copy16(to + place(row, chunk), from + size_t(live ? first + row : 0) * pitch + k + chunk * 16, live);
    }
  }

  __device__ void multiply(uint32_t a, uint32_t b) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, wm = warp % WARPS_M * kWm, wn = warp / WARPS_M * kWn;
#pragma unroll
    for (int k = 0; k < BYTES / 32; ++k) {
      uint32_t x[kWm / 16][4], y[kWn / 16][4];
#pragma unroll
      for (int i = 0; i < kWm / 16; ++i) load_matrices(x[i], a + place(wm + i * 16 + lane % 16, k * 2 + lane / 16));
#pragma unroll
      for (int j = 0; j < kWn / 16; ++j) load_matrices(y[j], b + place(wn + j * 16 + lane % 8 + lane / 16 * 8, k * 2 + lane / 8 % 2));
#pragma unroll
      for (int i = 0; i < kWm / 16; ++i)
#pragma unroll
        for (int j = 0; j < kWn / 8; ++j) Op::mma(acc[i][j], x[i], y[j / 2][j % 2 * 2], y[j / 2][j % 2 * 2 + 1]);
    }
  }

  // The sums over stages [from, to) of BYTES each.
  __device__ void run(char* shared, const char* a, const char* b, size_t pitch_a, size_t pitch_b, int m0, int n0, int m, int n, int from, int to) {
    const uint32_t base = shared_address(shared);
    const auto load = [&](int step) {
      if (step < to) {
        const uint32_t at = base + uint32_t((step - from) % STAGES * kStage);
        fetch<BM>(at, a, pitch_a, m0, m, size_t(step) * BYTES);
        fetch<BN>(at + BM * BYTES, b, pitch_b, n0, n, size_t(step) * BYTES);
      }
      copies_commit();
    };
    for (int s = 0; s < STAGES - 1; ++s) load(from + s);
    for (int step = from; step < to; ++step) {
      copies_wait<STAGES - 2>();
      __syncthreads();
      load(step + STAGES - 1);
      const uint32_t at = base + uint32_t((step - from) % STAGES * kStage);
      multiply(at, at + BM * BYTES);
    }
    copies_wait<0>();
    __syncthreads();
  }

  // Calls put(row, column, two sums) for each pair that this thread holds.
  template <class Put>
  __device__ void each(int m0, int n0, Put put) const {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < kWm / 16; ++i)
#pragma unroll
      for (int j = 0; j < kWn / 8; ++j) {
        const int row = m0 + warp % WARPS_M * kWm + i * 16 + lane / 4, col = n0 + warp / WARPS_M * kWn + j * 8 + lane % 4 * 2;
        put(row, col, acc[i][j][0], acc[i][j][1]);
        put(row + 8, col, acc[i][j][2], acc[i][j][3]);
      }
  }
};

extern __shared__ __align__(128) char ring[];

}  // namespace

extern "C" __global__ void __launch_bounds__(128) ampere_f16(const char* a, const char* b, __half* c, int m, int n, int k) {
  using Tile = Multistage<MmaF16, 128, 128, 64, 2, 2, 3>;
  Tile t;
  t.clear();
  const int m0 = blockIdx.y * 128, n0 = blockIdx.x * 128;
  t.run(ring, a, b, size_t(k) * 2, size_t(k) * 2, m0, n0, m, n, 0, k / 32);
  t.each(m0, n0, [&](int r, int q, float x, float y) {
    if (r < m && q < n) *reinterpret_cast<__half2*>(c + size_t(r) * n + q) = __floats2half2_rn(x, y);
  });
}

// The epilogue goes through shared memory so that rows are written 16 bytes a thread; bias, residual and relu on the way.
extern "C" __global__ void __launch_bounds__(128) ampere_bf16_epilogue(const char* a, const char* b, __nv_bfloat16* c, const __nv_bfloat16* bias,
                                                                       const __nv_bfloat16* residual, float alpha, int m, int n, int k) {
  using Tile = Multistage<MmaBf16, 64, 128, 128, 2, 2, 4>;
  Tile t;
  t.clear();
  const int m0 = blockIdx.y * 64, n0 = blockIdx.x * 128;
  t.run(ring, a, b, size_t(k) * 2, size_t(k) * 2, m0, n0, m, n, 0, k / 64);
  constexpr int kPitch = 128 + 8;
  auto* tile = reinterpret_cast<__nv_bfloat16*>(ring);
  t.each(0, 0, [&](int r, int q, float x, float y) { *reinterpret_cast<__nv_bfloat162*>(tile + r * kPitch + q) = __floats2bfloat162_rn(alpha * x, alpha * y); });
  __syncthreads();
  for (int i = threadIdx.x; i < 64 * 16; i += 128) {
    const int row = i / 16, col = i % 16 * 8;
    if (m0 + row >= m) continue;
    const size_t at = size_t(m0 + row) * n + n0 + col;
    uint4 sums = *reinterpret_cast<uint4*>(tile + row * kPitch + col), more = *reinterpret_cast<const uint4*>(residual + at),
          shift = *reinterpret_cast<const uint4*>(bias + n0 + col);
    auto *s = reinterpret_cast<__nv_bfloat162*>(&sums), *r = reinterpret_cast<__nv_bfloat162*>(&more), *h = reinterpret_cast<__nv_bfloat162*>(&shift);
#pragma unroll
    for (int v = 0; v < 4; ++v) s[v] = __hmax2(__hadd2(__hadd2(s[v], h[v]), r[v]), __float2bfloat162_rn(0.f));
    *reinterpret_cast<uint4*>(c + at) = sums;
  }
}

extern "C" __global__ void __launch_bounds__(256) ampere_s8(const char* a, const char* b, int* c, int m, int n, int k) {
  using Tile = Multistage<MmaS8, 128, 128, 64, 2, 4, 4>;
  Tile t;
  t.clear();
  const int m0 = blockIdx.y * 128, n0 = blockIdx.x * 128;
  t.run(ring, a, b, k, k, m0, n0, m, n, 0, k / 64);
  t.each(m0, n0, [&](int r, int q, int x, int y) { *reinterpret_cast<int2*>(c + size_t(r) * n + q) = make_int2(x, y); });
}

// Bytes out again: scaled, rounded and clamped.
extern "C" __global__ void __launch_bounds__(128) ampere_s8_requantised(const char* a, const char* b, int8_t* c, const float* scale, int m, int n, int k) {
  using Tile = Multistage<MmaS8, 64, 64, 128, 2, 2, 3>;
  Tile t;
  t.clear();
  const int m0 = blockIdx.y * 64, n0 = blockIdx.x * 64;
  t.run(ring, a, b, k, k, m0, n0, m, n, 0, k / 128);
  t.each(m0, n0, [&](int r, int q, int x, int y) {
    const int u = max(-128, min(127, __float2int_rn(float(x) * scale[q]))), v = max(-128, min(127, __float2int_rn(float(y) * scale[q + 1])));
    *reinterpret_cast<char2*>(c + size_t(r) * n + q) = make_char2(char(u), char(v));
  });
}

extern "C" __global__ void __launch_bounds__(128) ampere_tf32(const char* a, const char* b, float* c, int m, int n, int k) {
  using Tile = Multistage<MmaTf32, 64, 64, 128, 2, 2, 3>;
  Tile t;
  t.clear();
  const int m0 = blockIdx.y * 64, n0 = blockIdx.x * 64;
  t.run(ring, a, b, size_t(k) * 4, size_t(k) * 4, m0, n0, m, n, 0, k / 32);
  t.each(m0, n0, [&](int r, int q, float x, float y) { *reinterpret_cast<float2*>(c + size_t(r) * n + q) = make_float2(x, y); });
}

extern "C" __global__ void __launch_bounds__(128) ampere_e4m3(const char* a, const char* b, __nv_bfloat16* c, float alpha, int m, int n, int k) {
  using Tile = Multistage<MmaE4m3, 64, 128, 64, 2, 2, 4>;
  Tile t;
  t.clear();
  const int m0 = blockIdx.y * 64, n0 = blockIdx.x * 128;
  t.run(ring, a, b, k, k, m0, n0, m, n, 0, k / 64);
  t.each(m0, n0, [&](int r, int q, float x, float y) {
    *reinterpret_cast<__nv_bfloat162*>(c + size_t(r) * n + q) = __floats2bfloat162_rn(alpha * x, alpha * y);
  });
}

// Stream-K: the steps of all tiles in equal shares, so that no wave of blocks is half empty. A share that ends inside of a tile leaves
// its sums in a workspace; the block with the tile's first step adds them in the order of the blocks.
extern "C" __global__ void __launch_bounds__(128) ampere_stream_k(const char* a, const char* b, __half* c, float* workspace, unsigned* flags, int m, int n, int k) {
  using Tile = Multistage<MmaF16, 64, 64, 64, 2, 2, 4>;
  const int steps = k / 32, tiles_n = n / 64, all = m / 64 * tiles_n * steps, blocks = gridDim.x;
  const auto first_of = [&](int block) { return int((long long)all * block / blocks); };
  int at = first_of(blockIdx.x);
  const int end = first_of(blockIdx.x + 1);
  while (at < end) {
    const int tile = at / steps, from = at % steps, to = min(steps, from + end - at), m0 = tile / tiles_n * 64, n0 = tile % tiles_n * 64;
    Tile t;
    t.clear();
    t.run(ring, a, b, size_t(k) * 2, size_t(k) * 2, m0, n0, m, n, from, to);
    if (from != 0) {
      float* mine = workspace + size_t(blockIdx.x) * 4096;
      t.each(0, 0, [&](int r, int q, float x, float y) { *reinterpret_cast<float2*>(mine + r * 64 + q) = make_float2(x, y); });
      __threadfence();
      __syncthreads();
      if (threadIdx.x == 0) asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(flags + blockIdx.x), "r"(1u) : "memory");
    } else {
      int reached = at + to - from;
      for (int other = blockIdx.x + 1; reached < (tile + 1) * steps; ++other) {
        if (threadIdx.x == 0) {
          unsigned seen;
          do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flags + other) : "memory");
          while (seen == 0);
        }
        __syncthreads();
        const float* theirs = workspace + size_t(other) * 4096;
        const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
        for (int i = 0; i < 2; ++i)
          for (int j = 0; j < 4; ++j)
            for (int half = 0; half < 2; ++half) {
              const int row = warp % 2 * 32 + i * 16 + lane / 4 + half * 8, col = warp / 2 * 32 + j * 8 + lane % 4 * 2;
              const float2 v = __ldcg(reinterpret_cast<const float2*>(theirs + row * 64 + col));
              t.acc[i][j][half * 2] += v.x;
              t.acc[i][j][half * 2 + 1] += v.y;
            }
        reached = first_of(other + 1);
      }
      t.each(m0, n0, [&](int r, int q, float x, float y) { *reinterpret_cast<__half2*>(c + size_t(r) * n + q) = __floats2half2_rn(x, y); });
    }
    at += to - from;
    __syncthreads();
  }
}

// Split along k with a semaphore a tile: the parts add to C one after the other.
extern "C" __global__ void __launch_bounds__(128) ampere_split_serial(const char* a, const char* b, float* c, int* turn, int m, int n, int k, int parts) {
  using Tile = Multistage<MmaBf16, 64, 64, 64, 2, 2, 3>;
  const int steps = k / 32 / parts, m0 = blockIdx.y * 64, n0 = blockIdx.x * 64, part = blockIdx.z;
  Tile t;
  t.clear();
  t.run(ring, a, b, size_t(k) * 2, size_t(k) * 2, m0, n0, m, n, part * steps, (part + 1) * steps);
  int* mine = turn + blockIdx.y * gridDim.x + blockIdx.x;
  if (threadIdx.x == 0)
    while (*reinterpret_cast<volatile int*>(mine) != part) __nanosleep(64);
  __syncthreads();
  __threadfence();
  t.each(m0, n0, [&](int r, int q, float x, float y) {
    auto* to = reinterpret_cast<float2*>(c + size_t(r) * n + q);
    float2 v = part == 0 ? make_float2(0.f, 0.f) : __ldcg(to);
    __stcg(to, make_float2(v.x + x, v.y + y));
  });
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) *reinterpret_cast<volatile int*>(mine) = part + 1;
}

extern "C" __global__ void __launch_bounds__(128) ampere_batched(const char* a, const char* b, __half* c, int m, int n, int k) {
  using Tile = Multistage<MmaF16, 64, 64, 64, 2, 2, 3>;
  Tile t;
  t.clear();
  const int m0 = blockIdx.y * 64, n0 = blockIdx.x * 64;
  const size_t z = blockIdx.z;
  t.run(ring, a + z * m * k * 2, b + z * n * k * 2, size_t(k) * 2, size_t(k) * 2, m0, n0, m, n, 0, k / 32);
  t.each(m0, n0, [&](int r, int q, float x, float y) {
    if (r < m && q < n) *reinterpret_cast<__half2*>(c + (z * m + r) * n + q) = __floats2half2_rn(x, y);
  });
}

// Problems of different sizes, told by structures in memory with pointers inside.
struct Problem {
  const char *a, *b;
  __half* c;
  int m, n, k, first_tile;
};
extern "C" __global__ void __launch_bounds__(128) ampere_grouped(const Problem* problems, int count, int tiles) {
  using Tile = Multistage<MmaF16, 64, 64, 64, 2, 2, 3>;
  int p = 0;
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    while (p + 1 < count && tile >= problems[p + 1].first_tile) ++p;
    const Problem q = problems[p];
    const int inside = tile - q.first_tile, tiles_n = (q.n + 63) / 64, m0 = inside / tiles_n * 64, n0 = inside % tiles_n * 64;
    Tile t;
    t.clear();
    t.run(ring, q.a, q.b, size_t(q.k) * 2, size_t(q.k) * 2, m0, n0, q.m, q.n, 0, q.k / 32);
    t.each(m0, n0, [&](int r, int col, float x, float y) {
      if (r < q.m && col < q.n) *reinterpret_cast<__half2*>(q.c + size_t(r) * q.n + col) = __floats2half2_rn(x, y);
    });
    __syncthreads();
  }
}

// A 3 x 3 convolution as an implicit product: rows are pixels, k runs over taps and channels; pixels outside are zeros by the copy.
extern "C" __global__ void __launch_bounds__(128) ampere_conv3x3(const char* x, const char* w, __half* y, int height, int width, int channels, int filters) {
  using Tile = Multistage<MmaF16, 64, 64, 64, 2, 2, 3>;
  Tile t;
  t.clear();
  const int m0 = blockIdx.y * 64, n0 = blockIdx.x * 64, per_tap = channels / 32, steps = 9 * per_tap;
  const uint32_t base = shared_address(ring);
  const auto load = [&](int step) {
    if (step < steps) {
      const uint32_t at = base + uint32_t(step % 3 * Tile::kStage);
      const int tap = step / per_tap, dy = tap / 3 - 1, dx = tap % 3 - 1;
#pragma unroll
      for (int i = threadIdx.x; i < 64 * 4; i += 128) {
        const int row = i / 4, chunk = i % 4, pixel = m0 + row, py = pixel / width + dy, px = pixel % width + dx;
        const bool live = py >= 0 && py < height && px >= 0 && px < width;
        copy16(at + Tile::place(row, chunk), x + (live ? (size_t(py) * width + px) * channels * 2 + (step % per_tap) * 64 + chunk * 16 : 0), live);
      }
      Tile::fetch<64>(at + 64 * 64, w, size_t(steps) * 64, n0, filters, size_t(step) * 64);
    }
    copies_commit();
  };
  load(0);
  load(1);
  for (int step = 0; step < steps; ++step) {
    copies_wait<1>();
    __syncthreads();
    load(step + 2);
    const uint32_t at = base + uint32_t(step % 3 * Tile::kStage);
    t.multiply(at, at + 64 * 64);
  }
  t.each(m0, n0, [&](int r, int q, float u, float v) { *reinterpret_cast<__half2*>(y + size_t(r) * filters + q) = __floats2half2_rn(u, v); });
}

// Single precision without tensor cores: 64 x 64 x 16 in two buffers, 4 x 4 sums a thread, operands as float4.
extern "C" __global__ void __launch_bounds__(256) ampere_simt(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float x[2][16][64 + 4], y[2][16][64];
  const int tid = threadIdx.x, m0 = blockIdx.y * 64, n0 = blockIdx.x * 64, tr = tid / 16 * 4, tc = tid % 16 * 4;
  float acc[4][4] = {};
  float4 next_a;
  const auto fetch = [&](int k0, int slot) {
    next_a = *reinterpret_cast<const float4*>(a + size_t(m0 + tid / 4) * k + k0 + tid % 4 * 4);
    copy16(shared_address(&y[slot][tid / 16][tid % 16 * 4]), b + size_t(k0 + tid / 16) * n + n0 + tid % 16 * 4, true);
    copies_commit();
  };
  const auto keep = [&](int slot) {
    const float v[4] = {next_a.x, next_a.y, next_a.z, next_a.w};
    for (int i = 0; i < 4; ++i) x[slot][tid % 4 * 4 + i][tid / 4] = v[i];
    copies_wait<0>();
    __syncthreads();
  };
  fetch(0, 0);
  keep(0);
  for (int k0 = 0, slot = 0; k0 < k; k0 += 16, slot ^= 1) {
    if (k0 + 16 < k) fetch(k0 + 16, slot ^ 1);
#pragma unroll
    for (int kk = 0; kk < 16; ++kk) {
      const float4 u = *reinterpret_cast<float4*>(&x[slot][kk][tr]), v = *reinterpret_cast<float4*>(&y[slot][kk][tc]);
      const float us[4] = {u.x, u.y, u.z, u.w}, vs[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) acc[i][j] = fmaf(us[i], vs[j], acc[i][j]);
    }
    if (k0 + 16 < k) keep(slot ^ 1);
  }
  for (int i = 0; i < 4; ++i) *reinterpret_cast<float4*>(c + size_t(m0 + tr + i) * n + n0 + tc) = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
}

// Attention by mma.sync: 64 queries a block, keys and values in two stages, probabilities stay in registers.
extern "C" __global__ void __launch_bounds__(128) ampere_attention(const __half* q, const __half* k, const __half* v, __half* o, int seq, float scale) {
  constexpr int kD = 64, kTile = 64 * kD * 2;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, m0 = blockIdx.x * 64;
  const size_t base = size_t(blockIdx.y) * seq * kD;
  const uint32_t shared = shared_address(ring);
  const auto fetch = [&](uint32_t to, const __half* from, int first) {
#pragma unroll
    for (int i = threadIdx.x; i < 64 * 8; i += 128) {
      const int row = i / 8, chunk = i % 8;
      copy16(to + row * 128 + (chunk ^ (row & 7)) * 16, from + base + size_t(first + row) * kD + chunk * 8, true);
    }
  };
  const auto place = [&](uint32_t tile, int row, int chunk) { return tile + row * 128 + (chunk ^ (row & 7)) * 16; };
  fetch(shared, q, m0);
  fetch(shared + kTile, k, 0);
  fetch(shared + 2 * kTile, v, 0);
  copies_commit();
  uint32_t x[4][4];
  float out[8][4] = {}, top[2] = {-1e30f, -1e30f}, norm[2] = {};
  for (int step = 0; step < seq / 64; ++step) {
    const uint32_t kt = shared + kTile * (1 + step % 2 * 2), vt = kt + kTile;
    if (step + 1 < seq / 64) {
      const uint32_t nk = shared + kTile * (1 + (step + 1) % 2 * 2);
      fetch(nk, k, (step + 1) * 64);
      fetch(nk + kTile, v, (step + 1) * 64);
    }
    copies_commit();
    copies_wait<1>();
    __syncthreads();
    if (step == 0)
      for (int i = 0; i < 4; ++i) load_matrices(x[i], place(shared, warp * 16 + lane % 16, i * 2 + lane / 16));
    float s[8][4] = {};
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        uint32_t y[4];
        load_matrices(y, place(kt, j * 16 + lane % 8 + lane / 16 * 8, i * 2 + lane / 8 % 2));
        MmaF16::mma(s[j * 2], x[i], y[0], y[1]);
        MmaF16::mma(s[j * 2 + 1], x[i], y[2], y[3]);
      }
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      float best = top[h];
      for (int j = 0; j < 8; ++j) best = fmaxf(best, fmaxf(s[j][h * 2], s[j][h * 2 + 1]) * scale);
      best = fmaxf(best, __shfl_xor_sync(~0u, best, 1));
      best = fmaxf(best, __shfl_xor_sync(~0u, best, 2));
      const float fade = exp2f(top[h] - best);
      float sum = 0;
      for (int j = 0; j < 8; ++j)
        for (int e = 0; e < 2; ++e) sum += s[j][h * 2 + e] = exp2f(s[j][h * 2 + e] * scale - best);
      norm[h] = norm[h] * fade + sum;
      top[h] = best;
      for (int j = 0; j < 8; ++j) out[j][h * 2] *= fade, out[j][h * 2 + 1] *= fade;
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      uint32_t p[4];
      for (int e = 0; e < 4; ++e) {
        const float* pair = &s[i * 2 + e / 2][e % 2 * 2];
        const __half2 two = __floats2half2_rn(pair[0], pair[1]);
        p[e] = *reinterpret_cast<const uint32_t*>(&two);
      }
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        uint32_t y[4];
        load_matrices_transposed(y, place(vt, i * 16 + lane % 16, j * 2 + lane / 16));
        MmaF16::mma(out[j * 2], p, y[0], y[1]);
        MmaF16::mma(out[j * 2 + 1], p, y[2], y[3]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    norm[h] += __shfl_xor_sync(~0u, norm[h], 1);
    norm[h] += __shfl_xor_sync(~0u, norm[h], 2);
    const float r = 1 / norm[h];
    __half* row = o + base + size_t(m0 + warp * 16 + lane / 4 + h * 8) * kD + lane % 4 * 2;
    for (int j = 0; j < 8; ++j) *reinterpret_cast<__half2*>(row + j * 8) = __floats2half2_rn(out[j][h * 2] * r, out[j][h * 2 + 1] * r);
  }
}
