// SPDX-License-Identifier: Apache-2.0
// When do the loads of a burst arrive at a lone SM? All warps of a block begin at once; each loads `loads`
// pieces of 512, 256 or 128 bytes at random places of 16 MiB that L2 has, and reads its clock as each
// arrives. A row: kind, bytes, warps, loads, cycles from the first begin to the last issue, then until the
// first, 1/16, 2/16 .. all loads were there (means of 15 rounds).
#include <algorithm>
#include <vector>

#include "../bursts.cuh"

constexpr int kRounds = 16, kQuantiles = 16;
constexpr unsigned kPlaces = 16u << 20, kMostLoads = 8, kSharedStep = 16384;

enum Kind { kCa, kCg, kNc, kNoAllocate, kRelaxed, kVolatile, kLastUse, kCopyCg, kCopyCa };
constexpr const char* kNames[] = {"ca",       "cg",       "nc",      "no_allocate", "relaxed",
                                  "volatile", "last_use", "copy_cg", "copy_ca"};

#define LOAD4(what)                                         \
  asm volatile(what ".v4.f32 {%0,%1,%2,%3}, [%4];"          \
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) \
               : "l"(from)                                  \
               : "memory")
#define LOAD2(what) asm volatile(what ".v2.f32 {%0,%1}, [%2];" : "=f"(v.x), "=f"(v.y) : "l"(from) : "memory")
#define LOAD1(what) asm volatile(what ".f32 %0, [%1];" : "=f"(v.x) : "l"(from) : "memory")
#define LOAD_OF(kind, what)                  \
  if constexpr (kKind == kind) {             \
    if constexpr (kBytes == 16) LOAD4(what); \
    if constexpr (kBytes == 8) LOAD2(what);  \
    if constexpr (kBytes == 4) LOAD1(what);  \
  }

template <int kKind, int kBytes>
__device__ float4 load(const char* from) {
  float4 v;
  LOAD_OF(kCa, "ld.global.ca")
  LOAD_OF(kCg, "ld.global.cg")
  LOAD_OF(kNc, "ld.global.nc")
  LOAD_OF(kNoAllocate, "ld.global.L1::no_allocate")
  LOAD_OF(kRelaxed, "ld.relaxed.gpu.global")
  LOAD_OF(kVolatile, "ld.volatile.global")
  LOAD_OF(kLastUse, "ld.global.lu")
  return v;
}

__device__ void wait_for_all_but(int groups) {
#define WAIT(n) \
  if (groups == n) asm volatile("cp.async.wait_group " #n ";" ::: "memory")
  WAIT(0);
  WAIT(1);
  WAIT(2);
  WAIT(3);
  WAIT(4);
  WAIT(5);
  WAIT(6);
  WAIT(7);
}

template <int kKind, int kBytes, int kLoads>
__global__ void __launch_bounds__(1024, 1)
    burst(const char* memory, unsigned* begins, unsigned* ends, unsigned* issues, float* out) {
  constexpr unsigned kPiece = kBytes * 32;
  constexpr bool kCopies = kKind == kCopyCg || kKind == kCopyCa;
  extern __shared__ float4 tile[];
  const unsigned to = (unsigned)__cvta_generic_to_shared(tile) + threadIdx.x * 16;
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  float sum = 0;
#pragma unroll 1
  for (unsigned round = 0; round < kRounds; ++round) {
    const char* from[kLoads];
    float4 v[kLoads];
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const unsigned place =
          spread(((round * kLoads + i) * warps + warp) * 2 + kLoads) % kPlaces / kPiece * kPiece;
      from[i] = memory + place + lane * kBytes;
      asm volatile("" : "+l"(from[i]));
    }
    meet_alone();
    const unsigned begin = now();
    unsigned arrived[kLoads];
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      if constexpr (kKind == kCopyCg)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + i * kSharedStep), "l"(from[i])
                     : "memory");
      if constexpr (kKind == kCopyCa)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to + i * kSharedStep), "l"(from[i])
                     : "memory");
      if constexpr (kCopies)
        asm volatile("cp.async.commit_group;" ::: "memory");
      else
        v[i] = load<kKind, kBytes>(from[i]);
    }
    const unsigned issued = now();
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      if constexpr (kCopies) {
        wait_for_all_but(kLoads - 1 - i);
      } else {
        sum += v[i].x;
        asm volatile("" ::"f"(sum) : "memory");
      }
      arrived[i] = now();
    }
    if (lane == 0) {
      begins[round * warps + warp] = begin;
      issues[round * warps + warp] = issued;
      for (int i = 0; i < kLoads; ++i) ends[(round * warps + warp) * kLoads + i] = arrived[i];
    }
  }
  if (sum == 12345.f) *out = sum;
}

