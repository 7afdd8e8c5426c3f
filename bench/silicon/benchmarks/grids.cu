// SPDX-License-Identifier: Apache-2.0
// Third held-out set, grids: stencils, dynamic programming, particles and images, as benchmark suites have them. See README.md.
#include "../harness.cuh"

// Temperatures of a chip, two steps a launch: tiles overlap by two cells on each side.
extern "C" __global__ void hotspot_tile(float* out, const float* in, const float* power, int n, int steps, float cap, float rx, float ry, float rz) {
  __shared__ float now[16][16], watt[16][16], next[16][16];
  int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * (16 - 2 * steps) + tx - steps, y = blockIdx.y * (16 - 2 * steps) + ty - steps;
  bool inside = x >= 0 && x < n && y >= 0 && y < n, done = false;
  if (inside) { now[ty][tx] = in[y * n + x]; watt[ty][tx] = power[y * n + x]; }
  __syncthreads();
  int north = y <= 0 ? ty : ty - 1, south = y >= n - 1 ? ty : ty + 1, west = x <= 0 ? tx : tx - 1, east = x >= n - 1 ? tx : tx + 1;
  for (int i = 0; i < steps; i++) {
    done = false;
    if (tx > i && tx < 15 - i && ty > i && ty < 15 - i && inside) {
      done = true;
      next[ty][tx] = now[ty][tx] + cap * (watt[ty][tx] + (now[south][tx] + now[north][tx] - 2.0f * now[ty][tx]) * ry + (now[ty][east] + now[ty][west] - 2.0f * now[ty][tx]) * rx + (0.25f - now[ty][tx]) * rz);
    }
    __syncthreads();
    if (i == steps - 1) break;
    if (done) now[ty][tx] = next[ty][tx];
    __syncthreads();
  }
  if (done) out[y * n + x] = next[ty][tx];
}
// Speckle-reducing diffusion: derivatives and coefficient of each pixel, neighbours through index arrays.
extern "C" __global__ void srad_coefficient(float* coefficient, float* gradient, const float* image, const unsigned* up, const unsigned* down, int w, int h, float q0) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = w * h; if (i >= n) return;
  int row = i / w, col = i - row * w; int north = max((int)up[row] - 1, 0), south = min((int)down[row] + 1, h - 1);
  float c = image[i], dn = image[north * w + col] - c, ds = image[south * w + col] - c, dw = image[row * w + (col ? col - 1 : 0)] - c, de = image[row * w + min(col + 1, w - 1)] - c;
  float g2 = (dn * dn + ds * ds + dw * dw + de * de) / (c * c), l = (dn + ds + dw + de) / c, num = 0.5f * g2 - 0.0625f * l * l, den = 1.0f + 0.25f * l, q = num / (den * den);
  den = (q - q0) / (q0 * (1.0f + q0)); float r = 1.0f / (1.0f + den);
  coefficient[i] = r < 0 ? 0 : r > 1 ? 1 : r; gradient[i] = dn; gradient[n + i] = ds; gradient[2 * n + i] = dw; gradient[3 * n + i] = de;
}
// Cheapest path through a grid, row by row: blocks overlap by the number of rows.
extern "C" __global__ void path_rows(int* out, const int* wall, const int* start, int cols, int rows) {
  __shared__ int previous[256], result[256]; int tx = threadIdx.x, small = 256 - rows * 2, begin = small * blockIdx.x - rows, x = begin + tx; bool valid = x >= 0 && x < cols;
  int lo = begin < 0 ? -begin : 0, hi = begin + 255 >= cols ? 255 - (begin + 255 - cols + 1) : 255, w = max(tx - 1, lo), e = min(tx + 1, hi); bool done = false;
  if (valid) previous[tx] = start[x];
  __syncthreads();
  for (int i = 0; i < rows; i++) {
    done = false;
    if (tx > i && tx < 255 - i && valid && tx >= lo && tx <= hi) { done = true; result[tx] = min(min(previous[w], previous[tx]), previous[e]) + wall[cols * i + x]; }
    __syncthreads(); if (i == rows - 1) break;
    if (done) previous[tx] = result[tx];
    __syncthreads();
  }
  if (done) out[x] = result[tx];
}
// Alignment scores, one diagonal of 16 x 16 tiles: sixteen threads a block, a wavefront within the tile.
extern "C" __global__ void align_diagonal(int* score, const int* reference, int cols, int penalty, int tiles) {
  __shared__ int t[17][17], ref[16][16]; int tx = threadIdx.x, bx = blockIdx.x, by = tiles - 1 - blockIdx.x, base = cols * 16 * by + 16 * bx;
  for (int k = 0; k < 16; k++) ref[k][tx] = reference[base + cols + 1 + k * cols + tx];
  if (tx == 0) t[0][0] = score[base];
  t[tx + 1][0] = score[base + (tx + 1) * cols]; t[0][tx + 1] = score[base + tx + 1]; __syncwarp(0xffff);
  for (int m = 0; m < 16; m++) {
    if (tx <= m) { int x = tx + 1, y = m - tx + 1; t[y][x] = max(t[y - 1][x - 1] + ref[y - 1][x - 1], max(t[y][x - 1] - penalty, t[y - 1][x] - penalty)); }
    __syncwarp(0xffff);
  }
  for (int m = 14; m >= 0; m--) {
    if (tx <= m) { int x = tx + 16 - m, y = 16 - tx; t[y][x] = max(t[y - 1][x - 1] + ref[y - 1][x - 1], max(t[y][x - 1] - penalty, t[y - 1][x] - penalty)); }
    __syncwarp(0xffff);
  }
  for (int k = 0; k < 16; k++) score[base + cols + 1 + k * cols + tx] = t[k + 1][tx + 1];
}
// Forward step of a network's layer: sixteen inputs a block, partial sums of sixteen hidden units by a tree.
extern "C" __global__ void layer_forward(float* partial, float* hidden, const float* input, const float* weight, int units) {
  __shared__ float node[16], w[16][16]; int tx = threadIdx.x, ty = threadIdx.y, by = blockIdx.x, index = (units + 1) * 16 * by + (units + 1) * ty + tx + 1 + (units + 1), in = 16 * by + ty + 1;
  if (tx == 0) node[ty] = input[in];
  __syncthreads(); w[ty][tx] = weight[index]; __syncthreads(); w[ty][tx] *= node[ty]; __syncthreads();
  for (int i = 1; i <= 4; i++) {
    int power = (int)__powf(2.0f, (float)i);
    if (ty % power == 0) w[ty][tx] += w[ty + power / 2][tx];
    __syncthreads();
  }
  hidden[index] = w[ty][tx]; if (tx == 0) partial[by * units + ty] = w[tx][ty];
}
// Particles of a box and its neighbour boxes, exponential of the distance.
extern "C" __global__ void box_forces(float4* force, const float4* position, const float* charge, int side, int per, float a2) {
  __shared__ float4 pa[64], pb[64]; __shared__ float qb[64]; int t = threadIdx.x, home = blockIdx.x, hx = home % side, hy = home / side % side, hz = home / side / side;
  for (int i = t; i < per; i += blockDim.x) pa[i] = position[home * per + i];
  float4 f[2] = {};
  for (int k = 0; k < 27; k++) {
    int x = hx + k % 3 - 1, y = hy + k / 3 % 3 - 1, z = hz + k / 9 - 1; if (x < 0 || y < 0 || z < 0 || x >= side || y >= side || z >= side) continue;
    int other = (z * side + y) * side + x; __syncthreads();
    for (int i = t; i < per; i += blockDim.x) { pb[i] = position[other * per + i]; qb[i] = charge[other * per + i]; }
    __syncthreads(); int slot = 0;
    for (int i = t; i < per; i += blockDim.x, slot++)
      for (int j = 0; j < per; j++) {
        float r2 = pa[i].w + pb[j].w - (pa[i].x * pb[j].x + pa[i].y * pb[j].y + pa[i].z * pb[j].z), v = expf(-a2 * r2), fs = 2 * v, dx = pa[i].x - pb[j].x, dy = pa[i].y - pb[j].y, dz = pa[i].z - pb[j].z;
        f[slot].w += qb[j] * v; f[slot].x += qb[j] * fs * dx; f[slot].y += qb[j] * fs * dy; f[slot].z += qb[j] * fs * dz;
      }
  }
  int slot = 0; for (int i = t; i < per; i += blockDim.x, slot++) force[home * per + i] = f[slot];
}
// Thirteen points in three dimensions: a tile of a plane in shared memory, the planes before and behind in registers.
extern "C" __global__ void stencil13_planes(float* out, const float* in, int nx, int ny, int nz, float c0, float c1, float c2) {
  __shared__ float s[12][36]; int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx, y = blockIdx.y * 8 + ty, plane = nx * ny, at = y * nx + x;
  float b2 = 0, b1 = in[at], now = in[at + plane], f1 = in[at + 2 * plane], f2 = in[at + 3 * plane];
  for (int z = 2; z < nz - 2; z++) {
    b2 = b1; b1 = now; now = f1; f1 = f2; f2 = in[at + (z + 2) * plane]; __syncthreads(); s[ty + 2][tx + 2] = now;
    if (ty < 2) { s[ty][tx + 2] = y >= 2 ? in[at + z * plane - 2 * nx] : 0.0f; s[ty + 10][tx + 2] = y + 8 < ny ? in[at + z * plane + 8 * nx] : 0.0f; }
    if (tx < 2) { s[ty + 2][tx] = x >= 2 ? in[at + z * plane - 2] : 0.0f; s[ty + 2][tx + 34] = x + 32 < nx ? in[at + z * plane + 32] : 0.0f; }
    __syncthreads();
    float one = b1 + f1 + s[ty + 1][tx + 2] + s[ty + 3][tx + 2] + s[ty + 2][tx + 1] + s[ty + 2][tx + 3], two = b2 + f2 + s[ty][tx + 2] + s[ty + 4][tx + 2] + s[ty + 2][tx] + s[ty + 2][tx + 4];
    out[at + z * plane] = c0 * now + c1 * one + c2 * two;
  }
}
// Life, 32 cells a word: neighbours are counted bit by bit with full adders.
__device__ __forceinline__ void full_add(unsigned a, unsigned b, unsigned c, unsigned& sum, unsigned& carry) { unsigned u = a ^ b; sum = u ^ c; carry = (a & b) | (u & c); }
extern "C" __global__ void life_words(unsigned* out, const unsigned* in, int words, int rows) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; if (x >= words || y >= rows) return;
  unsigned side[3][3];
