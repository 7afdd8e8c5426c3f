// SPDX-License-Identifier: Apache-2.0
// A warp that brings tiles by bulk copies and three that use them, with one buffer between: the copy of a tile begins
// when the last one has been used. Repaired, the ring has four buffers.
#include <cstdint>
__device__ uint32_t place(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }
__device__ bool ready(uint32_t bar, uint32_t phase) {
  uint32_t done;
  asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(done) : "r"(bar), "r"(phase) : "memory");  // defect
  return done;
}
__device__ void arrive(uint32_t bar) { asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(bar) : "memory"); }
template <int kStages>
__device__ void ring(const float* in, float* out, int n) {
  __shared__ __align__(128) float tile[kStages][768];
  __shared__ __align__(8) uint64_t full[kStages], empty[kStages];
  if (threadIdx.x == 0)
    for (int i = 0; i < kStages; ++i) {
      asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(place(&full[i])) : "memory");
      asm volatile("mbarrier.init.shared.b64 [%0], 96;" ::"r"(place(&empty[i])) : "memory");
    }
  __syncthreads();
  if (threadIdx.x >= 96) {
    if (threadIdx.x == 96)
      for (int k = 0; k < n; ++k) {
        const int s = k % kStages, round = k / kStages;
        while (!ready(place(&empty[s]), (round & 1) ^ 1)) {  // defect
        }
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(place(&full[s])), "r"(3072) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(place(tile[s])),
                     "l"(in + (k * gridDim.x + blockIdx.x) * 768), "r"(3072), "r"(place(&full[s]))
                     : "memory");
      }
    return;
  }
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    const int s = k % kStages, round = k / kStages;
    while (!ready(place(&full[s]), round & 1)) {  // defect
    }
    for (int i = 0; i < 8; ++i) sum = sum * 0.5f + tile[s][threadIdx.x + i * 96];
    arrive(place(&empty[s]));
  }
  out[blockIdx.x * 96 + threadIdx.x] = sum;
}
extern "C" __global__ void planted(const float* in, float* out, int n) { ring<1>(in, out, n); }
extern "C" __global__ void repaired(const float* in, float* out, int n) { ring<4>(in, out, n); }
