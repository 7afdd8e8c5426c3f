// SPDX-License-Identifier: Apache-2.0
// One lane's atomic of each kind, and the least time of several runs: what the probes of atomics share.
#pragma once
#include <algorithm>

#include "../harness.cuh"

enum Op {
  kNone,
  kAddU32,
  kAddF32,
  kMaxU32,
  kMaxS32,
  kAddU64,
  kAddF64,
  kAddF16x2,
  kAddV4F32,
  kExch,
  kCas,
  kAddReturned,
  kAddF32Returned
};

// The old value where the operation gives it, else v.
template <int kOp>
__device__ __forceinline__ unsigned reduce_one(char* at, unsigned v) {
  unsigned r = v;
  if constexpr (kOp == kAddU32) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at), "r"(v) : "memory");
  if constexpr (kOp == kAddF32) asm volatile("red.global.add.f32 [%0], %1;" ::"l"(at), "f"(v * 1e-3f) : "memory");
  if constexpr (kOp == kMaxU32) asm volatile("red.global.max.u32 [%0], %1;" ::"l"(at), "r"(v) : "memory");
  if constexpr (kOp == kMaxS32) asm volatile("red.global.max.s32 [%0], %1;" ::"l"(at), "r"(v) : "memory");
  if constexpr (kOp == kAddU64)
    asm volatile("red.global.add.u64 [%0], %1;" ::"l"(at), "l"((unsigned long long)v) : "memory");
  if constexpr (kOp == kAddF64) asm volatile("red.global.add.f64 [%0], %1;" ::"l"(at), "d"(v * 1e-3) : "memory");
  if constexpr (kOp == kAddF16x2)
    asm volatile("red.global.add.noftz.f16x2 [%0], %1;" ::"l"(at), "r"(v & 0x3c003c00) : "memory");
  if constexpr (kOp == kAddV4F32)
    asm volatile("red.global.add.v4.f32 [%0], {%1, %1, %1, %1};" ::"l"(at), "f"(v * 1e-3f) : "memory");
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
  return r;
}

// Milliseconds of the quickest of `turns` launches; what prepare() does is not counted.
template <class Prepare, class Launch>
float least_ms(int turns, Prepare prepare, Launch launch) {
  cudaEvent_t from, to;
  OK(cudaEventCreate(&from));
  OK(cudaEventCreate(&to));
  float best = 1e30f;
  for (int turn = 0; turn < turns; ++turn) {
    prepare();
    OK(cudaEventRecord(from));
    launch();
    OK(cudaEventRecord(to));
    OK(cudaDeviceSynchronize());
    float ms = 0;
    OK(cudaEventElapsedTime(&ms, from, to));
    best = std::min(best, ms);
  }
  OK(cudaEventDestroy(from));
  OK(cudaEventDestroy(to));
  return best;
}
