// SPDX-License-Identifier: Apache-2.0
// Host memory that kernels reach: pinned, mapped, registered; what a pointer says of itself.
#include <cstdlib>
#include <vector>

#include "check.h"

__global__ void negate(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = -in[i];
}

int main() {
  const int n = 3000;
  int *in, *in_device;
  CUDA(cudaHostAlloc(&in, n * sizeof(int), cudaHostAllocMapped | cudaHostAllocWriteCombined));
  CUDA(cudaHostGetDevicePointer(&in_device, in, 0));
  std::vector<int> out(n, 0);
  CUDA(cudaHostRegister(out.data(), n * sizeof(int), cudaHostRegisterMapped));
  EXPECT(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(out.data() + 10, 64, 0));
  int* out_device;
  CUDA(cudaHostGetDevicePointer(&out_device, out.data(), 0));
  for (int i = 0; i < n; ++i) in[i] = i * 7;
  negate<<<(n + 127) / 128, 128>>>(in_device, out_device, n);
  CUDA(cudaDeviceSynchronize());
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += out[i] != -i * 7;
  CHECK(wrong == 0);
  unsigned flags = 0;
  CUDA(cudaHostGetFlags(&flags, in));
  CHECK((flags & cudaHostAllocMapped) != 0);
  cudaPointerAttributes a;
  CUDA(cudaPointerGetAttributes(&a, in));
  CHECK(a.type == cudaMemoryTypeHost && a.hostPointer == in);
  int local = 0;
  CUDA(cudaPointerGetAttributes(&a, &local));
  CHECK(a.type == cudaMemoryTypeUnregistered && a.devicePointer == nullptr);
  int* d;
  CUDA(cudaMalloc(&d, 64));
  CUDA(cudaPointerGetAttributes(&a, d));
  CHECK(a.type == cudaMemoryTypeDevice && a.devicePointer == d && a.hostPointer == nullptr);
  CUDA(cudaHostUnregister(out.data()));
  EXPECT(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(out.data()));
  EXPECT(cudaErrorInvalidValue, cudaFreeHost(d));
  CUDA(cudaFree(d));
  CUDA(cudaFreeHost(in));
  return verdict();
}