char* memory;
unsigned *begins, *ends, *issues;
float* out;

std::vector<unsigned> from_device(const unsigned* x, size_t n) {
  std::vector<unsigned> values(n);
  OK(cudaMemcpy(values.data(), x, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
  return values;
}

template <int kKind, int kBytes, int kLoads>
void ask(int warps) {
  const auto kernel = burst<kKind, kBytes, kLoads>;
  const int shared = kKind == kCopyCg || kKind == kCopyCa ? kLoads * kSharedStep : 0;
  OK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  for (int run = 0; run < 2; ++run) {  // code and constants come first
    kernel<<<1, warps * 32, shared>>>(memory, begins, ends, issues, out);
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
  }
  const auto b = from_device(begins, size_t(warps) * kRounds), s = from_device(issues, b.size()),
             e = from_device(ends, b.size() * kLoads);
  double mean[kQuantiles + 1] = {}, issue = 0;
  for (int round = 1; round < kRounds; ++round) {
    const unsigned first = *std::min_element(&b[round * warps], &b[round * warps] + warps);
    issue += *std::max_element(&s[round * warps], &s[round * warps] + warps) - first;
    std::vector<unsigned> t;
    for (int i = 0; i < warps * kLoads; ++i) t.push_back(e[size_t(round) * warps * kLoads + i] - first);
    std::sort(t.begin(), t.end());
    for (int q = 0; q <= kQuantiles; ++q) mean[q] += t[std::min(t.size() - 1, q * t.size() / kQuantiles)];
  }
  std::printf("%s,%d,%d,%d,%.0f", kNames[kKind], kBytes * 32, warps, kLoads, issue / (kRounds - 1));
  for (const double m : mean) std::printf(",%.0f", m / (kRounds - 1));
  std::printf("\n");
  std::fflush(stdout);
}

template <int kKind>
void ask_wide() {
  ask<kKind, 16, 8>(4);
  ask<kKind, 16, 4>(8);
  ask<kKind, 16, 8>(8);
  ask<kKind, 16, 4>(16);
  ask<kKind, 16, 8>(16);
  ask<kKind, 16, 1>(32);
  ask<kKind, 16, 2>(32);
  ask<kKind, 16, 4>(32);
}

template <int kKind>
void ask_narrow() {
  ask<kKind, 8, 8>(16);
  ask<kKind, 8, 4>(32);
  ask<kKind, 4, 4>(32);
  ask<kKind, 4, 8>(32);
}

int main() {
  OK(cudaMalloc(&memory, kPlaces));
  OK(cudaMemset(memory, 0, kPlaces));
  OK(cudaMalloc(&begins, 32 * kRounds * sizeof(unsigned)));
  OK(cudaMalloc(&issues, 32 * kRounds * sizeof(unsigned)));
  OK(cudaMalloc(&ends, 32 * kRounds * kMostLoads * sizeof(unsigned)));
  OK(cudaMalloc(&out, sizeof(float)));
  for (int i = 0; i < 3; ++i) reads<<<264, 1024>>>(reinterpret_cast<float*>(memory), kPlaces / 4, out);
  std::printf("kind,bytes,warps,loads,issued");
  for (int q = 0; q <= kQuantiles; ++q) std::printf(",there_%d", q);
  std::printf("\n");
  ask_wide<kCa>();
  ask_wide<kCg>();
  ask_wide<kNc>();
  ask_wide<kNoAllocate>();
  ask_wide<kRelaxed>();
  ask_wide<kVolatile>();
  ask_wide<kLastUse>();
  ask_wide<kCopyCg>();
  ask_wide<kCopyCa>();
  ask_narrow<kCa>();
  ask_narrow<kCg>();
  ask_narrow<kNoAllocate>();
}
