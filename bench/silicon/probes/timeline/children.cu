// SPDX-License-Identifier: Apache-2.0
// Grids that kernels launch (dynamic parallelism): what the launch takes the thread, when the grid begins, at what pace
// several do, and what the parent's stream waits for. Times by %globaltimer, from the parent's first launch on.
// Compile with -rdc=true and -lcudadevrt.
#include "stamps.cuh"

struct Times { Nanoseconds begin, launched, end, events; };
struct Child { Nanoseconds begin, end; };
constexpr int kMost = 256;
struct Log { Times parent; Child child[kMost]; };

static __global__ void child(Log* log, int k, uint64_t cycles) {
  if (threadIdx.x != 0 || blockIdx.x != 0) return;
  log->child[k].begin = gpu_now();
  for (const uint64_t begin = now64(); now64() - begin < cycles;) {
  }
  log->child[k].end = gpu_now();
}
// mode 0: its block's stream, 1: fire and forget, 2: tail
static __global__ void parent(Log* log, int mode, int children, uint64_t cycles, uint64_t child_cycles) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) log->parent.begin = gpu_now();
  const cudaStream_t s = mode == 0 ? nullptr : mode == 1 ? cudaStreamFireAndForget : cudaStreamTailLaunch;
  for (int k = 0; k < children; ++k) child<<<1, 32, 0, s>>>(log, blockIdx.x * children + k, child_cycles);
  if (blockIdx.x == 0) log->parent.launched = gpu_now();
  for (const uint64_t begin = now64(); now64() - begin < cycles;) {
  }
  if (blockIdx.x == 0) log->parent.end = gpu_now();
}
static __global__ void deeper(Log* log, int k, int depth) {
  log->child[k].begin = gpu_now();
  if (k + 1 < depth) deeper<<<1, 1, 0, cudaStreamFireAndForget>>>(log, k + 1, depth);
  log->child[k].end = gpu_now();
}
static __global__ void plain(Log* log, uint64_t cycles) {
  log->parent.begin = gpu_now();
  for (const uint64_t begin = now64(); now64() - begin < cycles;) {
  }
  log->parent.end = gpu_now();
}

static Log *on_device, *log_;
static cudaEvent_t first, last;
template <class Submit>
static void measure(const std::string& name, int shown, Submit submit) {
  Middles all;
  for (int round = 0; round < 10; ++round) {
    OK(cudaMemset(on_device, 0, sizeof(Log)));
    spin<<<1, 1>>>(200000);
    OK(cudaEventRecord(first));
    submit();
    OK(cudaEventRecord(last));
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(log_, on_device, sizeof(Log), cudaMemcpyDeviceToHost));
    float ms = 0;
    OK(cudaEventElapsedTime(&ms, first, last));
    if (round == 0) continue;
    const Nanoseconds zero = log_->parent.begin != 0 ? log_->parent.begin : log_->child[0].begin;
    all.add(name + "_events", 0, static_cast<Nanoseconds>(ms * 1e6));
    if (log_->parent.launched != 0) all.add(name + "_launched", 0, log_->parent.launched - zero);
    if (log_->parent.end != 0) all.add(name + "_parent_ends", 0, log_->parent.end - zero);
    for (int k = 0; k < shown; k = k < 8 ? k + 1 : k * 2) {
      all.add(name + "_child_begins", k, log_->child[k].begin - zero);
      all.add(name + "_child_ends", k, log_->child[k].end - zero);
    }
  }
  all.print();
}

int main() {
  OK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 4096));
  OK(cudaMalloc(&on_device, sizeof(Log)));
  OK(cudaMallocHost(&log_, sizeof(Log)));
  first = event_of(), last = event_of();
  measure("plain", 0, [] { plain<<<1, 1>>>(on_device, 0); });
  measure("plain_long", 0, [] { plain<<<1, 1>>>(on_device, 40000); });
  measure("none", 0, [] { parent<<<1, 32>>>(on_device, 0, 0, 0, 0); });
  const char* modes[] = {"stream", "forget", "tail"};
  for (int mode = 0; mode < 3; ++mode)
    for (const uint64_t cycles : {uint64_t{0}, uint64_t{40000}}) {
      const std::string name = std::string(modes[mode]) + (cycles == 0 ? "" : "_long_parent");
      for (const int n : {1, 2, 4, 16, 64})
        measure(name + "_" + std::to_string(n), n, [&] { parent<<<1, 32>>>(on_device, mode, n, cycles, 0); });
      measure(name + "_4_slow", 4, [&] { parent<<<1, 32>>>(on_device, mode, 4, cycles, 10000); });
    }
  for (int mode = 0; mode < 2; ++mode)
    for (const int blocks : {2, 8, 64})
      measure(std::string(modes[mode]) + "_of_blocks_" + std::to_string(blocks), blocks, [&] { parent<<<blocks, 32>>>(on_device, mode, 1, 0, 0); });
  measure("deeper_8", 8, [] { deeper<<<1, 1>>>(on_device, 0, 8); });
  measure("two_parents", 1, [] {
    parent<<<1, 32>>>(on_device, 1, 1, 0, 0);
    plain<<<1, 1>>>(on_device, 0);
  });
}
