// SPDX-License-Identifier: Apache-2.0
// c = a + b. vecadd.ptx is what `nvcc -arch=sm_75 -ptx -lineinfo vecadd.cu` makes of it; gpuloom needs only the PTX.
extern "C" __global__ void vecadd(const float* a, const float* b, float* c, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
