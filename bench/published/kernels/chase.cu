// SPDX-License-Identifier: Apache-2.0
// Latency of a load: one lane follows pointers. `lines` lines of 128 bytes hold a cycle in a shuffled order.
#include <cstdint>

// The line that is the i-th of the order: the multiplier is a prime, so that every line comes once.
__device__ uint32_t line_at(uint32_t i, uint32_t count, uint32_t multiplier) { return uint64_t{i} * multiplier % count; }

// Makes the cycle: line `i` of the order points to the next, and has its place in an array of words too.
extern "C" __global__ void link(char* lines, uint32_t count, uint32_t multiplier) {
  const uint32_t step = blockDim.x * gridDim.x;
  for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
    const uint32_t from = line_at(i, count, multiplier), to = line_at(i + 1, count, multiplier);
    *reinterpret_cast<char**>(lines + 128ull * from) = lines + 128ull * to;
    *reinterpret_cast<int*>(lines + 128ull * from + 8) = static_cast<int>(32 * to + 2);
  }
}

// `warm` 1: each line is read past L1 before, in the same order, so that L2 holds what a chase that goes round has left there; 2: the chase itself goes round once before.
extern "C" __global__ void chase(char** first, uint32_t count, uint32_t multiplier, uint32_t steps, uint32_t warm, uint64_t* out) {
  char** p = first;
  if (warm == 1) {
    uint64_t sum = 0;
    for (uint32_t i = threadIdx.x; i < count; i += blockDim.x)
      sum += __ldcg(reinterpret_cast<unsigned long long*>(first + 16ull * line_at(i, count, multiplier)));
    if (sum == 1) out[1] = sum;
    __syncwarp();
  }
  if (threadIdx.x != 0) return;
  if (warm == 2)
    for (uint32_t i = 0; i < count; ++i) p = reinterpret_cast<char**>(*p);
  if (p == nullptr) out[1] = 1;
  const uint64_t begin = clock64();
#pragma unroll 1
  for (uint32_t i = 0; i < steps; i += 32) {
#pragma unroll
    for (int u = 0; u < 32; ++u) p = reinterpret_cast<char**>(*p);
  }
  out[1] = reinterpret_cast<uint64_t>(p);
  out[0] = clock64() - begin;
}

// The same by places in an array, as `at = a[at]`: an address is made of each, which the chase by pointers does without.
extern "C" __global__ void chase_index(const int* a, uint32_t count, uint32_t multiplier, uint32_t steps, uint32_t warm, uint64_t* out) {
  int at = 2;
  if (warm == 1) {
    int sum = 0;
    for (uint32_t i = threadIdx.x; i < count; i += blockDim.x) sum += __ldcg(a + 32ull * line_at(i, count, multiplier));
    if (sum == 1) out[1] = sum;
    __syncwarp();
  }
  if (threadIdx.x != 0) return;
  if (warm == 2)
    for (uint32_t i = 0; i < count; ++i) at = a[at];
  if (at < 0) out[1] = 1;
  const uint64_t begin = clock64();
#pragma unroll 1
  for (uint32_t i = 0; i < steps; i += 32) {
#pragma unroll
    for (int u = 0; u < 32; ++u) at = a[at];
  }
  out[1] = at;
  out[0] = clock64() - begin;
}

extern "C" __global__ void chase_shared(uint32_t steps, uint64_t* out) {
  __shared__ uint32_t next[256];  // addresses, so that nothing is computed between two loads
  const auto base = static_cast<uint32_t>(__cvta_generic_to_shared(next));
  for (uint32_t i = threadIdx.x; i < 256; i += blockDim.x) next[i] = base + (i + 33) % 256 * 4;
  __syncthreads();
  if (threadIdx.x != 0) return;
  uint32_t p = base;
  const uint64_t begin = clock64();
#pragma unroll 1
  for (uint32_t i = 0; i < steps; i += 32) {
#pragma unroll
    for (int u = 0; u < 32; ++u) asm volatile("ld.shared.u32 %0, [%0];" : "+r"(p));
  }
  out[1] = p;
  out[0] = clock64() - begin;
}

extern "C" __global__ void chase_shared_index(uint32_t steps, uint64_t* out) {
  __shared__ int next[256];
  for (uint32_t i = threadIdx.x; i < 256; i += blockDim.x) next[i] = (i + 33) % 256;
  __syncthreads();
  if (threadIdx.x != 0) return;
  int at = 0;
  const uint64_t begin = clock64();
#pragma unroll 1
  for (uint32_t i = 0; i < steps; i += 32) {
#pragma unroll
    for (int u = 0; u < 32; ++u) at = next[at];
  }
  out[1] = at;
  out[0] = clock64() - begin;
}
