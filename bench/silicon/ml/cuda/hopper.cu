// SPDX-License-Identifier: Apache-2.0
// Matrix products in the manner of warp-specialised kernels: tensor copies into a ring of mbarriers, wgmma from swizzled shared memory.
// A is rows by k, B columns by k (both with k innermost, 128 bytes of it a stage), C rows by columns.
#include "wgmma.cuh"

namespace {

struct F16N128 {
  using Acc = float;
  static constexpr int kColumns = 128, kSums = 64;
  __device__ static void mma(float (&d)[64], uint64_t a, uint64_t b, int more) { wgmma_f16_n128(d, a, b, more); }
};
struct F16N64 {
  using Acc = float;
  static constexpr int kSums = 32;
  __device__ static void mma(float (&d)[32], uint64_t a, uint64_t b, int more) { wgmma_f16_n64(d, a, b, more); }
};
struct Bf16N256 {
  using Acc = float;
  static constexpr int kColumns = 256, kSums = 128;
  __device__ static void mma(float (&d)[128], uint64_t a, uint64_t b, int more) { wgmma_bf16_n256(d, a, b, more); }
};
struct E4m3N128 {
  using Acc = float;
  static constexpr int kColumns = 128, kSums = 64;
  __device__ static void mma(float (&d)[64], uint64_t a, uint64_t b, int more) { wgmma_e4m3_n128(d, a, b, more); }
};
struct S8N128 {
  using Acc = int;
  static constexpr int kColumns = 128, kSums = 64;
  __device__ static void mma(int (&d)[64], uint64_t a, uint64_t b, int more) { wgmma_s8_n128(d, a, b, more); }
};
struct Tf32N128 {
  using Acc = float;
  static constexpr int kColumns = 128, kSums = 64;
  __device__ static void mma(float (&d)[64], uint64_t a, uint64_t b, int more) { wgmma_tf32_n128(d, a, b, more); }
};

extern __shared__ __align__(1024) char shared[];

// STAGES of ROWS rows of A and COLS of B, 128 bytes each, and their barriers behind them.
template <int ROWS, int COLS, int STAGES>
struct Ring {
  static constexpr int kA = ROWS * 128, kB = COLS * 128, kStage = kA + kB, kBytes = STAGES * kStage;
  uint64_t *full, *empty;
  __device__ Ring() : full(reinterpret_cast<uint64_t*>(shared + kBytes)), empty(full + STAGES) {}
  __device__ char* a(int slot) const { return shared + slot * kStage; }
  __device__ char* b(int slot) const { return a(slot) + kA; }
  __device__ void init(unsigned consumers) const {
    if (threadIdx.x == 0)
      for (int i = 0; i < STAGES; ++i) barrier_init(full + i, 1), barrier_init(empty + i, consumers);
    if (threadIdx.x == 0) barriers_ready();
  }
};

// One stage: four instructions of 32 bytes of k each.
template <class Op>
__device__ void stage_products(typename Op::Acc (&d)[Op::kSums], const char* a, const char* b, bool first) {
  const uint64_t x = matrix_descriptor(a), y = matrix_descriptor(b);
#pragma unroll
  for (int k = 0; k < 4; ++k) Op::mma(d, x + 2 * k, y + 2 * k, !(first && k == 0));
}

// Calls put(row, column, two sums) for the 64 rows of a warp group.
template <class Acc, int SUMS, class Put>
__device__ void each(const Acc (&d)[SUMS], Put put) {
  const int warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
#pragma unroll
  for (int j = 0; j < SUMS / 4; ++j) {
    const int row = warp * 16 + lane / 4, col = j * 8 + lane % 4 * 2;
    put(row, col, d[j * 4], d[j * 4 + 1]);
    put(row + 8, col, d[j * 4 + 2], d[j * 4 + 3]);
  }
}

__device__ uint32_t two_halves(float x, float y) {
  const __half2 h = __floats2half2_rn(x, y);
  return *reinterpret_cast<const uint32_t*>(&h);
}
__device__ uint32_t two_bfloats(float x, float y) {
  const __nv_bfloat162 h = __floats2bfloat162_rn(x, y);
  return *reinterpret_cast<const uint32_t*>(&h);
}

// 64 rows of sums as halves into boxes of 64 columns, swizzled as a tensor store with swizzle 128B reads them.
template <int SUMS, bool BF>
__device__ void stage_out(const float (&d)[SUMS], char* to) {
  const int warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32, row = warp * 16 + lane % 16;
#pragma unroll
  for (int j = 0; j < SUMS / 8; ++j) {
    const int chunk = j * 2 + lane / 16;
    const uint32_t at = shared_address(to) + chunk / 8 * 8192 + row * 128 + ((chunk % 8) ^ (row & 7)) * 16;
    const auto two = [](float x, float y) { return BF ? two_bfloats(x, y) : two_halves(x, y); };
    store_matrices(at, two(d[j * 8], d[j * 8 + 1]), two(d[j * 8 + 2], d[j * 8 + 3]), two(d[j * 8 + 4], d[j * 8 + 5]), two(d[j * 8 + 6], d[j * 8 + 7]));
  }
}

}  // namespace

