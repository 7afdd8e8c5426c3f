// SPDX-License-Identifier: Apache-2.0
// __constant__ and __device__ variables: copies, offsets, addresses, sizes.
#include <vector>

#include "check.h"

__constant__ float coefficients[8];
__constant__ int shift = 7;
__device__ int counter = 5;
__device__ float table[64];

__global__ void evaluate(float* out) {
  const int i = threadIdx.x;
  out[i] = coefficients[i % 8] * table[i] + shift;
  atomicAdd(&counter, 1);
}

int main() {
  float c[8], t[64], out[64];
  for (int i = 0; i < 8; ++i) c[i] = 1.5f * i;
  for (int i = 0; i < 64; ++i) t[i] = i - 3.0f;
  CUDA(cudaMemcpyToSymbol(coefficients, c, 4 * sizeof(float)));
  CUDA(cudaMemcpyToSymbol(coefficients, c + 4, 4 * sizeof(float), 4 * sizeof(float)));
  CUDA(cudaMemcpyToSymbolAsync(table, t, sizeof t, 0, cudaMemcpyHostToDevice, nullptr));
  size_t bytes = 0;
  CUDA(cudaGetSymbolSize(&bytes, coefficients));
  CHECK(bytes == sizeof c);
  float* d;
  CUDA(cudaMalloc(&d, sizeof out));
  evaluate<<<1, 64>>>(d);
  CUDA(cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < 64; ++i) wrong += out[i] != c[i % 8] * t[i] + 7;
  CHECK(wrong == 0);
  int count = 0;
  CUDA(cudaMemcpyFromSymbol(&count, counter, sizeof count));
  CHECK(count == 5 + 64);
  void* address = nullptr;
  CUDA(cudaGetSymbolAddress(&address, counter));
  const int zero = 0;
  CUDA(cudaMemcpy(address, &zero, sizeof zero, cudaMemcpyHostToDevice));
  CUDA(cudaMemcpyFromSymbol(&count, counter, sizeof count));
  CHECK(count == 0);
  CUDA(cudaGetSymbolAddress(&address, coefficients));
  float back[8] = {};
  CUDA(cudaMemcpy(back, address, sizeof back, cudaMemcpyDeviceToHost));
  CHECK(back[7] == c[7]);
  EXPECT(cudaErrorInvalidValue, cudaMemcpyToSymbol(coefficients, c, sizeof c, 4));
  EXPECT(cudaErrorInvalidSymbol, cudaGetSymbolSize(&bytes, static_cast<const void*>(&bytes)));
  CUDA(cudaFree(d));
  return verdict();
}
