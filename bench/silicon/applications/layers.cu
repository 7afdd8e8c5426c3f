// SPDX-License-Identifier: Apache-2.0
// Fifth held-out set, layers: norms, sparse formats, small factorisations, convolution. See README.md.
#include "../harness.cuh"

// A row in dynamic shared memory: greatest, sum of exponentials, quotients.
extern "C" __global__ void softmax_dynamic(float* out, const float* in, int width) {
  extern __shared__ float row[];
  __shared__ float part[32];
  const float* p = in + (size_t)blockIdx.x * width;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
  float m = -INFINITY;
  for (int i = threadIdx.x; i < width; i += blockDim.x) { float v = p[i]; row[i] = v; m = fmaxf(m, v); }
  for (int o = 16; o > 0; o /= 2) m = fmaxf(m, __shfl_down_sync(0xffffffff, m, o));
  if (lane == 0) part[warp] = m;
  __syncthreads();
  m = part[0];
  for (int w = 1; w < warps; ++w) m = fmaxf(m, part[w]);
  __syncthreads();
  float sum = 0.0f;
  for (int i = threadIdx.x; i < width; i += blockDim.x) { float e = expf(row[i] - m); row[i] = e; sum += e; }
  for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(0xffffffff, sum, o);
  if (lane == 0) part[warp] = sum;
  __syncthreads();
  sum = 0.0f;
  for (int w = 0; w < warps; ++w) sum += part[w];
  for (int i = threadIdx.x; i < width; i += blockDim.x) out[(size_t)blockIdx.x * width + i] = row[i] / sum;
}
// A warp a row of 1,024 floats, all of it in registers; mean, then variance.
extern "C" __global__ void __launch_bounds__(128) layernorm_warp(float4* out, const float4* in, const float4* gamma, const float4* beta, int rows) {
  int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float4 v[8]; float sum = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) { v[i] = in[row * 256 + i * 32 + lane]; sum += v[i].x + v[i].y + v[i].z + v[i].w; }
  for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(~0u, sum, o);
  float mean = sum * (1.0f / 1024), var = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) { float a = v[i].x - mean, b = v[i].y - mean, c = v[i].z - mean, d = v[i].w - mean; var += a * a + b * b + c * c + d * d; }
  for (int o = 16; o; o >>= 1) var += __shfl_xor_sync(~0u, var, o);
  float r = rsqrtf(var * (1.0f / 1024) + 1e-5f);
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    float4 g = gamma[i * 32 + lane], b = beta[i * 32 + lane];
    out[row * 256 + i * 32 + lane] = make_float4((v[i].x - mean) * r * g.x + b.x, (v[i].y - mean) * r * g.y + b.y, (v[i].z - mean) * r * g.z + b.z, (v[i].w - mean) * r * g.w + b.w);
  }
}
// Coordinates: a thread a value, sums of a row's run within the warp by shuffles, one atomic a run (whole numbers).
extern "C" __global__ void spmv_coo(float* y, const unsigned* row, const unsigned* col, const unsigned char* value, const unsigned char* x, int count, unsigned cols) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  int r = i < count ? (int)(row[i] >> 4) : -1;
  float v = i < count ? (float)value[i] * (float)x[col[i] % cols] : 0.0f;
  for (int o = 1; o < 32; o <<= 1) { int above = __shfl_up_sync(~0u, r, o); float add = __shfl_up_sync(~0u, v, o); if (lane >= o && above == r) v += add; }
  int below = __shfl_down_sync(~0u, r, 1);
  if (r >= 0 && (lane == 31 || below != r)) atomicAdd(&y[r], v);
}
// Blocks of four by four in rows: four threads a row of blocks.
extern "C" __global__ void spmv_bsr4(float* y, const float4* value, const unsigned* col, const unsigned* row, const float4* x, int rows, unsigned cols) {
  int id = blockIdx.x * blockDim.x + threadIdx.x, r = id >> 2, part = id & 3;
  if (r >= rows) return;
  float sum = 0.0f;
  for (unsigned j = row[r]; j < row[r + 1]; ++j) { float4 a = value[j * 4 + part], b = __ldg(&x[col[j] % cols]); sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
  y[r * 4 + part] = sum;
}
// A 6 x 6 system a thread with pivots: the matrix is in local memory.
extern "C" __global__ void lu_solve_thread(float* x, const float* a, const float* b, int n) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  float m[6][6], v[6];
  for (int i = 0; i < 6; ++i) { for (int j = 0; j < 6; ++j) m[i][j] = a[(i * 6 + j) * n + id]; v[i] = b[i * n + id]; }
  for (int k = 0; k < 6; ++k) {
    int p = k;
    for (int i = k + 1; i < 6; ++i) if (fabsf(m[i][k]) > fabsf(m[p][k])) p = i;
    if (p != k) { for (int j = k; j < 6; ++j) { float t = m[k][j]; m[k][j] = m[p][j]; m[p][j] = t; } float t = v[k]; v[k] = v[p]; v[p] = t; }
    for (int i = k + 1; i < 6; ++i) { float f = m[i][k] / m[k][k]; for (int j = k + 1; j < 6; ++j) m[i][j] -= f * m[k][j]; v[i] -= f * v[k]; }
  }
  for (int i = 5; i >= 0; --i) { float s = v[i]; for (int j = i + 1; j < 6; ++j) s -= m[i][j] * v[j]; v[i] = s / m[i][i]; x[i * n + id] = v[i]; }
}
// Powers of a 16 x 16 matrix modulo a prime: a block a matrix, by squaring.
extern "C" __global__ void __launch_bounds__(256) matrix_power(unsigned* out, const unsigned* in, const unsigned* exponent, unsigned prime) {
  __shared__ unsigned base[16][16], result[16][16];
  int x = threadIdx.x, y = threadIdx.y;
  base[y][x] = in[(blockIdx.x * 16 + y) * 16 + x] % prime; result[y][x] = x == y;
  __syncthreads();
  for (unsigned e = exponent[blockIdx.x] & 1023; e; e >>= 1) {
    unsigned long long r = 0, b = 0;
    if (e & 1) { for (int k = 0; k < 16; ++k) r = (r + (unsigned long long)result[y][k] * base[k][x]) % prime; }
    for (int k = 0; k < 16; ++k) b += (unsigned long long)base[y][k] * base[k][x] % prime;
    __syncthreads();
    if (e & 1) result[y][x] = (unsigned)r;
    base[y][x] = (unsigned)(b % prime);
    __syncthreads();
  }
  out[(blockIdx.x * 16 + y) * 16 + x] = result[y][x];
}
// Winograd: a tile of four by four of the input makes two by two of the output, a thread a tile, eight channels a turn.
extern "C" __global__ void __launch_bounds__(128) winograd_2x2(float2* out, const float* in, const float* filter, int channels, int width, int tiles_x, int tiles) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= tiles) return;
  const float* p = in + (t / tiles_x) * 2 * width + t % tiles_x * 2; const float* g = filter + blockIdx.y * channels * 16;
  float m[16] = {};
  for (int c = 0; c < channels; ++c, p += width * width, g += 16) {
    float d[4][4], e[4][4];
#pragma unroll
    for (int i = 0; i < 4; ++i) { const float* q = p + i * width; d[i][0] = q[0]; d[i][1] = q[1]; d[i][2] = q[2]; d[i][3] = q[3]; }
#pragma unroll
    for (int j = 0; j < 4; ++j) { e[0][j] = d[0][j] - d[2][j]; e[1][j] = d[1][j] + d[2][j]; e[2][j] = d[2][j] - d[1][j]; e[3][j] = d[1][j] - d[3][j]; }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      m[i * 4] += (e[i][0] - e[i][2]) * __ldg(g + i * 4); m[i * 4 + 1] += (e[i][1] + e[i][2]) * __ldg(g + i * 4 + 1);
      m[i * 4 + 2] += (e[i][2] - e[i][1]) * __ldg(g + i * 4 + 2); m[i * 4 + 3] += (e[i][1] - e[i][3]) * __ldg(g + i * 4 + 3);
    }
  }
  float r[2][4];
