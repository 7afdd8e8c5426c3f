// SPDX-License-Identifier: Apache-2.0
// Fifth held-out set, fields: grids, solvers, particles, paths, rays and images. See README.md.
#include "../harness.cuh"

// Electric field of a Yee grid from the magnetic one, all three components, a thread a column in z.
extern "C" __global__ void fdtd_electric(float* ex, float* ey, float* ez, const float* hx, const float* hy, const float* hz, const float* eps, int nx, int ny, int nz, float dt) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, plane = nx * ny;
  if (x < 1 || y < 1 || x >= nx || y >= ny) return;
  for (int z = 1; z < nz; ++z) {
    int i = z * plane + y * nx + x;
    float c = dt / eps[i], zx = hx[i], zy = hy[i], zz = hz[i];
    ex[i] += c * ((zz - hz[i - nx]) - (zy - hy[i - plane]));
    ey[i] += c * ((zx - hx[i - plane]) - (zz - hz[i - 1]));
    ez[i] += c * ((zy - hy[i - 1]) - (zx - hx[i - nx]));
  }
}
// Lattice Boltzmann with nineteen directions: pull, collide, store.
__constant__ signed char lbm_dir[19][3] = {{0,0,0},{1,0,0},{-1,0,0},{0,1,0},{0,-1,0},{0,0,1},{0,0,-1},{1,1,0},{-1,-1,0},{1,-1,0},{-1,1,0},{1,0,1},{-1,0,-1},{1,0,-1},{-1,0,1},{0,1,1},{0,-1,-1},{0,1,-1},{0,-1,1}};
extern "C" __global__ void __launch_bounds__(128) lbm_d3q19(float* out, const float* in, int n, float omega) {
  int x = threadIdx.x + blockIdx.x * blockDim.x, y = blockIdx.y, z = blockIdx.z, cells = n * n * n;
  if (x >= n) return;
  float f[19], rho = 0, ux = 0, uy = 0, uz = 0;
#pragma unroll
  for (int q = 0; q < 19; ++q) {
    int dx = lbm_dir[q][0], dy = lbm_dir[q][1], dz = lbm_dir[q][2];
    f[q] = in[q * cells + ((z - dz + n) % n * n + (y - dy + n) % n) * n + (x - dx + n) % n];
    rho += f[q]; ux += dx * f[q]; uy += dy * f[q]; uz += dz * f[q];
  }
  float inv = 1.0f / rho; ux *= inv; uy *= inv; uz *= inv;
  float square = 1.5f * (ux * ux + uy * uy + uz * uz);
#pragma unroll
  for (int q = 0; q < 19; ++q) {
    float w = q == 0 ? 1.0f / 3 : q < 7 ? 1.0f / 18 : 1.0f / 36, e = 3.0f * (lbm_dir[q][0] * ux + lbm_dir[q][1] * uy + lbm_dir[q][2] * uz);
    out[q * cells + (z * n + y) * n + x] = f[q] + omega * (w * rho * (1.0f + e + 0.5f * e * e - square) - f[q]);
  }
}
// Gauss and Seidel, one colour of a chequerboard, in place.
extern "C" __global__ void red_black_sweep(float* u, const float* rhs, int n, int colour, float h2, float relax) {
  int j = blockIdx.y * blockDim.y + threadIdx.y + 1, i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1 + ((j + colour) & 1);
  if (i >= n - 1 || j >= n - 1) return;
  float next = 0.25f * (u[j * n + i - 1] + u[j * n + i + 1] + u[(j - 1) * n + i] + u[(j + 1) * n + i] - h2 * rhs[j * n + i]);
  u[j * n + i] += relax * (next - u[j * n + i]);
}
// Parallel cyclic reduction: a system of 256 unknowns a block.
extern "C" __global__ void __launch_bounds__(256) tridiagonal_pcr(float* x, const float* lower, const float* diag, const float* upper, const float* rhs) {
  __shared__ float a[256], b[256], c[256], d[256];
  int t = threadIdx.x, g = blockIdx.x * 256 + t;
  a[t] = t ? lower[g] * 0.3f : 0.0f; b[t] = diag[g] + 1.0f; c[t] = t < 255 ? upper[g] * 0.3f : 0.0f; d[t] = rhs[g];
  __syncthreads();
  for (int s = 1; s < 256; s *= 2) {
    int l = max(t - s, 0), r = min(t + s, 255);
    float k1 = t - s >= 0 ? a[t] / b[l] : 0.0f, k2 = t + s < 256 ? c[t] / b[r] : 0.0f;
    float na = -a[l] * k1, nb = b[t] - c[l] * k1 - a[r] * k2, nc = -c[r] * k2, nd = d[t] - d[l] * k1 - d[r] * k2;
    __syncthreads();
    a[t] = na; b[t] = nb; c[t] = nc; d[t] = nd;
    __syncthreads();
  }
  x[g] = d[t] / b[t];
}
// Cyclic reduction in doubles: strides of powers of two, half of the threads less a step.
extern "C" __global__ void __launch_bounds__(128) tridiagonal_cr_f64(double* x, const double* lower, const double* diag, const double* upper, const double* rhs) {
  __shared__ double a[256], b[256], c[256], d[256];
  int t = threadIdx.x, g = blockIdx.x * 256;
  for (int i = t; i < 256; i += 128) { a[i] = i ? lower[g + i] * 0.3 : 0.0; b[i] = diag[g + i] + 1.0; c[i] = i < 255 ? upper[g + i] * 0.3 : 0.0; d[i] = rhs[g + i]; }
  int s = 1;
  for (; s < 128; s *= 2) {
    __syncthreads();
    int i = 2 * s * (t + 1) - 1;
    if (i < 256) {
      int l = i - s, r = min(i + s, 255);
      double k1 = a[i] / b[l], k2 = r > i ? c[i] / b[r] : 0.0;
      b[i] -= c[l] * k1 + (r > i ? a[r] * k2 : 0.0); d[i] -= d[l] * k1 + (r > i ? d[r] * k2 : 0.0); a[i] = -a[l] * k1; c[i] = r > i ? -c[r] * k2 : 0.0;
    }
  }
  __syncthreads();
  if (t == 0) { double det = b[127] * b[255] - c[127] * a[255], u = (d[127] * b[255] - c[127] * d[255]) / det; d[255] = (b[127] * d[255] - a[255] * d[127]) / det; d[127] = u; }
  for (s = 64; s > 0; s /= 2) {
    __syncthreads();
    int i = 2 * s * t + s - 1;
    if (i < 256) d[i] = (d[i] - (i >= s ? a[i] * d[max(i - s, 0)] : 0.0) - c[i] * d[i + s]) / b[i];
  }
  __syncthreads();
  for (int i = t; i < 256; i += 128) x[g + i] = d[i];
}
// One pivot of Floyd and Warshall in global memory, with the path.
extern "C" __global__ void warshall_pivot(int* dist, int* via, int n, int k) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
  __shared__ int first;
  if (threadIdx.x == 0) first = dist[i * n + k];
  __syncthreads();
  if (j >= n || j == k || i == k) return;
  int length = first + dist[k * n + j];
  if (length < dist[i * n + j]) { dist[i * n + j] = length; via[i * n + j] = k; }
}
// Needleman and Wunsch: a block a pair, 96 threads hold a column each, an anti-diagonal a barrier, three diagonals in turn.
extern "C" __global__ void __launch_bounds__(96) global_align(int* score, const unsigned char* s1, const unsigned char* s2, int length, int match, int gap) {
  __shared__ int diag[3][97];
  __shared__ unsigned char other[256];
  int t = threadIdx.x, id = blockIdx.x, mine = s1[id * 96 + t];
  for (int i = t; i < length; i += 96) other[i] = s2[id * length + i];
  for (int k = 0; k < 3; ++k) diag[k][t] = -gap;
  __syncthreads();
  for (int step = 0; step < length + 96; ++step) {
    int *now = diag[step % 3], *last = diag[(step + 2) % 3], *before = diag[(step + 1) % 3], row = step - t;
    if (t == 0) now[0] = -gap * (step + 2);
    if (row >= 0 && row < length) {
      int corner = row == 0 ? -gap * t : before[t], left = last[t], up = row == 0 ? -gap * (t + 1) : last[t + 1];
      int best = corner + (other[row] == mine ? match : -1);
      now[t + 1] = max(best, max(left, up) - gap);
      if (row == length - 1 && t == 95) score[id] = now[t + 1];
    }
    __syncthreads();
  }
}
// Bodies in doubles, tiles in shared memory.
struct __align__(16) Body { double x, y, z, w; };
extern "C" __global__ void __launch_bounds__(128) nbody_f64(double3* acc, const Body* body, int n) {
  __shared__ Body tile[128];
  int i = blockIdx.x * 128 + threadIdx.x;
  Body me = body[i]; double3 sum = {0, 0, 0};
  for (int base = 0; base < n; base += 128) {
    tile[threadIdx.x] = body[base + threadIdx.x];
    __syncthreads();
#pragma unroll 4
    for (int j = 0; j < 128; ++j) {
      double dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z, r2 = dx * dx + dy * dy + dz * dz + 0.01, r = rsqrt(r2), f = tile[j].w * r * r * r;
      sum.x += f * dx; sum.y += f * dy; sum.z += f * dz;
    }
    __syncthreads();
  }
  acc[i] = sum;
}
// Charge of particles goes to the eight corners of their cell (weights of sixteenths, so that the order does not show).
extern "C" __global__ void pic_deposit(float* rho, const float* px, const float* py, const float* pz, int n, int cells) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= n) return;
  float x = (px[p] + 1.0f) * 0.4999f * (cells - 1), y = (py[p] + 1.0f) * 0.4999f * (cells - 1), z = (pz[p] + 1.0f) * 0.4999f * (cells - 1);
  int i = (int)x, j = (int)y, k = (int)z;
  float fx = floorf((x - i) * 4) * 0.25f, fy = floorf((y - j) * 4) * 0.25f, fz = floorf((z - k) * 4) * 0.25f;
  for (int c = 0; c < 8; ++c) {
    float w = (c & 1 ? fx : 1 - fx) * (c & 2 ? fy : 1 - fy) * (c & 4 ? fz : 1 - fz);
    atomicAdd(&rho[((k + (c >> 2)) * cells + j + (c >> 1 & 1)) * cells + i + (c & 1)], w);
  }
}
// A finer grid is averaged into a coarser one, 27 neighbours with weights of powers of two.
extern "C" __global__ void restrict_full(float* coarse, const float* fine, int nc, int nf) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
  if (x >= nc || y >= nc) return;
  float sum = 0;
  for (int dz = -1; dz <= 1; ++dz)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) {
        int fx = 2 * x + dx, fy = 2 * y + dy, fz = 2 * z + dz;
        if (fx >= 0 && fy >= 0 && fz >= 0 && fx < nf && fy < nf && fz < nf) sum += fine[(fz * nf + fy) * nf + fx] * (1.0f / (8 << (abs(dx) + abs(dy) + abs(dz))));
      }
  coarse[(z * nc + y) * nc + x] = sum;
}
// A wave with eighth order in space: a tile of the plane in shared memory, nine planes in registers, weights of constants.
__constant__ float wave_c[5] = {-2.84722f, 1.6f, -0.2f, 0.0253968f, -0.00178571f};
extern "C" __global__ void __launch_bounds__(256) wave_order8(float* next, const float* prev, const float* now, const float* speed, int nx, int ny, int nz) {
  __shared__ float tile[16 + 8][16 + 8];
  int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx + 4, y = blockIdx.y * 16 + ty + 4, plane = nx * ny, at = y * nx + x;
  float front[4], behind[4], mid = now[4 * plane + at];
  for (int k = 0; k < 4; ++k) { behind[k] = now[(3 - k) * plane + at]; front[k] = now[(5 + k) * plane + at]; }
  for (int z = 4; z < nz - 4; ++z) {
    __syncthreads();
    tile[ty + 4][tx + 4] = mid;
    if (ty < 4) { tile[ty][tx + 4] = now[z * plane + at - 4 * nx]; tile[ty + 20][tx + 4] = now[z * plane + at + 16 * nx]; }
    if (tx < 4) { tile[ty + 4][tx] = now[z * plane + at - 4]; tile[ty + 4][tx + 20] = now[z * plane + at + 16]; }
    __syncthreads();
    float lap = 3 * wave_c[0] * mid;
#pragma unroll
    for (int k = 1; k <= 4; ++k) lap += wave_c[k] * (front[k - 1] + behind[k - 1] + tile[ty + 4 - k][tx + 4] + tile[ty + 4 + k][tx + 4] + tile[ty + 4][tx + 4 - k] + tile[ty + 4][tx + 4 + k]);
    next[z * plane + at] = 2 * mid - prev[z * plane + at] + speed[z * plane + at] * lap;
    for (int k = 3; k > 0; --k) behind[k] = behind[k - 1];
    behind[0] = mid; mid = front[0];
    for (int k = 0; k < 3; ++k) front[k] = front[k + 1];
    front[3] = z + 5 < nz ? now[(z + 5) * plane + at] : 0.0f;
  }
}
// Lennard and Jones with lists of neighbours, a thread a particle, lists by column.
extern "C" __global__ void lj_neighbours(float4* force, const float4* pos, const unsigned* list, const unsigned* count, int n, int most, float cut2) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 p = pos[i], f = make_float4(0, 0, 0, 0);
  int neighbours = count[i] % most;
  for (int k = 0; k < neighbours; ++k) {
    float4 q = __ldg(&pos[list[k * n + i] % n]);
    float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z, r2 = dx * dx + dy * dy + dz * dz + 0.05f;
    if (r2 < cut2) { float i2 = 1.0f / r2, i6 = i2 * i2 * i2, s = 24.0f * i2 * i6 * (2.0f * i6 - 1.0f); f.x += s * dx; f.y += s * dy; f.z += s * dz; f.w += 4.0f * i6 * (i6 - 1.0f); }
  }
  force[i] = f;
}
// Paths with a variance of their own: xorwow, Box and Muller.
extern "C" __global__ void heston_xorwow(float* payoff, const unsigned* seeds, int steps, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned s[5], d = 6615241u;
  for (int k = 0; k < 5; ++k) s[k] = seeds[i * 5 + k] | 1;
  auto next = [&] { unsigned t = s[0] ^ (s[0] >> 2); s[0] = s[1]; s[1] = s[2]; s[2] = s[3]; s[3] = s[4]; s[4] = (s[4] ^ (s[4] << 4)) ^ (t ^ (t << 1)); d += 362437; return (s[4] + d) * 2.3283064e-10f + 1.1641532e-10f; };
  float x = 0.0f, v = 0.04f, root = sqrtf(dt);
  for (int k = 0; k < steps; ++k) {
    float r = sqrtf(-2.0f * __logf(next())), angle = 6.2831853f * next(), z1 = r * __cosf(angle), z2 = r * __sinf(angle), pos = fmaxf(v, 0.0f), sv = sqrtf(pos) * root;
    x += -0.5f * pos * dt + sv * z1; v += 1.5f * (0.04f - pos) * dt + 0.3f * sv * (-0.7f * z1 + 0.71414f * z2);
  }
  payoff[i] = fmaxf(__expf(x) - 1.0f, 0.0f);
}
// Prices and their derivatives: precise logarithms, exponentials and error functions.
extern "C" __global__ void option_greeks(float* price, float* delta, float* vega, const float* spot, const float* strike, const float* time, int n, float rate, float sigma) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float s = spot[i] * 100.0f, k = strike[i] * 100.0f, t = time[i], q = sqrtf(t) * sigma, d1 = (logf(s / k) + (rate + 0.5f * sigma * sigma) * t) / q, d2 = d1 - q;
    float n1 = 0.5f * erfcf(-d1 * 0.70710678f), n2 = 0.5f * erfcf(-d2 * 0.70710678f), e = expf(-rate * t);
    price[i] = s * n1 - k * e * n2; delta[i] = n1; vega[i] = s * sqrtf(t) * 0.39894228f * expf(-0.5f * d1 * d1);
  }
}
// Escape times of a Julia set in bytes: whole warps leave early, others stay.
extern "C" __global__ void julia_bytes(unsigned char* out, int width, int height, float cx, float cy, int most) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float zx = 3.0f * x / width - 1.5f, zy = 2.4f * y / height - 1.2f; int i = 0;
  while (i < most) { float a = zx * zx, b = zy * zy; if (a + b > 4.0f) break; zy = 2.0f * zx * zy + cy; zx = a - b + cx; ++i; }
  out[y * width + x] = i == most ? 0 : (unsigned char)(i * 5 + (int)(8.0f * __log2f(zx * zx + zy * zy)));
}
// Rays meet spheres of constants and are thrown back up to four times.
__constant__ float4 spheres[10] = {{0, 0, 5, 1}, {1.5f, 0.3f, 4, 0.7f}, {-1.4f, 0.2f, 4.5f, 0.8f}, {0, -101, 5, 100}, {0.5f, 1.2f, 3.5f, 0.4f}, {-0.6f, 1.3f, 6, 0.6f}, {2.4f, 1.5f, 6, 0.9f}, {-2.5f, 1.4f, 5.5f, 0.7f}, {0.1f, 2.4f, 5, 0.5f}, {-1.0f, -0.5f, 3, 0.35f}};
extern "C" __global__ void __launch_bounds__(128) ray_spheres(float* image, int width, int height) {
  int x = blockIdx.x * 16 + threadIdx.x % 16, y = blockIdx.y * 8 + threadIdx.x / 16;
  if (x >= width || y >= height) return;
  float ox = 0, oy = 0, oz = 0, dx = (x - width * 0.5f) / height, dy = (height * 0.5f - y) / height, dz = 1.0f, r = rsqrtf(dx * dx + dy * dy + dz * dz), light = 0, weight = 1;
  dx *= r; dy *= r; dz *= r;
  for (int bounce = 0; bounce < 4; ++bounce) {
    float best = 1e20f; int hit = -1;
    for (int s = 0; s < 10; ++s) {
      float4 q = spheres[s]; float cx = q.x - ox, cy = q.y - oy, cz = q.z - oz, b = cx * dx + cy * dy + cz * dz, disc = b * b - (cx * cx + cy * cy + cz * cz) + q.w * q.w;
      if (disc > 0.0f) { float t = b - sqrtf(disc); if (t > 1e-3f && t < best) { best = t; hit = s; } }
    }
    if (hit < 0) { light += weight * (0.5f + 0.5f * dy); break; }
    float4 q = spheres[hit]; ox += best * dx; oy += best * dy; oz += best * dz;
    float nx = (ox - q.x) / q.w, ny = (oy - q.y) / q.w, nz = (oz - q.z) / q.w, d = 2.0f * (nx * dx + ny * dy + nz * dz);
    light += weight * 0.3f * fmaxf(0.0f, 0.6f * nx + 0.7f * ny - 0.4f * nz); weight *= 0.6f; dx -= d * nx; dy -= d * ny; dz -= d * nz;
  }
  image[y * width + x] = light;
}
// Noise by gradients of a permutation in shared memory, five octaves.
extern "C" __global__ void __launch_bounds__(256) gradient_noise(float* out, const unsigned* perm, int width, float scale) {
  __shared__ unsigned char p[512];
  for (int i = threadIdx.x; i < 512; i += 256) p[i] = perm[i & 255];
  __syncthreads();
  int id = blockIdx.x * 256 + threadIdx.x; float fx = id % width * scale, fy = id / width * scale, sum = 0, amp = 0.5f;
#pragma unroll 1
  for (int o = 0; o < 5; ++o) {
    int ix = (int)floorf(fx), iy = (int)floorf(fy); float x = fx - ix, y = fy - iy, u = x * x * x * (x * (x * 6 - 15) + 10), v = y * y * y * (y * (y * 6 - 15) + 10);
    auto grad = [&](int dx, int dy) { int h = p[p[(ix + dx) & 255] + ((iy + dy) & 255)] & 7; float a = x - dx, b = y - dy; float s = h < 4 ? a : b, t = h < 4 ? b : a; return (h & 1 ? -s : s) + (h & 2 ? -2.0f * t : 2.0f * t); };
    float a = grad(0, 0), b = grad(1, 0), c = grad(0, 1), d = grad(1, 1), l = a + u * (b - a), m = c + u * (d - c);
    sum += amp * (l + v * (m - l)); amp *= 0.5f; fx *= 2; fy *= 2;
  }
  out[id] = sum;
}
// Gauss by columns of an image of four bytes a pixel, weights of constants, a pixel a thread, edges clamped.
__constant__ int gauss7[7] = {2, 14, 62, 100, 62, 14, 2};
extern "C" __global__ void gauss_uchar4(uchar4* out, const uchar4* in, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int4 sum = make_int4(128, 128, 128, 128);
#pragma unroll
  for (int k = -3; k <= 3; ++k) { uchar4 p = in[min(max(y + k, 0), height - 1) * width + x]; int w = gauss7[k + 3]; sum.x += w * p.x; sum.y += w * p.y; sum.z += w * p.z; sum.w += w * p.w; }
  out[y * width + x] = make_uchar4(sum.x >> 8, sum.y >> 8, sum.z >> 8, sum.w >> 8);
}
// The middle of nine bytes by a network of exchanges, a tile with border in shared memory.
extern "C" __global__ void __launch_bounds__(256) median3x3(unsigned char* out, const unsigned char* in, int width, int height) {
  __shared__ unsigned char s[18][36];
  int tx = threadIdx.x, ty = threadIdx.y, x0 = blockIdx.x * 32, y0 = blockIdx.y * 8;
  for (int i = ty * 32 + tx; i < 340; i += 256) { int x = x0 + i % 34 - 1, y = y0 + i / 34 - 1; s[i / 34][i % 34] = in[min(max(y, 0), height - 1) * width + min(max(x, 0), width - 1)]; }
  __syncthreads();
  int v[9];
#pragma unroll
  for (int k = 0; k < 9; ++k) v[k] = s[ty + k / 3][tx + k % 3];
#define ORDER(a, b) { int lo = min(v[a], v[b]); v[b] = max(v[a], v[b]); v[a] = lo; }
  ORDER(1, 2) ORDER(4, 5) ORDER(7, 8) ORDER(0, 1) ORDER(3, 4) ORDER(6, 7) ORDER(1, 2) ORDER(4, 5) ORDER(7, 8) ORDER(0, 3) ORDER(5, 8) ORDER(4, 7) ORDER(3, 6) ORDER(1, 4) ORDER(2, 5) ORDER(4, 7) ORDER(4, 2) ORDER(6, 4) ORDER(4, 2)
  if (x0 + tx < width && y0 + ty < height) out[(y0 + ty) * width + x0 + tx] = v[4];
}
// An image of three bytes a pixel made larger, four neighbours by hand.
extern "C" __global__ void resize_rgb(unsigned char* out, const unsigned char* in, int sw, int sh, int dw, int dh) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= dw || y >= dh) return;
  float fx = fmaxf((x + 0.5f) * sw / dw - 0.5f, 0.0f), fy = fmaxf((y + 0.5f) * sh / dh - 0.5f, 0.0f);
  int x0 = (int)fx, y0 = (int)fy, x1 = min(x0 + 1, sw - 1), y1 = min(y0 + 1, sh - 1); float ax = fx - x0, ay = fy - y0;
  for (int c = 0; c < 3; ++c) {
    float a = in[(y0 * sw + x0) * 3 + c], b = in[(y0 * sw + x1) * 3 + c], d = in[(y1 * sw + x0) * 3 + c], e = in[(y1 * sw + x1) * 3 + c];
    out[(y * dw + x) * 3 + c] = (unsigned char)((a * (1 - ax) + b * ax) * (1 - ay) + (d * (1 - ax) + e * ax) * ay + 0.5f);
  }
}
// Brightness and colour planes (two by two share a colour) to three bytes a pixel.
extern "C" __global__ void nv12_to_rgb(unsigned char* rgb, const unsigned char* luma, const uchar2* chroma, int width, int height) {
  int x = (blockIdx.x * blockDim.x + threadIdx.x) * 2, y = (blockIdx.y * blockDim.y + threadIdx.y) * 2;
  if (x >= width || y >= height) return;
  uchar2 uv = chroma[y / 2 * (width / 2) + x / 2]; int u = uv.x - 128, v = uv.y - 128, r = 409 * v + 128, g = -100 * u - 208 * v + 128, b = 516 * u + 128;
  for (int k = 0; k < 4; ++k) {
    int at = (y + (k >> 1)) * width + x + (k & 1), c = 298 * (luma[at] - 16); unsigned char* p = rgb + at * 3;
    p[0] = min(max((c + r) >> 8, 0), 255); p[1] = min(max((c + g) >> 8, 0), 255); p[2] = min(max((c + b) >> 8, 0), 255);
  }
}
void register_fields() {
  CASE("fdtd_electric", "fields", fdtd_electric, "three fields, columns").g(4, 24).b(32, 4).out("ex", "f32", 96 * 96 * 20, "uniform", 850).out("ey", "f32", 96 * 96 * 20, "uniform", 851).out("ez", "f32", 96 * 96 * 20, "uniform", 852).in("hx", "f32", 96 * 96 * 20, "uniform", 853).in("hy", "f32", 96 * 96 * 20, "uniform", 854).in("hz", "f32", 96 * 96 * 20, "uniform", 855).in("eps", "f32", 96 * 96 * 20, "positive", 856).i(96).i(96).i(20).f(0.1f);
  CASE("lbm_d3q19", "fields", lbm_d3q19, "nineteen directions").g(1, 40, 40).b(64).out("out", "f32", 19 * 64000).in("in", "f32", 19 * 64000, "positive", 857).i(40).f(0.6f);
  CASE("red_black_sweep", "fields", red_black_sweep, "every second point").g(10, 80).b(32, 8).out("u", "f32", 642 * 642, "uniform", 858).in("rhs", "f32", 642 * 642, "uniform", 859).i(642).i(1).f(0.01f).f(1.3f);
  CASE("tridiagonal_pcr", "fields", tridiagonal_pcr, "a block a system").g(250).b(256).out("x", "f32", 64000).in("lower", "f32", 64000, "uniform", 860).in("diag", "f32", 64000, "positive", 861).in("upper", "f32", 64000, "uniform", 862).in("rhs", "f32", 64000, "uniform", 863);
  CASE("tridiagonal_cr_f64", "fields", tridiagonal_cr_f64, "doubles, fewer threads a step").g(200).b(128).out("x", "f64", 51200).in("lower", "f64", 51200, "uniform", 864).in("diag", "f64", 51200, "positive", 865).in("upper", "f64", 51200, "uniform", 866).in("rhs", "f64", 51200, "uniform", 867);
  CASE("warshall_pivot", "fields", warshall_pivot, "a pivot in memory").g(4, 500).b(128).out("dist", "i32", 250000, "range", 868, 100).out("via", "i32", 250000).i(500).i(123);
  CASE("global_align", "fields", global_align, "a barrier an anti-diagonal").g(264).b(96).out("score", "i32", 264).in("s1", "u8", 264 * 96, "range", 869, 4).in("s2", "u8", 264 * 150, "range", 870, 4).i(150).i(2).i(1);
  CASE("nbody_f64", "fields", nbody_f64, "doubles, tiles").g(8).b(128).out("acc", "f64", 1024 * 3).in("body", "f64", 1024 * 4, "uniform", 871).i(1024);
  CASE("pic_deposit", "fields", pic_deposit, "eight atomics a particle").g(250).b(256).out("rho", "f32", 32 * 32 * 32).in("px", "f32", 64000, "uniform", 872).in("py", "f32", 64000, "uniform", 873).in("pz", "f32", 64000, "uniform", 874).i(63990).i(32);
  CASE("restrict_full", "fields", restrict_full, "27 neighbours").g(2, 10, 40).b(32, 4).out("coarse", "f32", 40 * 40 * 40).in("fine", "f32", 79 * 79 * 79, "uniform", 875).i(40).i(79);
  CASE("wave_order8", "fields", wave_order8, "planes in registers").g(9, 9).b(16, 16).out("next", "f32", 152 * 152 * 28).in("prev", "f32", 152 * 152 * 28, "uniform", 876).in("now", "f32", 152 * 152 * 28, "uniform", 877).in("speed", "f32", 152 * 152 * 28, "positive", 878).i(152).i(152).i(28);
  CASE("lj_neighbours", "fields", lj_neighbours, "lists of unlike length").g(160).b(128).out("force", "f32", 20480 * 4).in("pos", "f32", 20480 * 4, "uniform", 879).in("list", "u32", 20480 * 40, "raw", 880).in("count", "u32", 20480, "raw", 881).i(20480).i(40).f(0.8f);
  CASE("heston_xorwow", "fields", heston_xorwow, "paths").g(132).b(192).out("payoff", "f32", 25344).in("seeds", "u32", 25344 * 5, "raw", 882).i(24).f(0.04f);
  CASE("option_greeks", "fields", option_greeks, "precise functions").g(66).b(256).out("price", "f32", 50000).out("delta", "f32", 50000).out("vega", "f32", 50000).in("spot", "f32", 50000, "positive", 883).in("strike", "f32", 50000, "positive", 884).in("time", "f32", 50000, "positive", 885).i(50000).f(0.03f).f(0.25f);
  CASE("julia_bytes", "fields", julia_bytes, "loops of unlike length").g(13, 45).b(32, 8).out("out", "u8", 400 * 360).i(400).i(360).f(-0.8f).f(0.156f).i(200);
  CASE("ray_spheres", "fields", ray_spheres, "bounces").g(20, 30).b(128).out("image", "f32", 320 * 240).i(320).i(240);
  CASE("gradient_noise", "fields", gradient_noise, "table of bytes").g(300).b(256).out("out", "f32", 76800).in("perm", "u32", 256, "perm", 886).i(320).f(0.05f);
  CASE("gauss_uchar4", "fields", gauss_uchar4, "four bytes a pixel").g(16, 60).b(32, 8).out("out", "u8", 500 * 475 * 4).in("in", "u8", 500 * 475 * 4, "raw", 887).i(500).i(475);
  CASE("median3x3", "fields", median3x3, "network of bytes").g(20, 60).b(32, 8).out("out", "u8", 630 * 477).in("in", "u8", 630 * 477, "raw", 888).i(630).i(477);
  CASE("resize_rgb", "fields", resize_rgb, "three bytes a pixel").g(20, 60).b(32, 8).out("out", "u8", 640 * 480 * 3).in("in", "u8", 357 * 251 * 3, "raw", 889).i(357).i(251).i(640).i(480);
  CASE("nv12_to_rgb", "fields", nv12_to_rgb, "planes of bytes").g(10, 30).b(32, 8).out("rgb", "u8", 640 * 480 * 3).in("luma", "u8", 640 * 480, "raw", 890).in("chroma", "u8", 320 * 240 * 2, "raw", 891).i(640).i(480);
}
