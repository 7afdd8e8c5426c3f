// SPDX-License-Identifier: Apache-2.0
// Streams of global memory through a ring of stages in shared memory by tensor copies: a tile is `rows` whole
// rows of a tensor of two dimensions, `bytes` long, and each stage has its mbarrier. `n`: of what a thread
// of each block has, a tile in each turn.
#include <cstdint>

namespace {

struct alignas(64) Map {
  char bytes[128];
};

__device__ uint32_t shared_address(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

__device__ void begin(uint64_t* barriers, int stages) {
  if (threadIdx.x == 0)
    for (int s = 0; s < stages; ++s)
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(barriers + s)) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  __syncthreads();
}

__device__ void ask(const Map& map, void* to, uint64_t row, uint64_t* barrier, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(bytes)
               : "memory");
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to)),
               "l"(&map), "r"(0), "r"(static_cast<int>(row)), "r"(shared_address(barrier))
               : "memory");
}

__device__ void wait(uint64_t* barrier, uint32_t parity) {
  uint32_t done = 0;
  while (done == 0)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(shared_address(barrier)), "r"(parity)
                 : "memory");
}

// Tiles of all blocks alternate; nothing is read from them, and a stage is asked for again when it has come.
template <int kStages>
__device__ void free_ring(const Map& map, uint64_t n, uint32_t rows, uint32_t bytes) {
  extern __shared__ __align__(128) unsigned char space[];
  auto* barriers = reinterpret_cast<uint64_t*>(space + kStages * bytes);
  begin(barriers, kStages);
  const uint64_t tiles = n / blockDim.x;
  const auto fetch = [&](uint64_t tile, int slot) {
    if (threadIdx.x == 0) ask(map, space + slot * bytes, tile * rows, barriers + slot, bytes);
  };
  uint64_t tile = blockIdx.x;
  for (int s = 0; s < kStages; ++s, tile += gridDim.x) fetch(tile, s);
  uint32_t phases = 0;
  int slot = 0;
  const auto take = [&] {
    wait(barriers + slot, phases >> slot & 1);
    phases ^= 1u << slot;
  };
  const auto onward = [&] { slot = slot + 1 == kStages ? 0 : slot + 1; };
  for (; tile < tiles; tile += gridDim.x) {
    take();
    fetch(tile, slot);
    onward();
  }
  for (int s = 0; s < kStages; ++s) {
    take();
    onward();
  }
}

// Each block has a run of tiles, of which it begins with `from` and goes round, so that each turn has a remainder of 64
// bits; all its threads wait, read a word of the tile and meet.
template <int kStages>
__device__ void read_ring(const Map& map, uint32_t* out, uint64_t n, uint32_t rows, uint32_t bytes, int64_t from) {
  extern __shared__ __align__(128) unsigned char space[];
  auto* barriers = reinterpret_cast<uint64_t*>(space + kStages * bytes);
  begin(barriers, kStages);
  const uint64_t tiles = n / blockDim.x / gridDim.x, first = blockIdx.x * tiles;
  uint32_t sum = 0, phases = 0;
  const auto take = [&](uint64_t t) {
    const int slot = static_cast<int>(t % kStages);
    wait(barriers + slot, phases >> slot & 1);
    phases ^= 1u << slot;
    sum ^= *reinterpret_cast<uint32_t*>(space + slot * bytes + threadIdx.x * 16);
  };
  for (uint64_t t = 0; t < tiles; ++t) {
    const int slot = static_cast<int>(t % kStages);
    const uint64_t tile = first + (from + static_cast<int64_t>(t)) % static_cast<int64_t>(tiles);
    if (threadIdx.x == 0) ask(map, space + slot * bytes, tile * rows, barriers + slot, bytes);
    if (t + 1 < kStages) continue;
    take(t + 1 - kStages);
    __syncthreads();
  }
  for (uint64_t t = tiles + 1 < kStages ? 0 : tiles + 1 - kStages; t < tiles; ++t) take(t);
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

}  // namespace

#define RINGS(stages)                                                                                          \
  extern "C" __global__ void free_##stages(const __grid_constant__ Map map, uint64_t n, uint32_t rows,         \
                                           uint32_t bytes) {                                                   \
    free_ring<stages>(map, n, rows, bytes);                                                                    \
  }                                                                                                            \
  extern "C" __global__ void read_##stages(const __grid_constant__ Map map, uint32_t* out, uint64_t n,         \
                                           uint32_t rows, uint32_t bytes, int64_t from) {                      \
    read_ring<stages>(map, out, n, rows, bytes, from);                                                               \
  }
RINGS(1)
RINGS(2) RINGS(4) RINGS(8)