// No specialisation: thread 0 copies ahead, all four warps multiply, one product in flight.
extern "C" __global__ void __launch_bounds__(128) hopper_plain(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, __half* c, int n, int steps) {
  constexpr int kStages = 4;
  Ring<64, 128, kStages> ring;
  ring.init(1);
  __syncthreads();
  const int m0 = blockIdx.y * 64, n0 = blockIdx.x * 128;
  const auto load = [&](int step) {
    if (threadIdx.x != 0 || step >= steps) return;
    const int slot = step % kStages;
    barrier_expect(ring.full + slot, ring.kStage);
    tensor_load(ring.a(slot), &a, ring.full + slot, step * 64, m0);
    tensor_load(ring.b(slot), &b, ring.full + slot, step * 64, n0);
  };
  for (int i = 0; i < kStages - 1; ++i) load(i);
  float d[64];
  for (int step = 0; step < steps; ++step) {
    const int slot = step % kStages;
    barrier_wait(ring.full + slot, step / kStages & 1);
    group_fence();
    stage_products<F16N128>(d, ring.a(slot), ring.b(slot), step == 0);
    group_commit();
    group_wait<0>();
    __syncthreads();
    load(step + kStages - 1);
  }
  each(d, [&](int r, int q, float x, float y) { *reinterpret_cast<__half2*>(c + size_t(m0 + r) * n + n0 + q) = __floats2half2_rn(x, y); });
}

// A producer warp group with few registers, consumer warp groups of 64 rows each. The mainloop of the kernels below.
namespace {
template <class Op, int GROUPS, int STAGES>
struct Specialised {
  using Store = Ring<64 * GROUPS, Op::kColumns, STAGES>;
  using Acc = typename Op::Acc;

  __device__ static void produce(const Store& ring, const CUtensorMap* a, const CUtensorMap* b, int m0, int n0, int first, int steps, int per_stage, int& count) {
    for (int step = first; step < first + steps; ++step, ++count) {
      const int slot = count % STAGES;
      barrier_wait(ring.empty + slot, (count / STAGES & 1) ^ 1);
      barrier_expect(ring.full + slot, Store::kStage);
      tensor_load(ring.a(slot), a, ring.full + slot, step * per_stage, m0);
      tensor_load(ring.b(slot), b, ring.full + slot, step * per_stage, n0);
    }
  }

  // One product stays in flight; a slot is given back when the next stage's product is on its way.
  __device__ static void consume(const Store& ring, Acc (&d)[Op::kSums], int group, int steps, int& count) {
    for (int step = 0; step < steps; ++step, ++count) {
      const int slot = count % STAGES;
      barrier_wait(ring.full + slot, count / STAGES & 1);
      group_fence();
      stage_products<Op>(d, ring.a(slot) + group * 8192, ring.b(slot), step == 0);
      group_commit();
      group_wait<1>();
      if (step > 0 && threadIdx.x % 128 == 0) barrier_arrive(ring.empty + (count - 1) % STAGES);
    }
    group_wait<0>();
    if (threadIdx.x % 128 == 0) barrier_arrive(ring.empty + (count - 1) % STAGES);
  }
};
}  // namespace

