// SPDX-License-Identifier: Apache-2.0
// A part's values, dealt out over the threads: each is read, worked on for so many turns, and written. A turn is a chain of
// two slow instructions, so that few warps take as long as a copy.
// nvcc -ptx -arch=compute_75 -o work.ptx work.cu && gzip -9n work.ptx
extern "C" __global__ void __launch_bounds__(128) work(float* x, int n, int turns) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float v = x[i];
    for (int k = 0; k < turns; ++k) v = rsqrtf(v) + 0.5f;
    x[i] = v;
  }
}
