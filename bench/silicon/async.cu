// SPDX-License-Identifier: Apache-2.0
// Asynchronous-copy cases: the memcpy_async pipelines of the programming guide, mbarrier, bulk copies, grid sync.
#include "harness.cuh"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;

__device__ __forceinline__ float work(const float* s, int t, int intensity) {
  float v = s[t], x = v; for (int k = 0; k < intensity; k++) x = x * v + 0.5f; return x;
}
// Each block walks `batches` batches of 1024 floats.
extern "C" __global__ void staged_sync(float* out, const float* in, int batches, int intensity) {  // through registers
  __shared__ float s[1024]; int t = threadIdx.x; float acc = 0; const float* base = in + (size_t)blockIdx.x * batches * 1024;
  for (int b = 0; b < batches; b++) { for (int k = 0; k < 4; k++) s[t + 256 * k] = base[b * 1024 + t + 256 * k]; __syncthreads();
    for (int k = 0; k < 4; k++) acc += work(s, (t * 5 + 256 * k) & 1023, intensity); __syncthreads(); }
  out[blockIdx.x * 256 + t] = acc;
}
template <int STAGES> __device__ void pipeline_body(float* out, const float* in, int batches, int intensity) {
  __shared__ __align__(16) float s[STAGES][1024]; int t = threadIdx.x; float acc = 0; const float* base = in + (size_t)blockIdx.x * batches * 1024;
  auto pipe = cuda::make_pipeline(); int fetch = 0;
  for (int b = 0; b < batches; b++) {
    for (; fetch < batches && fetch < b + STAGES; fetch++) { pipe.producer_acquire(); cuda::memcpy_async(&s[fetch % STAGES][t * 4], base + fetch * 1024 + t * 4, cuda::aligned_size_t<16>(16), pipe); pipe.producer_commit(); }
    pipe.consumer_wait(); __syncthreads();
    for (int k = 0; k < 4; k++) acc += work(s[b % STAGES], (t * 5 + 256 * k) & 1023, intensity);
    __syncthreads(); pipe.consumer_release();
  }
  out[blockIdx.x * 256 + t] = acc;
}
extern "C" __global__ void pipeline_1(float* out, const float* in, int batches, int intensity) { pipeline_body<1>(out, in, batches, intensity); }
extern "C" __global__ void pipeline_2(float* out, const float* in, int batches, int intensity) { pipeline_body<2>(out, in, batches, intensity); }
extern "C" __global__ void pipeline_4(float* out, const float* in, int batches, int intensity) { pipeline_body<4>(out, in, batches, intensity); }
extern "C" __global__ void cg_memcpy_async(float* out, const float* in, int batches, int intensity) {
  __shared__ __align__(16) float s[2][1024]; cg::thread_block block = cg::this_thread_block(); int t = threadIdx.x; float acc = 0; const float* base = in + (size_t)blockIdx.x * batches * 1024;
  cg::memcpy_async(block, s[0], base, cuda::aligned_size_t<16>(4096));
  for (int b = 0; b < batches; b++) {
    if (b + 1 < batches) { cg::memcpy_async(block, s[(b + 1) & 1], base + (b + 1) * 1024, cuda::aligned_size_t<16>(4096)); cg::wait_prior<1>(block); } else cg::wait(block);
    for (int k = 0; k < 4; k++) acc += work(s[b & 1], (t * 5 + 256 * k) & 1023, intensity);
    block.sync();
  }
  out[blockIdx.x * 256 + t] = acc;
}
extern "C" __global__ void producer_consumer(float* out, const float* in, int batches, int intensity) {  // warp specialisation with cuda::barrier
  using barrier = cuda::barrier<cuda::thread_scope_block>; __shared__ float s[2][1024]; __shared__ barrier full[2], empty[2];
  int t = threadIdx.x; const float* base = in + (size_t)blockIdx.x * batches * 1024;
  if (t == 0) for (int k = 0; k < 2; k++) { init(&full[k], blockDim.x); init(&empty[k], blockDim.x); }
  __syncthreads();
  if (t < 128) { for (int b = 0; b < batches; b++) { empty[b & 1].arrive_and_wait(); for (int k = 0; k < 8; k++) s[b & 1][t + 128 * k] = base[b * 1024 + t + 128 * k]; (void)full[b & 1].arrive(); } }
  else { t -= 128; float acc = 0; for (int k = 0; k < 2; k++) (void)empty[k].arrive();
    for (int b = 0; b < batches; b++) { full[b & 1].arrive_and_wait(); for (int k = 0; k < 8; k++) acc += work(s[b & 1], (t * 5 + 128 * k) & 1023, intensity); (void)empty[b & 1].arrive(); }
    out[blockIdx.x * 128 + t] = acc; }
}
extern "C" __global__ void bulk_copy(float* out, const float* in, int batches, int intensity) {  // cp.async.bulk + mbarrier transaction count, two stages
  __shared__ __align__(128) float s[2][1024]; __shared__ __align__(8) unsigned long long bar[2]; int t = threadIdx.x; float acc = 0; const float* base = in + (size_t)blockIdx.x * batches * 1024;
  unsigned b0 = __cvta_generic_to_shared(&bar[0]), s0 = __cvta_generic_to_shared(&s[0][0]);
  if (t == 0) { for (int k = 0; k < 2; k++) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(b0 + 8 * k)); asm volatile("fence.mbarrier_init.release.cluster;"); }
  __syncthreads();
  auto fetch = [&](int b) { unsigned k = b & 1; asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 4096;" :: "r"(b0 + 8 * k) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 4096, [%2];" :: "r"(s0 + 4096 * k), "l"(base + b * 1024), "r"(b0 + 8 * k) : "memory"); };
  if (t == 0) { fetch(0); if (batches > 1) fetch(1); }
  for (int b = 0; b < batches; b++) { unsigned k = b & 1, parity = (b >> 1) & 1;
    asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra W; }" :: "r"(b0 + 8 * k), "r"(parity) : "memory");
    for (int j = 0; j < 4; j++) acc += work(s[k], (t * 5 + 256 * j) & 1023, intensity);
    __syncthreads(); if (t == 0 && b + 2 < batches) fetch(b + 2); }
  out[blockIdx.x * 256 + t] = acc;
}
extern "C" __global__ void bulk_store(float* out, int batches) {  // shared to global bulk copies with bulk groups
  __shared__ __align__(128) float s[2][1024]; int t = threadIdx.x;
  for (int b = 0; b < batches; b++) { if (t == 0) asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory"); __syncthreads();
    for (int k = 0; k < 4; k++) s[b & 1][t + 256 * k] = blockIdx.x + b + t * 0.5f; asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); __syncthreads();
    if (t == 0) { asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 4096;" :: "l"(out + ((size_t)blockIdx.x * batches + b) * 1024), "r"((unsigned)__cvta_generic_to_shared(s[b & 1])) : "memory"); asm volatile("cp.async.bulk.commit_group;"); } }
  if (t == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
extern "C" __global__ void grid_sync_jacobi(float* a, float* b, int n, int rounds) {  // cooperative launch
  cg::grid_group grid = cg::this_grid();
  for (int r = 0; r < rounds; r++) { for (int i = grid.thread_rank() + 1; i < n - 1; i += grid.size()) b[i] = 0.25f * a[i - 1] + 0.5f * a[i] + 0.25f * a[i + 1]; grid.sync(); float* t = a; a = b; b = t; }
}
void register_async() {
  const uint64_t N = 132ull * 2 * 32 * 1024;
  for (int w : {4, 64}) { std::string suffix = "_w" + std::to_string(w);
    auto mk = [&](const char* base, const void* fn, const char* k, const char* about, unsigned threads = 256) { std::string n = base + suffix; add(strdup(n.c_str()), "async", k, fn, about).g(264).b(threads).out("out", "f32", 264 * 256).in("in", "f32", N, "uniform", 81).i(32).i(w); };
    mk("staged_sync", (const void*)staged_sync, "staged_sync", "global to shared through registers"); mk("pipeline_1", (const void*)pipeline_1, "pipeline_1", "cuda::pipeline, 1 stage");
    mk("pipeline_2", (const void*)pipeline_2, "pipeline_2", "cuda::pipeline, 2 stages"); mk("pipeline_4", (const void*)pipeline_4, "pipeline_4", "cuda::pipeline, 4 stages");
    mk("cg_memcpy_async", (const void*)cg_memcpy_async, "cg_memcpy_async", "cooperative_groups::memcpy_async, wait_prior"); mk("producer_consumer", (const void*)producer_consumer, "producer_consumer", "warp specialisation, cuda::barrier");
    mk("bulk_copy", (const void*)bulk_copy, "bulk_copy", "cp.async.bulk and mbarrier, 2 stages"); }
  CASE("bulk_store", "async", bulk_store, "bulk copies shared to global").g(264).b(256).out("out", "f32", N).i(32);
  auto& g = CASE("grid_sync_jacobi", "async", grid_sync_jacobi, "cooperative groups grid.sync").g(132).b(256).out("a", "f32", 1 << 18, "uniform", 82).out("b", "f32", 1 << 18).i(1 << 18).i(16); g.cooperative = true;
}
