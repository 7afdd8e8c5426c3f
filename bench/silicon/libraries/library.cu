// SPDX-License-Identifier: Apache-2.0
// Fourth held-out set, library: what CUB, cooperative groups and libcu++ make of a few lines. See README.md.
#include "../harness.cuh"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cub/cub.cuh>
#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
#pragma nv_diag_suppress 20054  // barriers in shared memory are made by init()

// Running sums of a tile: loads through shared memory, a scan over the block, stores through shared memory.
extern "C" __global__ void __launch_bounds__(128) cub_scan_tile(int* out, const int* in) {
  using Load = cub::BlockLoad<int, 128, 8, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  using Store = cub::BlockStore<int, 128, 8, cub::BLOCK_STORE_WARP_TRANSPOSE>;
  using Scan = cub::BlockScan<int, 128, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ union { typename Load::TempStorage load; typename Store::TempStorage store; typename Scan::TempStorage scan; } s;
  int v[8];
  Load(s.load).Load(in + blockIdx.x * 1024, v);
  __syncthreads();
  Scan(s.scan).ExclusiveSum(v, v);
  __syncthreads();
  Store(s.store).Store(out + blockIdx.x * 1024, v);
}
// The same with a scan that rakes and an operator of its own.
extern "C" __global__ void __launch_bounds__(256) cub_scan_max(float* out, const float* in) {
  using Scan = cub::BlockScan<float, 256, cub::BLOCK_SCAN_RAKING>;
  __shared__ typename Scan::TempStorage s;
  float4 q = ((const float4*)in)[blockIdx.x * 256 + threadIdx.x];
  float v[4] = {q.x, q.y, q.z, q.w}, all;
  Scan(s).InclusiveScan(v, v, [](float a, float b) { return a > b ? a : b; }, all);
  ((float4*)out)[blockIdx.x * 256 + threadIdx.x] = make_float4(v[0] - all, v[1] - all, v[2] - all, v[3] - all);
}
extern "C" __global__ void __launch_bounds__(128) cub_sort_pairs(unsigned* keys, unsigned* values) {
  using Sort = cub::BlockRadixSort<unsigned, 128, 8, unsigned>;
  __shared__ typename Sort::TempStorage s;
  unsigned k[8], v[8];
  cub::LoadDirectStriped<128>(threadIdx.x, keys + blockIdx.x * 1024, k);
  cub::LoadDirectStriped<128>(threadIdx.x, values + blockIdx.x * 1024, v);
  Sort(s).SortBlockedToStriped(k, v, 0, 20);
  cub::StoreDirectStriped<128>(threadIdx.x, keys + blockIdx.x * 1024, k);
  cub::StoreDirectStriped<128>(threadIdx.x, values + blockIdx.x * 1024, v);
}
extern "C" __global__ void __launch_bounds__(256) cub_merge_i64(long long* out, const unsigned* in) {
  using Sort = cub::BlockMergeSort<long long, 256, 4>;
  __shared__ typename Sort::TempStorage s;
  long long v[4];
#pragma unroll
  for (int k = 0; k < 4; k++) { unsigned u = in[blockIdx.x * 1024 + threadIdx.x * 4 + k]; v[k] = (long long)u * (int)(u >> 3 ^ 0x55aa); }
  Sort(s).Sort(v, [](long long a, long long b) { return a < b; });
  cub::StoreDirectBlocked(threadIdx.x, out + blockIdx.x * 1024, v);
}
extern "C" __global__ void __launch_bounds__(128) cub_warp_merge(float* data) {
  using Sort = cub::WarpMergeSort<float, 4, 32>;
  __shared__ typename Sort::TempStorage s[4];
  int warp = threadIdx.x / 32, at = (blockIdx.x * 4 + warp) * 128;
  float v[4];
  cub::LoadDirectBlocked(threadIdx.x & 31, data + at, v);
  Sort(s[warp]).Sort(v, [](float a, float b) { return a > b; });
  cub::StoreDirectBlocked(threadIdx.x & 31, data + at, v);
}
// The greatest of each row and where it is.
extern "C" __global__ void __launch_bounds__(192) cub_argmax_rows(float* top, int* where, const float* in, int width) {
  using Pair = cub::KeyValuePair<int, float>;
  using Reduce = cub::BlockReduce<Pair, 192>;
  __shared__ typename Reduce::TempStorage s;
  Pair best(0, -1e30f);
  for (int i = threadIdx.x; i < width; i += 192) { float v = in[(size_t)blockIdx.x * width + i]; if (v > best.value) best = Pair(i, v); }
  best = Reduce(s).Reduce(best, cub::ArgMax());
  if (threadIdx.x == 0) { top[blockIdx.x] = best.value; where[blockIdx.x] = best.key; }
}
extern "C" __global__ void __launch_bounds__(256) cub_histogram_u8(unsigned* bins, const unsigned char* in) {
  using Histogram = cub::BlockHistogram<unsigned char, 256, 16, 256, cub::BLOCK_HISTO_ATOMIC>;
  __shared__ typename Histogram::TempStorage s;
  __shared__ unsigned counts[256];
  unsigned char v[16];
  cub::LoadDirectBlockedVectorized(threadIdx.x, (unsigned char*)in + blockIdx.x * 4096, v);
  Histogram(s).Histogram(v, counts);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], counts[threadIdx.x]);
}
// Runs of equal values within a tile: heads, a scan of them, values and lengths close together.
extern "C" __global__ void __launch_bounds__(128) cub_run_lengths(unsigned* value, unsigned* length, unsigned* runs, const unsigned* in) {
  using Heads = cub::BlockDiscontinuity<unsigned, 128>;
  using Scan = cub::BlockScan<int, 128>;
  __shared__ union { typename Heads::TempStorage heads; typename Scan::TempStorage scan; } s;
  __shared__ int start[513];
  unsigned v[4]; int head[4], rank[4], all;
  cub::LoadDirectBlocked(threadIdx.x, in + blockIdx.x * 512, v);
#pragma unroll
  for (int k = 0; k < 4; k++) v[k] /= 3;
  Heads(s.heads).FlagHeads(head, v, cuda::std::not_equal_to<unsigned>());
  __syncthreads();
  Scan(s.scan).ExclusiveSum(head, rank, all);
#pragma unroll
  for (int k = 0; k < 4; k++) if (head[k]) { start[rank[k]] = threadIdx.x * 4 + k; value[blockIdx.x * 512 + rank[k]] = v[k]; }
  if (threadIdx.x == 0) { start[all] = 512; runs[blockIdx.x] = all; }
  __syncthreads();
  for (int i = threadIdx.x; i < all; i += 128) length[blockIdx.x * 512 + i] = start[i + 1] - start[i];
}
struct Particle { float x, y, z, m; int kind, id; };
// Structures become columns: 24 bytes a structure, exchanged between threads.
extern "C" __global__ void __launch_bounds__(128) cub_exchange_columns(float* columns, const Particle* in, int n) {
  using Exchange = cub::BlockExchange<float, 128, 6>;
  __shared__ typename Exchange::TempStorage s;
  const float* p = (const float*)(in + blockIdx.x * 128);
  float v[6];
  cub::LoadDirectStriped<128>(threadIdx.x, p, v);
  Exchange(s).StripedToBlocked(v, v);
  v[3] *= v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
#pragma unroll
  for (int k = 0; k < 6; k++) columns[k * n + blockIdx.x * 128 + threadIdx.x] = v[k];
}
// Sums of rows of unlike length, a block a row; long rows several at a time.
extern "C" __global__ void __launch_bounds__(64) cub_segment_reduce(float* sums, const float* in, const unsigned* offsets) {
  using Reduce = cub::BlockReduce<float, 64>;
  __shared__ typename Reduce::TempStorage s;
  unsigned i = offsets[blockIdx.x] + threadIdx.x, end = offsets[blockIdx.x + 1];
  float sum = 0;
  for (; i + 192 < end; i += 256) sum += in[i] + in[i + 64] + in[i + 128] + in[i + 192];
  for (; i < end; i += 64) sum += in[i];
  sum = Reduce(s).Sum(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
// Tiles of sixteen lanes: sums, a scan and the greatest, and a vote.
extern "C" __global__ void cg_tiles(float* out, int* rank, const float* in, int n) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = in[i], mean = cg::reduce(tile, v, cg::plus<float>()) / 16, top = cg::reduce(tile, v, cg::greater<float>());
  rank[i] = cg::exclusive_scan(tile, (int)(v > mean)) + tile.any(v == top ? tile.thread_rank() > 7 : false);
  out[i] = (v - mean) / top;
}
// What passes a test goes to its bin's list: lanes with the same bin add once.
extern "C" __global__ void cg_partition(unsigned* count, unsigned* sums, const unsigned* in, int n) {
  auto block = cg::this_thread_block();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned v = in[i];
    if (v & 1) {
      auto active = cg::coalesced_threads();
      auto same = cg::labeled_partition(active, v >> 28);
      unsigned sum = cg::reduce(same, v & 0xffff, cg::plus<unsigned>());
      if (same.thread_rank() == 0) { atomicAdd(&count[v >> 28], same.size()); atomicAdd(&sums[v >> 28], sum); }
    }
  }
  block.sync();
}
// A pipeline of three stages that all threads feed and use.
extern "C" __global__ void __launch_bounds__(128) pipeline_stages(float4* out, const float4* in, int steps) {
  __shared__ float4 s[3][128];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 3> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  const float4* p = in + (size_t)blockIdx.x * steps * 128;
  int fetched = 0;
  float4 sum = make_float4(0, 0, 0, 0);
  for (int i = 0; i < steps; i++) {
    for (; fetched < steps && fetched < i + 3; fetched++) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, s[fetched % 3], p + fetched * 128, cuda::aligned_size_t<16>(sizeof(float4) * 128), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    float4 a = s[i % 3][threadIdx.x], b = s[i % 3][(threadIdx.x * 5 + i) & 127];
    sum.x += a.x * b.w; sum.y += a.y * b.z; sum.z += a.z * b.y; sum.w += a.w * b.x;
    pipe.consumer_release();
  }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}
