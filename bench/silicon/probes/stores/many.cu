// SPDX-License-Identifier: Apache-2.0
// Stores as Triton and guarded loops of CUDA make them: K stores of a thread a block's width apart, of 1 to 16 bytes, with and without a load
// in front of each, guarded by the array's end or not. `many list` names the launches, `many` makes them (Nsight Compute, as pairs.cu).
// The same program runs on the simulated GPU: gpuloom exec --timed -q -o DIR ./many
#include <cstdlib>
#include <cstring>
#include <cuda_profiler_api.h>
#include <string>
#include <vector>
#include "../harness.cuh"
static char* d_buf; static bool listing; static std::vector<std::string> names;
template <class T> __device__ __forceinline__ T value(int i) { return (T)i; }
template <> __device__ __forceinline__ uint4 value<uint4>(int i) { return {(unsigned)i, 1, 2, 3}; }
template <class T, int K, int LOAD, int GUARD> __global__ void many(T* p, const T* q, int n) {
  const int base = blockIdx.x * 256 * K + threadIdx.x;
  T v[K];
#pragma unroll
  for (int k = 0; k < K; ++k) { const int i = base + k * 256; v[k] = value<T>(i); if (LOAD && (!GUARD || i < n)) v[k] = q[i]; }
#pragma unroll
  for (int k = 0; k < K; ++k) { const int i = base + k * 256; if (!GUARD || i < n) p[i] = v[k]; }
}
template <class T, int K, int LOAD, int GUARD> void one() {
  for (int blocks : {132, 528, 2112}) {
    char t[120]; snprintf(t, 120, "many,bytes%d,stores%d,load%d,guard%d,blocks%d", (int)sizeof(T), K, LOAD, GUARD, blocks); names.push_back(t); if (listing) continue;
    T* p = (T*)d_buf; const T* q = (const T*)(d_buf + (128 << 20)); const int n = blocks * 256 * K - 100;
    if (getenv("MANY_ONCE") == nullptr) { many<T, K, LOAD, GUARD><<<blocks, 256>>>(p, q, n); OK(cudaDeviceSynchronize()); }
    OK(cudaProfilerStart());
    many<T, K, LOAD, GUARD><<<blocks, 256>>>(p, q, n); OK(cudaDeviceSynchronize()); OK(cudaProfilerStop());
  }
}
template <class T> void sizes() {
  one<T, 1, 0, 1>(); one<T, 4, 0, 0>(); one<T, 4, 0, 1>(); one<T, 4, 1, 1>(); one<T, 8, 0, 1>(); one<T, 8, 1, 0>(); one<T, 8, 1, 1>();
}
int main(int argc, char** argv) {
  listing = argc > 1 && !strcmp(argv[1], "list");
  if (!listing) { OK(cudaMalloc(&d_buf, 256 << 20)); OK(cudaMemset(d_buf, 0, 256 << 20)); }
  sizes<unsigned char>(); sizes<unsigned short>(); sizes<unsigned>(); sizes<unsigned long long>(); sizes<uint4>();
  if (listing) for (auto& n : names) printf("%s\n", n.c_str());
  return 0;
}
