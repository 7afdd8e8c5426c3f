// SPDX-License-Identifier: Apache-2.0
// What inference engines for language models launch beside products: quantised matrix-vector products, norms, rotations, softmax, routing,
// paged attention for single tokens, merging of parts, sorts, rows by index.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

namespace {

struct Block4 {  // 32 weights of four bits: low nibbles first, then high ones
  __half d;
  uint8_t q[16];
};
struct Block8 {
  __half d;
  int8_t q[32];
};
struct Block8Sum {  // of the vector: scale and sum of the 32 values
  __half2 ds;
  int8_t q[32];
};

__device__ int word_at(const void* p, int i) {  // the blocks are two bytes aligned only
  const auto* h = static_cast<const uint16_t*>(p) + 2 * i;
  return h[0] | h[1] << 16;
}

__device__ float warp_sum(float v) {
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
  return v;
}
__device__ float warp_max(float v) {
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) v = fmaxf(v, __shfl_xor_sync(~0u, v, o));
  return v;
}
template <class Op>
__device__ float block_reduce(float v, float none, float* parts, Op op) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  __syncthreads();
  if (lane == 0) parts[warp] = v;
  __syncthreads();
  return op(lane < int(blockDim.x) / 32 ? parts[lane] : none);
}

}  // namespace

// The activations become blocks of bytes with a scale and a sum.
extern "C" __global__ void quantise_q8(const float* __restrict__ x, Block8Sum* __restrict__ y, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float v = x[i], top = warp_max(fabsf(v)), sum = warp_sum(v), d = top / 127.0f;
  y[i / 32].q[i % 32] = top == 0.0f ? 0 : int8_t(roundf(v / d));
  if (i % 32 == 0) y[i / 32].ds = __floats2half2_rn(d, sum);
}

// One row a warp of a block of four; dp4a on nibbles, the offset of 8 taken from the block's sum.
extern "C" __global__ void __launch_bounds__(128) matvec_q4(const Block4* __restrict__ w, const Block8Sum* __restrict__ x, float* __restrict__ y, int cols, int rows) {
  __shared__ float parts[4];
  const int row = blockIdx.x, blocks = cols / 32, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float acc = 0;
  for (int i = threadIdx.x / 2; i < blocks; i += 64) {
    const int half = threadIdx.x % 2 * 2;
    const Block4& b = w[size_t(row) * blocks + i];
    int dot = 0;
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const int word = word_at(b.q, half + j);
      const int* v = reinterpret_cast<const int*>(x[i].q);
      dot = __dp4a(word & 0x0F0F0F0F, v[half + j], dot);
      dot = __dp4a((word >> 4) & 0x0F0F0F0F, v[half + j + 4], dot);
    }
    const float2 ds = __half22float2(x[i].ds);
    acc += __half2float(b.d) * (float(dot) * ds.x - 4.0f * ds.y);
  }
  acc = warp_sum(acc);
  if (lane == 0) parts[warp] = acc;
  __syncthreads();
  if (threadIdx.x == 0) y[row] = parts[0] + parts[1] + parts[2] + parts[3];
}

extern "C" __global__ void __launch_bounds__(64) matvec_q8(const Block8* __restrict__ w, const Block8Sum* __restrict__ x, float* __restrict__ y, int cols, int rows) {
  const int row = blockIdx.x * 2 + threadIdx.x / 32, blocks = cols / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float acc = 0;
  for (int i = lane / 4; i < blocks; i += 8) {
    const Block8& b = w[size_t(row) * blocks + i];
    const int* v = reinterpret_cast<const int*>(x[i].q);
    int dot = __dp4a(word_at(b.q, lane % 4 * 2), v[lane % 4 * 2], 0);
    dot = __dp4a(word_at(b.q, lane % 4 * 2 + 1), v[lane % 4 * 2 + 1], dot);
    acc += __half2float(b.d) * __low2float(x[i].ds) * float(dot);
  }
  acc = warp_sum(acc);
  if (lane == 0) y[row] = acc;
}

