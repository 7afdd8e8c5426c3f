// SPDX-License-Identifier: Apache-2.0
// Many kernels out of few templates, structures as arguments, function pointers, recursion, 100 launches.
#include <vector>

#include "check.h"

struct Plus {
  __device__ double operator()(double a, double b) const { return a + b; }
};
struct Times {
  __device__ double operator()(double a, double b) const { return a * b; }
};
template <class T>
struct View {
  T* data;
  int count;
  T scale;
};

template <class T, class Op, int kBlock>
__global__ void reduce(View<T> in, T* out, Op op) {
  __shared__ T part[kBlock];
  T sum = in.data[threadIdx.x] * in.scale;
  for (int i = threadIdx.x + kBlock; i < in.count; i += kBlock)
    sum = static_cast<T>(op(sum, in.data[i] * in.scale));
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int k = kBlock / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) part[threadIdx.x] = static_cast<T>(op(part[threadIdx.x], part[threadIdx.x + k]));
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = part[0];
}

using Function = int (*)(int);
__device__ int successor(int x) { return x + 1; }
__device__ int square(int x) { return x * x; }
__device__ Function functions[2] = {successor, square};
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__global__ void indirect(int* out) {
  out[threadIdx.x] = functions[threadIdx.x % 2](static_cast<int>(threadIdx.x));
  if (threadIdx.x == 31) out[31] = fibonacci(12);
}
__global__ void increment(int* x) { ++*x; }

template <class T, class Op, int kBlock>
T reduced(int count, T value, T scale, Op op) {
  std::vector<T> in(count, value);
  T *d, *r, result;
  CUDA(cudaMalloc(&d, count * sizeof(T)));
  CUDA(cudaMalloc(&r, sizeof(T)));
  CUDA(cudaMemcpy(d, in.data(), count * sizeof(T), cudaMemcpyHostToDevice));
  reduce<T, Op, kBlock><<<1, kBlock>>>(View<T>{d, count, scale}, r, op);
  CUDA(cudaMemcpy(&result, r, sizeof(T), cudaMemcpyDeviceToHost));
  CUDA(cudaFree(d));
  CUDA(cudaFree(r));
  return result;
}

int main() {
  CHECK((reduced<int, Plus, 64>(1000, 3, 2, Plus{}) == 6000));
  CHECK((reduced<float, Plus, 128>(4096, 0.5f, 4.0f, Plus{}) == 8192.0f));
  CHECK((reduced<double, Times, 32>(64, 2.0, 0.5, Times{}) == 1.0));
  CHECK((reduced<long long, Times, 32>(40, 2, 1, Times{}) == 1ll << 40));
  int* d;
  CUDA(cudaMalloc(&d, 32 * sizeof(int)));
  indirect<<<1, 32>>>(d);
  int out[32];
  CUDA(cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 31; ++i) CHECK(out[i] == (i % 2 == 0 ? i + 1 : i * i));
  CHECK(out[31] == 144);
  CUDA(cudaMemset(d, 0, sizeof(int)));
  for (int k = 0; k < 100; ++k) increment<<<1, 1>>>(d);
  CUDA(cudaMemcpy(out, d, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(out[0] == 100);
  CUDA(cudaFree(d));
  return verdict();
}
