// SPDX-License-Identifier: Apache-2.0
// Kernels of program.cpp. Their PTX is committed, so that the test needs no nvcc:
//   nvcc -std=c++17 -fatbin -gencode arch=compute_75,code=compute_75 -Xfatbin -compress-all -o kernels.fatbin kernels.cu
__constant__ int factor = 2;
__device__ int launches = 0;
__managed__ int largest = 0;

extern "C" __global__ void scale(const int* in, int* out, int n, int plus) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) atomicAdd(&launches, 1);
  if (i >= n) return;
  out[i] = in[i] * factor + plus;
  atomicMax(&largest, out[i]);
}
extern "C" __global__ void stray(int* p) { p[1 << 28] = 1; }