extern "C" __global__ void __launch_bounds__(256, 1) hopper_specialised(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, __half* c, int n, int steps) {
  using Loop = Specialised<F16N128, 1, 5>;
  Loop::Store ring;
  ring.init(1);
  __syncthreads();
  int count = 0;
  const int m0 = blockIdx.y * 64, n0 = blockIdx.x * 128;
  if (threadIdx.x < 128) {
    registers_down<40>();
    if (threadIdx.x == 0) Loop::produce(ring, &a, &b, m0, n0, 0, steps, 64, count);
  } else {
    registers_up<232>();
    float d[64];
    Loop::consume(ring, d, 0, steps, count);
    each(d, [&](int r, int q, float x, float y) { *reinterpret_cast<__half2*>(c + size_t(m0 + r) * n + n0 + q) = __floats2half2_rn(x, y); });
  }
}

// Cooperative and persistent: both consumer groups work on one tile of 128 x 256, which a tensor store writes.
extern "C" __global__ void __launch_bounds__(384, 1) hopper_cooperative(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                                                                     const __grid_constant__ CUtensorMap c, int tiles_m, int tiles_n, int steps) {
  using Loop = Specialised<Bf16N256, 2, 3>;
  Loop::Store ring;
  ring.init(2);
  __syncthreads();
  int count = 0;
  const int group = int(threadIdx.x) / 128 - 1;
  if (group < 0) {
    registers_down<40>();
    if (threadIdx.x == 0)
      for (int tile = blockIdx.x; tile < tiles_m * tiles_n; tile += gridDim.x)
        Loop::produce(ring, &a, &b, tile % tiles_m * 128, tile / tiles_m * 256, 0, steps, 64, count);
  } else {
    registers_up<232>();
    char* out = shared + ring.kBytes + 1024 + group * 32768;
    for (int tile = blockIdx.x; tile < tiles_m * tiles_n; tile += gridDim.x) {
      float d[128];
      Loop::consume(ring, d, group, steps, count);
      if (threadIdx.x % 128 == 0) stores_read<0>();
      named_sync(1 + group, 128);
      stage_out<128, true>(d, out);
      async_fence();
      named_sync(1 + group, 128);
      if (threadIdx.x % 128 == 0) {
        for (int box = 0; box < 4; ++box) tensor_store(&c, out + box * 8192, tile / tiles_m * 256 + box * 64, tile % tiles_m * 128 + group * 64);
        stores_commit();
      }
    }
    if (threadIdx.x % 128 == 0) stores_done<0>();
  }
}

// Ping-pong: the consumer groups take tiles of 64 x 128 in turn, one multiplies while the other stores.
extern "C" __global__ void __launch_bounds__(384, 1) hopper_pingpong(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                                                                  const __grid_constant__ CUtensorMap c, int tiles_m, int tiles_n, int steps) {
  using Loop = Specialised<F16N128, 1, 6>;
  Loop::Store ring;
  ring.init(1);
  __syncthreads();
  int count = 0;
  const int group = int(threadIdx.x) / 128 - 1, tiles = tiles_m * tiles_n;
  if (group < 0) {
    registers_down<40>();
    if (threadIdx.x == 0)
      for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) Loop::produce(ring, &a, &b, tile / tiles_n * 64, tile % tiles_n * 128, 0, steps, 64, count);
    return;
  }
  registers_up<232>();
  char* out = shared + ring.kBytes + 1024 + group * 16384;
  if (group == 1) named_arrive(2, 256);
  count = group * steps;
  for (int tile = blockIdx.x + group * gridDim.x; tile < tiles; tile += 2 * gridDim.x, count += steps) {
    float d[64];
    named_sync(2 + group, 256);
    Loop::consume(ring, d, 0, steps, count);
    named_arrive(2 + (group ^ 1), 256);
    if (threadIdx.x % 128 == 0) stores_read<0>();
    named_sync(4 + group, 128);
    stage_out<64, false>(d, out);
    async_fence();
    named_sync(4 + group, 128);
    if (threadIdx.x % 128 == 0) {
      for (int box = 0; box < 2; ++box) tensor_store(&c, out + box * 8192, tile % tiles_n * 128 + box * 64, tile / tiles_n * 64);
      stores_commit();
    }
  }
  if (threadIdx.x % 128 == 0) stores_done<0>();
}

