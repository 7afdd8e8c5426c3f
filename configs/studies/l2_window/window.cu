// SPDX-License-Identifier: Apache-2.0
// The sliding-window experiment of the CUDA C++ Best Practices Guide (L2 cache access window): every thread reads a
// small, often used part and a large streamed one. Each block runs `rounds` times over its share.
// nvcc -ptx -arch=compute_80 -o window.ptx window.cu && gzip -9n window.ptx
extern "C" __global__ void sliding(float* out, const float4* persistent, const float4* streamed, unsigned persistent_mask,
                                   unsigned streamed_count, int rounds) {
  const unsigned id = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
  float sum = 0;
  for (int r = 0; r < rounds; ++r)
    for (unsigned i = id; i < streamed_count; i += step) {
      const float4 a = __ldcg(persistent + ((i + r * 977) & persistent_mask)), b = __ldcg(streamed + i);
      sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    }
  out[id] = sum;
}
