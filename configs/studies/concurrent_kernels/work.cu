// SPDX-License-Identifier: Apache-2.0
// One value a thread, read, worked on for so many turns, and written. A turn is a chain of two slow instructions, so that few
// warps take long.
// nvcc -ptx -arch=compute_75 -o work.ptx work.cu && gzip -9n work.ptx
extern "C" __global__ void __launch_bounds__(64) work(float* x, int turns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  for (int k = 0; k < turns; ++k) v = rsqrtf(v) + 0.5f;
  x[i] = v;
}
