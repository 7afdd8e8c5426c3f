// SPDX-License-Identifier: Apache-2.0
// A block of 256 threads brings batches of 4 KiB into shared memory, STAGES at a time, and does `intensity` dependent
// fused multiply-adds on each float. nvcc -ptx -arch=compute_90 -o pipeline.ptx pipeline.cu && gzip -9n pipeline.ptx
#include <cstdint>

constexpr int kThreads = 256, kBatch = 1024;  // floats of a batch

__device__ __forceinline__ uint32_t shared_address(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }

__device__ __forceinline__ float work(float x, int intensity) {
#pragma unroll 4
  for (int i = 0; i < intensity; ++i) x = x * 1.000001f + 0.5f;
  return x;
}

__device__ __forceinline__ float4 work(float4 v, int intensity) {
  v.x = work(v.x, intensity); v.y = work(v.y, intensity); v.z = work(v.z, intensity); v.w = work(v.w, intensity);
  return v;
}

// Through registers: the load is waited for where its value is stored.
extern "C" __global__ void synchronous(float* out, const float* in, int batches, int intensity) {
  __shared__ float4 buffer[kBatch / 4];
  const float4* from = (const float4*)in + (size_t)blockIdx.x * batches * (kBatch / 4);
  float sum = 0;
  for (int b = 0; b < batches; ++b) {
    buffer[threadIdx.x] = from[b * (kBatch / 4) + threadIdx.x];
    __syncthreads();
    const float4 v = work(buffer[(threadIdx.x + 32) % 256], intensity);
    sum += v.x + v.y + v.z + v.w;
    __syncthreads();
  }
  out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

template <int STAGES>
__device__ __forceinline__ void with_cp_async(float* out, const float* in, int batches, int intensity) {
  __shared__ __align__(16) float4 buffer[STAGES][kBatch / 4];
  const float4* from = (const float4*)in + (size_t)blockIdx.x * batches * (kBatch / 4);
  float sum = 0;
  const auto fetch = [&](int b) {
    if (b < batches)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(&buffer[b % STAGES][threadIdx.x])),
                   "l"(from + b * (kBatch / 4) + threadIdx.x) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
#pragma unroll
  for (int b = 0; b < STAGES - 1; ++b) fetch(b);
  for (int b = 0; b < batches; ++b) {
    fetch(b + STAGES - 1);
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 1) : "memory");
    __syncthreads();
    const float4 v = work(buffer[b % STAGES][(threadIdx.x + 32) % 256], intensity);
    sum += v.x + v.y + v.z + v.w;
    __syncthreads();
  }
  out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

template <int STAGES>
__device__ __forceinline__ void with_bulk(float* out, const float* in, int batches, int intensity) {
  __shared__ __align__(128) float4 buffer[STAGES][kBatch / 4];
  __shared__ __align__(8) uint64_t full[STAGES];
  const float4* from = (const float4*)in + (size_t)blockIdx.x * batches * (kBatch / 4);
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s)
      asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(&full[s])) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __syncthreads();
  const auto fetch = [&](int b) {
    if (b >= batches || threadIdx.x != 0) return;
    const uint32_t barrier = shared_address(&full[b % STAGES]);
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(kBatch * 4) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(&buffer[b % STAGES][0])), "l"(from + b * (kBatch / 4)), "r"(kBatch * 4), "r"(barrier)
                 : "memory");
  };
#pragma unroll
  for (int b = 0; b < STAGES - 1; ++b) fetch(b);
  float sum = 0;
  for (int b = 0; b < batches; ++b) {
    fetch(b + STAGES - 1);
    asm volatile(
        "{\n.reg .pred done;\nAGAIN%=: mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n@!done bra AGAIN%=;\n}" ::"r"(
            shared_address(&full[b % STAGES])), "r"((b / STAGES) & 1) : "memory");
    const float4 v = work(buffer[b % STAGES][(threadIdx.x + 32) % 256], intensity);
    sum += v.x + v.y + v.z + v.w;
    __syncthreads();
  }
  out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

#define BOTH(S)                                                                                                     \
  extern "C" __global__ void cp_async_##S(float* out, const float* in, int batches, int intensity) {               \
    with_cp_async<S>(out, in, batches, intensity);                                                                 \
  }                                                                                                                 \
  extern "C" __global__ void bulk_##S(float* out, const float* in, int batches, int intensity) {                   \
    with_bulk<S>(out, in, batches, intensity);                                                                     \
  }
BOTH(1)
BOTH(2)
BOTH(3)
BOTH(4)
