// SPDX-License-Identifier: Apache-2.0
// What do reductions take where many lanes share few words? Each thread of a grid reduces to one of `words` words
// that stand `stride` words apart; lane l of a warp takes word l % words. Rows: operation, words, stride, blocks,
// nanoseconds of the grid less those of one without reductions, and SM cycles for each lane's reduction at the
// clock that the grid ran at.
#include <cstdio>

#include "../harness.cuh"

constexpr int kThreads = 256, kTurns = 16;

enum Op { kNone, kAddU32, kAddF32, kMaxU32, kAddU64, kAddF64, kExch, kCas, kAddReturned, kAddF32Returned, kOps };
const char* const kNames[kOps] = {"none", "red_add_u32", "red_add_f32", "red_max_u32", "red_add_u64", "red_add_f64",
                                  "atom_exch", "atom_cas", "atom_add_u32", "atom_add_f32"};

template <int kOp>
__global__ void reduce(char* base, unsigned words, unsigned stride, unsigned* sink, long long* clocks) {
  const long long begin = clock64();
  char* at = base + size_t{threadIdx.x % words} * stride * 4;
  unsigned sum = threadIdx.x;
  for (int k = 0; k < kTurns; ++k) {
    // No two lanes give the same value, so that nothing is added up in the SM.
    const unsigned v = (sum * 2654435761u + k) >> 7;
    unsigned r = v;
    if constexpr (kOp == kAddU32) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at), "r"(v) : "memory");
    if constexpr (kOp == kAddF32) asm volatile("red.global.add.f32 [%0], %1;" ::"l"(at), "f"(v * 1e-3f) : "memory");
    if constexpr (kOp == kMaxU32) asm volatile("red.global.max.u32 [%0], %1;" ::"l"(at), "r"(v) : "memory");
    if constexpr (kOp == kAddU64)
      asm volatile("red.global.add.u64 [%0], %1;" ::"l"(at), "l"((unsigned long long)v) : "memory");
    if constexpr (kOp == kAddF64) asm volatile("red.global.add.f64 [%0], %1;" ::"l"(at), "d"(v * 1e-3) : "memory");
    if constexpr (kOp == kExch)
      asm volatile("atom.global.exch.b32 %0, [%1], %2;" : "=r"(r) : "l"(at), "r"(v) : "memory");
    if constexpr (kOp == kCas)
      asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;" : "=r"(r) : "l"(at), "r"(v), "r"(v + 1) : "memory");
    if constexpr (kOp == kAddReturned)
      asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(r) : "l"(at), "r"(v) : "memory");
    if constexpr (kOp == kAddF32Returned) {
      float f;
      asm volatile("atom.global.add.f32 %0, [%1], %2;" : "=f"(f) : "l"(at), "f"(v * 1e-3f) : "memory");
      r = __float_as_uint(f);
    }
    sum += r;
  }
  if (sum == 0x12345) *sink = sum;
  if (threadIdx.x == 0) clocks[blockIdx.x] = clock64() - begin;
}

template <int kOp>
float once(unsigned words, unsigned stride, int blocks, char* base, unsigned* sink, long long* clocks) {
  cudaEvent_t from, to;
  OK(cudaEventCreate(&from));
  OK(cudaEventCreate(&to));
  float best = 1e30f;
  for (int turn = 0; turn < 3; ++turn) {
    OK(cudaMemset(base, 0, 1 << 16));
    OK(cudaEventRecord(from));
    reduce<kOp><<<blocks, kThreads>>>(base, words, stride, sink, clocks);
    OK(cudaEventRecord(to));
    OK(cudaDeviceSynchronize());
    float ms = 0;
    OK(cudaEventElapsedTime(&ms, from, to));
    best = ms < best ? ms : best;
  }
  return best * 1e6f;
}

template <int kOp>
void rows(char* base, unsigned* sink, long long* clocks, double clock_ghz) {
  for (int blocks : {1, 8, 132, 1056}) {
    const float empty = once<kNone>(1, 1, blocks, base, sink, clocks);
    for (unsigned words : {1u, 2u, 4u, 8u, 32u}) {
      for (unsigned stride : {1u, 8u, 32u}) {
        if (words == 1 && stride != 1) continue;
        if (stride == 1 && (kOp == kAddU64 || kOp == kAddF64)) continue;  // words of eight bytes
        const float ns = once<kOp>(words, stride, blocks, base, sink, clocks);
        std::printf("%s,%u,%u,%d,%.0f,%.4f\n", kNames[kOp], words, stride, blocks, ns - empty,
                    (ns - empty) * clock_ghz / (double(blocks) * kThreads * kTurns));
      }
    }
  }
}

template <int... kEach>
void all(char* base, unsigned* sink, long long* clocks, double ghz) {
  (rows<kEach>(base, sink, clocks, ghz), ...);
}

int main() {
  int khz = 0;
  OK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
  char* base;
  unsigned* sink;
  long long* clocks;
  OK(cudaMalloc(&base, 1 << 16));
  OK(cudaMalloc(&sink, 4));
  OK(cudaMalloc(&clocks, 2048 * 8));
  std::printf("operation,words,stride,blocks,ns,cycles_a_lane\n");
  all<kAddU32, kAddF32, kMaxU32, kAddU64, kAddF64, kExch, kCas, kAddReturned, kAddF32Returned>(base, sink, clocks,
                                                                                             khz * 1e-6);
  return 0;
}
