// SPDX-License-Identifier: Apache-2.0
// Sixth held-out set, science: stencils, transforms, particles, small systems, chance. See README.md.
#include "../harness.cuh"

// Twenty-seven points, planes of a tile kept in shared memory while z advances.
extern "C" __global__ void __launch_bounds__(256) stencil27_march(float* out, const float* in, int nx, int ny, int nz) {
  __shared__ float plane[3][10][34];
  int tx = threadIdx.x & 31, ty = threadIdx.x >> 5, x = blockIdx.x * 32 + tx, y = blockIdx.y * 8 + ty;
  auto fetch = [&](int slot, int z) {
    for (int e = threadIdx.x; e < 340; e += 256) {
      int px = min(max((int)blockIdx.x * 32 + e % 34 - 1, 0), nx - 1), py = min(max((int)blockIdx.y * 8 + e / 34 - 1, 0), ny - 1);
      plane[slot][e / 34][e % 34] = in[((size_t)z * ny + py) * nx + px];
    }
  };
  fetch(0, 0); fetch(1, 1);
  for (int z = 1; z + 1 < nz; ++z) {
    fetch((z + 1) % 3, z + 1);
    __syncthreads();
    float face = 0, edge = 0, all = 0;
#pragma unroll
    for (int dz = 0; dz < 3; ++dz)
#pragma unroll
      for (int dy = 0; dy < 3; ++dy)
#pragma unroll
        for (int dx = 0; dx < 3; ++dx) {
          float v = plane[(z - 1 + dz) % 3][ty + dy][tx + dx];
          int far = (dz != 1) + (dy != 1) + (dx != 1);
          if (far == 1) face += v; else if (far == 2) edge += v; else all += v;
        }
    if (x < nx && y < ny) out[((size_t)z * ny + y) * nx + x] = 0.1f * face + 0.02f * edge + 0.01f * all;
    __syncthreads();
  }
}
// 512 complex points a block of 64 threads: three passes of radix eight through shared memory.
__device__ void butterfly8(float2* v) {
  auto pair = [](float2& a, float2& b) { float2 t = a; a = make_float2(t.x + b.x, t.y + b.y); b = make_float2(t.x - b.x, t.y - b.y); };
  const float h = 0.70710678f;
#pragma unroll
  for (int i = 0; i < 4; ++i) pair(v[i], v[i + 4]);
  v[5] = make_float2((v[5].x + v[5].y) * h, (v[5].y - v[5].x) * h); v[6] = make_float2(v[6].y, -v[6].x); v[7] = make_float2((v[7].y - v[7].x) * h, -(v[7].x + v[7].y) * h);
#pragma unroll
  for (int g = 0; g < 8; g += 4) { pair(v[g], v[g + 2]); pair(v[g + 1], v[g + 3]); v[g + 3] = make_float2(v[g + 3].y, -v[g + 3].x); pair(v[g], v[g + 1]); pair(v[g + 2], v[g + 3]); }
}
extern "C" __global__ void __launch_bounds__(64) fft512(float2* out, const float2* in) {
  __shared__ float re[8 * 66], im[8 * 66];
  float2 v[8]; int t = threadIdx.x; const int order[8] = {0, 4, 2, 6, 1, 5, 3, 7};
#pragma unroll
  for (int i = 0; i < 8; ++i) v[i] = in[blockIdx.x * 512 + i * 64 + t];
  butterfly8(v);
#pragma unroll
  for (int i = 1; i < 8; ++i) { float s, c; __sincosf(-6.2831853f * order[i] * t / 512, &s, &c); v[i] = make_float2(v[i].x * c - v[i].y * s, v[i].x * s + v[i].y * c); }
#pragma unroll
  for (int i = 0; i < 8; ++i) { re[order[i] * 66 + t] = v[i].x; im[order[i] * 66 + t] = v[i].y; }
  __syncthreads();
  int lo = t & 7, hi = t >> 3;
#pragma unroll
  for (int i = 0; i < 8; ++i) v[i] = make_float2(re[hi * 66 + i * 8 + lo], im[hi * 66 + i * 8 + lo]);
  butterfly8(v);
#pragma unroll
  for (int i = 1; i < 8; ++i) { float s, c; __sincosf(-6.2831853f * order[i] * lo / 64, &s, &c); v[i] = make_float2(v[i].x * c - v[i].y * s, v[i].x * s + v[i].y * c); }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 8; ++i) { re[hi * 66 + order[i] * 8 + lo] = v[i].x; im[hi * 66 + order[i] * 8 + lo] = v[i].y; }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 8; ++i) v[i] = make_float2(re[hi * 66 + lo * 8 + i], im[hi * 66 + lo * 8 + i]);
  butterfly8(v);