#pragma unroll
  for (int j = 0; j < 4; ++j) { r[0][j] = m[j] + m[4 + j] + m[8 + j]; r[1][j] = m[4 + j] - m[8 + j] - m[12 + j]; }
  for (int i = 0; i < 2; ++i) out[(blockIdx.y * 2 + i) * tiles + t] = make_float2(r[i][0] + r[i][1] + r[i][2], r[i][1] - r[i][2] - r[i][3]);
}
void register_layers() {
  CASE("softmax_dynamic", "layers", softmax_dynamic, "row in shared memory").g(180).b(320).dyn(5003 * 4).out("out", "f32", 180 * 5003).in("in", "f32", 180 * 5003, "uniform", 823).i(5003);
  CASE("layernorm_warp", "layers", layernorm_warp, "row in registers").g(300).b(128).out("out", "f32", 1200 * 1024).in("in", "f32", 1200 * 1024, "uniform", 824).in("gamma", "f32", 1024, "uniform", 825).in("beta", "f32", 1024, "uniform", 826).i(1198);
  CASE("spmv_coo", "layers", spmv_coo, "runs, atomics").g(800).b(192).out("y", "f32", 50000).in("row", "u32", 153600, "csr_rows", 827, 5).in("col", "u32", 153600, "raw", 828).in("value", "u8", 153600, "range", 829, 9).in("x", "u8", 40000, "range", 830, 11).i(153500).i(40000);
  CASE("spmv_bsr4", "layers", spmv_bsr4, "blocks of 4 x 4").g(300).b(128).out("y", "f32", 9600 * 4).in("value", "f32", 9600 * 13 * 16, "uniform", 831).in("col", "u32", 9600 * 13, "raw", 832).in("row", "u32", 9601, "csr_rows", 833, 6).in("x", "f32", 8000 * 4, "uniform", 834).i(9590).i(8000);
  CASE("lu_solve_thread", "layers", lu_solve_thread, "local memory, pivots").g(160).b(96).out("x", "f32", 15360 * 6).in("a", "f32", 15360 * 36, "uniform", 835).in("b", "f32", 15360 * 6, "uniform", 836).i(15300);
  CASE("matrix_power", "layers", matrix_power, "64-bit remainders").g(100).b(16, 16).out("out", "u32", 25600).in("in", "u32", 25600, "raw", 837).in("exponent", "u32", 100, "raw", 838).i(1000003);
  CASE("winograd_2x2", "layers", winograd_2x2, "transformed tiles").g(25, 12).b(128).out("out", "f32", 12 * 4 * 3136).in("in", "f32", 24 * 114 * 114, "uniform", 839).in("filter", "f32", 12 * 24 * 16, "uniform", 840).i(24).i(114).i(56).i(3136);
}
