// SPDX-License-Identifier: Apache-2.0
// Frame of the SM probes: an operation is repeated N times between two reads of the clock, for two values of N; the
// difference is the operation alone. Warm: the code has run once before in the same launch.
#pragma once
#include <algorithm>
#include <vector>
#include "../harness.cuh"

// What operations work on. Values depend on the seed, so that nothing folds.
struct State {
  int r[8];
  float f[8];
  double d[2];
  long long l[8];
  int q[8];
  unsigned shared;      // byte address of 48 KiB of shared memory, this warp's own part or another (set by Op::prepare)
  unsigned char* global;
  unsigned lane, warp;
};

extern __shared__ __align__(1024) unsigned char dynamic_shared[];

template <class Op, int N>
__global__ void timed(unsigned* out, unsigned char* global, int seed, int parameter) {
  State s;
  s.lane = threadIdx.x & 31;
  s.warp = threadIdx.x >> 5;
  for (int j = 0; j < 8; ++j) s.r[j] = seed + j, s.f[j] = seed * 0.5f + j;
  s.d[0] = seed, s.d[1] = seed + 1;
  for (int j = 0; j < 8; ++j) s.l[j] = seed + 3 * j + s.lane, s.q[j] = seed - j;
  s.shared = (unsigned)__cvta_generic_to_shared(dynamic_shared);
  s.global = global;
  for (unsigned i = threadIdx.x; i < 12288; i += blockDim.x) ((unsigned*)dynamic_shared)[i] = 0;
  Op::prepare(s, parameter);
  unsigned t0 = 0, t1 = 0;
#pragma unroll 1
  for (int round = 0; round < 3; ++round) {
    __syncthreads();
    t0 = now();
#pragma unroll
    for (int k = 0; k < N; ++k) Op::run(s, k);
    Op::finish(s);
    t1 = now();
    __syncthreads();
  }
  unsigned sum = 0;
  for (int j = 0; j < 8; ++j) sum += s.r[j] + (unsigned)s.f[j] + s.q[j] + (unsigned)s.l[j] + (unsigned)(s.l[j] >> 32);
  sum += (unsigned)s.d[0] + (unsigned)s.d[1];
  if (s.lane == 0) {
    out[s.warp * 4] = t0;
    out[s.warp * 4 + 1] = t1;
  }
  out[256 + threadIdx.x] = sum;
}

extern unsigned* d_out;
extern unsigned char* d_mem;

// Cycles from the first warp's start to the last warp's end; the least of five runs.
template <class Op, int N>
unsigned measure(int warps, int parameter) {
  static bool first = true;
  if (first) OK(cudaFuncSetAttribute(timed<Op, N>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
  first = false;
  unsigned best = ~0u;
  for (int i = 0; i < 5; ++i) {
    timed<Op, N><<<1, warps * 32, 65536>>>(d_out, d_mem, 1, parameter);
    OK(cudaDeviceSynchronize());
    unsigned t[128];
    OK(cudaMemcpy(t, d_out, sizeof t, cudaMemcpyDeviceToHost));
    unsigned begin = t[0], end = 0;
    for (int w = 0; w < warps; ++w) begin = std::min(begin, t[w * 4]);
    for (int w = 0; w < warps; ++w) end = std::max(end, t[w * 4 + 1] - begin);
    best = std::min(best, end);
  }
  return best;
}

template <class Op, int Few = 16, int Many = 48>
void probe(const char* name, std::vector<int> warps = {1}, std::vector<int> parameters = {0}) {
  for (int p : parameters)
    for (int w : warps) {
      const unsigned a = measure<Op, Few>(w, p), b = measure<Op, Many>(w, p);
      std::printf("%s,%d,%d,%u,%u,%.3f\n", name, p, w, a, b, double(b - a) / (Many - Few));
    }
  std::fflush(stdout);
}

struct Plain {
  static __device__ __forceinline__ void prepare(State&, int) {}
  static __device__ __forceinline__ void finish(State&) { }
};
// An operation `name` on one chain (latency), and on eight (rate).
#define OP(name, ...)                                                                         \
  struct name : Plain {                                                                       \
    static __device__ __forceinline__ void run(State& s, int k) { (void)k; __VA_ARGS__; }     \
  };
