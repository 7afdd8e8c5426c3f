// SPDX-License-Identifier: Apache-2.0
// libcu++: atomics of all scopes and orders, barriers with asynchronous copies, pipelines.
#include <cooperative_groups.h>

#include <algorithm>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/array>
#include <cuda/std/limits>
#include <vector>

#include "check.h"

#pragma nv_diag_suppress 20054  // shared objects that a thread initialises

namespace cg = cooperative_groups;

constexpr int kThreads = 128, kStages = 2, kTurns = 6;

struct Totals {
  int sum, highest, swaps, locked;
  unsigned long long bits;
  float most;
};

__global__ void atomics(const int* in, int n, Totals* totals) {
  __shared__ cuda::atomic<int, cuda::thread_scope_block> lock;
  __shared__ int guarded;
  if (threadIdx.x == 0) {
    new (&lock) cuda::atomic<int, cuda::thread_scope_block>(0);
    guarded = 0;
  }
  __syncthreads();
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int value = i < n ? in[i] : 0;
  cuda::atomic_ref<int, cuda::thread_scope_device>(totals->sum).fetch_add(value, cuda::memory_order_relaxed);
  cuda::atomic_ref<int, cuda::thread_scope_system>(totals->highest).fetch_max(value);
  cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>(totals->bits)
      .fetch_or(1ull << (value & 63), cuda::memory_order_acq_rel);
  // A loop that exchanges until nobody came between.
  cuda::atomic_ref<int, cuda::thread_scope_device> swaps(totals->swaps);
  int seen = swaps.load(cuda::memory_order_relaxed);
  while (!swaps.compare_exchange_weak(seen, seen + 3, cuda::memory_order_acq_rel)) {
  }
  cuda::atomic_ref<float, cuda::thread_scope_device> most(totals->most);
  float before = most.load();
  const float own = 0.5f * static_cast<float>(value);
  while (before < own && !most.compare_exchange_strong(before, own)) {
  }
  if (threadIdx.x % 32 == 0) {
    while (lock.exchange(1, cuda::memory_order_acquire) != 0) {
    }
    guarded = guarded + 1;
    lock.store(0, cuda::memory_order_release);
  }
  __syncthreads();
  if (threadIdx.x == 0) cuda::atomic_ref<int, cuda::thread_scope_device>(totals->locked).fetch_add(guarded);
}

// The last block to come adds up what the others have left.
__global__ void last_block(int* parts, int* came, int* out) {
  if (threadIdx.x != 0) return;
  parts[blockIdx.x] = static_cast<int>(blockIdx.x) + 1;
  cuda::atomic_ref<int, cuda::thread_scope_device> count(*came);
  if (count.fetch_add(1, cuda::memory_order_acq_rel) + 1 != static_cast<int>(gridDim.x)) return;
  int sum = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) sum += parts[b];
  *out = sum;
}

__global__ void barriers(const int4* in, int* out) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ alignas(16) int4 part[kThreads];
  __shared__ Barrier filled;
  const cg::thread_block block = cg::this_thread_block();
  if (threadIdx.x == 0) init(&filled, kThreads);
  block.sync();
  int sum = 0;
  for (int turn = 0; turn < kTurns; ++turn) {
    cuda::memcpy_async(block, part, in + turn * kThreads, cuda::aligned_size_t<16>(sizeof part), filled);
    Barrier::arrival_token token = filled.arrive();
    filled.wait(cuda::std::move(token));
    const int4 other = part[kThreads - 1 - threadIdx.x];
    sum += other.x + 2 * other.y + 3 * other.z + 4 * other.w;
    filled.arrive_and_wait();  // all have read
  }
  out[threadIdx.x] = sum;
}

