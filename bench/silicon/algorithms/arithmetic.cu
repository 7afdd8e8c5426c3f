// SPDX-License-Identifier: Apache-2.0
// Second held-out set, arithmetic: simulations, finance, images, ciphers. See README.md.
#include "../harness.cuh"
#include <cuda_fp16.h>

__device__ __forceinline__ uint4 philox(uint4 c, unsigned k0, unsigned k1) {
#pragma unroll
  for (int r = 0; r < 10; r++) {
    unsigned h0 = __umulhi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x, h1 = __umulhi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;
    c = make_uint4(h1 ^ c.y ^ k0, l1, h0 ^ c.w ^ k1, l0); k0 += 0x9E3779B9u; k1 += 0xBB67AE85u;
  }
  return c;
}
extern "C" __global__ void philox_asian(float* out, int steps, float drift, float vol) {  // paths of a price, normal numbers by Box and Muller
  int i = blockIdx.x * blockDim.x + threadIdx.x; float s = 1.0f, mean = 0;
  for (int k = 0; k < steps; k += 4) {
    uint4 u = philox(make_uint4(i, k, 0, 7), 11, 13); float z[4];
#pragma unroll
    for (int j = 0; j < 2; j++) {
      float a = ((j ? u.z : u.x) + 0.5f) * 0x1p-32f, b = (j ? u.w : u.y) * 0x1p-32f, r = sqrtf(-2.0f * logf(a)), c, d; sincospif(2.0f * b, &d, &c); z[2 * j] = r * c; z[2 * j + 1] = r * d;
    }
#pragma unroll
    for (int j = 0; j < 4; j++) { s *= expf(drift + vol * z[j]); mean += s; }
  }
  out[i] = fmaxf(mean / steps - 1.0f, 0.0f);
}
extern "C" __global__ void binomial_tree(float* price, const float* strike, int steps, float up, float p) {  // an option a block, the tree backwards, a barrier a step
  __shared__ float v[257]; int t = threadIdx.x; float s = __powf(up, (float)(2 * t - steps)), k = strike[blockIdx.x] * 0.2f, x = fmaxf(s - k, 0.0f);
  for (int n = steps; n > 0; n--) { v[t] = x; __syncthreads(); if (t < n) x = fmaf(p, v[t + 1], (0.9995f - p) * x); __syncthreads(); }
  if (t == 0) price[blockIdx.x] = x;
}
__device__ __forceinline__ unsigned rotl(unsigned x, int n) { return __funnelshift_l(x, x, n); }
__device__ __forceinline__ void quarter(unsigned& a, unsigned& b, unsigned& c, unsigned& d) {
  a += b; d = rotl(d ^ a, 16); c += d; b = rotl(b ^ c, 12); a += b; d = rotl(d ^ a, 8); c += d; b = rotl(b ^ c, 7);
}
extern "C" __global__ void chacha20(uint4* out, const uint4* in, const unsigned* key) {  // a 64-byte block of the cipher a thread
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, s[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, 0, 0, 0, 0, 0, 0, 0, 0, i, 1, 2, 3}, x[16];
#pragma unroll
  for (int k = 0; k < 8; k++) s[4 + k] = key[k];
#pragma unroll
  for (int k = 0; k < 16; k++) x[k] = s[k];
#pragma unroll 2
  for (int r = 0; r < 10; r++) {
    for (int k = 0; k < 4; k++) quarter(x[k], x[4 + k], x[8 + k], x[12 + k]);
    for (int k = 0; k < 4; k++) quarter(x[k], x[4 + (k + 1) % 4], x[8 + (k + 2) % 4], x[12 + (k + 3) % 4]);
  }
#pragma unroll
  for (int k = 0; k < 4; k++) {
    uint4 v = in[i * 4 + k]; out[i * 4 + k] = make_uint4(v.x ^ (x[4 * k] + s[4 * k]), v.y ^ (x[4 * k + 1] + s[4 * k + 1]), v.z ^ (x[4 * k + 2] + s[4 * k + 2]), v.w ^ (x[4 * k + 3] + s[4 * k + 3]));
  }
}
extern "C" __global__ void lbm_d2q9(float* dst, const float* src, int w, int h, float omega) {  // lattice Boltzmann: stream, collide
  const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1}; const float wt[9] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, n = w * h; float f[9], rho = 0, ux = 0, uy = 0;
