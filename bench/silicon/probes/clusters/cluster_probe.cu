// SPDX-License-Identifier: Apache-2.0
// What accesses to shared memory of other SMs cost by pattern, and when blocks and warps begin and end:
// `cluster_probe dsmem`, `cluster_probe blocks`; `cluster_probe counted` launches what Nsight Compute counts.
#include <algorithm>
#include <cooperative_groups.h>
#include <string>
#include <vector>
#include "../harness.cuh"
namespace cg = cooperative_groups;
__device__ __forceinline__ unsigned smid() { unsigned r; asm volatile("mov.u32 %0, %%smid;" : "=r"(r)); return r; }

enum Pattern { LINE, SAME, LINES32, LINES32_33, SPREAD2, SPREAD4, SPREAD7, RANDOM, OWN, HALF, HOT, GROUP4, GROUP8 };
const char* kPattern[] = {"line", "same", "lines32", "lines32_33", "spread2", "spread4", "spread7", "random", "own", "half", "hot", "group4", "group8"};
enum Op { GENERIC_ADD, RED, ATOM, LD, ST };
const char* kOp[] = {"generic_add", "red", "atom", "ld", "st"};

// Rank and word of a lane.
__device__ void place(int pattern, unsigned rank, unsigned size, unsigned lane, unsigned warp, unsigned& to, unsigned& word) {
  to = (rank + 1) % size;
  word = lane + 32 * (warp & 7);
  switch (pattern) {
    case SAME: word = 0; break;
    case LINES32: word = lane * 32; break;
    case LINES32_33: word = lane * 33; break;
    case SPREAD2: to = (rank + 1 + lane % 2) % size; break;
    case SPREAD4: to = (rank + 1 + lane % 4) % size; break;
    case SPREAD7: to = (rank + 1 + lane % 7) % size; break;
    case RANDOM: { unsigned h = (lane + 32 * warp + 1024 * rank) * 2654435761u; h ^= h >> 15; h *= 2246822519u; h ^= h >> 13; to = (h >> 8) % size; word = (h >> 16) % 256; } break;
    case OWN: to = rank; break;
    case HALF: word = lane / 2 + 32 * (warp & 7); break;
    case HOT: to = 0; break;
    case GROUP4: word = lane / 4 + 32 * (warp & 7); break;
    case GROUP8: word = lane / 8 + 32 * (warp & 7); break;
    default: break;
  }
}
// `active` blocks act; -1: all but the first.
template <int OP, int N>
__global__ void dsmem(int pattern, int active, unsigned* out) {
  extern __shared__ unsigned sh[];
  cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank(), size = cluster.num_blocks(), lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  for (unsigned i = threadIdx.x; i < 2048; i += blockDim.x) sh[i] = 0;
  unsigned to, word;
  place(pattern, rank, size, lane, warp, to, word);
  unsigned* generic = cluster.map_shared_rank(sh, to) + word;
  unsigned own = (unsigned)__cvta_generic_to_shared(sh + word), far;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(far) : "r"(own), "r"(to));
  unsigned acc = 0, t0 = 0, t1 = 0, t2 = 0;
  const bool on = active >= (int)size ? true : active < 0 ? rank != 0 : (int)rank < active;
