// SPDX-License-Identifier: Apache-2.0
// As bench/published/kernels/rings.cu, by bulk copies (cp.async.bulk): one thread asks for a tile of `bytes`, the others wait for its mbarrier.
#pragma once
#include "../../../published/kernels/rings.cu"

namespace {

__device__ void ask(void* to, const void* from, uint32_t bytes, uint64_t* barrier) {
  const uint32_t b = shared_address(barrier);
  asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(b), "r"(bytes) : "memory");
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(to)),
               "l"(from), "r"(bytes), "r"(b)
               : "memory");
}

__device__ void await(uint64_t* barrier, uint32_t parity) {
  asm volatile(
      "{\n.reg .pred p;\nWAIT_%=: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%0], %1;\n@!p bra WAIT_%=;\n}" ::"r"(
          shared_address(barrier)),
      "r"(parity)
      : "memory");
}

// `n`: pieces of 16 bytes of all blocks together; `copies`: pieces a thread and tile.
template <int kStages>
__device__ void bulk_ring(uint32_t* out, const uint4* in, uint64_t n, uint32_t copies) {
  extern __shared__ __align__(128) uint4 ring[];
  __shared__ uint64_t come[kStages];
  const uint64_t tile = uint64_t{copies} * blockDim.x, tiles = n / tile / gridDim.x;
  const uint4* mine = in + blockIdx.x * tiles * tile;
  const bool leader = threadIdx.x == 0;
  if (leader) {
    for (int s = 0; s < kStages; ++s)
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&come[s])) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __syncthreads();
  uint32_t sum = 0;
  const auto take = [&](uint64_t t) {
    await(&come[t % kStages], t / kStages % 2);
    sum ^= ring[t % kStages * tile + threadIdx.x].x;
  };
  for (uint64_t t = 0; t < tiles; ++t) {
    if (leader) ask(ring + t % kStages * tile, mine + t * tile, static_cast<uint32_t>(tile * 16), &come[t % kStages]);
    if (t + 1 < kStages) continue;
    take(t + 1 - kStages);
    __syncthreads();
  }
  for (uint64_t t = tiles + 1 < kStages ? 0 : tiles + 1 - kStages; t < tiles; ++t) take(t);
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

}  // namespace

#define BULK_RING(stages)                                                                                            \
  extern "C" __global__ void bulk_ring_##stages(uint32_t* out, const uint4* in, uint64_t n, uint32_t copies) {      \
    bulk_ring<stages>(out, in, n, copies);                                                                           \
  }
BULK_RING(2)
BULK_RING(4)
BULK_RING(8)
