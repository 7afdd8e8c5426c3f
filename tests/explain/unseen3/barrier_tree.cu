// SPDX-License-Identifier: Apache-2.0
// The norm of each row by a tree in shared memory, with a barrier after each step down to one thread. Repaired, the
// last five steps are exchanges of one warp.
extern "C" __global__ void planted(const float* in, float* out, int rows) {
  __shared__ float sums[256];
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    const float v = in[row * 256 + threadIdx.x];
    sums[threadIdx.x] = v * v;
    __syncthreads();  // defect
    for (int half = 128; half > 0; half /= 2) {
      if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
      __syncthreads();  // defect
    }
    if (threadIdx.x == 0) out[row] = sqrtf(sums[0]);
    __syncthreads();  // defect
  }
}
extern "C" __global__ void repaired(const float* in, float* out, int rows) {
  __shared__ float sums[2][8];
  int turn = 0;
  for (int row = blockIdx.x; row < rows; row += gridDim.x, turn ^= 1) {
    float v = in[row * 256 + threadIdx.x];
    v *= v;
    for (int step = 16; step; step /= 2) v += __shfl_down_sync(~0u, v, step);
    if (threadIdx.x % 32 == 0) sums[turn][threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
      float sum = 0;
      for (int w = 0; w < 8; ++w) sum += sums[turn][w];
      out[row] = sqrtf(sum);
    }
  }
}