__global__ void pipelines(const int* in, int* out) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  __shared__ alignas(16) int part[kStages][kThreads];
  const cg::thread_block block = cg::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  cuda::std::array<int, 2> ends = {cuda::std::numeric_limits<int>::max(),
                                   cuda::std::numeric_limits<int>::min()};
  for (int turn = 0, fetched = 0; turn < kTurns; ++turn) {
    for (; fetched < kTurns && fetched < turn + kStages; ++fetched) {
      pipeline.producer_acquire();
      cuda::memcpy_async(block, part[fetched % kStages], in + fetched * kThreads,
                         cuda::aligned_size_t<16>(sizeof part[0]), pipeline);
      pipeline.producer_commit();
    }
    pipeline.consumer_wait();
    const int value = part[turn % kStages][kThreads - 1 - threadIdx.x];
    ends = {value < ends[0] ? value : ends[0], value > ends[1] ? value : ends[1]};
    pipeline.consumer_release();
  }
  out[2 * threadIdx.x] = ends[0];
  out[2 * threadIdx.x + 1] = ends[1];
}

void check_atomics(const std::vector<int>& in, const int* device) {
  Totals* totals;
  CUDA(cudaMallocManaged(&totals, sizeof *totals));
  *totals = {0, 0, 0, 0, 0, -1.0f};
  const int n = static_cast<int>(in.size()), blocks = (n + kThreads - 1) / kThreads;
  atomics<<<blocks, kThreads>>>(device, n, totals);
  CUDA(cudaDeviceSynchronize());
  Totals wanted = {0, 0, 3 * blocks * kThreads, blocks * kThreads / 32, 0, 0};
  for (const int value : in) {
    wanted.sum += value;
    wanted.highest = std::max(wanted.highest, value);
    wanted.bits |= 1ull << (value & 63);
  }
  if (n % kThreads != 0) wanted.bits |= 1;
  CHECK(totals->sum == wanted.sum && totals->highest == wanted.highest && totals->bits == wanted.bits);
  CHECK(totals->swaps == wanted.swaps && totals->locked == wanted.locked);
  CHECK(totals->most == 0.5f * static_cast<float>(wanted.highest));
}

void check_last_block() {
  constexpr int kBlocks = 37;
  int* data;
  CUDA(cudaMallocManaged(&data, (kBlocks + 2) * sizeof(int)));
  CUDA(cudaMemset(data, 0, (kBlocks + 2) * sizeof(int)));
  last_block<<<kBlocks, 32>>>(data + 2, data, data + 1);
  CUDA(cudaDeviceSynchronize());
  CHECK(data[1] == kBlocks * (kBlocks + 1) / 2);
}

void check_copies(const std::vector<int>& in, const int* device) {
  int* out;
  CUDA(cudaMallocManaged(&out, 3 * kThreads * sizeof(int)));
  barriers<<<1, kThreads>>>(reinterpret_cast<const int4*>(device), out);
  pipelines<<<1, kThreads>>>(device, out + kThreads);
  CUDA(cudaDeviceSynchronize());
  for (int t = 0; t < kThreads; ++t) {
    int sum = 0, least = in[kThreads - 1 - t], most = least;
    for (int turn = 0; turn < kTurns; ++turn) {
      const int* four = &in[4 * (turn * kThreads + kThreads - 1 - t)];
      sum += four[0] + 2 * four[1] + 3 * four[2] + 4 * four[3];
      least = std::min(least, in[turn * kThreads + kThreads - 1 - t]);
      most = std::max(most, in[turn * kThreads + kThreads - 1 - t]);
    }
    CHECK(out[t] == sum);
    CHECK(out[kThreads + 2 * t] == least && out[kThreads + 2 * t + 1] == most);
  }
}

int main() {
  std::vector<int> in(4 * kThreads * kTurns + 5);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i * 2654435761u >> 12 & 0xffff);
  int* device;
  CUDA(cudaMalloc(&device, in.size() * sizeof(int)));
  CUDA(cudaMemcpy(device, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice));
  check_atomics(in, device);
  check_last_block();
  check_copies(in, device);
  return verdict();
}