#pragma unroll
  for (int j = 0; j < 3; j++) {
    int r = y + j - 1; r = r < 0 ? rows - 1 : r == rows ? 0 : r; const unsigned* p = in + r * words; unsigned m = p[x], l = p[x ? x - 1 : words - 1], e = p[x + 1 < words ? x + 1 : 0];
    side[j][0] = __funnelshift_l(l, m, 1); side[j][1] = m; side[j][2] = __funnelshift_r(m, e, 1);
  }
  unsigned s0, c0, s1, c1, s2, c2, ones, t0, t1, twos, fours;
  full_add(side[0][0], side[0][1], side[0][2], s0, c0); full_add(side[2][0], side[2][1], side[2][2], s1, c1); s2 = side[1][0] ^ side[1][2]; c2 = side[1][0] & side[1][2];
  full_add(s0, s1, s2, ones, t0); full_add(c0, c1, c2, t1, fours); twos = t0 ^ t1; fours |= t0 & t1;
  out[y * words + x] = twos & ~fours & (ones | side[1][1]);
}
// Rows of a separable convolution: eight results a thread, seventeen weights.
__constant__ float kRow[17] = {.004f, .009f, .018f, .032f, .051f, .074f, .096f, .114f, .204f, .114f, .096f, .074f, .051f, .032f, .018f, .009f, .004f};
extern "C" __global__ void convolve_rows(float* out, const float* in, int w, int h) {
  __shared__ float s[4][10 * 16]; int tx = threadIdx.x, ty = threadIdx.y, x0 = (blockIdx.x * 8 - 1) * 16 + tx, y = blockIdx.y * 4 + ty; const float* p = in + y * w + x0;
#pragma unroll
  for (int i = 1; i < 9; i++) s[ty][tx + i * 16] = p[i * 16];
  s[ty][tx] = x0 >= 0 ? p[0] : 0.0f; s[ty][tx + 144] = w - x0 > 144 ? p[144] : 0.0f; __syncthreads();
#pragma unroll
  for (int i = 1; i < 9; i++) {
    float sum = 0;
#pragma unroll
    for (int j = -8; j <= 8; j++) sum += kRow[8 - j] * s[ty][tx + i * 16 + j];
    out[y * w + x0 + i * 16] = sum;
  }
}
// A point of an image from all samples of its spectrum: precise sine and cosine.
extern "C" __global__ void mri_points(float* real, float* imaginary, const float* px, const float* py, const float* pz, const float4* __restrict__ k, int samples) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; float x = px[i], y = py[i], z = pz[i], re = 0, im = 0;
  for (int j = 0; j < samples; j++) { float4 q = k[j]; float a = 6.2831853071795864769f * (q.x * x + q.y * y + q.z * z); re += q.w * cosf(a); im += q.w * sinf(a); }
  real[i] = re; imaginary[i] = im;
}
// Angles between pairs of directions into twenty bins: a search of the edges, a histogram a warp in shared memory.
__constant__ float kEdge[21] = {1.01f, .99f, .98f, .96f, .93f, .89f, .84f, .77f, .68f, .57f, .44f, .29f, .12f, -.07f, -.26f, -.45f, -.62f, -.77f, -.88f, -.96f, -1.01f};
extern "C" __global__ void angle_bins(unsigned* bins, const float* x, const float* y, const float* z, int n) {
  __shared__ unsigned h[4][32]; __shared__ float3 tile[128]; int t = threadIdx.x, warp = t >> 5, i = blockIdx.x * 128 + t; h[warp][t & 31] = 0;
  float ax = x[i], ay = y[i], az = z[i], ar = rsqrtf(ax * ax + ay * ay + az * az);
  for (int base = 0; base < n; base += 128) {
    __syncthreads(); float bx = x[base + t], by = y[base + t], bz = z[base + t], br = rsqrtf(bx * bx + by * by + bz * bz); tile[t] = make_float3(bx * br, by * br, bz * br); __syncthreads();
    for (int j = 0; j < 128; j += 4) {
      float3 b = tile[j]; float dot = (ax * b.x + ay * b.y + az * b.z) * ar; int lo = 0, hi = 20;
      while (hi > lo + 1) { int mid = (lo + hi) / 2; if (dot >= kEdge[mid]) hi = mid; else lo = mid; }
      atomicAdd(&h[warp][lo], 1u);
    }
  }
  __syncthreads(); if (t < 20) atomicAdd(&bins[t], h[0][t] + h[1][t] + h[2][t] + h[3][t]);
}
// Resampling of particles: each looks for its place in a cumulative table from the front.
extern "C" __global__ void particle_find(float* px, float* py, const float* ax, const float* ay, const float* table, const float* u, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; float want = (u[i] + 1.0f) * 0.5f * n; int index = -1;
  for (int k = 0; k < n; k++) if (table[k] >= want) { index = k; break; }
  if (index < 0) index = n - 1;
  px[i] = ax[index]; py[i] = ay[index];
}
// Fluxes of an unstructured mesh: five variables, four neighbours, roots and divisions.
extern "C" __global__ void euler_flux(float* flux, const float* variables, const int* neighbour, const float* normals, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; float d = variables[i], mx = variables[n + i], my = variables[2 * n + i], mz = variables[3 * n + i], e = variables[4 * n + i] + 8.0f;
  float vx = mx / d, vy = my / d, vz = mz / d, v2 = vx * vx + vy * vy + vz * vz, p = 0.4f * (e - 0.5f * d * v2), s = sqrtf(1.4f * p / d), f0 = 0, f1 = 0, f2 = 0, f3 = 0, f4 = 0;
#pragma unroll
  for (int j = 0; j < 4; j++) {
    int nb = neighbour[j * n + i] & 65535; float nx = normals[j * n + i], ny = normals[(j + 4) * n + i], nz = normals[(j + 8) * n + i], length = sqrtf(nx * nx + ny * ny + nz * nz);
    if (nb < n) {
      float dn = variables[nb], ux = variables[n + nb], uy = variables[2 * n + nb], uz = variables[3 * n + nb], en = variables[4 * n + nb] + 8.0f, wx = ux / dn, wy = uy / dn, wz = uz / dn;
      float w2 = wx * wx + wy * wy + wz * wz, pn = 0.4f * (en - 0.5f * dn * w2), sn = sqrtf(1.4f * pn / dn), k = -length * 0.2f * 0.5f * (sqrtf(v2) + sqrtf(w2) + s + sn);
      f0 += k * (d - dn) + 0.5f * nx * (mx + ux) + 0.5f * ny * (my + uy) + 0.5f * nz * (mz + uz); f4 += k * (e - en) + 0.5f * nx * ((e + p) * vx + (en + pn) * wx) + 0.5f * ny * ((e + p) * vy + (en + pn) * wy);
      f1 += k * (mx - ux) + 0.5f * nx * (vx * mx + p + wx * ux + pn); f2 += k * (my - uy) + 0.5f * ny * (vy * my + p + wy * uy + pn); f3 += k * (mz - uz) + 0.5f * nz * (vz * mz + p + wz * uz + pn);
    } else { f1 += nx * p; f2 += ny * p; f3 += nz * p; }
  }
  flux[i] = f0; flux[n + i] = f1; flux[2 * n + i] = f2; flux[3 * n + i] = f3; flux[4 * n + i] = f4;
}
// Potential of atoms on a lattice with a cutoff: atoms through shared memory, points beyond the cutoff take part in nothing.
extern "C" __global__ void cutoff_lattice(float* lattice, const float4* atoms, int n, float spacing, float cut2, float inverse) {
  __shared__ float4 a[64]; int t = threadIdx.y * 16 + threadIdx.x; float x = (blockIdx.x * 16 + threadIdx.x) * spacing - 1.0f, y = (blockIdx.y * 8 + threadIdx.y) * spacing - 1.0f, z = 0.1f, e = 0;
  for (int base = 0; base < n; base += 64) {
    __syncthreads(); if (t < 64) a[t] = atoms[base + t]; __syncthreads();
    for (int j = 0; j < 64; j++) {
      float dx = a[j].x - x, dy = a[j].y - y, dz = a[j].z - z, r2 = dx * dx + dy * dy + dz * dz;
      if (r2 < cut2) { float s = 1.0f - r2 * inverse; e += a[j].w * rsqrtf(r2) * s * s; }
    }
  }
  lattice[(blockIdx.y * 8 + threadIdx.y) * gridDim.x * 16 + blockIdx.x * 16 + threadIdx.x] = e;
}
// Sums of absolute differences of a 4 x 4 block at 16 x 16 places of another picture: four bytes at a time.
extern "C" __global__ void sad_search(unsigned* sums, const unsigned char* now, const unsigned char* before, int w) {
  __shared__ unsigned cur[4]; int t = threadIdx.x, dx = t & 15, dy = t >> 4, bx = blockIdx.x * 4 + 8, by = blockIdx.y * 4 + 8; if (t < 4) cur[t] = *(const unsigned*)(now + (by + t) * w + bx);
  __syncthreads(); unsigned s = 0;
#pragma unroll
  for (int r = 0; r < 4; r++) { const unsigned char* p = before + (by + r + dy - 8) * w + bx + dx - 8; unsigned v = p[0] | p[1] << 8 | p[2] << 16 | p[3] << 24; s += __vsadu4(cur[r], v); }
  sums[(blockIdx.y * gridDim.x + blockIdx.x) * 256 + t] = s;
}
// Denoising through a texture: weights by the difference of pixels within five by five.
extern "C" __global__ void denoise_texture(float* out, cudaTextureObject_t image, int w, int h, float k) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y; if (x >= w || y >= h) return; float c = tex2D<float>(image, x + 0.5f, y + 0.5f), sum = 0, weight = 0;
  for (int j = -2; j <= 2; j++)
    for (int i = -2; i <= 2; i++) { float v = tex2D<float>(image, x + i + 0.5f, y + j + 0.5f), d = v - c, g = __expf(-(d * d * k + (i * i + j * j) * 0.1f)); sum += g * v; weight += g; }
  out[y * w + x] = sum / weight;
}
void register_grids() {
  CASE("hotspot_tile", "grids", hotspot_tile, "overlapping tiles, two steps").g(43, 43).b(16, 16).out("out", "f32", 512 * 512).in("in", "f32", 512 * 512, "positive", 401).in("power", "f32", 512 * 512, "positive", 402).i(512).i(2).f(0.05f).f(0.3f).f(0.4f).f(0.01f);
  CASE("srad_coefficient", "grids", srad_coefficient, "divisions, neighbours by index").g(1024).b(256).out("coefficient", "f32", 512 * 512).out("gradient", "f32", 4 * 512 * 512).in("image", "f32", 512 * 512, "positive", 403).in("up", "u32", 512, "iota").in("down", "u32", 512, "iota").i(512).i(512).f(0.05f);
  CASE("path_rows", "grids", path_rows, "barriers, a shrinking row").g(463).b(256).out("out", "i32", 100000).in("wall", "u32", 2000000, "range", 404, 10).in("start", "u32", 100000, "range", 405, 10).i(100000).i(20);
  CASE("align_diagonal", "grids", align_diagonal, "half a warp a block, wavefronts").g(64).b(16).out("score", "i32", 1025 * 1025, "range", 406, 100).in("reference", "u32", 1025 * 1025, "range", 407, 20).i(1025).i(10).i(64);
  CASE("layer_forward", "grids", layer_forward, "a tree of sums by powers of two").g(1024).b(16, 16).out("partial", "f32", 1024 * 16).out("hidden", "f32", 17 * 16385).in("input", "f32", 16385, "uniform", 408).in("weight", "f32", 17 * 16385, "uniform", 409).i(16);
  CASE("box_forces", "grids", box_forces, "particles of neighbour boxes").g(64).b(64).out("force", "f32", 4 * 64 * 48).in("position", "f32", 4 * 64 * 48, "uniform", 410).in("charge", "f32", 64 * 48, "uniform", 411).i(4).i(48).f(0.5f);
  CASE("stencil13_planes", "grids", stencil13_planes, "planes in registers").g(8, 16).b(32, 8).out("out", "f32", 256 * 128 * 36).in("in", "f32", 256 * 128 * 36, "uniform", 412).i(256).i(128).i(36).f(0.5f).f(0.05f).f(0.02f);
  CASE("life_words", "grids", life_words, "bitwise full adders").g(2, 256).b(32, 8).out("out", "u32", 64 * 2048).in("in", "u32", 64 * 2048, "raw", 413).i(64).i(2048);
  CASE("convolve_rows", "grids", convolve_rows, "eight results a thread").g(8, 128).b(16, 4).out("out", "f32", 1024 * 512).in("in", "f32", 1024 * 512, "uniform", 414).i(1024).i(512);
  CASE("mri_points", "grids", mri_points, "precise sine and cosine").g(99).b(128).out("real", "f32", 99 * 128).out("imaginary", "f32", 99 * 128).in("px", "f32", 99 * 128, "uniform", 415).in("py", "f32", 99 * 128, "uniform", 416).in("pz", "f32", 99 * 128, "uniform", 417).in("k", "f32", 4 * 96, "uniform", 418).i(96);
  CASE("angle_bins", "grids", angle_bins, "search, shared atomics").g(16).b(128).out("bins", "u32", 32).in("x", "f32", 2048, "uniform", 419).in("y", "f32", 2048, "uniform", 420).in("z", "f32", 2048, "positive", 421).i(2048);
  CASE("particle_find", "grids", particle_find, "search from the front").g(8).b(128).out("px", "f32", 1024).out("py", "f32", 1024).in("ax", "f32", 1024, "uniform", 422).in("ay", "f32", 1024, "uniform", 423).in("table", "f32", 1024, "iota").in("u", "f32", 1024, "uniform", 424).i(1024);
  CASE("euler_flux", "grids", euler_flux, "unstructured neighbours").g(171).b(192).out("flux", "f32", 5 * 32768).in("variables", "f32", 5 * 32768, "positive", 425).in("neighbour", "i32", 4 * 32768, "raw", 426).in("normals", "f32", 12 * 32768, "uniform", 427).i(32768);
  CASE("cutoff_lattice", "grids", cutoff_lattice, "a cutoff within the loop").g(16, 24).b(16, 8).out("lattice", "f32", 256 * 192).in("atoms", "f32", 4 * 256, "uniform", 428).i(256).f(0.0078125f).f(0.5f).f(2.0f);
  CASE("sad_search", "grids", sad_search, "byte differences").g(44, 36).b(256).out("sums", "u32", 44 * 36 * 256).in("now", "u8", 192 * 160 + 64, "raw", 429).in("before", "u8", 192 * 160 + 64, "raw", 430).i(192);
  CASE("denoise_texture", "grids", denoise_texture, "25 texture reads").g(10, 50).b(32, 4).out("out", "f32", 320 * 200).tex("image", 320, 200, "uniform", 431).i(320).i(200).f(3.0f);
}