// Two warps copy, six compute: a barrier each way a stage.
extern "C" __global__ void __launch_bounds__(256) specialised_warps(float* out, const float* in, int steps) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ float s[2][768];
  __shared__ Barrier full[2], empty[2];
  int t = threadIdx.x;
  if (t < 2) { init(&full[t], 256); init(&empty[t], 256); }
  __syncthreads();
  const float* p = in + (size_t)blockIdx.x * steps * 768;
  if (t < 64) {
    for (int i = 0; i < steps; i++) {
      if (i >= 2) empty[i & 1].arrive_and_wait();
      for (int k = t; k < 768; k += 64) s[i & 1][k] = p[i * 768 + k];
      (void)full[i & 1].arrive();
    }
  } else {
    float sum = 0;
    int c = t - 64;
    for (int i = 0; i < steps; i++) {
      full[i & 1].arrive_and_wait();
      const float* q = s[i & 1];
#pragma unroll
      for (int k = 0; k < 4; k++) sum = fmaf(q[c * 4 + k], q[(c + k * 192) % 768], sum);
      if (i + 2 < steps) (void)empty[i & 1].arrive();
    }
    out[blockIdx.x * 192 + c] = sum;
  }
}
// Prefix sums over the grid in one pass: blocks publish sums, a warp looks back at 32 of them at a time.
extern "C" __global__ void __launch_bounds__(256) lookback_window(unsigned* out, const unsigned* in, unsigned long long* state, unsigned* ticket) {
  using Scan = cub::BlockScan<unsigned, 256>;
  __shared__ typename Scan::TempStorage s;
  __shared__ unsigned tile, before;
  int t = threadIdx.x;
  if (t == 0) tile = atomicAdd(ticket, 1);
  __syncthreads();
  uint4 q = ((const uint4*)in)[tile * 256 + t];
  unsigned v[4] = {q.x & 15, q.y & 15, q.z & 15, q.w & 15}, all;
  Scan(s).InclusiveSum(v, v, all);
  if (t < 32) {
    if (t == 0) { cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> mine(state[tile]); mine.store((unsigned long long)all << 2 | (tile ? 1 : 2), cuda::memory_order_release); }
    unsigned sum = 0;
    for (int base = (int)tile - 1; base >= 0;) {
      int look = base - t;
      unsigned long long w = 2;
      if (look >= 0) {
        cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> other(state[look]);
        while (((w = other.load(cuda::memory_order_acquire)) & 3) == 0) {}
      }
      unsigned done = __ballot_sync(~0u, (w & 3) == 2), first = __ffs(done);
      sum += __reduce_add_sync(~0u, done == 0 || t < first ? (unsigned)(w >> 2) : 0u);
      if (done) break;
      base -= 32;
    }
    if (t == 0) { before = sum; if (tile) { cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> mine(state[tile]); mine.store((unsigned long long)(sum + all) << 2 | 2, cuda::memory_order_release); } }
  }
  __syncthreads();
  ((uint4*)out)[tile * 256 + t] = make_uint4(v[0] + before, v[1] + before, v[2] + before, v[3] + before);
}
// Sums across a cluster of blocks by cooperative groups: every block reads its neighbours' shared memory.
extern "C" __global__ void __launch_bounds__(256) cg_cluster_norm(float* out, const float* in, int width) {
  extern __shared__ float row[];
  __shared__ float part[8], total;
  auto cluster = cg::this_cluster();
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  int share = width / cluster.num_blocks(), id = blockIdx.x / cluster.num_blocks();
  const float* p = in + (size_t)id * width + cluster.block_rank() * share;
  float sum = 0;
  for (int i = threadIdx.x; i < share; i += 256) { float v = p[i]; row[i] = v; sum += v * v; }
  sum = cg::reduce(warp, sum, cg::plus<float>());
  if (warp.thread_rank() == 0) part[warp.meta_group_rank()] = sum;
  block.sync();
  if (threadIdx.x == 0) { float all = 0; for (int w = 0; w < 8; w++) all += part[w]; total = all; }
  cluster.sync();
  float all = 0;
  for (int b = 0; b < cluster.num_blocks(); b++) all += *cluster.map_shared_rank(&total, b);
  float scale = rsqrtf(all / width + 1e-6f);
  for (int i = threadIdx.x; i < share; i += 256) out[(size_t)id * width + cluster.block_rank() * share + i] = row[i] * scale;
  cluster.sync();
}
void register_library() {
  CASE("cub_scan_tile", "library", cub_scan_tile, "CUB: load, scan, store").g(512).b(128).out("out", "i32", 512 * 1024).in("in", "u32", 512 * 1024, "range", 601, 100);
  CASE("cub_scan_max", "library", cub_scan_max, "CUB: raking scan, an operator").g(400).b(256).out("out", "f32", 400 * 1024).in("in", "f32", 400 * 1024, "uniform", 602);
  CASE("cub_sort_pairs", "library", cub_sort_pairs, "CUB: radix sort of pairs in a block").g(264).b(128).out("keys", "u32", 264 * 1024, "range", 603, 1 << 20).out("values", "u32", 264 * 1024, "iota");
  CASE("cub_merge_i64", "library", cub_merge_i64, "CUB: merge sort of 64-bit keys").g(200).b(256).out("out", "f64", 200 * 1024).in("in", "u32", 200 * 1024, "raw", 604);
  CASE("cub_warp_merge", "library", cub_warp_merge, "CUB: merge sort in a warp").g(500).b(128).out("data", "f32", 500 * 512, "uniform", 605);
  CASE("cub_argmax_rows", "library", cub_argmax_rows, "CUB: greatest and where").g(396).b(192).out("top", "f32", 396).out("where", "i32", 396).in("in", "f32", 396 * 3000, "uniform", 606).i(3000);
  CASE("cub_histogram_u8", "library", cub_histogram_u8, "CUB: histogram of bytes").g(300).b(256).out("bins", "u32", 256).in("in", "u8", 300 * 4096, "range", 607, 200);
  CASE("cub_run_lengths", "library", cub_run_lengths, "CUB: heads of runs").g(600).b(128).out("value", "u32", 600 * 512).out("length", "u32", 600 * 512).out("runs", "u32", 600).in("in", "u32", 600 * 512, "range", 608, 6);
  CASE("cub_exchange_columns", "library", cub_exchange_columns, "CUB: structures to columns").g(700).b(128).out("columns", "f32", 700 * 128 * 6).in("in", "f32", 700 * 128 * 6, "uniform", 609).i(700 * 128);
  CASE("cub_segment_reduce", "library", cub_segment_reduce, "CUB: rows of unlike length").g(2000).b(64).out("sums", "f32", 2000).in("in", "f32", 2000 * 602, "uniform", 610).in("offsets", "u32", 2001, "csr_rows", 611, 300);
  CASE("cg_tiles", "library", cg_tiles, "tiles of 16 lanes").g(500).b(96).out("out", "f32", 48000).out("rank", "i32", 48000).in("in", "f32", 48000, "positive", 612).i(47984);
  CASE("cg_partition", "library", cg_partition, "groups of lanes with a label").g(132).b(256).out("count", "u32", 16).out("sums", "u32", 16).in("in", "u32", 200000, "raw", 613).i(200000);
  CASE("pipeline_stages", "library", pipeline_stages, "cuda::pipeline, three stages").g(264).b(128).out("out", "f32", 264 * 512).in("in", "f32", 264 * 16 * 512, "uniform", 614).i(16);
  CASE("specialised_warps", "library", specialised_warps, "cuda::barrier, two warps copy").g(132).b(256).out("out", "f32", 132 * 192).in("in", "f32", 132 * 24 * 768, "uniform", 615).i(24);
  CASE("lookback_window", "library", lookback_window, "scan in one pass").g(600).b(256).out("out", "u32", 600 * 1024).in("in", "u32", 600 * 1024, "raw", 616).in("state", "u32", 1200, "zero").in("ticket", "u32", 1, "zero");
  CASE("cg_cluster_norm", "library", cg_cluster_norm, "a row a cluster").g(4 * 96).b(256).c(4).dyn(8192).out("out", "f32", 96 * 8192).in("in", "f32", 96 * 8192, "uniform", 617).i(8192);
}
