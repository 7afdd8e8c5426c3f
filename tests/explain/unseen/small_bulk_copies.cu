// SPDX-License-Identifier: Apache-2.0
// One thread brings each tile by bulk copies and waits for it before the next; the repaired kernel has four tiles on their way.
#include <cstdint>
__device__ uint32_t place(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }
template <int kStages>
__device__ void tiles(const float* in, float* out, int n) {
  __shared__ __align__(128) float tile[kStages][512];
  __shared__ __align__(8) uint64_t full[kStages];
  const auto bring = [&](int k) {
    const uint32_t bar = place(&full[k % kStages]), to = place(tile[k % kStages]);
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(bar), "r"(2048) : "memory");
    const float* from = in + (k * gridDim.x + blockIdx.x) * 512;
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(from), "r"(2048), "r"(bar)
                 : "memory");
  };
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(place(&full[i])) : "memory");
    for (int i = 0; i < kStages && i < n; ++i) bring(i);
  }
  __syncthreads();
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    const uint32_t bar = place(&full[k % kStages]), phase = k / kStages & 1;
    asm volatile(  // defect
        "{\n.reg .pred p;\nWAIT: mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n@p bra DONE;\nbra WAIT;\nDONE:\n}" ::"r"(bar),
        "r"(phase)  // defect
        : "memory");
    for (int i = 0; i < 4; ++i) sum += tile[k % kStages][threadIdx.x + i * 128];
    __syncthreads();
    if (threadIdx.x == 0 && k + kStages < n) bring(k + kStages);
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void planted(const float* in, float* out, int n) { tiles<1>(in, out, n); }
extern "C" __global__ void repaired(const float* in, float* out, int n) { tiles<4>(in, out, n); }