extern "C" __global__ void __launch_bounds__(256) matvec_f16(const __half2* __restrict__ w, const float2* __restrict__ x, float* __restrict__ y, int pairs) {
  __shared__ float parts[8];
  const __half2* row = w + size_t(blockIdx.x) * pairs;
  float acc = 0;
  for (int i = threadIdx.x; i < pairs; i += 256) {
    const float2 a = __half22float2(row[i]), b = x[i];
    acc += a.x * b.x + a.y * b.y;
  }
  acc = warp_sum(acc);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = acc;
  __syncthreads();
  if (threadIdx.x < 32) {
    acc = warp_sum(threadIdx.x < 8 ? parts[threadIdx.x] : 0.0f);
    if (threadIdx.x == 0) y[blockIdx.x] = acc;
  }
}

// Rows of blocks of bytes by index, as floats.
extern "C" __global__ void rows_q8(const Block8* __restrict__ table, const int* __restrict__ ids, float2* __restrict__ y, int cols) {
  const int pair = blockIdx.y * blockDim.x + threadIdx.x;
  if (pair * 2 >= cols) return;
  const Block8& b = table[size_t(ids[blockIdx.x]) * (cols / 32) + pair / 16];
  const float d = __half2float(b.d);
  y[size_t(blockIdx.x) * (cols / 2) + pair] = make_float2(d * float(b.q[pair % 16 * 2]), d * float(b.q[pair % 16 * 2 + 1]));
}

extern "C" __global__ void __launch_bounds__(512) rms_norm_mul(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ y, int cols, float eps) {
  __shared__ float parts[32];
  x += size_t(blockIdx.x) * cols;
  y += size_t(blockIdx.x) * cols;
  float s = 0;
  for (int i = threadIdx.x; i < cols; i += 512) s += x[i] * x[i];
  s = block_reduce(warp_sum(s), 0.0f, parts, warp_sum);
  const float r = rsqrtf(s / cols + eps);
  for (int i = threadIdx.x; i < cols; i += 512) y[i] = x[i] * r * w[i];
}

// Vectors of eight halves, the residual added and kept, one block a row.
extern "C" __global__ void __launch_bounds__(256) fused_add_rms_norm(__nv_bfloat16* __restrict__ x, __nv_bfloat16* __restrict__ residual, const __nv_bfloat16* __restrict__ w,
                                                                     int cols, float eps) {
  extern __shared__ float kept[];
  __shared__ float parts[32];
  const size_t base = size_t(blockIdx.x) * cols;
  float s = 0;
  for (int i = threadIdx.x * 8; i < cols; i += 256 * 8) {
    uint4 a = *reinterpret_cast<const uint4*>(x + base + i), b = *reinterpret_cast<const uint4*>(residual + base + i);
    auto *u = reinterpret_cast<__nv_bfloat162*>(&a), *v = reinterpret_cast<__nv_bfloat162*>(&b);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const float2 p = __bfloat1622float2(u[j]), q = __bfloat1622float2(v[j]);
      const float2 sum = make_float2(p.x + q.x, p.y + q.y);
      v[j] = __float22bfloat162_rn(sum);
      kept[i + 2 * j] = sum.x;
      kept[i + 2 * j + 1] = sum.y;
      s += sum.x * sum.x + sum.y * sum.y;
    }
    *reinterpret_cast<uint4*>(residual + base + i) = b;
  }
  s = block_reduce(warp_sum(s), 0.0f, parts, warp_sum);
  const float r = rsqrtf(s / cols + eps);
  for (int i = threadIdx.x * 8; i < cols; i += 256 * 8) {
    uint4 out, gain = *reinterpret_cast<const uint4*>(w + i);
    auto *o = reinterpret_cast<__nv_bfloat162*>(&out), *g = reinterpret_cast<__nv_bfloat162*>(&gain);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const float2 k = __bfloat1622float2(g[j]);
      o[j] = __floats2bfloat162_rn(kept[i + 2 * j] * r * k.x, kept[i + 2 * j + 1] * r * k.y);
    }
    *reinterpret_cast<uint4*>(x + base + i) = out;
  }
}