#pragma unroll 1
  for (int round = 0; round < 2; ++round) {
    cluster.sync();
    if (on) {
      t0 = now();
#pragma unroll
      for (int k = 0; k < N; ++k) {
        if (OP == GENERIC_ADD) atomicAdd(generic, 1u);
        if (OP == RED) asm volatile("red.shared::cluster.add.u32 [%0], %1;" :: "r"(far), "r"(1u) : "memory");
        if (OP == ATOM) { unsigned v; asm volatile("atom.shared::cluster.add.u32 %0, [%1], %2;" : "=r"(v) : "r"(far), "r"(1u) : "memory"); acc += v; }
        if (OP == LD) { unsigned v; asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(far + k * 1024) : "memory"); acc += v; }
        if (OP == ST) asm volatile("st.shared::cluster.u32 [%0], %1;" :: "r"(far + k * 1024), "r"(k) : "memory");
      }
      if (acc == 0x12345678) out[1] = acc;
      t1 = now();
      asm volatile("fence.acq_rel.cluster;" ::: "memory");
      t2 = now();
    }
    cluster.sync();
  }
  if (lane == 0) { unsigned* o = out + 16 + (blockIdx.x * 32 + warp) * 4; o[0] = t0; o[1] = t1; o[2] = t2; o[3] = on; }
  if (acc == 0x12345678) out[2] = acc;
}
// Dependent atomics of one warp.
__global__ void dsmem_latency(int pattern, unsigned* out) {
  extern __shared__ unsigned sh[];
  cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank(), size = cluster.num_blocks(), lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  for (unsigned i = threadIdx.x; i < 2048; i += blockDim.x) sh[i] = 0;
  unsigned to, word;
  place(pattern, rank, size, lane, warp, to, word);
  unsigned own = (unsigned)__cvta_generic_to_shared(sh + word), far;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(far) : "r"(own), "r"(to));
  unsigned t[2] = {};
  cluster.sync();
  if (rank == 0) {
    for (int round = 0; round < 2; ++round) {
      t[0] = now();
#pragma unroll 1
      for (int k = 0; k < 32; ++k) {
        unsigned v;
        asm volatile("atom.shared::cluster.add.u32 %0, [%1], %2;" : "=r"(v) : "r"(far), "r"(0u) : "memory");
        far += v & 0x80000000u;
      }
      t[1] = now();
    }
    if (threadIdx.x == 0) out[16] = t[1] - t[0];
  }
  cluster.sync();
}
static unsigned* d_out;
template <class K>
static void launch(K kernel, int cluster, int threads, void** args) {
  OK(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  cudaLaunchConfig_t c = {};
  c.gridDim = dim3(cluster); c.blockDim = dim3(threads); c.dynamicSmemBytes = 40960;
  cudaLaunchAttribute a[1]; a[0].id = cudaLaunchAttributeClusterDimension; a[0].val.clusterDim.x = cluster; a[0].val.clusterDim.y = a[0].val.clusterDim.z = 1;
  c.attrs = a; c.numAttrs = 1;
  OK(cudaLaunchKernelExC(&c, (const void*)kernel, args));
  OK(cudaDeviceSynchronize());
}
// Longest time of one warp, from its block's first start: all issued, all done.
template <int OP, int N>
static void measure(int pattern, int active, int cluster, int warps, unsigned& issue, unsigned& done) {
  issue = done = ~0u;
  for (int i = 0; i < 3; ++i) {
    void* args[] = {&pattern, &active, &d_out};
    launch(dsmem<OP, N>, cluster, warps * 32, args);
    static unsigned h[16 + 16 * 32 * 4];
    OK(cudaMemcpy(h, d_out, sizeof h, cudaMemcpyDeviceToHost));
    unsigned most_issue = 0, most_done = 0;
    for (int b = 0; b < cluster; ++b) {
      unsigned first = ~0u;
      for (int w = 0; w < warps; ++w) { unsigned* o = h + 16 + (b * 32 + w) * 4; if (o[3] && (first == ~0u || int(o[0] - first) < 0)) first = o[0]; }
      for (int w = 0; w < warps; ++w) { unsigned* o = h + 16 + (b * 32 + w) * 4; if (o[3]) most_issue = std::max(most_issue, o[1] - first), most_done = std::max(most_done, o[2] - first); }
    }
    issue = std::min(issue, most_issue), done = std::min(done, most_done);
  }
}
template <int OP>
static void all(int pattern, int active, int cluster, int warps) {
  unsigned i8, d8, i32, d32;
  measure<OP, 8>(pattern, active, cluster, warps, i8, d8);
  measure<OP, 32>(pattern, active, cluster, warps, i32, d32);
  printf("dsmem,%s,%s,%d,%d,%d,%u,%u,%u,%u,%.2f,%.2f\n", kOp[OP], kPattern[pattern], cluster, active, warps, i8, d8, i32, d32, (i32 - i8) / 24.0, (d32 - d8) / 24.0);
}
static void run_dsmem() {
  printf("kind,op,pattern,cluster,active,warps,issue8,done8,issue32,done32,issue_each,done_each\n");
  for (int pattern = 0; pattern <= GROUP8; ++pattern)
    for (int warps : {1, 2, 8, 32})
      for (int active : {1, 8}) {
        all<GENERIC_ADD>(pattern, active, 8, warps);
        all<ATOM>(pattern, active, 8, warps);
        if (warps == 2) continue;
        all<RED>(pattern, active, 8, warps);
        all<LD>(pattern, active, 8, warps);
        all<ST>(pattern, active, 8, warps);
      }
  for (int active : {-1, 2, 4}) for (int warps : {1, 8}) { all<GENERIC_ADD>(HOT, active, 8, warps); all<LD>(HOT, active, 8, warps); all<ST>(HOT, active, 8, warps); }
  for (int cluster : {2, 4, 16}) for (int warps : {1, 8}) { all<GENERIC_ADD>(RANDOM, cluster, cluster, warps); all<LD>(LINE, cluster, cluster, warps); all<ST>(LINE, cluster, cluster, warps); }
  for (int pattern : {LINE, SAME, LINES32, LINES32_33, SPREAD2, SPREAD4, SPREAD7, RANDOM, OWN, HALF}) {
    void* args[] = {&pattern, &d_out};
    unsigned t;
    launch(dsmem_latency, 8, 32, args);
    OK(cudaMemcpy(&t, d_out + 16, 4, cudaMemcpyDeviceToHost));
    printf("latency,atom,%s,8,1,1,%.2f\n", kPattern[pattern], t / 32.0);
  }
}
// One launch a pattern and operation: all blocks, 8 warps.
static void run_counted() {
  for (int pattern = 0; pattern <= GROUP8; ++pattern) {
    int active = 8; void* args[] = {&pattern, &active, &d_out};
    launch(dsmem<GENERIC_ADD, 32>, 8, 256, args);
    launch(dsmem<LD, 32>, 8, 256, args);
    launch(dsmem<ST, 32>, 8, 256, args);
  }
}

// Modes: 0 nothing but the stamps; 1 a load that is waited for; 2 a scattered store before the end; 3 eight rows of
// stores; 4 a store and a fence.
struct Stamp { uint64_t begin, end; unsigned sm, pad; };
__global__ void blocks(int mode, Stamp* stamps, float* data, size_t n) {
  const uint64_t b = now64();
  const size_t tid = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  float v = 1;
  if (mode == 1) v = data[tid % n];
  if (mode == 2) data[(tid * 2654435761u) % n] = 1;
  if (mode == 3) for (int i = 0; i < 8; ++i) data[(tid + i * (size_t)gridDim.x * blockDim.x) % n] = 1;
  if (mode == 4) { data[tid % n] = 1; __threadfence(); }
  if (v == 12345.f) data[0] = 2;
  const uint64_t e = now64();
  if ((threadIdx.x & 31) == 0) stamps[tid / 32] = {b, e, smid(), 0};
}
static void run_blocks() {
  Stamp* stamps; float* data; const size_t n = size_t{1} << 26;
  OK(cudaMalloc(&stamps, sizeof(Stamp) << 20)); OK(cudaMalloc(&data, n * 4));
  printf("mode,threads,block,warp,sm,begin,end\n");
  for (int mode = 0; mode < 5; ++mode)
    for (int threads : {64, 256, 1024}) {
      const int grid = threads == 1024 ? 132 * 6 : threads == 256 ? 132 * 24 : 132 * 80;
      for (int k = 0; k < 2; ++k) { blocks<<<grid, threads>>>(mode, stamps, data, n); OK(cudaDeviceSynchronize()); }
      const int warps = threads / 32;
      std::vector<Stamp> s(grid * warps);
      OK(cudaMemcpy(s.data(), stamps, s.size() * sizeof(Stamp), cudaMemcpyDeviceToHost));
      for (size_t i = 0; i < s.size(); ++i)
        if (s[i].sm < 4 || s[i].sm == 60 || s[i].sm == 61)
          printf("%d,%d,%zu,%zu,%u,%llu,%llu\n", mode, threads, i / warps, i % warps, s[i].sm, (unsigned long long)s[i].begin, (unsigned long long)s[i].end);
    }
}
int main(int argc, char** argv) {
  OK(cudaMalloc(&d_out, 1 << 20));
  const std::string what = argc > 1 ? argv[1] : "dsmem";
  if (what == "dsmem") run_dsmem(); else if (what == "counted") run_counted(); else run_blocks();
  return 0;
}
