// SPDX-License-Identifier: Apache-2.0
// What do reductions take where many lanes share few words? Each thread of a grid reduces to one of `words` words
// that stand `stride` words apart; lane l of a warp takes word l % words. Rows: operation, words, stride, blocks,
// nanoseconds of the grid less those of one without reductions, and SM cycles for each lane's reduction at the
// clock that the grid ran at.
#include <cstdio>

#include "reductions.cuh"

constexpr int kThreads = 256, kTurns = 16;

template <int kOp>
__global__ void reduce(char* base, unsigned words, unsigned stride, unsigned* sink, long long* clocks) {
  const long long begin = clock64();
  char* at = base + size_t{threadIdx.x % words} * stride * 4;
  unsigned sum = threadIdx.x;
  for (int k = 0; k < kTurns; ++k) {
    // No two lanes give the same value, so that nothing is added up in the SM.
    const unsigned v = (sum * 2654435761u + k) >> 7;
    sum += reduce_one<kOp>(at, v);
  }
  if (sum == 0x12345) *sink = sum;
  if (threadIdx.x == 0) clocks[blockIdx.x] = clock64() - begin;
}

template <int kOp>
float once(unsigned words, unsigned stride, int blocks, char* base, unsigned* sink, long long* clocks) {
  const auto zero = [&] { OK(cudaMemset(base, 0, 1 << 16)); };
  return 1e6f * least_ms(3, zero, [&] { reduce<kOp><<<blocks, kThreads>>>(base, words, stride, sink, clocks); });
}

template <int kOp>
void rows(const char* name, char* base, unsigned* sink, long long* clocks, double clock_ghz) {
  for (int blocks : {1, 8, 132, 1056}) {
    const float empty = once<kNone>(1, 1, blocks, base, sink, clocks);
    for (unsigned words : {1u, 2u, 4u, 8u, 32u}) {
      for (unsigned stride : {1u, 8u, 32u}) {
        if (words == 1 && stride != 1) continue;
        if (stride == 1 && (kOp == kAddU64 || kOp == kAddF64)) continue;  // words of eight bytes
        const float ns = once<kOp>(words, stride, blocks, base, sink, clocks);
        std::printf("%s,%u,%u,%d,%.0f,%.4f\n", name, words, stride, blocks, ns - empty,
                    (ns - empty) * clock_ghz / (double(blocks) * kThreads * kTurns));
      }
    }
  }
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
  const double ghz = khz * 1e-6;
  rows<kAddU32>("red_add_u32", base, sink, clocks, ghz);
  rows<kAddF32>("red_add_f32", base, sink, clocks, ghz);
  rows<kMaxU32>("red_max_u32", base, sink, clocks, ghz);
  rows<kAddU64>("red_add_u64", base, sink, clocks, ghz);
  rows<kAddF64>("red_add_f64", base, sink, clocks, ghz);
  rows<kExch>("atom_exch", base, sink, clocks, ghz);
  rows<kCas>("atom_cas", base, sink, clocks, ghz);
  rows<kAddReturned>("atom_add_u32", base, sink, clocks, ghz);
  rows<kAddF32Returned>("atom_add_f32", base, sink, clocks, ghz);
  return 0;
}
