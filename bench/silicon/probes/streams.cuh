// SPDX-License-Identifier: Apache-2.0
// Kernels whose threads copy, read or write 16 bytes each, one grid's width after another.
#pragma once
#include <cuda_runtime.h>

__global__ void move(const float4* from, float4* to, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) to[i] = from[i];
}
__global__ void read(const float4* from, float4* to, int n) {
  float s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += from[i].x;
  if (s == 123.f) to[0].x = s;
}
__global__ void write(float4* to, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    to[i] = make_float4(1, 2, 3, 4);
}
