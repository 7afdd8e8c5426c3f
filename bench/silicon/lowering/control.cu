// SPDX-License-Identifier: Apache-2.0
// Control flow, calls, local memory, structures, atomics, graphs, barriers.
#include <cooperative_groups.h>
#include <cstdint>
#include <cuda/atomic>

namespace cg = cooperative_groups;

#define GID (blockIdx.x * blockDim.x + threadIdx.x)

extern "C" __global__ void switch_dense(const int* __restrict__ op, const float* __restrict__ x, float* out, int n) {
  const int i = GID;
  if (i >= n) return;
  const float v = x[i];
  float r;
  switch (op[i]) {
    case 0: r = v + 1; break;
    case 1: r = v * v; break;
    case 2: r = v * v * v - 3; break;
    case 3: r = fabsf(v); break;
    case 4: r = __expf(v); break;
    case 5: r = rsqrtf(v); break;
    case 6: r = -v; break;
    case 7: r = fmaxf(v, 0); break;
    default: r = 0;
  }
  out[i] = r;
}

extern "C" __global__ void interpreter(const uint8_t* __restrict__ code, int* out, int length) {
  int acc = GID, x = 1;
  for (int pc = 0; pc < length; ++pc) {
    switch (code[pc]) {
      case 0: acc += x; break;
      case 1: acc -= x; break;
      case 2: x = acc & 15; break;
      case 3: if (acc < 0) pc += 2; break;
      case 4: acc *= 3; break;
      case 5: acc ^= acc >> 4; break;
      case 6: pc = length; break;
    }
  }
  out[GID] = acc;
}

__device__ __noinline__ int ackermann_like(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann_like(m - 1, 1);
  return ackermann_like(m - 1, n > 3 ? 3 : ackermann_like(m, n - 1));
}

extern "C" __global__ void recursion_two(int* out, int m) { out[GID] = ackermann_like(m, GID & 3); }

__device__ __noinline__ float polynomial(float x, float a, float b) { return (a * x + b) * x + 1.0f; }

extern "C" __global__ void call_noinline(const float* __restrict__ x, float* out, int n) {
  float s = 0;
  for (int i = GID; i < n; i += gridDim.x * blockDim.x) s += polynomial(x[i], s, 2.0f);
  out[GID] = s;
}

struct Visitor {
  __device__ virtual int visit(int v) const = 0;
};
struct Doubler : Visitor {
  __device__ int visit(int v) const override { return v * 2; }
};
struct Adder : Visitor {
  int by;
  __device__ explicit Adder(int b) : by(b) {}
  __device__ int visit(int v) const override { return v + by; }
};

extern "C" __global__ void virtual_calls(int* data, int which) {
  Doubler d;
  Adder a(which);
  const Visitor* v = (GID + which) & 1 ? static_cast<const Visitor*>(&d) : &a;
  data[GID] = v->visit(data[GID]);
}

struct Particle {
  float3 position;
  float mass;
  float3 velocity;
  int id;
};

extern "C" __global__ void struct_aos(Particle* p, int n, float dt) {
  const int i = GID;
  if (i >= n) return;
  Particle q = p[i];
  q.position.x += q.velocity.x * dt;
  q.position.y += q.velocity.y * dt;
  q.position.z += q.velocity.z * dt;
  if (q.position.z < 0) {
    q.position.z = -q.position.z;
    q.velocity.z = -q.velocity.z * 0.9f;
  }
  p[i] = q;
}

struct alignas(16) Matrix {
  float m[12];
};

extern "C" __global__ void struct_param(const Matrix t, const float4* __restrict__ in, float4* out, int n) {
  const int i = GID;
  if (i >= n) return;
  const float4 v = in[i];
  out[i] = make_float4(t.m[0] * v.x + t.m[1] * v.y + t.m[2] * v.z + t.m[3], t.m[4] * v.x + t.m[5] * v.y + t.m[6] * v.z + t.m[7],
                       t.m[8] * v.x + t.m[9] * v.y + t.m[10] * v.z + t.m[11], 1.0f);
}

extern "C" __global__ void local_stack_dfs(const int2* __restrict__ child, const float* __restrict__ key, float q, int* found) {
  int stack[32], top = 0, hits = 0;
  stack[top++] = 0;
  while (top > 0) {
    const int node = stack[--top];
    const int2 c = child[node];
    if (fabsf(key[node] - q) < 0.5f) ++hits;
    if (c.x >= 0) stack[top++] = c.x;
    if (c.y >= 0) stack[top++] = c.y;
  }
  found[GID] = hits;
}

extern "C" __global__ void bfs_frontier(const int* __restrict__ row, const int* __restrict__ col, int* dist, const int* front,
                                        int count, int* next, int* next_count, int level) {
  const int i = GID;
  if (i >= count) return;
  const int v = front[i];
  for (int e = row[v]; e < row[v + 1]; ++e) {
    const int u = col[e];
    if (atomicCAS(&dist[u], -1, level) == -1) next[atomicAdd(next_count, 1)] = u;
  }
}

