// SPDX-License-Identifier: Apache-2.0
// Reductions, scans, histograms, compaction: in the styles that CUDA libraries use.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__device__ __forceinline__ float warp_sum(float v) {
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  return v;
}

template <int kThreads>
__device__ __forceinline__ float block_sum(float v) {
  __shared__ float part[kThreads / 32];
  v = warp_sum(v);
  if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = threadIdx.x < kThreads / 32 ? part[threadIdx.x] : 0.f;
    v = warp_sum(v);
  }
  return v;
}

extern "C" __global__ void reduce_sum_f32(const float* __restrict__ x, float* out, int n) {
  float v = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) v += x[i];
  v = block_sum<256>(v);
  if (threadIdx.x == 0) atomicAdd(out, v);
}

extern "C" __global__ void reduce_max_i32_vec(const int4* __restrict__ x, int* out, int n4) {
  int m = INT_MIN;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
    const int4 v = x[i];
    m = max(max(m, max(v.x, v.y)), max(v.z, v.w));
  }
  m = __reduce_max_sync(0xffffffffu, m);
  if ((threadIdx.x & 31) == 0) atomicMax(out, m);
}

extern "C" __global__ void reduce_f64(const double* __restrict__ x, double* out, int n) {
  __shared__ double s[256];
  double v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i] * x[i];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = 128; k > 0; k >>= 1) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

extern "C" __global__ void scan_warp_i32(const int* x, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = i < n ? x[i] : 0;
  const int lane = threadIdx.x & 31;
#pragma unroll
  for (int o = 1; o < 32; o <<= 1) {
    const int t = __shfl_up_sync(0xffffffffu, v, o);
    if (lane >= o) v += t;
  }
  if (i < n) out[i] = v;
}

extern "C" __global__ void scan_block_items4(const unsigned* __restrict__ x, unsigned* __restrict__ out) {
  __shared__ unsigned sums[8];
  const uint4 v = reinterpret_cast<const uint4*>(x)[blockIdx.x * 256 + threadIdx.x];
  const unsigned a = v.x, b = a + v.y, c = b + v.z, d = c + v.w;
  unsigned t = d;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
  for (int o = 1; o < 32; o *= 2) {
    const unsigned u = __shfl_up_sync(0xffffffffu, t, o);
    if (lane >= o) t += u;
  }
  if (lane == 31) sums[warp] = t;
  __syncthreads();
  unsigned before = t - d;
#pragma unroll
  for (int w = 0; w < 8; ++w) {
    if (w < warp) before += sums[w];
  }
  reinterpret_cast<uint4*>(out)[blockIdx.x * 256 + threadIdx.x] =
      make_uint4(before, before + a, before + b, before + c);
}

extern "C" __global__ void histogram_u8(const unsigned* __restrict__ data, unsigned* bins, int words) {
  __shared__ unsigned h[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) h[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x) {
    const unsigned w = data[i];
    atomicAdd(&h[w & 255], 1);
    atomicAdd(&h[w >> 8 & 255], 1);
    atomicAdd(&h[w >> 16 & 255], 1);
    atomicAdd(&h[w >> 24], 1);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], h[i]);
}

extern "C" __global__ void compact_ballot(const int* __restrict__ x, int* out, int* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int v = i < n ? x[i] : 0;
  const bool keep = i < n && v > 0;
  const unsigned mask = __ballot_sync(0xffffffffu, keep);
  const int lane = threadIdx.x & 31;
  int base = 0;
  if (lane == 0) base = atomicAdd(count, __popc(mask));
  base = __shfl_sync(0xffffffffu, base, 0);
  if (keep) out[base + __popc(mask & ((1u << lane) - 1))] = v;
}

extern "C" __global__ void argmax_rows(const float* __restrict__ x, int* where, int cols) {
  const float* row = x + static_cast<size_t>(blockIdx.x) * cols;
  float best = -INFINITY;
  int at = 0;
  for (int c = threadIdx.x; c < cols; c += 32) {
    const float v = row[c];
    if (v > best) {
      best = v;
      at = c;
    }
  }
  for (int o = 16; o > 0; o /= 2) {
    const float v = __shfl_xor_sync(0xffffffffu, best, o);
    const int k = __shfl_xor_sync(0xffffffffu, at, o);
    if (v > best || (v == best && k < at)) {
      best = v;
      at = k;
    }
  }
  if (threadIdx.x == 0) where[blockIdx.x] = at;
}

extern "C" __global__ void cg_reduce_tile(const int* __restrict__ x, int* out, int n) {
  const cg::thread_block block = cg::this_thread_block();
  const cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
  const int i = block.group_index().x * block.size() + block.thread_rank();
  const int sum = cg::reduce(tile, i < n ? x[i] : 0, cg::plus<int>());
  if (tile.thread_rank() == 0) atomicAdd(out, sum);
}

extern "C" __global__ void layer_norm(const float* __restrict__ x, const float* __restrict__ gain,
                                      const float* __restrict__ bias, float* __restrict__ y, int cols, float eps) {
  __shared__ float mean_s, scale_s;
  const float* row = x + blockIdx.x * cols;
  float s = 0, q = 0;
  for (int c = threadIdx.x; c < cols; c += 256) {
    const float v = row[c];
    s += v;
    q += v * v;
  }
  s = block_sum<256>(s);
  __syncthreads();
  q = block_sum<256>(q);
  if (threadIdx.x == 0) {
    const float m = s / cols;
    mean_s = m;
    scale_s = rsqrtf(q / cols - m * m + eps);
  }
  __syncthreads();
  for (int c = threadIdx.x; c < cols; c += 256)
    y[blockIdx.x * cols + c] = (row[c] - mean_s) * scale_s * gain[c] + bias[c];
}
