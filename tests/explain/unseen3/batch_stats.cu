// SPDX-License-Identifier: Apache-2.0
// Sums over a batch of images: each thread takes one image and walks over its pixels. Repaired, neighbouring threads
// take neighbouring pixels of one image, and a warp adds up what its lanes have.
extern "C" __global__ void planted(const float* images, float* out, int pixels, int count) {
  const int image = blockIdx.x * blockDim.x + threadIdx.x;
  if (image >= count) return;
  float sum = 0, squares = 0;
#pragma unroll 4
  for (int p = 0; p < pixels; ++p) {
    const float v = images[image * pixels + p];  // defect
    sum += v;
    squares += v * v;
  }
  out[image] = squares - sum * sum / pixels;
}
extern "C" __global__ void repaired(const float* images, float* out, int pixels, int count) {
  const int image = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (image >= count) return;
  float sum = 0, squares = 0;
#pragma unroll 4
  for (int p = lane; p < pixels; p += 32) {
    const float v = images[image * pixels + p];
    sum += v;
    squares += v * v;
  }
  for (int step = 16; step; step /= 2) {
    sum += __shfl_down_sync(~0u, sum, step);
    squares += __shfl_down_sync(~0u, squares, step);
  }
  if (lane == 0) out[image] = squares - sum * sum / pixels;
}
