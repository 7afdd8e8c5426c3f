// SPDX-License-Identifier: Apache-2.0
// Grey from pictures of three bytes a pixel, which are loaded byte by byte. Repaired, a thread takes four pixels: three words
// in and one out.
extern "C" __global__ void planted(const uchar3* rgb, unsigned char* grey, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const uchar3 p = rgb[i];  // defect
    grey[i] = (p.x * 77 + p.y * 150 + p.z * 29) >> 8;
  }
}
__device__ unsigned grey_of(unsigned x, unsigned y, unsigned z) { return ((x & 255) * 77 + (y & 255) * 150 + (z & 255) * 29) >> 8; }
extern "C" __global__ void repaired(const unsigned* rgb, unsigned* grey, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
    const unsigned a = rgb[3 * i], b = rgb[3 * i + 1], c = rgb[3 * i + 2];
    grey[i] = grey_of(a, a >> 8, a >> 16) | grey_of(a >> 24, b, b >> 8) << 8 | grey_of(b >> 16, b >> 24, c) << 16 |
              grey_of(c >> 8, c >> 16, c >> 24) << 24;
  }
}