// Rotation of the first half against the second, angles by powers, as engines without tables have it.
extern "C" __global__ void rope_powers(const float* __restrict__ x, float* __restrict__ y, const int* __restrict__ positions, int width, int heads, float base_log2, float scale) {
  const int i = blockIdx.y * blockDim.x + threadIdx.x, half = width / 2;
  if (i >= half) return;
  const size_t row = size_t(blockIdx.x) * width;
  const float angle = float(positions[blockIdx.x / heads]) * scale * powf(2.0f, -base_log2 * float(2 * i) / float(width));
  const float c = cosf(angle), s = sinf(angle), a = x[row + i], b = x[row + half + i];
  y[row + i] = a * c - b * s;
  y[row + half + i] = a * s + b * c;
}

// Softmax with a mask of halves and a slope a head, values kept in shared memory between the passes.
extern "C" __global__ void __launch_bounds__(256) softmax_masked(const float* __restrict__ x, const __half* __restrict__ mask, float* __restrict__ y, int cols, int rows, float scale,
                                                                 float m0) {
  extern __shared__ float kept[];
  __shared__ float parts[32];
  const int row = blockIdx.x, head = row / rows;
  const float slope = powf(m0, float(head + 1));
  float top = -INFINITY;
  for (int i = threadIdx.x; i < cols; i += 256) {
    const float v = x[size_t(row) * cols + i] * scale + slope * __half2float(mask[size_t(row % rows) * cols + i]);
    kept[i] = v;
    top = fmaxf(top, v);
  }
  top = block_reduce(warp_max(top), -INFINITY, parts, warp_max);
  float s = 0;
  for (int i = threadIdx.x; i < cols; i += 256) {
    const float e = expf(kept[i] - top);
    kept[i] = e;
    s += e;
  }
  s = block_reduce(warp_sum(s), 0.0f, parts, warp_sum);
  for (int i = threadIdx.x; i < cols; i += 256) y[size_t(row) * cols + i] = kept[i] / s;
}

// One warp a token: softmax over experts in registers, the best ones by exchange, renormalised.
extern "C" __global__ void __launch_bounds__(128) route_warps(const float* __restrict__ logits, float* __restrict__ weights, int* __restrict__ ids, int tokens, int top) {
  constexpr int kPer = 4;  // 128 experts
  const int token = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (token >= tokens) return;
  float p[kPer], best = -INFINITY, s = 0;
#pragma unroll
  for (int i = 0; i < kPer; ++i) best = fmaxf(best, p[i] = logits[size_t(token) * 128 + i * 32 + lane]);
  best = warp_max(best);
#pragma unroll
  for (int i = 0; i < kPer; ++i) s += p[i] = expf(p[i] - best);
  s = warp_sum(s);
#pragma unroll
  for (int i = 0; i < kPer; ++i) p[i] /= s;
  float total = 0, mine = 0;
  int id = 0;
  for (int k = 0; k < top; ++k) {
    float v = p[0];
    int e = lane;
#pragma unroll
    for (int i = 1; i < kPer; ++i)
      if (p[i] > v) v = p[i], e = i * 32 + lane;
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) {
      const float v2 = __shfl_xor_sync(~0u, v, o);
      const int e2 = __shfl_xor_sync(~0u, e, o);
      if (v2 > v || (v2 == v && e2 < e)) v = v2, e = e2;
    }
    total += v;
    if (lane == k) mine = v, id = e;
#pragma unroll
    for (int i = 0; i < kPer; ++i)
      if (e == i * 32 + lane) p[i] = -1.0f;
  }
  if (lane < top) {
    weights[token * top + lane] = mine / total;
    ids[token * top + lane] = id;
  }
}

