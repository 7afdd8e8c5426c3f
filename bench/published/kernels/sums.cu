// SPDX-License-Identifier: Apache-2.0
// Sums of many floats: a value a thread through shared memory, its partial sums stored or added by atomics; by shuffles; of four values a thread; and
// of groups of four over a grid that stays. Softmax of long rows, a block a row: sums and maxima at once, joined by shuffles or through shared memory.
#include <cfloat>
#include <cstddef>
#include <cstdint>

namespace {

__device__ float halves(const float* in, int n) {
  extern __shared__ float s[];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int d = blockDim.x >> 1; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  return s[0];
}

__device__ float warp_sum(float v) {
  for (int d = warpSize >> 1; d > 0; d >>= 1) v += __shfl_down_sync(~0u, v, d);
  return v;
}

__device__ void by_warps(float v, float* out) {
  __shared__ float s[32];
  const int warp = threadIdx.x / warpSize, lane = threadIdx.x % warpSize;
  v = warp_sum(v);
  if (lane == 0) s[warp] = v;
  __syncthreads();
  if (warp != 0) return;
  v = warp_sum(lane < blockDim.x / warpSize ? s[lane] : 0.0f);
  if (lane == 0) out[blockIdx.x] = v;
}

}  // namespace

extern "C" __global__ void sum_halves(const float* in, float* out, int n) {
  const float sum = halves(in, n);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
extern "C" __global__ void sum_atomic(const float* in, float* out, int n) {
  const float sum = halves(in, n);
  if (threadIdx.x == 0) atomicAdd(out, sum);
}
extern "C" __global__ void sum_shuffles(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  by_warps(i < n ? in[i] : 0.0f, out);
}
extern "C" __global__ void sum_four(const float* in, float* out, int n) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  float sum = 0;
  if (i < n) {
    const float4 v = *reinterpret_cast<const float4*>(in + i);
    sum = v.x + v.y + v.z + v.w;
  }
  by_warps(sum, out);
}
extern "C" __global__ void sum_groups(const float* in, float* out, unsigned n) {
  float4 sum = {};
  for (int32_t i = blockDim.x * blockIdx.x + threadIdx.x; i < n / 4; i += blockDim.x * gridDim.x) {
    const float4 v = reinterpret_cast<const float4*>(in)[i];
    sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
  }
  by_warps(sum.x + sum.y + sum.z + sum.w, out);
}

namespace {

struct Part {
  float most, sum;
};
__device__ Part join(Part p, Part q) {
  const float most = fmaxf(q.most, p.most);
  return {most, p.sum * expf(p.most - most) + q.sum * expf(q.most - most)};
}
// A thread's part of the row.
__device__ Part own_part(const float* in, size_t columns) {
  const size_t row = blockIdx.x, t = threadIdx.x, threads = blockDim.x, range = (columns + threads - 1) / threads;
  Part p{in[row * columns + t], 1.0f};
  for (int i = 1; i < range; ++i) {
    const int at = row * columns + i * threads + t;
    if (at >= (row + 1) * columns) continue;
    const float most = fmaxf(p.most, in[at]);
    p = {most, p.sum * expf(p.most - most) + expf(in[at] - most)};
  }
  return p;
}
__device__ Part warp_part(Part p) {
  for (int d = 16; d > 0; d >>= 1) p = join(p, {__shfl_down_sync(~0u, p.most, d), __shfl_down_sync(~0u, p.sum, d)});
  return p;
}

}  // namespace

extern "C" __global__ void softmax_shuffles(const float* in, float* out, size_t columns) {
  extern __shared__ float s[];
  const size_t row = blockIdx.x, t = threadIdx.x, threads = blockDim.x, range = (columns + threads - 1) / threads;
  Part p = warp_part(own_part(in, columns));
  const int warp = t / 32, lane = t % 32;
  if (lane == 0) s[2 * warp] = p.most, s[2 * warp + 1] = p.sum;
  __syncthreads();
  p = {-FLT_MAX, 0.0f};
  if (lane < threads / 32) p = {s[2 * lane], s[2 * lane + 1]};
  p = warp_part(p);
  p = {__shfl_sync(~0u, p.most, 0), __shfl_sync(~0u, p.sum, 0)};
  for (int i = 0; i < range; ++i) {
    const int at = row * columns + i * threads + t;
    if (at < (row + 1) * columns) out[at] = expf(in[at] - p.most) / p.sum;
  }
}
extern "C" __global__ void softmax_shared(const float* in, float* out, size_t columns) {
  extern __shared__ float s[];
  const size_t row = blockIdx.x, t = threadIdx.x, threads = blockDim.x, range = (columns + threads - 1) / threads;
  const Part p = own_part(in, columns);
  s[t] = p.most;
  s[t + threads] = p.sum;
  __syncthreads();
  int length = min(threads, columns);
  while (length > 1) {
    const int before = length;
    length = (length + 1) / 2;
    const size_t other = before - t - 1;
    if (t < length && other > t) {
      const Part q = join({s[t], s[t + threads]}, {s[other], s[other + threads]});
      s[t] = q.most;
      s[t + threads] = q.sum;
    }
    __syncthreads();
  }
  for (int i = 0; i < range; ++i) {
    const int at = row * columns + i * threads + t;
    if (at < (row + 1) * columns) out[at] = expf(in[at] - s[0]) / s[threads];
  }
}
