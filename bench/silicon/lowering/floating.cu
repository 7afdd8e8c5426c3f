// SPDX-License-Identifier: Apache-2.0
// Floating point: divisions, roots, transcendental functions, f64, half, physics.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define GID (blockIdx.x * blockDim.x + threadIdx.x)

extern "C" __global__ void div_sqrt_f32(const float* a, const float* b, float* out, int n) {
  const int i = GID;
  if (i < n) out[i] = a[i] / b[i] + sqrtf(a[i]);
}

extern "C" __global__ void rcp_rsqrt_f32(const float* a, float* out, int n) {
  const int i = GID;
  if (i < n) out[i] = 1.0f / a[i] + rsqrtf(a[i] + 1.0f);
}

extern "C" __global__ void exp_log_f32(const float* a, float* out, int n) {
  const int i = GID;
  if (i < n) out[i] = expf(a[i]) + logf(a[i] + 2.0f) * exp2f(a[i]);
}

extern "C" __global__ void sigmoid_tanh(const float* a, float* out, int n) {
  const int i = GID;
  if (i >= n) return;
  const float v = a[i];
  out[i] = 1.0f / (1.0f + __expf(-v)) + tanhf(v);
}

extern "C" __global__ void gelu_erf(const float* a, float* out, int n) {
  const int i = GID;
  if (i < n) out[i] = 0.5f * a[i] * (1.0f + erff(a[i] * 0.70710678f));
}

extern "C" __global__ void sincos_f32(const float* a, float* s, float* c, int n) {
  const int i = GID;
  if (i >= n) return;
  float x, y;
  sincosf(a[i], &x, &y);
  s[i] = x;
  c[i] = y;
}

extern "C" __global__ void pow_f32(const float* a, float* out, float e, int n) {
  const int i = GID;
  if (i < n) out[i] = powf(a[i], e);
}

extern "C" __global__ void div_f64(const double* a, const double* b, double* out, int n) {
  const int i = GID;
  if (i < n) out[i] = a[i] / b[i];
}

extern "C" __global__ void sqrt_f64(const double* a, double* out, int n) {
  const int i = GID;
  if (i < n) out[i] = sqrt(a[i]);
}

extern "C" __global__ void exp_f64(const double* a, double* out, int n) {
  const int i = GID;
  if (i < n) out[i] = exp(a[i]);
}

extern "C" __global__ void horner_f64(const double* a, double* out, double c0, double c1, double c2, double c3, int n) {
  const int i = GID;
  if (i >= n) return;
  const double x = a[i];
  out[i] = fmin(fmax(((c3 * x + c2) * x + c1) * x + c0, -1.0), 1.0);
}

extern "C" __global__ void nbody_tile(const float4* __restrict__ p, float4* __restrict__ acc, int n, float soft) {
  __shared__ float4 tile[128];
  const int i = GID;
  const float4 me = p[i];
  float ax = 0, ay = 0, az = 0;
  for (int t = 0; t < n; t += 128) {
    tile[threadIdx.x] = p[t + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < 128; ++k) {
      const float4 o = tile[k];
      const float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z;
      const float r = rsqrtf(dx * dx + dy * dy + dz * dz + soft), f = o.w * r * r * r;
      ax += f * dx;
      ay += f * dy;
      az += f * dz;
    }
    __syncthreads();
  }
  acc[i] = make_float4(ax, ay, az, 0);
}

extern "C" __global__ void mandel_iter(int* out, int w, float x0, float y0, float step, int most) {
  const int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  const float cx = x0 + px * step, cy = y0 + py * step;
  float x = 0, y = 0;
  int k = 0;
  while (k < most && x * x + y * y < 4.0f) {
    const float t = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = t;
    ++k;
  }
  out[py * w + px] = k;
}

extern "C" __global__ void ray_sphere(const float3* __restrict__ dir, const float4* __restrict__ sphere, float* t_out, int n,
                                      int spheres) {
  const int i = GID;
  if (i >= n) return;
  const float3 d = dir[i];
  float best = 1e30f;
  for (int s = 0; s < spheres; ++s) {
    const float4 q = sphere[s];
    const float b = d.x * q.x + d.y * q.y + d.z * q.z, c = q.x * q.x + q.y * q.y + q.z * q.z - q.w * q.w, h = b * b - c;
    if (h > 0) {
      const float t = b - sqrtf(h);
      if (t > 1e-3f && t < best) best = t;
    }
  }
  t_out[i] = best;
}

extern "C" __global__ void convert_mix(const int* a, const double* b, const unsigned char* c, float* out, int n) {
  const int i = GID;
  if (i >= n) return;
  const float v = static_cast<float>(a[i]) + static_cast<float>(b[i]) + static_cast<float>(c[i]) * (1.0f / 255.0f);
  out[i] = floorf(v) + static_cast<float>(static_cast<long long>(v)) + rintf(v * 0.5f) + static_cast<int>(v);
}

extern "C" __global__ void half_poly(const __half* a, __half* out, int n) {
  const int i = GID;
  if (i >= n) return;
  const __half x = a[i], one = __float2half(1.0f);
  __half r = __hfma(x, __float2half(0.25f), one);
  r = __hfma(r, x, one);
  r = __hmul(r, x);
  out[i] = __hgt(r, one) ? __hmin(r, __hadd(one, one)) : __hneg(r);
}

extern "C" __global__ void bf16_scale(const __nv_bfloat162* __restrict__ a, __nv_bfloat162* out, float s, int n) {
  const int i = GID;
  if (i >= n) return;
  const float2 v = __bfloat1622float2(a[i]);
  out[i] = __floats2bfloat162_rn(v.x * s, fmaxf(v.y * s, 0.f));
}

extern "C" __global__ void quantize_i8(const float4* __restrict__ a, char4* out, float inv, int n) {
  const int i = GID;
  if (i >= n) return;
  const float4 v = a[i];
  const auto q = [&](float x) { return static_cast<signed char>(max(-127, min(127, __float2int_rn(x * inv)))); };
  out[i] = make_char4(q(v.x), q(v.y), q(v.z), q(v.w));
}

extern "C" __global__ void adam_step(float* __restrict__ w, float* __restrict__ m, float* __restrict__ v,
                                     const float* __restrict__ g, float lr, float b1, float b2, float eps, int n) {
  const int i = GID;
  if (i >= n) return;
  const float gi = g[i], mi = b1 * m[i] + (1 - b1) * gi, vi = b2 * v[i] + (1 - b2) * gi * gi;
  m[i] = mi;
  v[i] = vi;
  w[i] -= lr * mi / (sqrtf(vi) + eps);
}

extern "C" __global__ void complex_fft2(float2* data, int half, float sign) {
  const int i = GID, k = i & (half - 1), p = ((i - k) << 1) + k;
  float s, c;
  __sincosf(sign * k * 3.14159265f / half, &s, &c);
  const float2 a = data[p], b = data[p + half];
  const float2 t = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);
  data[p] = make_float2(a.x + t.x, a.y + t.y);
  data[p + half] = make_float2(a.x - t.x, a.y - t.y);
}
