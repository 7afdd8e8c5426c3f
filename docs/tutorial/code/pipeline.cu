// SPDX-License-Identifier: Apache-2.0
// Each block takes `batches` batches of 1,024 floats through shared memory and does some arithmetic on each float.
// STAGES batches are there at once: with one, the block waits for each copy; with more, copies run ahead.
#include <cuda_pipeline.h>
#ifndef STAGES
#define STAGES 1
#endif
constexpr int kThreads = 256, kBatch = 4 * kThreads;

__device__ void copy(float* to, const float* from) {
  const int i = 4 * threadIdx.x;
  __pipeline_memcpy_async(to + i, from + i, 16);
}

__global__ void pipeline(float* out, const float* in, int batches) {
  __shared__ __align__(16) float stage[STAGES][kBatch];
  const float* mine = in + size_t(blockIdx.x) * batches * kBatch;
  for (int b = 0; b < STAGES; ++b) {
    if (b < batches) copy(stage[b], mine + b * kBatch);
    __pipeline_commit();
  }
  float sum = 0;
  for (int b = 0; b < batches; ++b) {
    __pipeline_wait_prior(STAGES - 1);  // the oldest batch is there
    __syncthreads();
    for (int i = 0; i < 4; ++i) {
      float v = stage[b % STAGES][threadIdx.x + i * kThreads];
      for (int k = 0; k < 16; ++k) v = v * 0.5f + 1.0f;
      sum += v;
    }
    __syncthreads();  // everybody has read it: its place is free
    if (b + STAGES < batches) copy(stage[b % STAGES], mine + (b + STAGES) * kBatch);
    __pipeline_commit();
  }
  out[blockIdx.x * kThreads + threadIdx.x] = sum;
}