// Places of a row in order: a bitonic network over a padded power of two in shared memory.
extern "C" __global__ void argsort_rows(const float* __restrict__ x, int* __restrict__ y, int cols, int padded) {
  extern __shared__ int order[];
  const float* row = x + size_t(blockIdx.x) * cols;
  for (int i = threadIdx.x; i < padded; i += blockDim.x) order[i] = i;
  __syncthreads();
  for (int k = 2; k <= padded; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      for (int i = threadIdx.x; i < padded; i += blockDim.x) {
        const int other = i ^ j;
        if (other > i) {
          const int a = order[i], b = order[other];
          const bool up = (i & k) == 0, wrong = up ? a >= cols || (b < cols && row[a] > row[b]) : b >= cols || (a < cols && row[a] < row[b]);
          if (wrong) order[i] = b, order[other] = a;
        }
      }
      __syncthreads();
    }
  for (int i = threadIdx.x; i < cols; i += blockDim.x) y[size_t(blockIdx.x) * cols + i] = order[i];
}

// Columns of a convolution as halves.
extern "C" __global__ void image_columns(const float* __restrict__ x, __half* __restrict__ y, int height, int width, int out_width, int outputs, int taps, int stride, int padding, int channels) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, c = blockIdx.y;
  if (i >= outputs * taps * taps) return;
  const int tap = i % (taps * taps), at = i / (taps * taps), r = at / out_width * stride + tap / taps - padding, q = at % out_width * stride + tap % taps - padding;
  const bool inside = r >= 0 && r < height && q >= 0 && q < width;
  y[(size_t(at) * channels + c) * taps * taps + tap] = inside ? __float2half(x[(size_t(c) * height + r) * width + q]) : __half(0.0f);
}

// One token against the pages of its keys and values, the table of pages by sequence; a warp a few keys, states merged at the end.
struct Pages {  // passed by value: pointers inside of a structure
  const __half *keys, *values;
  const int *table, *first, *lengths;
  int page, heads, width;
};
extern "C" __global__ void __launch_bounds__(128) decode_pages(const __grid_constant__ Pages p, const __half* __restrict__ q, __half* __restrict__ o, float* __restrict__ lse, int group,
                                                               float scale) {
  __shared__ float states[4][2], sums[4][128];
  const int seq = blockIdx.x, head = blockIdx.y, warp = threadIdx.x / 32, lane = threadIdx.x % 32, length = p.lengths[seq], key_head = head / group;
  float x[4], acc[4] = {}, top = -INFINITY, norm = 0;
  const uint2 raw = *reinterpret_cast<const uint2*>(q + (size_t(seq) * gridDim.y + head) * 128 + lane * 4);
  const float2 x0 = __half22float2(*reinterpret_cast<const __half2*>(&raw.x)), x1 = __half22float2(*reinterpret_cast<const __half2*>(&raw.y));
  x[0] = x0.x * scale, x[1] = x0.y * scale, x[2] = x1.x * scale, x[3] = x1.y * scale;
  for (int t = warp; t < length; t += 4) {
    const int page = p.table[p.first[seq] + t / p.page];
    const size_t at = ((size_t(page) * p.page + t % p.page) * p.heads + key_head) * 128 + lane * 4;
    const uint2 kr = *reinterpret_cast<const uint2*>(p.keys + at), vr = *reinterpret_cast<const uint2*>(p.values + at);
    const float2 k0 = __half22float2(*reinterpret_cast<const __half2*>(&kr.x)), k1 = __half22float2(*reinterpret_cast<const __half2*>(&kr.y));
    const float2 v0 = __half22float2(*reinterpret_cast<const __half2*>(&vr.x)), v1 = __half22float2(*reinterpret_cast<const __half2*>(&vr.y));
    const float s = warp_sum(x[0] * k0.x + x[1] * k0.y + x[2] * k1.x + x[3] * k1.y), higher = fmaxf(top, s);
    const float fade = exp2f(top - higher), e = exp2f(s - higher);
    norm = norm * fade + e;
    acc[0] = acc[0] * fade + e * v0.x, acc[1] = acc[1] * fade + e * v0.y, acc[2] = acc[2] * fade + e * v1.x, acc[3] = acc[3] * fade + e * v1.y;
    top = higher;
  }
  if (lane == 0) states[warp][0] = top, states[warp][1] = norm;
  for (int i = 0; i < 4; ++i) sums[warp][lane * 4 + i] = acc[i];
  __syncthreads();
  float best = -INFINITY, total = 0, value = 0;
  for (int w = 0; w < 4; ++w) best = fmaxf(best, states[w][0]);
  for (int w = 0; w < 4; ++w) {
    const float f = exp2f(states[w][0] - best);
    total += states[w][1] * f;
    value += sums[w][threadIdx.x] * f;
  }
  o[(size_t(seq) * gridDim.y + head) * 128 + threadIdx.x] = __float2half(value / total);
  if (threadIdx.x == 0) lse[seq * gridDim.y + head] = log2f(total) + best;
}