// Clusters of two blocks along the rows share B: each loads a half of it for both.
extern "C" __global__ void __launch_bounds__(256, 1) hopper_multicast(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, __half* c, int n, int steps) {
  constexpr int kStages = 4;
  Ring<64, 128, kStages> ring;
  ring.init(2);
  __syncthreads();
  cluster_sync();
  const unsigned rank = cluster_rank();
  const int m0 = blockIdx.x * 64, n0 = blockIdx.y * 128;
  if (threadIdx.x < 128) {
    registers_down<40>();
    if (threadIdx.x == 0)
      for (int step = 0; step < steps; ++step) {
        const int slot = step % kStages;
        barrier_wait(ring.empty + slot, (step / kStages & 1) ^ 1);
        barrier_expect(ring.full + slot, ring.kStage);
        tensor_load(ring.a(slot), &a, ring.full + slot, step * 64, m0);
        tensor_load_multicast(ring.b(slot) + rank * 8192, &b, ring.full + slot, step * 64, n0 + int(rank) * 64, 3);
      }
  } else {
    registers_up<232>();
    float d[64];
    for (int step = 0; step < steps; ++step) {
      const int slot = step % kStages;
      barrier_wait(ring.full + slot, step / kStages & 1);
      group_fence();
      stage_products<F16N128>(d, ring.a(slot), ring.b(slot), step == 0);
      group_commit();
      group_wait<0>();
      if (threadIdx.x % 128 < 2) barrier_arrive_at(ring.empty + slot, threadIdx.x % 128);
    }
    each(d, [&](int r, int q, float x, float y) { *reinterpret_cast<__half2*>(c + size_t(m0 + r) * n + n0 + q) = __floats2half2_rn(x, y); });
  }
  cluster_sync();
}

// Bytes of e4m3: each stage's sums go to sums of full precision, with a scale a block of 128 of k.
extern "C" __global__ void __launch_bounds__(384, 1) hopper_e4m3(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, __nv_bfloat16* c,
                                                              const float* scales, int n, int steps) {
  using Loop = Specialised<E4m3N128, 2, 4>;
  Loop::Store ring;
  ring.init(2);
  __syncthreads();
  int count = 0;
  const int group = int(threadIdx.x) / 128 - 1, m0 = blockIdx.y * 128, n0 = blockIdx.x * 128;
  if (group < 0) {
    registers_down<40>();
    if (threadIdx.x == 0) Loop::produce(ring, &a, &b, m0, n0, 0, steps, 128, count);
  } else {
    registers_up<232>();
    float total[64] = {};
    for (int step = 0; step < steps; ++step) {
      const int slot = step % 4;
      float d[64];
      barrier_wait(ring.full + slot, step / 4 & 1);
      const float scale = scales[blockIdx.x * steps + step];
      group_fence();
      stage_products<E4m3N128>(d, ring.a(slot) + group * 8192, ring.b(slot), true);
      group_commit();
      group_wait<0>();
      if (threadIdx.x % 128 == 0) barrier_arrive(ring.empty + slot);
#pragma unroll
      for (int i = 0; i < 64; ++i) total[i] = fmaf(d[i], scale, total[i]);
    }
    each(total, [&](int r, int q, float x, float y) {
      *reinterpret_cast<__nv_bfloat162*>(c + size_t(m0 + group * 64 + r) * n + n0 + q) = __floats2bfloat162_rn(x, y);
    });
  }
}

extern "C" __global__ void __launch_bounds__(384, 1) hopper_s8(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, int* c, int n, int steps) {
  using Loop = Specialised<S8N128, 2, 4>;
  Loop::Store ring;
  ring.init(2);
  __syncthreads();
  int count = 0;
  const int group = int(threadIdx.x) / 128 - 1, m0 = blockIdx.y * 128, n0 = blockIdx.x * 128;
  if (group < 0) {
    registers_down<40>();
    if (threadIdx.x == 0) Loop::produce(ring, &a, &b, m0, n0, 0, steps, 128, count);
  } else {
    registers_up<232>();
    int d[64];
    Loop::consume(ring, d, group, steps, count);
    each(d, [&](int r, int q, int x, int y) { *reinterpret_cast<int2*>(c + size_t(m0 + group * 64 + r) * n + n0 + q) = make_int2(x, y); });
  }
}

