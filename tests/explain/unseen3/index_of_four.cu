// SPDX-License-Identifier: Apache-2.0
// Pictures of several channels are mirrored; a place is taken apart by divisions. Repaired, a warp takes a row.
extern "C" __global__ void planted(const float* in, float* out, int channels, int height, int width, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int x = i % width, y = i / width % height;                                             // defect
    const int c = i / (width * height) % channels, image = i / (width * height) / channels;      // defect
    out[((image * channels + c) * height + y) * width + width - 1 - x] = in[i];
  }
}
extern "C" __global__ void repaired(const float* in, float* out, int channels, int height, int width, int n) {
  const int lane = threadIdx.x & 31;
  for (int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5; row * width < n; row += gridDim.x * blockDim.x >> 5)
    out[row * width + width - 1 - lane] = in[row * width + lane];
}
