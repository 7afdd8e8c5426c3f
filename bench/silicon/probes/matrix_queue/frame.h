// SPDX-License-Identifier: Apache-2.0
// Kernels and their driver. `issue`: 16 operations, a clock behind each (`each`: a group each), behind the
// commit and behind the wait, three times in a launch (the last is warm). `loop`: rounds of some operations,
// a commit and a wait that lets `left` groups be; between them other work: `kind` 0 none, 1 a chain of FFMA,
// 2 loads of shared memory, 3 cp.async of 16 bytes with a commit and a wait for all but two groups, 4 as 3
// with a barrier of the block on either side.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

__device__ __forceinline__ unsigned now() {
  unsigned t;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
  return t;
}
extern __shared__ __align__(1024) unsigned char smem[];
__device__ __forceinline__ unsigned long long prepare(unsigned& base) {
  base = (unsigned)__cvta_generic_to_shared(smem);
  for (unsigned i = threadIdx.x; i < 12288; i += blockDim.x) ((unsigned*)smem)[i] = 0;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  return ((unsigned long long)((base & 0x3ffff) >> 4)) | (8ull << 16) | (16ull << 32);
}
#define FENCE asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define COMMIT asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory")

template <class Op, bool kEach>
__device__ __forceinline__ void issue_body(unsigned* out, int z) {
  float a[Op::kRegisters];
#pragma unroll
  for (int i = 0; i < Op::kRegisters; ++i) a[i] = 0;
  unsigned base, t[20];
  const unsigned long long d = prepare(base);
#pragma unroll 1
  for (int round = 0; round < 3; ++round) {
    __syncthreads();
    t[0] = now();
    FENCE;
    t[1] = now();
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      Op::run(a, d, z);
      if (kEach) COMMIT;
      t[2 + k] = now();
    }
    if (!kEach) COMMIT;
    t[18] = now();
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    t[19] = now();
  }
  if ((threadIdx.x & 31) == 0)
    for (int k = 0; k < 20; ++k) out[(threadIdx.x >> 5) * 20 + k] = t[k];
  float sum = 0;
#pragma unroll
  for (int i = 0; i < Op::kRegisters; ++i) sum += a[i];
  if (sum == 12345.f) out[1000] = 1;
}

template <class Op, int kOps>
__device__ __forceinline__ void loop_body(unsigned* out, const char* global, int z, int rounds, int left,
                                          int kind, int amount) {
  float a[Op::kRegisters];
#pragma unroll
  for (int i = 0; i < Op::kRegisters; ++i) a[i] = 0;
  unsigned base, t0 = 0, v = threadIdx.x;
  const unsigned long long d = prepare(base);
  float f = z;
  __syncthreads();
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) {
    if (r == 2) t0 = now();
    if (kind == 4) {
      asm volatile("cp.async.wait_group 1;" ::: "memory");
      __syncthreads();
    }
    FENCE;
#pragma unroll
    for (int k = 0; k < kOps; ++k) Op::run(a, d, z);
    COMMIT;
    if (left)
      asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
    else
      asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    if (kind == 4) __syncthreads();
    if (kind == 1)
#pragma unroll 1
      for (int i = 0; i < amount; i += 16)
#pragma unroll
        for (int j = 0; j < 16; ++j) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(f));
    if (kind == 2)
#pragma unroll 1
      for (int i = 0; i < amount; ++i) {
        unsigned w;
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(w) : "r"(base + (v & 31) * 4));
        v += w;
      }
    if (kind >= 3) {
#pragma unroll 1
      for (int i = 0; i < amount; ++i)
        asm volatile(
            "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(base + 49152 + i * 8192 + threadIdx.x * 16),
            "l"(global + (size_t)(r * amount + i) * 8192 + threadIdx.x * 16)
            : "memory");
      asm volatile("cp.async.commit_group;" ::: "memory");
      if (kind == 3) asm volatile("cp.async.wait_group 2;" ::: "memory");
    }
  }
  const unsigned t1 = now();
  asm volatile("wgmma.wait_group.sync.aligned 0;\ncp.async.wait_group 0;" ::: "memory");
  const unsigned t2 = now();
  if ((threadIdx.x & 31) == 0) {
    out[(threadIdx.x >> 5) * 20] = t0;
    out[(threadIdx.x >> 5) * 20 + 1] = t1;
    out[(threadIdx.x >> 5) * 20 + 2] = t2;
  }
  float sum = f + v;
#pragma unroll
  for (int i = 0; i < Op::kRegisters; ++i) sum += a[i];
  if (sum == 12345.f) out[1000] = 1;
}

#define ISSUE(name, Op, each)                                              \
  extern "C" __global__ void __launch_bounds__(256)                        \
      name(unsigned* out, const char* global, int z, int, int, int, int) { \
    issue_body<Op, each>(out, z);                                          \
  }
#define LOOP(name, Op, ops)                                                                        \
  extern "C" __global__ void __launch_bounds__(256)                                                \
      name(unsigned* out, const char* global, int z, int rounds, int left, int kind, int amount) { \
    loop_body<Op, ops>(out, global, z, rounds, left, kind, amount);                                \
  }

struct Kernel {
  const char* name;
  void (*fn)(unsigned*, const char*, int, int, int, int, int);
  int loop;
};
inline int measure(const Kernel* kernels, size_t count) {
  unsigned* out;
  char* global;
  cudaMalloc(&out, 8192);
  cudaMalloc(&global, 16 << 20);
  cudaMemset(global, 0, 16 << 20);
  std::vector<unsigned> h(2048);
  std::puts("kernel,warps,rounds,left,kind,amount,warp,clocks");
  struct Loop {
    int left, kind, amount;
  };
  const Loop loops[] = {{0, 0, 0},   {1, 0, 0},  {0, 1, 64}, {1, 1, 64}, {0, 1, 128},
                        {1, 1, 128}, {1, 2, 16}, {1, 3, 4},  {1, 4, 4},  {1, 4, 8}};
  for (size_t k = 0; k < count; ++k) {
    cudaFuncSetAttribute((const void*)kernels[k].fn, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         49152 + 65536);
    for (int warps : {4, 8})
      for (size_t l = 0; l < (kernels[k].loop ? sizeof loops / sizeof *loops : 1); ++l) {
        std::vector<unsigned> best;
        unsigned least = ~0u;
        const int last = kernels[k].loop ? 2 : 19;
        for (int run = 0; run < 4; ++run) {
          kernels[k].fn<<<1, warps * 32, 49152 + 65536>>>(out, global, 0, 18, loops[l].left, loops[l].kind,
                                                          loops[l].amount);
          if (cudaDeviceSynchronize() != cudaSuccess) {
            std::printf("error,%s\n", kernels[k].name);
            return 1;
          }
          cudaMemcpy(h.data(), out, 8192, cudaMemcpyDeviceToHost);
          if (h[last] - h[0] < least) least = h[last] - h[0], best = h;
        }
        for (int w = 0; w < warps; w += 4) {
          std::printf("%s,%d,18,%d,%d,%d,%d", kernels[k].name, warps, loops[l].left, loops[l].kind,
                      loops[l].amount, w);
          for (int i = 0; i <= last; ++i) std::printf(",%u", best[w * 20 + i] - best[0]);
          std::puts("");
        }
      }
  }
  return 0;
}
