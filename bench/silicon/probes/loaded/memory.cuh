// SPDX-License-Identifier: Apache-2.0
// What the probes of memory share: memory that nobody has read yet, places in it that look like chance, loads
// of it, and microseconds between two events.
#pragma once
#include "../harness.cuh"

constexpr int kSms = 132;
constexpr size_t kBytes = size_t{4} << 30, kLine = 128;

// Another number for each, which looks like chance.
__device__ __forceinline__ size_t spread(size_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdull;
  x ^= x >> 33;
  return x;
}

// Cycles of a warp's load of one line past the L1.
__device__ __forceinline__ unsigned cycles_of(const char* line, float& sum) {
  const char* word = line + threadIdx.x % 32 * sizeof(float);
  asm volatile("" : "+l"(word));
  const unsigned begin = now();
  float x;
  asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(x) : "l"(word) : "memory");
  sum += x;
  asm volatile("" ::"f"(sum) : "memory");
  return now() - begin;
}

__global__ void reads(const float4* x, size_t n, float* out) {
  const size_t step = size_t{gridDim.x} * blockDim.x;
  float sum = 0;
  size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; i + 3 * step < n; i += 4 * step) {
    const float4 a = __ldcs(x + i), b = __ldcs(x + i + step), c = __ldcs(x + i + 2 * step),
                 d = __ldcs(x + i + 3 * step);
    sum += a.x + b.y + c.z + d.w;
  }
  for (; i < n; i += step) sum += __ldcs(x + i).x;
  if (sum == 12345.f) *out = sum;
}

__global__ void spin(unsigned cycles) { pass(cycles); }
// So long that the GPU's clock is up.
inline void raise_clock() {
  for (int i = 0; i < 100; ++i) spin<<<kSms, 128>>>(2000000);
}

template <typename T>
T* allocate(size_t count) {
  void* memory = nullptr;
  OK(cudaMalloc(&memory, count * sizeof(T)));
  return static_cast<T*>(memory);
}

template <typename T>
void fetch(T* to, const T* from, size_t count) {
  OK(cudaMemcpy(to, from, count * sizeof(T), cudaMemcpyDeviceToHost));
}

class Stopwatch {
 public:
  Stopwatch() {
    OK(cudaEventCreate(&from_));
    OK(cudaEventCreate(&to_));
  }
  // Microseconds between two events around the work.
  template <typename Work>
  float operator()(Work&& work) const {
    float ms = 0;
    OK(cudaEventRecord(from_));
    work();
    OK(cudaEventRecord(to_));
    OK(cudaDeviceSynchronize());
    OK(cudaEventElapsedTime(&ms, from_, to_));
    return ms * 1e3f;
  }

 private:
  cudaEvent_t from_, to_;
};