extern "C" __global__ void __launch_bounds__(256, 1) hopper_tf32(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float* c, int n, int steps) {
  using Loop = Specialised<Tf32N128, 1, 4>;
  Loop::Store ring;
  ring.init(1);
  __syncthreads();
  int count = 0;
  const int m0 = blockIdx.y * 64, n0 = blockIdx.x * 128;
  if (threadIdx.x < 128) {
    registers_down<40>();
    if (threadIdx.x == 0) Loop::produce(ring, &a, &b, m0, n0, 0, steps, 32, count);
  } else {
    registers_up<232>();
    float d[64];
    Loop::consume(ring, d, 0, steps, count);
    each(d, [&](int r, int q, float x, float y) { *reinterpret_cast<float2*>(c + size_t(m0 + r) * n + n0 + q) = make_float2(x, y); });
  }
}

// A comes from registers: bytes are loaded, made halves and multiplied where they are.
extern "C" __global__ void __launch_bounds__(128) hopper_mixed(const int8_t* a, const __grid_constant__ CUtensorMap b, __half* c, const float* scale, int n, int k) {
  constexpr int kStages = 4;
  Ring<0, 128, kStages> ring;
  ring.init(1);
  __syncthreads();
  const int m0 = blockIdx.y * 64, n0 = blockIdx.x * 128, steps = k / 64, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const auto load = [&](int step) {
    if (threadIdx.x != 0 || step >= steps) return;
    barrier_expect(ring.full + step % kStages, ring.kStage);
    tensor_load(ring.b(step % kStages), &b, ring.full + step % kStages, step * 64, n0);
  };
  for (int i = 0; i < kStages - 1; ++i) load(i);
  float d[64];
  for (int i = 0; i < 64; ++i) d[i] = 0;
  for (int step = 0; step < steps; ++step) {
    uint32_t x[4][4];
#pragma unroll
    for (int kk = 0; kk < 4; ++kk)
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const int row = m0 + warp * 16 + lane / 4 + e % 2 * 8, col = step * 64 + kk * 16 + lane % 4 * 2 + e / 2 * 8;
        const char2 v = *reinterpret_cast<const char2*>(a + size_t(row) * k + col);
        x[kk][e] = two_halves(float(v.x), float(v.y));
      }
    barrier_wait(ring.full + step % kStages, step / kStages & 1);
    group_fence();
    const uint64_t y = matrix_descriptor(ring.b(step % kStages));
#pragma unroll
    for (int kk = 0; kk < 4; ++kk) wgmma_f16_n128_registers(d, x[kk], y + 2 * kk, 1);
    group_commit();
    group_wait<0>();
    __syncthreads();
    load(step + kStages - 1);
  }
  each(d, [&](int r, int q, float u, float v) {
    *reinterpret_cast<__half2*>(c + size_t(m0 + r) * n + n0 + q) = __floats2half2_rn(u * scale[m0 + r], v * scale[m0 + r]);
  });
}

// Stream-K with cooperative groups: shares of steps; what does not begin a tile goes to a workspace.
extern "C" __global__ void __launch_bounds__(384, 1) hopper_stream_k(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, __half* c, float* workspace,
                                                                  unsigned* flags, int tiles_m, int tiles_n, int steps) {
  using Loop = Specialised<F16N128, 2, 4>;
  Loop::Store ring;
  ring.init(2);
  __syncthreads();
  int count = 0;
  const int group = int(threadIdx.x) / 128 - 1, all = tiles_m * tiles_n * steps, n = tiles_n * 128;
  const auto first_of = [&](int block) { return int((long long)all * block / gridDim.x); };
  const int end = first_of(blockIdx.x + 1);
  if (group < 0) {
    registers_down<40>();
    if (threadIdx.x == 0)
      for (int at = first_of(blockIdx.x); at < end;) {
        const int tile = at / steps, from = at % steps, many = min(steps - from, end - at);
        Loop::produce(ring, &a, &b, tile / tiles_n * 128, tile % tiles_n * 128, from, many, 64, count);
        at += many;
      }
    return;
  }
  registers_up<232>();
  for (int at = first_of(blockIdx.x); at < end;) {
    const int tile = at / steps, from = at % steps, many = min(steps - from, end - at);
    float d[64];
    Loop::consume(ring, d, group, many, count);
    if (from != 0) {
      float* mine = workspace + size_t(blockIdx.x) * 16384 + group * 8192 + threadIdx.x % 128;
#pragma unroll
      for (int i = 0; i < 64; ++i) __stcg(mine + i * 128, d[i]);
      __threadfence();
      named_sync(1, 256);
      if (threadIdx.x == 128) atomicExch(flags + blockIdx.x, 1u);
    } else {
      int reached = at + many;
      for (int other = blockIdx.x + 1; reached < (tile + 1) * steps; ++other) {
        if (threadIdx.x == 128)
          while (atomicAdd(flags + other, 0u) == 0) __nanosleep(32);
        named_sync(1, 256);
        const float* theirs = workspace + size_t(other) * 16384 + group * 8192 + threadIdx.x % 128;
#pragma unroll
        for (int i = 0; i < 64; ++i) d[i] += __ldcg(theirs + i * 128);
        reached = first_of(other + 1);
      }
      __half* to = c + size_t(tile / tiles_n * 128 + group * 64) * n + tile % tiles_n * 128;
      each(d, [&](int r, int q, float x, float y) { *reinterpret_cast<__half2*>(to + size_t(r) * n + q) = __floats2half2_rn(x, y); });
    }
    at += many;
  }
}