#pragma unroll
  for (int i = 0; i < 8; ++i) out[blockIdx.x * 512 + order[i] * 64 + lo * 8 + hi] = v[i];
}
// Particles in cells of a box: a block a cell, the 27 around it, positions staged in shared memory.
extern "C" __global__ void __launch_bounds__(64) cells_lennard_jones(float4* force, const float4* position, int side) {
  __shared__ float4 other[64];
  int cell = blockIdx.x, cx = cell % side, cy = cell / side % side, cz = cell / side / side;
  float4 p = position[cell * 64 + threadIdx.x]; float fx = 0, fy = 0, fz = 0, e = 0;
  for (int k = 0; k < 27; ++k) {
    int nx = (cx + k % 3 + side - 1) % side, ny = (cy + k / 3 % 3 + side - 1) % side, nz = (cz + k / 9 + side - 1) % side;
    __syncthreads();
    other[threadIdx.x] = position[((nz * side + ny) * side + nx) * 64 + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 64; ++j) {
      float dx = p.x - other[j].x, dy = p.y - other[j].y, dz = p.z - other[j].z, r2 = dx * dx + dy * dy + dz * dz + 0.01f;
      if (r2 < 1.0f) {
        float i2 = 1.0f / r2, i6 = i2 * i2 * i2, f = i2 * i6 * (48 * i6 - 24);
        fx += f * dx; fy += f * dy; fz += f * dz; e += 4 * i6 * (i6 - 1);
      }
    }
  }
  force[cell * 64 + threadIdx.x] = make_float4(fx, fy, fz, e);
}
// Thomas' algorithm in doubles, a system a thread, systems side by side.
extern "C" __global__ void thomas_f64(double* x, const double* a, const double* b, const double* c, const double* d, double* work, int systems, int n) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= systems) return;
  double cp = 0, dp = 0;
  for (int i = 0; i < n; ++i) {
    size_t at = (size_t)i * systems + s; double m = 1.0 / (b[at] + 4.0 - a[at] * cp);
    dp = (d[at] - a[at] * dp) * m; cp = c[at] * m; work[at] = cp; x[at] = dp;
  }
  for (int i = n - 2; i >= 0; --i) { size_t at = (size_t)i * systems + s; dp = x[at] - work[at] * dp; x[at] = dp; }
}
// Five sweeps of Jacobi in a tile with a margin of five.
extern "C" __global__ void __launch_bounds__(256) jacobi_five(float* out, const float* in, int width) {
  __shared__ float tile[2][42][43];
  for (int e = threadIdx.x; e < 42 * 42; e += 256) {
    int x = min(max((int)blockIdx.x * 32 + e % 42 - 5, 0), width - 1), y = min(max((int)blockIdx.y * 32 + e / 42 - 5, 0), width - 1);
    tile[0][e / 42][e % 42] = in[y * width + x];
  }
  __syncthreads();
  for (int s = 0; s < 5; ++s) {
    for (int e = threadIdx.x; e < 40 * 40; e += 256) {
      int x = e % 40 + 1, y = e / 40 + 1;
      if (x > s && x < 41 - s && y > s && y < 41 - s) tile[1 - (s & 1)][y][x] = 0.25f * (tile[s & 1][y - 1][x] + tile[s & 1][y + 1][x] + tile[s & 1][y][x - 1] + tile[s & 1][y][x + 1]);
    }
    __syncthreads();
  }
  for (int e = threadIdx.x; e < 1024; e += 256) {
    int x = blockIdx.x * 32 + e % 32, y = blockIdx.y * 32 + e / 32;
    if (x < width && y < width) out[y * width + x] = tile[1][e / 32 + 5][e % 32 + 5];
  }
}
// ELLPACK: columns of the matrix side by side.
extern "C" __global__ void spmv_ell(float* y, const float* value, const unsigned* col, const float* x, int rows, int wide, unsigned columns) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float s = 0;
  for (int k = 0; k < wide; ++k) s += value[(size_t)k * rows + r] * x[col[(size_t)k * rows + r] % columns];
  y[r] = s;
}
// Householder's QR of eight by eight, eight lanes a matrix, a column a lane.
extern "C" __global__ void qr_eight(float* out, const float* in, int matrices) {
  int id = blockIdx.x * blockDim.x + threadIdx.x, m = id >> 3, c = id & 7; float a[8];
  bool live = m < matrices;
#pragma unroll
  for (int r = 0; r < 8; ++r) a[r] = live ? in[(size_t)m * 64 + r * 8 + c] : 0.0f;
#pragma unroll
  for (int k = 0; k < 7; ++k) {
    float v[8], norm = 0, dot = 0, vv = 0;
#pragma unroll
    for (int r = 0; r < 8; ++r) { v[r] = __shfl_sync(~0u, a[r], k, 8); if (r >= k) norm += v[r] * v[r]; }
    norm = sqrtf(norm + 1e-12f); v[k] += v[k] >= 0 ? norm : -norm;
#pragma unroll
    for (int r = k; r < 8; ++r) { vv += v[r] * v[r]; dot += v[r] * a[r]; }
    float f = 2 * dot / vv;
#pragma unroll
    for (int r = k; r < 8; ++r) if (c >= k) a[r] -= f * v[r];
  }
#pragma unroll
  for (int r = 0; r < 8; ++r) if (live) out[(size_t)m * 64 + r * 8 + c] = a[r];
}
// Local alignment with affine gaps: a warp a pair, 32 columns a turn, the wave goes through shuffles.
extern "C" __global__ void align_affine(int* best, const unsigned char* first, const unsigned char* second, int pairs, int length) {
  int pair = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x & 31;
  if (pair >= pairs) return;
  const unsigned char* s = first + (size_t)pair * length; const unsigned char* t = second + (size_t)pair * 32;
  unsigned char mine = t[lane] & 3; int h = 0, e = 0, f = 0, diagonal = 0, top = 0;
  for (int step = 0; step < length + 31; ++step) {
    int i = step - lane; int left = __shfl_up_sync(~0u, h, 1), lefte = __shfl_up_sync(~0u, e, 1);
    if (lane == 0) { left = 0; lefte = 0; }
    if (i >= 0 && i < length) {
      int match = (s[i] & 3) == mine ? 3 : -2;
      e = max(lefte - 1, left - 4); f = max(f - 1, h - 4);
      int now = max(max(0, diagonal + match), max(e, f));
      diagonal = left; h = now; top = max(top, now);
    }
  }
  for (int o = 16; o; o >>= 1) top = max(top, __shfl_xor_sync(~0u, top, o));
  if (lane == 0) best[pair] = top;
}
// Asian options: xorshift, Box and Muller, paths of 64 steps.
extern "C" __global__ void asian_paths(float* payoff, int paths, float start, float strike, float drift, float vol) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= paths) return;
  unsigned x = 123456789u ^ (id * 2654435761u), y = 362436069u + id; float s = start, sum = 0;
  for (int k = 0; k < 32; ++k) {
    unsigned t = x ^ (x << 11); x = y; y = y ^ (y >> 19) ^ t ^ (t >> 8);
    float u = (y >> 8) * 0x1p-24f + 1e-7f; t = x ^ (x << 11); x = y; y = y ^ (y >> 19) ^ t ^ (t >> 8);
    float r = sqrtf(-2 * __logf(u)), si, co; __sincosf(6.2831853f * ((y >> 8) * 0x1p-24f), &si, &co);
    s *= __expf(drift + vol * r * si); sum += s; s *= __expf(drift + vol * r * co); sum += s;
  }
  payoff[id] = fmaxf(sum / 64 - strike, 0.0f);
}
// Riemann problems by HLL at every face, states as a structure of arrays.
extern "C" __global__ void euler_hll(float* out, const float* density, const float* speed, const float* pressure, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n - 1) return;
  float rl = density[i], rr = density[i + 1], ul = speed[i], ur = speed[i + 1], pl = pressure[i], pr = pressure[i + 1];
  float cl = sqrtf(1.4f * pl / rl), cr = sqrtf(1.4f * pr / rr), sl = fminf(ul - cl, ur - cr), sr = fmaxf(ul + cl, ur + cr);
  float el = pl / 0.4f + 0.5f * rl * ul * ul, er = pr / 0.4f + 0.5f * rr * ur * ur;
  float f0, f1, f2;
  if (sl >= 0) { f0 = rl * ul; f1 = rl * ul * ul + pl; f2 = ul * (el + pl); }
  else if (sr <= 0) { f0 = rr * ur; f1 = rr * ur * ur + pr; f2 = ur * (er + pr); }
  else {
    float d = 1.0f / (sr - sl);
    f0 = (sr * rl * ul - sl * rr * ur + sl * sr * (rr - rl)) * d;
    f1 = (sr * (rl * ul * ul + pl) - sl * (rr * ur * ur + pr) + sl * sr * (rr * ur - rl * ul)) * d;
    f2 = (sr * ul * (el + pl) - sl * ur * (er + pr) + sl * sr * (er - el)) * d;
  }
  out[i] = f0; out[n + i] = f1; out[2 * n + i] = f2;
}
// Nearest of 4,096 points in a k-d tree, its stack in local memory.
extern "C" __global__ void tree_nearest(unsigned* nearest, const float2* tree, const float2* query, int queries) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= queries) return;
  float2 q = query[id]; unsigned stack[16], best = 0; int depth = 0; float least = 1e30f; stack[depth++] = 1;
  while (depth) {
    unsigned node = stack[--depth];
    float2 p = tree[node]; float dx = p.x - q.x, dy = p.y - q.y, d = dx * dx + dy * dy;
    if (d < least) { least = d; best = node; }
    if (node >= 2048) continue;
    int level = 31 - __clz(node); float split = level & 1 ? q.y - p.y : q.x - p.x;
    unsigned close = node * 2 + (split > 0), away = node * 2 + (split <= 0);
    if (split * split < least && (node & 3)) stack[depth++] = away;
    stack[depth++] = close;
  }
  nearest[id] = best;
}
void register_science() {
  CASE("stencil27_march", "science", stencil27_march, "planes in shared memory").g(4, 14).b(256).out("out", "f32", 120 * 110 * 40).in("in", "f32", 120 * 110 * 40, "uniform", 941).i(120).i(110).i(40);
  CASE("fft512", "science", fft512, "radix eight").g(900).b(64).out("out", "f32", 900 * 1024).in("in", "f32", 900 * 1024, "uniform", 942);
  CASE("cells_lennard_jones", "science", cells_lennard_jones, "27 cells").g(343).b(64).out("force", "f32", 343 * 64 * 4).in("position", "f32", 343 * 64 * 4, "uniform", 943).i(7);
  CASE("thomas_f64", "science", thomas_f64, "systems side by side").g(100).b(96).out("x", "f64", 9600 * 64).in("a", "f64", 9600 * 64, "uniform", 944).in("b", "f64", 9600 * 64, "positive", 945).in("c", "f64", 9600 * 64, "uniform", 946).in("d", "f64", 9600 * 64, "uniform", 947).in("work", "f64", 9600 * 64, "zero").i(9600).i(64);
  CASE("jacobi_five", "science", jacobi_five, "five sweeps a tile").g(20, 20).b(256).out("out", "f32", 630 * 630).in("in", "f32", 630 * 630, "uniform", 948).i(630);
  CASE("spmv_ell", "science", spmv_ell, "columns side by side").g(300).b(160).out("y", "f32", 48000).in("value", "f32", 48000 * 21, "uniform", 949).in("col", "u32", 48000 * 21, "raw", 950).in("x", "f32", 60000, "uniform", 951).i(47990).i(21).val(60000u, "u32");
  CASE("qr_eight", "science", qr_eight, "a column a lane").g(320).b(128).out("out", "f32", 5120 * 64).in("in", "f32", 5120 * 64, "uniform", 952).i(5115);
  CASE("align_affine", "science", align_affine, "wave through shuffles").g(200).b(128).out("best", "i32", 800).in("first", "u8", 800 * 400, "raw", 953).in("second", "u8", 800 * 32, "raw", 954).i(799).i(400);
  CASE("asian_paths", "science", asian_paths, "random paths").g(300).b(192).out("payoff", "f32", 57600).i(57500).f(100.0f).f(98.0f).f(0.0004f).f(0.02f);
  CASE("euler_hll", "science", euler_hll, "branches at faces").g(1500).b(256).out("out", "f32", 3 * 384000).in("density", "f32", 384000, "positive", 955).in("speed", "f32", 384000, "uniform", 956).in("pressure", "f32", 384000, "positive", 957).i(384000);
  CASE("tree_nearest", "science", tree_nearest, "stack in local memory").g(200).b(128).out("nearest", "u32", 25600).in("tree", "f32", 4096 * 2, "uniform", 958).in("query", "f32", 25600 * 2, "uniform", 959).i(25590);
}