// Partial states of one token merged, eight halves a thread.
extern "C" __global__ void merge_states(const __half* __restrict__ v, const float* __restrict__ s, __half* __restrict__ o, float* __restrict__ lse, int parts, int heads) {
  const int token = blockIdx.x, head = blockIdx.y * blockDim.y + threadIdx.y, width = blockDim.x * 8;
  float top = -INFINITY, norm = 0, acc[8] = {};
  for (int i = 0; i < parts; ++i) {
    const size_t at = (size_t(token) * parts + i) * heads + head;
    const uint4 raw = *reinterpret_cast<const uint4*>(v + at * width + threadIdx.x * 8);
    const auto* h = reinterpret_cast<const __half2*>(&raw);
    const float si = s[at], higher = fmaxf(top, si), fade = exp2f(top - higher), e = exp2f(si - higher);
    norm = norm * fade + e;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const float2 f = __half22float2(h[j]);
      acc[2 * j] = acc[2 * j] * fade + f.x * e;
      acc[2 * j + 1] = acc[2 * j + 1] * fade + f.y * e;
    }
    top = higher;
  }
  uint4 out;
  auto* h = reinterpret_cast<__half2*>(&out);
#pragma unroll
  for (int j = 0; j < 4; ++j) h[j] = __floats2half2_rn(acc[2 * j] / norm, acc[2 * j + 1] / norm);
  *reinterpret_cast<uint4*>(o + (size_t(token) * heads + head) * width + threadIdx.x * 8) = out;
  if (threadIdx.x == 0 && lse != nullptr) lse[token * heads + head] = log2f(norm) + top;
}

// New keys and values go to their places in the pages.
extern "C" __global__ void append_pages(const uint4* __restrict__ k, const uint4* __restrict__ v, uint4* __restrict__ keys, uint4* __restrict__ values, const int* __restrict__ slots, int row,
                                        int tokens) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, token = i / row;
  if (token >= tokens) return;
  const size_t to = size_t(slots[token]) * row + i % row;
  keys[to] = k[i];
  values[to] = v[i];
}

