// SPDX-License-Identifier: Apache-2.0
// Sixth held-out set, inference: what engines for language and vision models launch besides their large products. See README.md.
#include <cuda_fp16.h>
#include "../harness.cuh"

// One new token: a block a sequence and head, keys and values in pages of sixteen tokens, softmax over all of them.
extern "C" __global__ void __launch_bounds__(128) paged_decode(float* out, const __half* q, const __half* keys, const __half* values, const unsigned* table, const unsigned* lengths, int pages, int heads) {
  __shared__ float score[512], part[4];
  int seq = blockIdx.x, head = blockIdx.y, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  int length = 200 + (int)(lengths[seq] % 300u);
  const __half2* mine = (const __half2*)(q + ((size_t)seq * heads + head) * 64);
  float2 query = __half22float2(mine[lane]);
  for (int t = warp; t < length; t += 4) {
    size_t page = table[seq * 32 + t / 16] % (unsigned)pages;
    float2 k = __half22float2(((const __half2*)(keys + ((page * heads + head) * 16 + t % 16) * 64))[lane]);
    float s = query.x * k.x + query.y * k.y;
    for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
    if (lane == 0) score[t] = s * 0.125f;
  }
  __syncthreads();
  float top = -1e30f;
  for (int t = threadIdx.x; t < length; t += 128) top = fmaxf(top, score[t]);
  for (int o = 16; o; o >>= 1) top = fmaxf(top, __shfl_xor_sync(~0u, top, o));
  if (lane == 0) part[warp] = top;
  __syncthreads();
  top = fmaxf(fmaxf(part[0], part[1]), fmaxf(part[2], part[3]));
  __syncthreads();
  float sum = 0;
  for (int t = threadIdx.x; t < length; t += 128) { float e = __expf(score[t] - top); score[t] = e; sum += e; }
  for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(~0u, sum, o);
  if (lane == 0) part[warp] = sum;
  __syncthreads();
  sum = part[0] + part[1] + part[2] + part[3];
  int d = threadIdx.x & 63, half = threadIdx.x >> 6;
  float acc = 0;
  for (int t = half; t < length; t += 2) {
    size_t page = table[seq * 32 + t / 16] % (unsigned)pages;
    acc += score[t] * __half2float(values[((page * heads + head) * 16 + t % 16) * 64 + d]);
  }
  __syncthreads();
  score[threadIdx.x] = acc;
  __syncthreads();
  if (half == 0) out[((size_t)seq * heads + head) * 64 + d] = (score[d] + score[d + 64]) / sum;
}
// A warp a token: the two best of 64 experts, their weights, and a place in each one's list.
extern "C" __global__ void moe_route(float2* weight, uint2* expert, const float* logits, int tokens) {
  int token = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x & 31;
  if (token >= tokens) return;
  float a = logits[token * 64 + lane], b = logits[token * 64 + 32 + lane];
  float best[2]; int place[2];
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    float v = fmaxf(a, b); int i = a >= b ? lane : lane + 32;
    for (int o = 16; o; o >>= 1) {
      float w = __shfl_xor_sync(~0u, v, o); int j = __shfl_xor_sync(~0u, i, o);
      if (w > v || (w == v && j < i)) { v = w; i = j; }
    }
    best[k] = v; place[k] = i;
    if (i == lane) a = -1e30f;
    if (i == lane + 32) b = -1e30f;
  }
  float e = __expf(best[1] - best[0]);
  if (lane == 0) { weight[token] = make_float2(1 / (1 + e), e / (1 + e)); expert[token] = make_uint2(place[0], place[1]); }
}
// Rotates pairs of a key and writes it to the slot of a cache that a list names.
extern "C" __global__ void rope_to_cache(__half* cache, const __half* key, const float2* turns, const unsigned* slot, int tokens, int heads, int slots) {
  int token = blockIdx.x;
  size_t to = slot[token] % (unsigned)slots;
  for (int i = threadIdx.x; i < heads * 32; i += blockDim.x) {
    int head = i >> 5, pair = i & 31;
    float2 turn = turns[(token % 1024) * 32 + pair];
    float x = __half2float(key[((size_t)token * heads + head) * 64 + pair]), y = __half2float(key[((size_t)token * heads + head) * 64 + pair + 32]);
    cache[(to * heads + head) * 64 + pair] = __float2half(x * turn.x - y * turn.y);
    cache[(to * heads + head) * 64 + pair + 32] = __float2half(x * turn.y + y * turn.x);
  }
}
// A row of four-bit weights times a vector: a warp a row, a scale for each 32 of them.
extern "C" __global__ void __launch_bounds__(256) gemv_int4(float* y, const uint4* weight, const __half* scale, const float* x, int rows, int columns) {
  int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x & 31;
  if (row >= rows) return;
  float sum = 0;
  for (int g = lane; g < columns / 32; g += 32) {
    uint4 packed = weight[(size_t)row * (columns / 32) + g];
    float s = __half2float(scale[(size_t)row * (columns / 32) + g]), part = 0;
    const float4* v = (const float4*)(x + g * 32);
    unsigned word[4] = {packed.x, packed.y, packed.z, packed.w};
#pragma unroll
    for (int w = 0; w < 4; ++w) {
      float4 p = v[w * 2], q = v[w * 2 + 1]; unsigned u = word[w];
      part += p.x * (float)((int)(u & 15) - 8) + p.y * (float)((int)(u >> 4 & 15) - 8) + p.z * (float)((int)(u >> 8 & 15) - 8) + p.w * (float)((int)(u >> 12 & 15) - 8);
      part += q.x * (float)((int)(u >> 16 & 15) - 8) + q.y * (float)((int)(u >> 20 & 15) - 8) + q.z * (float)((int)(u >> 24 & 15) - 8) + q.w * (float)((int)(u >> 28) - 8);
    }
    sum += part * s;
  }
  for (int o = 16; o; o >>= 1) sum += __shfl_down_sync(~0u, sum, o);
  if (lane == 0) y[row] = sum;
}
// Loss of a row in one pass: the greatest and the sum are carried together.
extern "C" __global__ void __launch_bounds__(256) cross_entropy_online(float* loss, const float* logits, const unsigned* label, int classes) {
  __shared__ float2 part[8];
  const float* row = logits + (size_t)blockIdx.x * classes;
  float m = -1e30f, s = 0;
  for (int i = threadIdx.x; i < classes; i += 256) {
    float v = row[i], n = fmaxf(m, v);
    s = s * __expf(m - n) + __expf(v - n); m = n;
  }
  for (int o = 16; o; o >>= 1) {
    float m2 = __shfl_xor_sync(~0u, m, o), s2 = __shfl_xor_sync(~0u, s, o), n = fmaxf(m, m2);
    s = s * __expf(m - n) + s2 * __expf(m2 - n); m = n;
  }
  if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = make_float2(m, s);
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 8; ++w) { float n = fmaxf(m, part[w].x); s = s * __expf(m - n) + part[w].y * __expf(part[w].x - n); m = n; }
    loss[blockIdx.x] = m + __logf(s) - row[label[blockIdx.x] % (unsigned)classes];
  }
}
// Root mean square norm of halves, eight at a time, with the residual added first.
extern "C" __global__ void __launch_bounds__(256) rmsnorm_residual(uint4* out, uint4* residual, const uint4* in, const uint4* gamma, int width8) {
  __shared__ float part[8];
  uint4 keep; float sum = 0; int i = threadIdx.x;
  uint4 a = in[(size_t)blockIdx.x * width8 + i], r = residual[(size_t)blockIdx.x * width8 + i];
  __half2* k = (__half2*)&keep; const __half2 *pa = (const __half2*)&a, *pr = (const __half2*)&r;
#pragma unroll
  for (int j = 0; j < 4; ++j) { k[j] = __hadd2(pa[j], pr[j]); float2 f = __half22float2(k[j]); sum += f.x * f.x + f.y * f.y; }
  residual[(size_t)blockIdx.x * width8 + i] = keep;
  for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(~0u, sum, o);
  if ((i & 31) == 0) part[i >> 5] = sum;
  __syncthreads();
  sum = 0;
#pragma unroll
  for (int w = 0; w < 8; ++w) sum += part[w];
  float scale = rsqrtf(sum / (width8 * 8) + 1e-6f);
  uint4 g = gamma[i]; const __half2* pg = (const __half2*)&g;
#pragma unroll
  for (int j = 0; j < 4; ++j) { float2 f = __half22float2(k[j]), h = __half22float2(pg[j]); k[j] = __floats2half2_rn(f.x * scale * h.x, f.y * scale * h.y); }
  out[(size_t)blockIdx.x * width8 + i] = keep;
}
// Halves by mma.m16n8k16: a tile of 64 by 64, two stages of cp.async, ldmatrix, four warps.
extern "C" __global__ void __launch_bounds__(128) hgemm_64x64(float* c, const __half* a, const __half* b, int m, int n, int k) {
  __shared__ __align__(128) __half sa[2][64][40], sb[2][32][72];
  int bx = blockIdx.x * 64, by = blockIdx.y * 64, t = threadIdx.x, lane = t & 31, warp = t >> 5, wm = (warp >> 1) * 32, wn = (warp & 1) * 32;
  float acc[2][4][4] = {};
  auto load = [&](int stage, int at) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      int e = t + i * 128, r = e >> 2, col = (e & 3) * 8;
      unsigned to = (unsigned)__cvta_generic_to_shared(&sa[stage][r][col]);
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(a + (size_t)(by + r) * k + at + col));
      int rb = e >> 3, cb = (e & 7) * 8;
      to = (unsigned)__cvta_generic_to_shared(&sb[stage][rb][cb]);
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(b + (size_t)(at + rb) * n + bx + cb));
    }
    asm volatile("cp.async.commit_group;");
  };
  load(0, 0);
  for (int at = 0, stage = 0; at < k; at += 32, stage ^= 1) {
    if (at + 32 < k) { load(stage ^ 1, at + 32); asm volatile("cp.async.wait_group 1;"); } else asm volatile("cp.async.wait_group 0;");
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 32; kk += 16) {
      unsigned fa[2][4], fb[2][4];
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        unsigned from = (unsigned)__cvta_generic_to_shared(&sa[stage][wm + i * 16 + (lane & 15)][kk + (lane >> 4) * 8]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(fa[i][0]), "=r"(fa[i][1]), "=r"(fa[i][2]), "=r"(fa[i][3]) : "r"(from));
        from = (unsigned)__cvta_generic_to_shared(&sb[stage][kk + (lane & 15)][wn + i * 16 + (lane >> 4) * 8]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(fb[i][0]), "=r"(fb[i][1]), "=r"(fb[i][2]), "=r"(fb[i][3]) : "r"(from));
      }