#pragma unroll
  for (int k = 0; k < 9; k++) {
    int xs = x - cx[k], ys = y - cy[k]; xs += xs < 0 ? w : xs >= w ? -w : 0; ys += ys < 0 ? h : ys >= h ? -h : 0;
    f[k] = src[k * n + ys * w + xs]; rho += f[k]; ux += f[k] * cx[k]; uy += f[k] * cy[k];
  }
  float inv = 1.0f / rho; ux *= inv; uy *= inv; float uu = 1.5f * (ux * ux + uy * uy);
#pragma unroll
  for (int k = 0; k < 9; k++) { float cu = 3.0f * (cx[k] * ux + cy[k] * uy); dst[k * n + y * w + x] = f[k] + omega * (wt[k] * rho * (1.0f + cu + 0.5f * cu * cu - uu) - f[k]); }
}
extern "C" __global__ void kmeans_assign(int* label, float* distance, const float* points, const float* centres, int n) {  // nearest of 32 centres in eight dimensions
  __shared__ float c[32][8]; int i = blockIdx.x * blockDim.x + threadIdx.x; for (int k = threadIdx.x; k < 256; k += blockDim.x) c[k >> 3][k & 7] = centres[k];
  __syncthreads(); if (i >= n) return; float p[8], best = 1e30f; int who = 0;
#pragma unroll
  for (int d = 0; d < 8; d++) p[d] = points[d * n + i];
  for (int k = 0; k < 32; k++) {
    float s = 0;
#pragma unroll
    for (int d = 0; d < 8; d++) { float u = p[d] - c[k][d]; s = fmaf(u, u, s); }
    if (s < best) { best = s; who = k; }
  }
  label[i] = who; distance[i] = sqrtf(best);
}
extern "C" __global__ void stencil9_f64(double* out, const double* in, int w, int h, double a, double b, double c) {  // nine points in f64
  int x = blockIdx.x * 64 + threadIdx.x + 1, y = blockIdx.y * 4 + threadIdx.y + 1; if (x >= w - 1 || y >= h - 1) return; const double* p = in + y * w + x;
  out[y * w + x] = a * p[0] + b * (p[-1] + p[1] + p[-w] + p[w]) + c * (p[-w - 1] + p[-w + 1] + p[w - 1] + p[w + 1]);
}
extern "C" __global__ void complex_iir(float2* out, const float2* in, const float2* poles, int n, int taps) {  // complex products of pairs in memory, a chain
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; float2 x = in[i], acc = make_float2(0, 0);
  for (int k = 0; k < taps; k++) { float2 p = poles[(i + k) & 255], t = make_float2(acc.x + x.x, acc.y + x.y); acc = make_float2(t.x * p.x - t.y * p.y, t.x * p.y + t.y * p.x); }
  out[i] = acc;
}
extern "C" __global__ void sobel_u8(unsigned char* out, const unsigned char* __restrict__ in, int w, int h) {  // bytes, read only, clamped edges
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y; if (x >= w || y >= h) return; int v[3][3];
#pragma unroll
  for (int j = 0; j < 3; j++)
#pragma unroll
    for (int i = 0; i < 3; i++) v[j][i] = __ldg(&in[min(max(y + j - 1, 0), h - 1) * w + min(max(x + i - 1, 0), w - 1)]);
  int gx = v[0][2] + 2 * v[1][2] + v[2][2] - v[0][0] - 2 * v[1][0] - v[2][0], gy = v[2][0] + 2 * v[2][1] + v[2][2] - v[0][0] - 2 * v[0][1] - v[0][2];
  out[y * w + x] = min((int)sqrtf((float)(gx * gx + gy * gy)), 255);
}
extern "C" __global__ void rotate_bilinear(float* out, cudaTextureObject_t image, int w, int h, float c, float s) {  // a texture with linear filter
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y; if (x >= w || y >= h) return;
  float u = x - 0.5f * w, v = y - 0.5f * h; out[y * w + x] = tex2D<float>(image, c * u - s * v + 0.5f * w + 0.5f, s * u + c * v + 0.5f * h + 0.5f);
}
extern "C" __global__ void bit_reversal(float2* out, const float2* in, int bits) {  // each element to its reversed index
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x; out[__brev(i) >> (32 - bits)] = in[i];
}
extern "C" __global__ void topk_threads(float* out, const float* in, int n) {  // the eight largest of a strided walk, kept sorted in registers
  int i = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x; float top[8];
#pragma unroll
  for (int k = 0; k < 8; k++) top[k] = -2.0f;
  for (int j = i; j < n; j += step) {
    float v = in[j];
    if (v > top[7]) {
#pragma unroll
      for (int k = 0; k < 8; k++) { float hi = fmaxf(top[k], v); v = fminf(top[k], v); top[k] = hi; }
    }
  }
#pragma unroll
  for (int k = 0; k < 8; k++) out[k * step + i] = top[k];
}
extern "C" __global__ void verlet_f64(double* pos, double* vel, const double* mass, int n, int steps) {  // three coupled oscillators a thread, division and root in f64
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; double x = pos[i], y = pos[n + i], vx = vel[i] * 0.1, vy = vel[n + i] * 0.1, m = mass[i];
  for (int k = 0; k < steps; k++) { double r2 = x * x + y * y + 0.01, a = -m / (r2 * sqrt(r2)); vx += a * x * 1e-3; vy += a * y * 1e-3; x += vx * 1e-3; y += vy * 1e-3; }
  pos[i] = x; pos[n + i] = y; vel[i] = vx; vel[n + i] = vy;
}
void register_arithmetic() {
  CASE("philox_asian", "arithmetic", philox_asian, "counter-based random numbers, paths").g(264).b(128).out("out", "f32", 264 * 128).i(64).f(-0.0002f).f(0.02f);
  CASE("binomial_tree", "arithmetic", binomial_tree, "two barriers a step").g(264).b(256).out("price", "f32", 264).in("strike", "f32", 264, "positive", 331).i(255).f(1.01f).f(0.5f);
  CASE("chacha20", "arithmetic", chacha20, "rotations").g(256).b(256).out("out", "u32", 1 << 20).in("in", "u32", 1 << 20, "raw", 332).in("key", "u32", 8, "raw", 333);
  CASE("lbm_d2q9", "arithmetic", lbm_d2q9, "stream and collide").g(4, 384).b(128).out("dst", "f32", 9 * 512 * 384).in("src", "f32", 9 * 512 * 384, "positive", 334).i(512).i(384).f(1.2f);
  CASE("kmeans_assign", "arithmetic", kmeans_assign, "distances to centres").g(512).b(256).out("label", "i32", 131072).out("distance", "f32", 131072).in("points", "f32", 8 * 131072, "uniform", 335).in("centres", "f32", 256, "uniform", 336).i(131072);
  CASE("stencil9_f64", "arithmetic", stencil9_f64, "f64, nine points").g(16, 256).b(64, 4).out("out", "f64", 1024 * 1024).in("in", "f64", 1024 * 1024, "uniform", 337).i(1024).i(1024).val(0.5, "f64").val(0.1, "f64").val(0.025, "f64");
  CASE("complex_iir", "arithmetic", complex_iir, "complex numbers in pairs").g(300).b(192).out("out", "f32", 2 * 57600).in("in", "f32", 2 * 57600, "uniform", 338).in("poles", "f32", 512, "uniform", 339).i(57600).i(48);
  CASE("sobel_u8", "arithmetic", sobel_u8, "bytes, clamped edges").g(32, 100).b(32, 8).out("out", "u8", 1000 * 800).in("in", "u8", 1000 * 800, "raw", 340).i(1000).i(800);
  CASE("rotate_bilinear", "arithmetic", rotate_bilinear, "texture fetches").g(40, 30).b(16, 16).out("out", "f32", 640 * 480).tex("image", 640, 480, "uniform", 346).i(640).i(480).f(0.8f).f(0.6f);
  CASE("bit_reversal", "arithmetic", bit_reversal, "scatter of pairs").g(2048).b(256).out("out", "f32", 1 << 20).in("in", "f32", 1 << 20, "uniform", 341).i(19);
  CASE("topk_threads", "arithmetic", topk_threads, "sorted registers").g(132).b(128).out("out", "f32", 8 * 132 * 128).in("in", "f32", 132 * 128 * 100, "uniform", 342).i(132 * 128 * 100);
  CASE("verlet_f64", "arithmetic", verlet_f64, "f64 division and root").g(132).b(64).out("pos", "f64", 2 * 132 * 64, "positive", 343).out("vel", "f64", 2 * 132 * 64, "uniform", 344).in("mass", "f64", 132 * 64, "positive", 345).i(132 * 64).i(20);
}
