// SPDX-License-Identifier: Apache-2.0
// Pitched memory, copies and fills of two and three dimensions, arrays, a texture.
#include <vector>

#include "check.h"

__global__ void twice(float* p, size_t pitch, int width, int height) {
  const int x = threadIdx.x, y = blockIdx.x;
  float* row = reinterpret_cast<float*>(reinterpret_cast<char*>(p) + y * pitch);
  if (x < width && y < height) row[x] *= 2;
}
__global__ void sample(cudaTextureObject_t t, float* out, int width) {
  const int x = threadIdx.x, y = blockIdx.x;
  out[y * width + x] = tex2D<float>(t, x + 0.5f, y + 0.5f);
}

int main() {
  const int w = 37, h = 20;
  std::vector<float> in(w * h), out(w * h, 0.0f);
  for (int i = 0; i < w * h; ++i) in[i] = i;
  float* d;
  size_t pitch = 0;
  CUDA(cudaMallocPitch(&d, &pitch, w * sizeof(float), h));
  CHECK(pitch >= w * sizeof(float) && pitch % 256 == 0);
  CUDA(cudaMemset2D(d, pitch, 0xff, w * sizeof(float), h));
  CUDA(cudaMemcpy2D(d, pitch, in.data(), w * sizeof(float), w * sizeof(float), h, cudaMemcpyHostToDevice));
  twice<<<h, 64>>>(d, pitch, w, h);
  CUDA(cudaMemcpy2D(out.data(), w * sizeof(float), d, pitch, w * sizeof(float), h, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < w * h; ++i) wrong += out[i] != 2.0f * i;
  CHECK(wrong == 0);
  EXPECT(cudaErrorInvalidPitchValue, cudaMemcpy2D(d, 16, in.data(), w * 4, w * 4, h, cudaMemcpyHostToDevice));

  // A box out of a box.
  cudaPitchedPtr cube;
  CUDA(cudaMalloc3D(&cube, make_cudaExtent(10 * sizeof(int), 6, 4)));
  CUDA(cudaMemset3D(cube, 0, make_cudaExtent(10 * sizeof(int), 6, 4)));
  std::vector<int> small(3 * 2 * 2);
  for (size_t i = 0; i < small.size(); ++i) small[i] = 100 + static_cast<int>(i);
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(small.data(), 3 * sizeof(int), 3, 2);
  copy.dstPtr = cube;
  copy.dstPos = make_cudaPos(4 * sizeof(int), 1, 2);
  copy.extent = make_cudaExtent(3 * sizeof(int), 2, 2);
  copy.kind = cudaMemcpyHostToDevice;
  CUDA(cudaMemcpy3D(&copy));
  std::vector<int> all(10 * 6 * 4, -1);
  cudaMemcpy3DParms back{};
  back.srcPtr = cube;
  back.dstPtr = make_cudaPitchedPtr(all.data(), 10 * sizeof(int), 10, 6);
  back.extent = make_cudaExtent(10 * sizeof(int), 6, 4);
  back.kind = cudaMemcpyDeviceToHost;
  CUDA(cudaMemcpy3D(&back));
  wrong = 0;
  for (int z = 0; z < 4; ++z)
    for (int y = 0; y < 6; ++y)
      for (int x = 0; x < 10; ++x) {
        const bool inside = x >= 4 && x < 7 && y >= 1 && y < 3 && z >= 2;
        const int expected = inside ? 100 + (x - 4) + 3 * ((y - 1) + 2 * (z - 2)) : 0;
        wrong += all[x + 10 * (y + 6 * z)] != expected;
      }
  CHECK(wrong == 0);

  cudaArray_t array;
  const cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
  CUDA(cudaMallocArray(&array, &channels, w, h));
  CUDA(cudaMemcpy2DToArray(array, 0, 0, in.data(), w * sizeof(float), w * sizeof(float), h, cudaMemcpyHostToDevice));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc texture{};
  texture.addressMode[0] = texture.addressMode[1] = cudaAddressModeClamp;
  texture.filterMode = cudaFilterModePoint;
  texture.readMode = cudaReadModeElementType;
  cudaTextureObject_t object;
  CUDA(cudaCreateTextureObject(&object, &resource, &texture, nullptr));
  float* flat;
  CUDA(cudaMalloc(&flat, w * h * sizeof(float)));
  sample<<<h, w>>>(object, flat, w);
  CUDA(cudaMemcpy(out.data(), flat, w * h * sizeof(float), cudaMemcpyDeviceToHost));
  wrong = 0;
  for (int i = 0; i < w * h; ++i) wrong += out[i] != in[i];
  CHECK(wrong == 0);
  CUDA(cudaMemcpy2DFromArray(out.data(), 4 * sizeof(float), array, 5 * sizeof(float), 7, 4 * sizeof(float), 3,
                             cudaMemcpyDeviceToHost));
  CHECK(out[0] == in[7 * w + 5] && out[11] == in[9 * w + 8]);
  cudaExtent extent;
  unsigned flags = 0;
  cudaChannelFormatDesc read_back;
  CUDA(cudaArrayGetInfo(&read_back, &extent, &flags, array));
  CHECK(extent.width == w && extent.height == h && extent.depth == 0 && read_back.x == 32);
  CUDA(cudaDestroyTextureObject(object));
  CUDA(cudaFreeArray(array));
  CUDA(cudaFree(flat));
  CUDA(cudaFree(cube.ptr));
  CUDA(cudaFree(d));
  return verdict();
}
