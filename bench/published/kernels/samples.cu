// SPDX-License-Identifier: Apache-2.0
// Kernels that suites of simulators measure: a Walsh transform of 2,048 values in shared memory; sums of sines and cosines over 1,024 values of constant memory
// (fast mathematics); numbers of Sobol sequences; and weights of a layer of 16 by 65,536, whose factors are doubles.
#include <cstdint>

extern "C" __global__ void walsh(float* out, const float* in, int log_n) {
  extern __shared__ float s[];
  const int n = 1 << log_n, base = blockIdx.x << log_n, t = threadIdx.x;
  for (int i = t; i < n; i += blockDim.x) s[i] = in[base + i];
  for (int stride = n >> 2; stride > 0; stride >>= 2) {
    const int low = t & (stride - 1), a = ((t - low) << 2) + low, b = a + stride, c = b + stride, d = c + stride;
    __syncthreads();
    const float p = s[a], q = s[b], r = s[c], u = s[d];
    const float pr = p + r, qu = q + u, p_r = p - r, q_u = q - u;
    s[a] = pr + qu;
    s[b] = pr - qu;
    s[c] = p_r + q_u;
    s[d] = p_r - q_u;
  }
  if (log_n & 1) {
    __syncthreads();
    for (int i = t; i < n / 2; i += blockDim.x) {
      const int a = i << 1, b = a + 1;
      const float p = s[a], q = s[b];
      s[a] = p + q;
      s[b] = p - q;
    }
  }
  __syncthreads();
  for (int i = t; i < n; i += blockDim.x) out[base + i] = s[i];
}

namespace {

constexpr int kWaves = 1024;
struct Wave {
  float x, y, z, size;
};
__constant__ Wave waves[kWaves];
constexpr float kTurn = 6.2831853071795864769252867665590058f;

}  // namespace

extern "C" __global__ void sum_waves(int all, int done, const float* x, const float* y, const float* z, float* real, float* imaginary) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float px = x[i], py = y[i], pz = z[i];
  float re = real[i], im = imaginary[i];
  const auto add = [&](const Wave& w) {
    const float angle = kTurn * (w.x * px + w.y * py + w.z * pz);
    re += w.size * __cosf(angle);
    im += w.size * __sinf(angle);
  };
  int k = 0;
  if (all % 2) {
    add(waves[0]);
    ++k;
    ++done;
  }
  for (; k < kWaves && done < all; k += 2, done += 2) {
    add(waves[k]);
    add(waves[k + 1]);
  }
  real[i] = re;
  imaginary[i] = im;
}

extern "C" __global__ void sobol(unsigned vectors, unsigned dimensions, const unsigned* directions, float* out) {
  constexpr unsigned kDirections = 32;
  __shared__ unsigned v[kDirections];
  directions += kDirections * blockIdx.y;
  out += vectors * blockIdx.y;
  if (threadIdx.x < kDirections) v[threadIdx.x] = directions[threadIdx.x];
  __syncthreads();
  const int first = threadIdx.x + blockIdx.x * blockDim.x, stride = gridDim.x * blockDim.x;
  unsigned grey = first ^ (first >> 1), x = 0;
  for (unsigned k = 0; k < __ffs(stride) - 1; ++k) {
    x ^= -(grey & 1) & v[k];
    grey >>= 1;
  }
  constexpr float kScale = 2.3283064e-10f;
  if (first < vectors) out[first] = static_cast<float>(x) * kScale;
  const unsigned step = v[__ffs(stride) - 2], mask = stride - 1;
  for (unsigned i = first + stride; i < vectors; i += stride) {
    x ^= step ^ v[__ffs(~((i - stride) | mask)) - 1];
    out[i] = static_cast<float>(x) * kScale;
  }
}

extern "C" __global__ void adjust_weights(const float* delta, int hidden, const float* layer, int inputs, float* w, float* before) {
  constexpr int kHigh = 16;
  constexpr double kRate = 0.3, kKeep = 0.3;
  const int by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
  const int at = (hidden + 1) * kHigh * by + (hidden + 1) * ty + tx + 1 + (hidden + 1), y = kHigh * by + ty + 1, x = tx + 1;
  w[at] += kRate * delta[x] * layer[y] + kKeep * before[at];
  before[at] = kRate * delta[x] * layer[y] + kKeep * before[at];
  __syncthreads();
  if (ty != 0 || by != 0) return;
  w[x] += kRate * delta[x] + kKeep * before[x];
  before[x] = kRate * delta[x] + kKeep * before[x];
}