extern "C" __global__ void spmv_scalar(const int* __restrict__ row, const int* __restrict__ col, const float* __restrict__ val,
                                       const float* __restrict__ x, float* __restrict__ y, int n) {
  const int r = GID;
  if (r >= n) return;
  float s = 0;
  for (int e = row[r]; e < row[r + 1]; ++e) s += val[e] * x[col[e]];
  y[r] = s;
}

extern "C" __global__ void hash_insert(const uint64_t* __restrict__ keys, unsigned long long* table, int n, unsigned mask) {
  const int i = GID;
  if (i >= n) return;
  const unsigned long long k = keys[i];
  unsigned slot = static_cast<unsigned>((k * 0x9e3779b97f4a7c15ull) >> 32) & mask;
  while (true) {
    const unsigned long long old = atomicCAS(&table[slot], 0ull, k);
    if (old == 0 || old == k) return;
    slot = (slot + 1) & mask;
  }
}

extern "C" __global__ void spin_lock(int* lock, int* data) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) __nanosleep(64);
  __threadfence();
  data[0] += blockIdx.x;
  __threadfence();
  atomicExch(lock, 0);
}

extern "C" __global__ void last_block(const float* __restrict__ x, float* part, unsigned* count, float* out) {
  __shared__ bool last;
  __shared__ float s[128];
  s[threadIdx.x] = x[GID];
  __syncthreads();
  for (int k = 64; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    part[blockIdx.x] = s[0];
    __threadfence();
    last = atomicInc(count, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  float v = 0;
  for (int b = threadIdx.x; b < gridDim.x; b += 128) v += part[b];
  atomicAdd(out, v);
}

extern "C" __global__ void atomics_scope(int* p, float* f, double* d, unsigned long long* u) {
  cuda::atomic_ref<int, cuda::thread_scope_device> a(*p);
  a.fetch_add(1, cuda::memory_order_relaxed);
  atomicAdd(f + threadIdx.x, 1.5f);
  atomicAdd(d, 2.0);
  atomicMax(u, static_cast<unsigned long long>(GID));
  atomicAnd(p + 1, ~threadIdx.x);
}

extern "C" __global__ void grid_stride_2d(float* out, int w, int h, int pitch) {
  for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < h; y += gridDim.y * blockDim.y)
    for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < w; x += gridDim.x * blockDim.x)
      out[y * pitch + x] = static_cast<float>(x * y) * 0.5f;
}

extern "C" __global__ void nested_divergence(const int* __restrict__ a, int* out, int n) {
  const int i = GID;
  if (i >= n) return;
  int v = a[i], r = 0;
  if (v > 0) {
    if (v & 1) {
      for (int k = 0; k < (v & 7); ++k) r += a[k] * k;
    } else if (v & 2) {
      r = a[n - 1 - i] * 5;
    }
  } else if (v < -10) {
    r = a[-v & 63] ^ v;
    while (r > 100) r /= 3;
  }
  out[i] = r;
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_exchange(const int* __restrict__ in, int* out) {
  __shared__ int s[128];
  const cg::cluster_group cluster = cg::this_cluster();
  s[threadIdx.x] = in[GID];
  cluster.sync();
  const int* other = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
  out[GID] = s[threadIdx.x] + other[127 - threadIdx.x];
  cluster.sync();
}

extern "C" __global__ void game_of_life(const uint8_t* __restrict__ in, uint8_t* __restrict__ out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  int alive = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      if (dx != 0 || dy != 0) alive += in[(y + dy + h) % h * w + (x + dx + w) % w];
  out[y * w + x] = alive == 3 || (alive == 2 && in[y * w + x] != 0);
}

extern "C" __global__ void needleman_diag(const char* __restrict__ a, const char* __restrict__ b, int* score, int n, int diag) {
  const int i = GID + 1, j = diag - i;
  if (i > n || j < 1 || j > n) return;
  const int w = n + 1, match = score[(i - 1) * w + j - 1] + (a[i - 1] == b[j - 1] ? 2 : -1);
  score[i * w + j] = max(match, max(score[(i - 1) * w + j], score[i * w + j - 1]) - 1);
}

extern "C" __global__ void lower_bound_search(const int* __restrict__ sorted, const int* __restrict__ q, int* at, int n, int m) {
  const int i = GID;
  if (i >= m) return;
  const int key = q[i];
  int lo = 0, len = n;
  while (len > 0) {
    const int half = len / 2;
    if (sorted[lo + half] < key) {
      lo += half + 1;
      len -= half + 1;
    } else {
      len = half;
    }
  }
  at[i] = lo;
}
