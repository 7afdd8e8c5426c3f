// SPDX-License-Identifier: Apache-2.0
// What the probes share: errors that end a probe with a line that says so, reads of the SM's clock that nothing
// moves across, and waits by it. An answer is a line of values that commas separate (README.md).
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

// Ends the probe where a call of CUDA's runtime fails: "error,FILE,LINE,what CUDA says".
#define OK(call)                                                                                  \
  do {                                                                                            \
    const cudaError_t failed_ = (cudaError_t)(call);                                              \
    if (failed_ != cudaSuccess) {                                                                 \
      std::printf("error,%s,%d,%s\n", __FILE__, __LINE__, cudaGetErrorString(failed_));           \
      std::exit(1);                                                                               \
    }                                                                                             \
  } while (0)

// The SM's clock, its lower 32 bits or all: memory is as the program says before and after.
__device__ __forceinline__ unsigned now() {
  unsigned t;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
  return t;
}
__device__ __forceinline__ uint64_t now64() {
  uint64_t t;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
  return t;
}
// So many cycles go by.
__device__ __forceinline__ void pass(unsigned cycles) {
  for (const unsigned begin = now(); now() - begin < cycles;) {
  }
}