// Split along k inside of a cluster: four blocks, whose sums meet in the first one's shared memory.
extern "C" __global__ void __launch_bounds__(128) hopper_cluster_split(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float* c, int n, int steps) {
  constexpr int kStages = 3;
  Ring<64, 64, kStages> ring;
  ring.init(1);
  __syncthreads();
  const int rank = int(cluster_rank()), m0 = blockIdx.y * 64, n0 = blockIdx.x / 4 * 64, first = rank * steps;
  const auto load = [&](int step) {
    if (threadIdx.x != 0 || step >= steps) return;
    const int slot = step % kStages;
    barrier_expect(ring.full + slot, ring.kStage);
    tensor_load(ring.a(slot), &a, ring.full + slot, (first + step) * 64, m0);
    tensor_load(ring.b(slot), &b, ring.full + slot, (first + step) * 64, n0);
  };
  load(0);
  load(1);
  cluster_sync();  // the first block runs when the others write to it
  float d[32];
  for (int step = 0; step < steps; ++step) {
    const int slot = step % kStages;
    barrier_wait(ring.full + slot, step / kStages & 1);
    group_fence();
    stage_products<F16N64>(d, ring.a(slot), ring.b(slot), step == 0);
    group_commit();
    group_wait<0>();
    __syncthreads();
    load(step + 2);
  }
  float* sums = reinterpret_cast<float*>(shared + ring.kBytes + 1024);  // 32 x 128 of each of the other three
  if (rank != 0) {
    uint32_t to;
    asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(to) : "r"(shared_address(sums + (rank - 1) * 4096 + threadIdx.x)));
#pragma unroll
    for (int i = 0; i < 32; ++i) asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(to + i * 512), "f"(d[i]) : "memory");
  }
  cluster_sync();
  if (rank == 0) {
#pragma unroll
    for (int i = 0; i < 32; ++i) d[i] = ((d[i] + sums[i * 128 + threadIdx.x]) + sums[4096 + i * 128 + threadIdx.x]) + sums[8192 + i * 128 + threadIdx.x];
    each(d, [&](int r, int q, float x, float y) { *reinterpret_cast<float2*>(c + size_t(m0 + r) * n + n0 + q) = make_float2(x, y); });
  }
}

// The epilogue by bulk stores: a warp lays down a row, a lane sends it; bias and gelu on the way.
extern "C" __global__ void __launch_bounds__(256, 1) hopper_bulk_rows(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, __half* c, const float* bias,
                                                                   int n, int steps) {
  using Loop = Specialised<F16N128, 1, 4>;
  Loop::Store ring;
  ring.init(1);
  __syncthreads();
  int count = 0;
  const int m0 = blockIdx.y * 64, n0 = blockIdx.x * 128;
  if (threadIdx.x < 128) {
    registers_down<40>();
    if (threadIdx.x == 0) Loop::produce(ring, &a, &b, m0, n0, 0, steps, 64, count);
    return;
  }
  registers_up<232>();
  float d[64];
  Loop::consume(ring, d, 0, steps, count);
  auto* tile = reinterpret_cast<__half*>(shared + ring.kBytes + 1024);
  each(d, [&](int r, int q, float x, float y) {
    x += bias[n0 + q];
    y += bias[n0 + q + 1];
    x = 0.5f * x * (1 + tanhf(0.79788456f * (x + 0.044715f * x * x * x)));
    y = 0.5f * y * (1 + tanhf(0.79788456f * (y + 0.044715f * y * y * y)));
    *reinterpret_cast<__half2*>(tile + r * 136 + q) = __floats2half2_rn(x, y);
  });
  async_fence();
  named_sync(1, 128);
  if (threadIdx.x % 128 < 64) {
    const int row = threadIdx.x % 128;
    bulk_store(c + size_t(m0 + row) * n + n0, tile + row * 136, 256);
    stores_commit();
    stores_done<0>();
  }
}

