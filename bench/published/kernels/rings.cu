// SPDX-License-Identifier: Apache-2.0
// Streams of global memory through a ring of stages in shared memory: each block has its own run of tiles,
// copies one tile ahead for each stage, and reads one word a thread of the tile that has come.
#include <cstdint>

namespace {

constexpr int kBytes = 16;  // of a copy

__device__ uint32_t shared_address(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

// Tiles of kCopies copies a thread, by cp.async. `n`: copies of all blocks together; a block begins with its tile `from`
// and goes round, so that each turn has a remainder of 64 bits.
template <int kStages, int kCopies>
__device__ void async_ring(uint32_t* out, const uint4* in, uint64_t n, int64_t from) {
  extern __shared__ uint4 ring[];
  const uint64_t tile = uint64_t{kCopies} * blockDim.x, tiles = n / tile / gridDim.x;
  const uint4* mine = in + blockIdx.x * tiles * tile + threadIdx.x;
  uint32_t sum = 0;
  const auto slot = [&](uint64_t t) { return ring + (t % kStages) * tile + threadIdx.x; };
  const auto take = [&](uint64_t t) { sum ^= slot(t)->x; };
  for (uint64_t t = 0; t < tiles; ++t) {
    const uint4* source = mine + (from + static_cast<int64_t>(t)) % static_cast<int64_t>(tiles) * tile;
    uint4* to = slot(t);
#pragma unroll
    for (int c = 0; c < kCopies; ++c)
      asm volatile("cp.async.cg.shared.global [%0], [%1], %2;" ::"r"(shared_address(to + c * blockDim.x)),
                   "l"(source + c * blockDim.x), "n"(kBytes)
                   : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    if (t + 1 < kStages) continue;
    asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 1) : "memory");
    __syncthreads();
    take(t + 1 - kStages);
    __syncthreads();
  }
  asm volatile("cp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  for (uint64_t t = tiles + 1 < kStages ? 0 : tiles + 1 - kStages; t < tiles; ++t) take(t);
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// A copy of 16 bytes a thread and turn; all blocks' turns alternate. A warp asks again when its own oldest copy has
// come: nothing is read, and threads do not meet.
template <int kStages>
__device__ void free_ring(const uint4* in, uint64_t n) {
  extern __shared__ uint4 ring[];
  const uint64_t all = uint64_t{gridDim.x} * blockDim.x, turns = n / all;
  const uint4* from = in + blockIdx.x * blockDim.x + threadIdx.x;
  for (uint64_t t = 0; t < turns; ++t, from += all) {
    asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 1) : "memory");
    asm volatile("cp.async.cg.shared.global [%0], [%1], %2;" ::"r"(
                     shared_address(ring + (t % kStages) * blockDim.x + threadIdx.x)),
                 "l"(from), "n"(kBytes)
                 : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
  asm volatile("cp.async.wait_group 0;" ::: "memory");
}

}  // namespace

#define RING(stages, copies)                                                                        \
  extern "C" __global__ void ring_##stages##_##copies(uint32_t* out, const uint4* in, uint64_t n, \
                                                      int64_t from) {                             \
    async_ring<stages, copies>(out, in, n, from);                                                 \
  }
RING(1, 1)
RING(4, 1) RING(8, 1) RING(2, 4) RING(2, 8) RING(2, 16) RING(4, 2) RING(4, 4) RING(4, 8) RING(8, 2) RING(8, 4)
#define FREE(stages) \
  extern "C" __global__ void free_##stages(const uint4* in, uint64_t n) { free_ring<stages>(in, n); }
FREE(1) FREE(4) FREE(8)
