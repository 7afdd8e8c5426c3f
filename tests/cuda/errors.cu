// SPDX-License-Identifier: Apache-2.0
// Errors: what is refused at once, the last error and peeking at it, a fault that stays until the device is reset.
#include <cstring>
#include <thread>

#include "check.h"

__global__ void store(int* p, int at) { p[at] = 1; }

int main() {
  int* d;
  CUDA(cudaMalloc(&d, 256));
  EXPECT(cudaErrorInvalidValue, cudaMalloc(nullptr, 4));
  EXPECT(cudaErrorMemoryAllocation, cudaMalloc(&d, size_t{1} << 50));
  CUDA(cudaMalloc(&d, 256));
  EXPECT(cudaErrorInvalidValue, cudaFree(reinterpret_cast<char*>(d) + 4));
  int local = 0;
  EXPECT(cudaErrorInvalidValue, cudaMemcpy(d, &local, 4, cudaMemcpyDeviceToHost));
  EXPECT(cudaErrorInvalidValue, cudaMemcpy(d, &local, 1000, cudaMemcpyHostToDevice));
  EXPECT(cudaErrorInvalidMemcpyDirection, cudaMemcpy(d, &local, 4, static_cast<cudaMemcpyKind>(9)));
  EXPECT(cudaErrorInvalidValue, cudaMemset(&local, 0, 4));

  store<<<1, 2048>>>(d, 0);  // too many threads
  CHECK(cudaPeekAtLastError() != cudaSuccess);
  CHECK(cudaPeekAtLastError() == cudaGetLastError());
  CHECK(cudaGetLastError() == cudaSuccess);
  cudaError_t seen = cudaErrorUnknown;
  EXPECT(cudaErrorInvalidValue, cudaMalloc(nullptr, 4));
  static_cast<void>(cudaMalloc(nullptr, 4));
  std::thread([&] { seen = cudaGetLastError(); }).join();
  CHECK(seen == cudaSuccess);  // each thread has its own
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(std::strcmp(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress") == 0);
  CHECK(std::strlen(cudaGetErrorString(cudaErrorIllegalAddress)) > 0);

  store<<<1, 1>>>(d, 1 << 28);
  EXPECT(cudaErrorIllegalAddress, cudaDeviceSynchronize());
  EXPECT(cudaErrorIllegalAddress, cudaMalloc(&d, 4));
  CHECK(cudaGetLastError() == cudaSuccess);  // told once (H200: rules/)
  CUDA(cudaDeviceReset());
  CHECK(cudaGetLastError() == cudaSuccess);
  CUDA(cudaMalloc(&d, 256));
  store<<<1, 1>>>(d, 3);
  CUDA(cudaMemcpy(&local, d + 3, 4, cudaMemcpyDeviceToHost));
  CHECK(local == 1);
  CUDA(cudaFree(d));
  return verdict();
}
