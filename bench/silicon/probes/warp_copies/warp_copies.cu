// SPDX-License-Identifier: Apache-2.0
// What bulk and tensor operations by a whole warp do and take: one lane, all lanes with operands that the compiler knows to be equal
// (`known`), all lanes with operands from memory (`array`), which are equal, in groups or all different. A line holds operation, way, lanes on,
// different operands, bytes, operations a lane, warps, then: cycles to issue, to the end, whether the barrier's phase ended, for two expectations
// (each operation counted once a warp or once a different operand; once a lane), and the first words that memory holds behind it.
#include <cuda.h>
#include <cstring>
#include <vector>
#include <algorithm>
#include "../harness.cuh"

extern __shared__ __align__(1024) unsigned char smem[];
enum Op { kLoad, kStore, kAdd, kTensorLoad, kTensorStore, kTensorAdd, kPrefetch };
enum Way { kOne, kKnown, kArray };

template <int op>
__device__ __forceinline__ void copy(const CUtensorMap* map, char* p, unsigned s, int x, int y, unsigned bytes, unsigned bar) {
  if (op == kLoad)
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(s), "l"(p), "r"(bytes), "r"(bar) : "memory");
  if (op == kStore) asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(p), "r"(s), "r"(bytes) : "memory");
  if (op == kAdd)
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(p), "r"(s), "r"(bytes) : "memory");
  if (op == kTensorLoad)
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(s), "l"(map), "r"(x), "r"(y), "r"(bar) : "memory");
  if (op == kTensorStore)
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(x), "r"(y), "r"(s) : "memory");
  if (op == kTensorAdd)
    asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(x), "r"(y), "r"(s) : "memory");
  if (op == kPrefetch) asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(p), "r"(bytes) : "memory");
}

// Shared memory: 64 barriers of 8 bytes, then 32 KiB at 1024 for the copies. A tensor's box is 32 words by bytes / 128 rows.
template <int op, int way>
__device__ __forceinline__ void body(const CUtensorMap* map, char* p, const int* place, unsigned* out, unsigned bytes, int n, unsigned lanes, unsigned expect) {
  const unsigned base = (unsigned)__cvta_generic_to_shared(smem), t = threadIdx.x, warp = t / 32, bar = base + warp * 8;
  const bool loads = op == kLoad || op == kTensorLoad;
  for (unsigned i = t; i < 8192; i += blockDim.x) ((unsigned*)(smem + 1024))[i] = 1;
  if (t % 32 == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  const int k = way == kArray ? place[t % 32] : 0;
  unsigned t0, t1, t2, done = 1;
  unsigned long long raw0 = 0, raw1 = 0;
  if (loads && t % 32 == 0) asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(expect) : "memory");
  __syncwarp();
  if (t % 32 == 0) raw0 = *(volatile unsigned long long*)(smem + warp * 8);
  __syncwarp();
  const bool on = way == kOne ? t % 32 == 0 : lanes == 32 ? true : t % 32 < lanes;
  t0 = now();
  if (on) {
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
      copy<op>(map, p + k * bytes, base + 1024 + k * bytes, 0, k * (bytes / 128), bytes, bar);
      if (!loads && op != kPrefetch) asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    }
  }
  t1 = now();
  if (loads) {
    unsigned tries = 0;
    do {
      asm volatile("{ .reg .pred q; mbarrier.test_wait.parity.shared::cta.b64 q, [%1], 0; selp.u32 %0, 1, 0, q; }" : "=r"(done) : "r"(bar) : "memory");
    } while (!done && ++tries < 600);
  } else {
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
  t2 = now();
  __nanosleep(4000);
  __syncwarp();
  raw1 = *(volatile unsigned long long*)(smem + warp * 8);
  if (t % 32 == 0) {
    unsigned* o = out + (blockIdx.x * 4 + warp) * 8;
    o[0] = t0, o[1] = t1, o[2] = t2, o[3] = done;
    o[4] = (unsigned)raw0, o[5] = (unsigned)(raw0 >> 32), o[6] = (unsigned)raw1, o[7] = (unsigned)(raw1 >> 32);
  }
}
#define K(name, op, way)                                                                                                                        \
  extern "C" __global__ void name(const __grid_constant__ CUtensorMap map, char* p, const int* place, unsigned* out, unsigned bytes, int n, unsigned lanes, unsigned expect) { \
    body<op, way>(&map, p, place, out, bytes, n, lanes, expect);                                                                                \
  }
#define K3(name, op) K(name##_one, op, kOne) K(name##_known, op, kKnown) K(name##_array, op, kArray)
K3(load, kLoad) K3(store, kStore) K3(add, kAdd) K3(tload, kTensorLoad) K3(tstore, kTensorStore) K3(tadd, kTensorAdd) K3(prefetch, kPrefetch)

