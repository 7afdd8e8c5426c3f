// SPDX-License-Identifier: Apache-2.0
// What do atomics of other widths and operations take of L2? 16 warps of each SM do the same one at random words of a
// region. Rows: operation, type, bytes of the region, operations in all, cycles from an SM's first warp's begin to its
// last answer (mean and most of all SMs), operations a cycle. What is called red is an ATOMG without a result: the fence at
// the end keeps ptxas from making it a RED. `wide_atomics sizes`: true RED, ATOMG and loads by more sizes.
#include <algorithm>
#include <vector>

#include "../harness.cuh"

constexpr int kThreads = 512;

template <class T, class Act>
__global__ void work(T* words, unsigned mask, int times, uint64_t* took, Act act) {
  unsigned x = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u;
  T sum = 0;
  __syncthreads();
  const uint64_t begin = now64();
  for (int i = 0; i < times; ++i) {
    x = x * 1664525u + 1013904223u;
    sum += act(&words[x >> 8 & mask], T(threadIdx.x));
  }
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) took[blockIdx.x] = now64() - begin;
  if (sum == T(12345)) words[0] = sum;
}

static int scale = 16, sms = 0;
static void* memory;
static uint64_t* took;

template <class T, class Act>
void run(const char* name, unsigned bytes, Act act) {
  for (int round = 0; round < 2; ++round)
    work<<<sms, kThreads>>>(static_cast<T*>(memory), unsigned(bytes / sizeof(T)) - 1, scale, took, act);
  OK(cudaDeviceSynchronize());
  std::vector<uint64_t> cycles(sms);
  OK(cudaMemcpy(cycles.data(), took, 8 * cycles.size(), cudaMemcpyDeviceToHost));
  double mean = 0;
  for (uint64_t c : cycles) mean += double(c) / sms;
  const double all = double(sms) * kThreads * scale, most = double(*std::max_element(cycles.begin(), cycles.end()));
  printf("%s,%u,%.0f,%.0f,%.0f,%.2f\n", name, bytes, all, mean, most, all / most);
}

#define RED(T, F) run<T>("red." #F "," #T, b, [] __device__(T * p, T v) { return F(p, v), T(0); });
#define ATOM(T, F) run<T>("atom." #F "," #T, b, [] __device__(T * p, T v) { return F(p, v); });
#define CAS(T) run<T>("atom.cas," #T, b, [] __device__(T * p, T v) { return atomicCAS(p, v, v + 1); });
#define LOAD(T) run<T>("ld," #T, b, [] __device__(T * p, T) { return *(volatile T*)p; });
#define TRUE_RED(T, I) run<T>("RED." I, b, [] __device__(T * p, T v) { asm volatile("red.global." I " [%0], %1;" ::"l"(p), "r"(v) : "memory"); return T(0); });
using u32 = unsigned;
using u64 = unsigned long long;

int main(int argc, char** argv) {
  const bool sizes = argc > 1 && argv[1][0] == 's';
  if (argc > (sizes ? 2 : 1)) scale = 4;  // less of it in a simulator
  OK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  OK(cudaMalloc(&memory, 8 << 20));
  OK(cudaMemset(memory, 0, 8 << 20));
  OK(cudaMalloc(&took, 8 * sms));
  if (sizes) {
    for (unsigned b = 1 << 10; b <= 8 << 20; b *= 2) {
      TRUE_RED(u32, "add.u32") ATOM(u32, atomicAdd) LOAD(u32)
    }
    return 0;
  }
  for (unsigned b : {8u, 256u, 4096u, 32u << 10, 128u << 10, 2u << 20}) {
    RED(u32, atomicAdd) RED(u64, atomicAdd) RED(float, atomicAdd) RED(double, atomicAdd)
    RED(u32, atomicOr) RED(u64, atomicOr) RED(u32, atomicMax) RED(u64, atomicMax)
    ATOM(u32, atomicAdd) ATOM(u64, atomicAdd) ATOM(u32, atomicOr) ATOM(u32, atomicExch) ATOM(u64, atomicExch)
    CAS(u32) CAS(u64) LOAD(u32) LOAD(u64)
  }
}
