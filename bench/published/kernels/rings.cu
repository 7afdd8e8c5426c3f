// SPDX-License-Identifier: Apache-2.0
// Streams of global memory through a ring of stages in shared memory: each block has its own run of tiles,
// copies one tile ahead for each stage, and reads one word a thread of the tile that has come.
#include <cstdint>

namespace {

constexpr int kBytes = 16;  // of a copy

__device__ uint32_t shared_address(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

// Tiles of kCopies copies a thread, by cp.async. `n`: copies of all blocks together.
template <int kStages, int kCopies>
__device__ void async_ring(uint32_t* out, const uint4* in, uint64_t n) {
  extern __shared__ uint4 ring[];
  const uint64_t tile = uint64_t{kCopies} * blockDim.x, tiles = n / tile / gridDim.x;
  const uint4* mine = in + blockIdx.x * tiles * tile + threadIdx.x;
  uint32_t sum = 0;
  const auto slot = [&](uint64_t t) { return ring + (t % kStages) * tile + threadIdx.x; };
  const auto take = [&](uint64_t t) { sum ^= slot(t)->x; };
  for (uint64_t t = 0; t < tiles; ++t) {
    const uint4* from = mine + t * tile;
    uint4* to = slot(t);
#pragma unroll
    for (int c = 0; c < kCopies; ++c)
      asm volatile("cp.async.cg.shared.global [%0], [%1], %2;" ::"r"(shared_address(to + c * blockDim.x)),
                   "l"(from + c * blockDim.x), "n"(kBytes)
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

}  // namespace

#define RING(stages, copies)                                                                        \
  extern "C" __global__ void ring_##stages##_##copies(uint32_t* out, const uint4* in, uint64_t n) { \
    async_ring<stages, copies>(out, in, n);                                                         \
  }
RING(1, 1)
RING(4, 1) RING(8, 1) RING(2, 4) RING(2, 8) RING(2, 16) RING(4, 2) RING(4, 4) RING(4, 8) RING(8, 2) RING(8, 4)
