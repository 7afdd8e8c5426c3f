// SPDX-License-Identifier: Apache-2.0
// Which lane's value stays when lanes of one store write different values to one address. A warp a block; its offsets and the lanes that
// take part come from buffers. `nvcc -ptx -O3 -arch=sm_90`.
#include <cstdint>

namespace {

template <int WORDS, bool SHARED>
__device__ void put(uint32_t* base, uint32_t offset, uint32_t v) {
  uint32_t* to = base + offset * WORDS;
  if constexpr (SHARED) {
    const auto at = uint32_t(__cvta_generic_to_shared(to));
    if constexpr (WORDS == 1) asm volatile("st.shared.b32 [%0], %1;" ::"r"(at), "r"(v) : "memory");
    if constexpr (WORDS == 2) asm volatile("st.shared.v2.b32 [%0], {%1, %2};" ::"r"(at), "r"(v), "r"(v + 100) : "memory");
    if constexpr (WORDS == 4) asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(v), "r"(v + 100), "r"(v + 200), "r"(v + 300) : "memory");
  } else {
    if constexpr (WORDS == 1) asm volatile("st.global.b32 [%0], %1;" ::"l"(to), "r"(v) : "memory");
    if constexpr (WORDS == 2) asm volatile("st.global.v2.b32 [%0], {%1, %2};" ::"l"(to), "r"(v), "r"(v + 100) : "memory");
    if constexpr (WORDS == 4) asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(v), "r"(v + 100), "r"(v + 200), "r"(v + 300) : "memory");
  }
}

template <int WORDS, bool SHARED>
__device__ void store(const uint32_t* offsets, const uint32_t* masks, uint32_t* out, int places) {
  __shared__ __align__(16) uint32_t tile[32 * WORDS];
  const uint32_t lane = threadIdx.x, mask = masks[blockIdx.x];
  out += size_t(blockIdx.x) * 32 * WORDS;
  for (int i = 0; i < WORDS; ++i) tile[lane * WORDS + i] = 0;
  __syncwarp();
  if (mask >> lane & 1) put<WORDS, SHARED>(SHARED ? tile : out, offsets[blockIdx.x * 32 + lane] % places, lane + 1);
  __syncwarp();
  if (SHARED)
    for (int i = 0; i < WORDS; ++i) out[lane * WORDS + i] = tile[lane * WORDS + i];
}

}  // namespace

#define KERNEL(NAME, WORDS, SHARED) \
  extern "C" __global__ void NAME(const uint32_t* offsets, const uint32_t* masks, uint32_t* out, int places) { store<WORDS, SHARED>(offsets, masks, out, places); }
KERNEL(shared_4, 1, true)
KERNEL(shared_8, 2, true)
KERNEL(shared_16, 4, true)
KERNEL(global_4, 1, false)
KERNEL(global_8, 2, false)
KERNEL(global_16, 4, false)

// Bytes and halves: neighbours in one word come from different lanes.
extern "C" __global__ void shared_1(const uint32_t* offsets, const uint32_t* masks, uint8_t* out, int places) {
  __shared__ uint8_t tile[32];
  const uint32_t lane = threadIdx.x;
  tile[lane] = 0;
  __syncwarp();
  if (masks[blockIdx.x] >> lane & 1)
    asm volatile("st.shared.b8 [%0], %1;" ::"r"(uint32_t(__cvta_generic_to_shared(tile + offsets[blockIdx.x * 32 + lane] % places))), "r"(lane + 1) : "memory");
  __syncwarp();
  out[blockIdx.x * 32 + lane] = tile[lane];
}