struct Kernel {
  const char* name;
  int op, way;
  void (*fn)(const CUtensorMap, char*, const int*, unsigned*, unsigned, int, unsigned, unsigned);
};
#define E(name, op) {#name "_one", op, kOne, name##_one}, {#name "_known", op, kKnown, name##_known}, {#name "_array", op, kArray, name##_array},
static const Kernel kernels[] = {E(load, kLoad) E(store, kStore) E(add, kAdd) E(tload, kTensorLoad) E(tstore, kTensorStore) E(tadd, kTensorAdd) E(prefetch, kPrefetch)};

int main(int argc, char** argv) {
  const bool counted = argc > 1 && !strcmp(argv[1], "counted");
  char* p; int* place; unsigned* out; void* encode = nullptr; cudaDriverEntryPointQueryResult q;
  OK(cudaMalloc(&p, 1 << 20)); OK(cudaMalloc(&place, 128)); OK(cudaMalloc(&out, 132 * 128));
  OK(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &encode, cudaEnableDefault, &q));
  const auto make = (CUresult(*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*, const cuuint64_t*, const cuuint32_t*, const cuuint32_t*,
                                 CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill))encode;
  if (!counted) puts("kernel,lanes,different,bytes,n,warps,blocks,expected,issue,end,done,tx,word0,words");
  for (const Kernel& k : kernels)
    for (unsigned bytes : {128u, 1024u}) {
      CUtensorMap map;
      const cuuint64_t size[] = {32, 1024}, stride[] = {128};
      const cuuint32_t box[] = {32, bytes / 128}, one[] = {1, 1};
      OK(make(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, p, size, stride, box, one, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
      for (unsigned lanes : {32u, 5u})
        for (int groups : {1, 2, 8, 32})
          for (int n : {1, 4})
            for (int warps : {1, 4})
              for (int blocks : {1, 132})
                for (int expected : {0, 1}) {
                  if (k.way != kArray && groups != 1) continue;
                  if (k.way == kOne && lanes != 32) continue;
                  const bool loads = k.op == kLoad || k.op == kTensorLoad;
                  if (!loads && expected) continue;
                  if (blocks == 132 && (n != 4 || warps != 1 || expected)) continue;
                  if (lanes == 5 && (groups == 2 || warps != 1 || blocks != 1)) continue;
                  if (counted && (n != 4 || warps != 1 || blocks != 1 || expected || lanes != 32 || groups == 8)) continue;
                  int h[32];
                  for (int l = 0; l < 32; ++l) h[l] = l * groups / 32;
                  OK(cudaMemcpy(place, h, 128, cudaMemcpyHostToDevice));
                  const unsigned on = k.way == kOne ? 1 : lanes;
                  int different = 1;
                  for (unsigned l = 1; l < on; ++l) different += h[l] != h[l - 1];
                  const unsigned expect = bytes * n * (expected ? on : different);
                  unsigned least = ~0u, issue = 0, end = 0, done = 0, r[8]; unsigned word = 0; double sum = 0;
                  std::vector<unsigned> o(132 * 32), w(262144);
                  for (int run = 0; run < (counted ? 1 : 4); ++run) {
                    OK(cudaMemset(p, 0, 1 << 20));
                    OK(cudaDeviceSynchronize());
                    k.fn<<<blocks, warps * 32, 1024 + 32768>>>(map, p, place, out, bytes, n, lanes, expect);
                    OK(cudaDeviceSynchronize());
                    if (counted) continue;
                    OK(cudaMemcpy(o.data(), out, blocks * 128, cudaMemcpyDeviceToHost));
                    OK(cudaMemcpy(w.data(), p, 1 << 20, cudaMemcpyDeviceToHost));
                    unsigned i = 0, e = 0;
                    for (int b = 0; b < blocks; ++b) {
                      unsigned begin = o[b * 32];
                      for (int a = 0; a < warps; ++a) begin = (int)(o[(b * 4 + a) * 8] - begin) < 0 ? o[(b * 4 + a) * 8] : begin;
                      for (int a = 0; a < warps; ++a) i = std::max(i, o[(b * 4 + a) * 8 + 1] - begin), e = std::max(e, o[(b * 4 + a) * 8 + 2] - begin);
                    }
                    if (e < least) {
                      least = e, issue = i, end = e, done = o[3], word = w[0], sum = 0;
                      for (unsigned v : w) sum += v;
                      memcpy(r, o.data(), 32);
                    }
                  }
                  if (!counted) printf("%s,%u,%d,%u,%d,%d,%d,%u,%u,%u,%u,%08x%08x-%08x%08x,%u,%.0f\n", k.name, lanes, different, bytes, n, warps, blocks, expect, issue, end, done, r[5], r[4], r[7], r[6], word, sum);
                  else fprintf(stderr, "%s,%u,%d,%u,%d\n", k.name, lanes, different, bytes, n);
                }
    }
  return 0;
}