// Split along k, added by the copy engine: whole numbers, so any order is right.
extern "C" __global__ void __launch_bounds__(256, 1) hopper_bulk_reduce(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, int* c, int n, int steps) {
  using Loop = Specialised<S8N128, 1, 4>;
  Loop::Store ring;
  ring.init(1);
  __syncthreads();
  int count = 0;
  const int m0 = blockIdx.y * 64, n0 = blockIdx.x * 128;
  if (threadIdx.x < 128) {
    registers_down<40>();
    if (threadIdx.x == 0) Loop::produce(ring, &a, &b, m0, n0, blockIdx.z * steps, steps, 128, count);
    return;
  }
  registers_up<232>();
  int d[64];
  Loop::consume(ring, d, 0, steps, count);
  auto* tile = reinterpret_cast<int*>(shared + ring.kBytes + 1024);
  each(d, [&](int r, int q, int x, int y) { *reinterpret_cast<int2*>(tile + r * 132 + q) = make_int2(x, y); });
  async_fence();
  named_sync(1, 128);
  if (threadIdx.x % 128 < 64) {
    const int row = threadIdx.x % 128;
    bulk_add_s32(c + size_t(m0 + row) * n + n0, tile + row * 132, 512);
    stores_commit();
    stores_done<0>();
  }
}

// Attention: one warp loads, two warp groups take 64 queries each; probabilities go from registers into the second product.
extern "C" __global__ void __launch_bounds__(384, 1) hopper_attention(const __grid_constant__ CUtensorMap q, const __grid_constant__ CUtensorMap k, const __grid_constant__ CUtensorMap v,
                                                                   __half* o, int seq, float scale) {
  constexpr int kStages = 2, kTile = 128 * 128;
  uint64_t* bars = reinterpret_cast<uint64_t*>(shared + kTile * (1 + 2 * kStages));
  uint64_t *ready = bars, *full_k = bars + 1, *full_v = full_k + kStages, *empty = full_v + kStages;
  if (threadIdx.x == 0) {
    barrier_init(ready, 1);
    for (int i = 0; i < kStages; ++i) barrier_init(full_k + i, 1), barrier_init(full_v + i, 1), barrier_init(empty + i, 2);
    barriers_ready();
  }
  __syncthreads();
  const int group = int(threadIdx.x) / 128 - 1, row0 = blockIdx.y * seq, m0 = row0 + blockIdx.x * 128, steps = seq / 128;
  const auto tile_k = [&](int slot) { return shared + kTile * (1 + slot); };
  const auto tile_v = [&](int slot) { return shared + kTile * (1 + kStages + slot); };
  if (group < 0) {
    registers_down<24>();
    if (threadIdx.x != 0) return;
    barrier_expect(ready, kTile);
    tensor_load(shared, &q, ready, 0, m0);
    for (int step = 0; step < steps; ++step) {
      const int slot = step % kStages;
      barrier_wait(empty + slot, (step / kStages & 1) ^ 1);
      barrier_expect(full_k + slot, kTile);
      tensor_load(tile_k(slot), &k, full_k + slot, 0, row0 + step * 128);
      barrier_expect(full_v + slot, kTile);
      tensor_load(tile_v(slot), &v, full_v + slot, 0, row0 + step * 128);
    }
    return;
  }
  registers_up<240>();
  float out[32], top[2] = {-1e30f, -1e30f}, norm[2] = {};
  for (float& x : out) x = 0;
  barrier_wait(ready, 0);
  for (int step = 0; step < steps; ++step) {
    const int slot = step % kStages;
    float s[64];
    barrier_wait(full_k + slot, step / kStages & 1);
    group_fence();
    stage_products<F16N128>(s, shared + group * 8192, tile_k(slot), true);
    group_commit();
    group_wait<0>();
    uint32_t p[8][4];
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      float best = top[h];
#pragma unroll
      for (int j = 0; j < 16; ++j) best = fmaxf(best, fmaxf(s[j * 4 + h * 2], s[j * 4 + h * 2 + 1]) * scale);
      best = fmaxf(best, __shfl_xor_sync(~0u, best, 1));
      best = fmaxf(best, __shfl_xor_sync(~0u, best, 2));
      const float fade = exp2f(top[h] - best);
      float sum = 0;
#pragma unroll
      for (int j = 0; j < 16; ++j) {
        float &x = s[j * 4 + h * 2], &y = s[j * 4 + h * 2 + 1];
        x = exp2f(fmaf(x, scale, -best));
        y = exp2f(fmaf(y, scale, -best));
        sum += x + y;
        p[j / 2][j % 2 * 2 + h] = two_halves(x, y);
      }
      norm[h] = fmaf(norm[h], fade, sum);
      top[h] = best;
#pragma unroll
      for (int j = 0; j < 8; ++j) out[j * 4 + h * 2] *= fade, out[j * 4 + h * 2 + 1] *= fade;
    }
    barrier_wait(full_v + slot, step / kStages & 1);
    group_fence();
    const uint64_t y = matrix_descriptor(tile_v(slot));
#pragma unroll
    for (int i = 0; i < 8; ++i) wgmma_f16_n64_registers(out, p[i], y + 128 * i, 1);
    group_commit();
    group_wait<0>();
    if (threadIdx.x % 128 == 0) barrier_arrive(empty + slot);
  }
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    norm[h] += __shfl_xor_sync(~0u, norm[h], 1);
    norm[h] += __shfl_xor_sync(~0u, norm[h], 2);
  }
  each(out, [&](int r, int c, float x, float y) {
    const float f = 1 / norm[r / 8 % 2];
    *reinterpret_cast<__half2*>(o + size_t(m0 + group * 64 + r) * 64 + c) = __floats2half2_rn(x * f, y * f);
  });
}