#pragma unroll
      for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
          asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                       : "+f"(acc[i][j][0]), "+f"(acc[i][j][1]), "+f"(acc[i][j][2]), "+f"(acc[i][j][3])
                       : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fa[i][2]), "r"(fa[i][3]), "r"(fb[j >> 1][(j & 1) * 2]), "r"(fb[j >> 1][(j & 1) * 2 + 1]));
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      int row = by + wm + i * 16 + (lane >> 2), col = bx + wn + j * 8 + (lane & 3) * 2;
      *(float2*)&c[(size_t)row * n + col] = make_float2(acc[i][j][0], acc[i][j][1]);
      *(float2*)&c[(size_t)(row + 8) * n + col] = make_float2(acc[i][j][2], acc[i][j][3]);
    }
}
// Bytes by dp4a: sixteen by sixteen threads, four by four results each.
extern "C" __global__ void __launch_bounds__(256) gemm_dp4a(int* c, const unsigned* a, const unsigned* b, int n, int k4) {
  __shared__ unsigned sa[64][9], sb[64][9];
  int tx = threadIdx.x & 15, ty = threadIdx.x >> 4, acc[4][4] = {};
  for (int at = 0; at < k4; at += 8) {
    for (int e = threadIdx.x; e < 512; e += 256) {
      sa[e >> 3][e & 7] = a[(size_t)(blockIdx.y * 64 + (e >> 3)) * k4 + at + (e & 7)];
      sb[e >> 3][e & 7] = b[(size_t)(blockIdx.x * 64 + (e >> 3)) * k4 + at + (e & 7)];
    }
    __syncthreads();
#pragma unroll
    for (int q = 0; q < 8; ++q) {
      unsigned x[4], y[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) { x[i] = sa[ty * 4 + i][q]; y[i] = sb[tx + i * 16][q]; }
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) acc[i][j] = __dp4a((int)x[i], (int)y[j], acc[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) c[(size_t)(blockIdx.y * 64 + ty * 4 + i) * n + blockIdx.x * 64 + tx + j * 16] = acc[i][j];
}
// Three by three for each channel, two channels a thread.
extern "C" __global__ void depthwise_half2(__half2* out, const __half2* in, const __half2* filter, int channels2, int width, int height) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, x = blockIdx.y, y = blockIdx.z * blockDim.y + threadIdx.y;
  if (c >= channels2 || y >= height) return;
  __half2 sum = __float2half2_rn(0.0f);
#pragma unroll
  for (int dy = -1; dy <= 1; ++dy)
#pragma unroll
    for (int dx = -1; dx <= 1; ++dx) {
      int px = x + dx, py = y + dy;
      if (px >= 0 && px < width && py >= 0 && py < height)
        sum = __hfma2(in[((size_t)py * width + px) * channels2 + c], filter[((dy + 1) * 3 + dx + 1) * channels2 + c], sum);
    }
  out[((size_t)y * width + x) * channels2 + c] = __hmax2(sum, __float2half2_rn(0.0f));
}
// Adam with decay that stands apart, four parameters a thread.
extern "C" __global__ void adamw_step(float4* p, float4* m, float4* v, const float4* g, int n, float rate, float decay, float c1, float c2) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 pp = p[i], mm = m[i], vv = v[i], gg = g[i];
  float *x = &pp.x, *y = &mm.x, *z = &vv.x; const float* w = &gg.x;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    y[k] = 0.9f * y[k] + 0.1f * w[k]; z[k] = 0.999f * z[k] + 0.001f * w[k] * w[k];
    x[k] -= rate * (y[k] * c1 / (sqrtf(fabsf(z[k]) * c2) + 1e-8f) + decay * x[k]);
  }
  p[i] = pp; m[i] = mm; v[i] = vv;
}
// Sum of the rows that a bag names: a warp a bag, 128 floats a row.
extern "C" __global__ void embedding_bag(float4* out, const float4* rows, const unsigned* id, int bags, int in_bag, unsigned count) {
  int bag = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x & 31;
  if (bag >= bags) return;
  float4 s = make_float4(0, 0, 0, 0);
  for (int k = 0; k < in_bag; ++k) {
    float4 r = __ldg(rows + (size_t)(id[bag * in_bag + k] % count) * 32 + lane);
    s.x += r.x; s.y += r.y; s.z += r.z; s.w += r.w;
  }
  out[bag * 32 + lane] = s;
}
// Masks by ten rounds of Philox, four numbers a counter.
__device__ uint4 philox(unsigned counter, unsigned key) {
  uint4 c = make_uint4(counter, 0, 0x1234567, 0x89abcdef); unsigned k0 = key, k1 = key ^ 0x55555555u;
#pragma unroll
  for (int r = 0; r < 10; ++r) {
    unsigned h0 = __umulhi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x, h1 = __umulhi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;
    c = make_uint4(h1 ^ c.y ^ k0, l1, h0 ^ c.w ^ k1, l0); k0 += 0x9E3779B9u; k1 += 0xBB67AE85u;
  }
  return c;
}
extern "C" __global__ void dropout_philox(float4* out, uchar4* mask, const float4* in, int n, unsigned seed, float keep) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint4 r = philox(i, seed); float4 v = in[i]; float scale = 1.0f / keep; unsigned limit = (unsigned)(keep * 4294967040.0f);
  uchar4 k = make_uchar4(r.x < limit, r.y < limit, r.z < limit, r.w < limit);
  out[i] = make_float4(k.x ? v.x * scale : 0, k.y ? v.y * scale : 0, k.z ? v.z * scale : 0, k.w ? v.w * scale : 0); mask[i] = k;
}
// Gradients of a norm's scale: a block 32 columns, sums over the rows.
extern "C" __global__ void __launch_bounds__(256) norm_gamma_grad(float* dgamma, const float* dy, const float* x, const float* scale, int rows, int width) {
  __shared__ float part[8][33];
  int col = blockIdx.x * 32 + (threadIdx.x & 31), w = threadIdx.x >> 5; float sum = 0;
  for (int r = w; r < rows; r += 8) sum += dy[(size_t)r * width + col] * x[(size_t)r * width + col] * scale[r];
  part[w][threadIdx.x & 31] = sum;
  __syncthreads();
  if (w == 0) { for (int k = 1; k < 8; ++k) sum += part[k][threadIdx.x]; dgamma[col] = sum; }
}
void register_inference() {
  CASE("paged_decode", "inference", paged_decode, "pages of keys and values").g(48, 8).b(128).out("out", "f32", 48 * 8 * 64).in("q", "f16", 48 * 8 * 64, "uniform", 901).in("keys", "f16", 600 * 8 * 16 * 64, "uniform", 902).in("values", "f16", 600 * 8 * 16 * 64, "uniform", 903).in("table", "u32", 48 * 32, "raw", 904).in("lengths", "u32", 48, "raw", 905).i(600).i(8);
  CASE("moe_route", "inference", moe_route, "two best of 64").g(700).b(256).out("weight", "f32", 5600 * 2).out("expert", "u32", 5600 * 2).in("logits", "f32", 5600 * 64, "uniform", 906).i(5590);
  CASE("rope_to_cache", "inference", rope_to_cache, "slots of a list").g(600).b(128).out("cache", "f16", 600 * 8 * 64).in("key", "f16", 600 * 8 * 64, "uniform", 907).in("turns", "f32", 1024 * 32 * 2, "uniform", 908).in("slot", "u32", 600, "perm", 909).i(600).i(8).i(600);
  CASE("gemv_int4", "inference", gemv_int4, "packed weights").g(375).b(256).out("y", "f32", 3000).in("weight", "u32", 3000 * 512, "raw", 910).in("scale", "f16", 3000 * 128, "uniform", 911).in("x", "f32", 4096, "uniform", 912).i(2999).i(4096);
  CASE("cross_entropy_online", "inference", cross_entropy_online, "one pass").g(200).b(256).out("loss", "f32", 200).in("logits", "f32", 200 * 16000, "uniform", 913).in("label", "u32", 200, "raw", 914).i(16000);
  CASE("rmsnorm_residual", "inference", rmsnorm_residual, "halves, eight a thread").g(900).b(256).out("out", "f16", 900 * 2048).out("residual", "f16", 900 * 2048, "uniform", 915).in("in", "f16", 900 * 2048, "uniform", 916).in("gamma", "f16", 2048, "uniform", 917).i(256);
  CASE("hgemm_64x64", "inference", hgemm_64x64, "mma, two stages").g(8, 12).b(128).out("c", "f32", 768 * 512).in("a", "f16", 768 * 480, "uniform", 918).in("b", "f16", 480 * 512, "uniform", 919).i(768).i(512).i(480);
  CASE("gemm_dp4a", "inference", gemm_dp4a, "bytes").g(7, 9).b(256).out("c", "i32", 576 * 448).in("a", "u32", 576 * 96, "raw", 920).in("b", "u32", 448 * 96, "raw", 921).i(448).i(96);
  CASE("depthwise_half2", "inference", depthwise_half2, "channels last").g(1, 56, 14).b(48, 4).out("out", "f16", 56 * 56 * 96).in("in", "f16", 56 * 56 * 96, "uniform", 922).in("filter", "f16", 9 * 96, "uniform", 923).i(48).i(56).i(56);
  CASE("adamw_step", "inference", adamw_step, "four streams").g(1200).b(192).out("p", "f32", 230400 * 4, "uniform", 924).out("m", "f32", 230400 * 4, "uniform", 925).out("v", "f32", 230400 * 4, "positive", 926).in("g", "f32", 230400 * 4, "uniform", 927).i(230399).f(1e-3f).f(0.01f).f(1.2f).f(1.1f);
  CASE("embedding_bag", "inference", embedding_bag, "gathered rows").g(250).b(256).out("out", "f32", 2000 * 128).in("rows", "f32", 30000 * 128, "uniform", 928).in("id", "u32", 2000 * 20, "raw", 929).i(1995).i(20).val(30000u, "u32");
  CASE("dropout_philox", "inference", dropout_philox, "random masks").g(500).b(256).out("out", "f32", 128000 * 4).out("mask", "u8", 128000 * 4).in("in", "f32", 128000 * 4, "uniform", 930).i(127999).val(77u, "u32").f(0.9f);
  CASE("norm_gamma_grad", "inference", norm_gamma_grad, "columns").g(40).b(256).out("dgamma", "f32", 1280).in("dy", "f32", 700 * 1280, "uniform", 931).in("x", "f32", 700 * 1280, "uniform", 932).in("scale", "f32", 700, "positive", 933).i(700).i(1280);
}