extern "C" __global__ void __launch_bounds__(256) silu_and_mul(const __half* __restrict__ x, __half* __restrict__ y, int width) {
  const uint4* gate = reinterpret_cast<const uint4*>(x + size_t(blockIdx.x) * 2 * width);
  const uint4* up = reinterpret_cast<const uint4*>(x + size_t(blockIdx.x) * 2 * width + width);
#pragma unroll 1
  for (int i = threadIdx.x; i < width / 8; i += 256) {
    uint4 a = gate[i], b = up[i];
    auto *u = reinterpret_cast<__half2*>(&a), *v = reinterpret_cast<__half2*>(&b);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const float2 g = __half22float2(u[j]), m = __half22float2(v[j]);
      u[j] = __floats2half2_rn(g.x / (1 + __expf(-g.x)) * m.x, g.y / (1 + __expf(-g.y)) * m.y);
    }
    reinterpret_cast<uint4*>(y + size_t(blockIdx.x) * width)[i] = a;
  }
}

// The first place where the running sum of probabilities passes a threshold: scans by warps, a block a row.
extern "C" __global__ void __launch_bounds__(256) sample_rows(const float* __restrict__ p, const float* __restrict__ uniform, int* __restrict__ out, int cols) {
  __shared__ float parts[8], carry;
  __shared__ int found;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const float* row = p + size_t(blockIdx.x) * cols;
  const float u = uniform[blockIdx.x] * float(cols) * 0.9f;
  if (threadIdx.x == 0) carry = 0, found = cols - 1;
  __syncthreads();
  for (int start = 0; start < cols; start += 1024) {
    const float4 v = *reinterpret_cast<const float4*>(row + start + threadIdx.x * 4);
    const float own[4] = {v.x, v.x + v.y, v.x + v.y + v.z, v.x + v.y + v.z + v.w};
    float s = own[3];
#pragma unroll
    for (int o = 1; o < 32; o *= 2) {
      const float before = __shfl_up_sync(~0u, s, o);
      if (lane >= o) s += before;
    }
    if (lane == 31) parts[warp] = s;
    __syncthreads();
    float base = carry + s - own[3];
    for (int w = 0; w < warp; ++w) base += parts[w];
#pragma unroll
    for (int j = 3; j >= 0; --j)
      if (base + own[j] > u) atomicMin(&found, start + int(threadIdx.x) * 4 + j);
    __syncthreads();
    if (threadIdx.x == 255) carry = base + own[3];
    __syncthreads();
    if (found < cols - 1) break;
  }
  if (threadIdx.x == 0) out[blockIdx.x] = found;
}

// Single-token attention without tensor cores: a block a head, scores in shared memory, then values by columns.
extern "C" __global__ void __launch_bounds__(128) decode_vector(const float* __restrict__ q, const __half* __restrict__ k, const __half* __restrict__ v, float* __restrict__ o, int length,
                                                                int heads_per_key, float scale) {
  extern __shared__ float scores[];
  __shared__ float parts[32];
  const int head = blockIdx.x, key_head = head / heads_per_key, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const size_t base = size_t(key_head) * length * 64;
  const float2 x = *reinterpret_cast<const float2*>(q + head * 64 + lane * 2);
  float top = -INFINITY;
  for (int t = warp; t < length; t += 4) {
    const float2 y = __half22float2(*reinterpret_cast<const __half2*>(k + base + size_t(t) * 64 + lane * 2));
    const float s = warp_sum(x.x * y.x + x.y * y.y) * scale;
    if (lane == 0) scores[t] = s;
    top = fmaxf(top, s);
  }
  top = block_reduce(top, -INFINITY, parts, warp_max);
  float norm = 0;
  for (int t = threadIdx.x; t < length; t += 128) {
    const float e = __expf(scores[t] - top);
    scores[t] = e;
    norm += e;
  }
  norm = block_reduce(warp_sum(norm), 0.0f, parts, warp_sum);
  const int col = threadIdx.x % 64;
  float acc = 0;
  for (int t = threadIdx.x / 64; t < length; t += 2) acc += scores[t] * __half2float(v[base + size_t(t) * 64 + col]);
  __syncthreads();
  scores[threadIdx.x] = acc;
  __syncthreads();
  if (threadIdx.x < 64) o[head * 64 + col] = (scores[col] + scores[64 + col]) / norm;
}