// A ring of bulk copies without tensors: rows come in, are scaled and go out, both by the copy engine.
extern "C" __global__ void __launch_bounds__(160) hopper_bulk_stream(const float* x, float* y, float factor, int chunks) {
  constexpr int kStages = 4, kFloats = 1024;
  float* in = reinterpret_cast<float*>(shared);
  float* out = in + kStages * kFloats;
  uint64_t *full = reinterpret_cast<uint64_t*>(out + 2 * kFloats), *empty = full + kStages;
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) barrier_init(full + i, 1), barrier_init(empty + i, 4);
    barriers_ready();
  }
  __syncthreads();
  if (threadIdx.x >= 128) {
    if (threadIdx.x != 128) return;
    for (int i = 0, at = blockIdx.x; at < chunks; ++i, at += gridDim.x) {
      const int slot = i % kStages;
      barrier_wait(empty + slot, (i / kStages & 1) ^ 1);
      barrier_expect(full + slot, kFloats * 4);
      bulk_load(in + slot * kFloats, x + size_t(at) * kFloats, kFloats * 4, full + slot);
    }
    return;
  }
  for (int i = 0, at = blockIdx.x; at < chunks; ++i, at += gridDim.x) {
    const int slot = i % kStages;
    barrier_wait(full + slot, i / kStages & 1);
    float4 v[2];
    for (int j = 0; j < 2; ++j) v[j] = reinterpret_cast<float4*>(in + slot * kFloats)[threadIdx.x + j * 128];
    if (threadIdx.x % 32 == 0) barrier_arrive(empty + slot);
    if (threadIdx.x == 0) stores_read<1>();
    named_sync(1, 128);
    for (int j = 0; j < 2; ++j)
      reinterpret_cast<float4*>(out + i % 2 * kFloats)[threadIdx.x + j * 128] = make_float4(v[j].x * factor, v[j].y * factor, v[j].z * factor, v[j].w * factor);
    async_fence();
    named_sync(1, 128);
    if (threadIdx.x == 0) {
      bulk_store(y + size_t(at) * kFloats, out + i % 2 * kFloats, kFloats * 4);
      stores_commit();
    }
  }
  if (threadIdx.x == 0) stores_done<0>();
}
