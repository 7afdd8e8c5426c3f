// SPDX-License-Identifier: Apache-2.0
// Kernels of several streams at once: from the moment that all may begin to the end of the last. n is the case's number of
// kernels; "_alone_K" is the time of its kernel K by itself.
#include <cstring>

#include "timeline.cuh"

__global__ void hold(uint64_t cycles) {
  for (const uint64_t begin = now64(); now64() - begin < cycles;) {
  }
}
__global__ void __cluster_dims__(4) hold_clusters(uint64_t cycles) {
  for (const uint64_t begin = now64(); now64() - begin < cycles;) {
  }
  asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
}
__global__ void move(const float4* from, float4* to, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) to[i] = from[i];
}
__global__ void compute(float* out, int turns) {
  float a = threadIdx.x, b = 1, c = 2, d = 3;
  for (int k = 0; k < turns; ++k) a = a * 0.5f + 1.f, b = b * 0.5f + 1.f, c = c * 0.5f + 1.f, d = d * 0.5f + 1.f;
  if (a + b + c + d == 123.f) *out = a;
}

enum Kind { kHold, kCluster, kMove, kCompute };
struct Kernel {
  Kind kind;
  int blocks, threads, shared, amount, priority;
  bool operator==(const Kernel& o) const { return std::memcmp(this, &o, sizeof o) == 0; }
};
struct Mix { const char* name; std::vector<Kernel> kernels; };

int main(int count, char** arguments) {
  Clock clock(count, arguments);
  const int u = 20000;  // 10 us or so
  const int mib = (1 << 20) / sizeof(float4);
  const Kernel small = {kHold, 16, 256, 0, u, 0}, third = {kHold, 33, 256, 0, u, 0}, moving = {kMove, 264, 256, 0, 16 * mib, 0},
               computing = {kCompute, 264, 256, 0, 4000, 0};
  const std::vector<Mix> mixes = {
      {"two_small", {small, small}},
      {"four_small", std::vector<Kernel>(4, small)},
      {"eight_small", std::vector<Kernel>(8, small)},
      {"eight_thirds", std::vector<Kernel>(8, third)},
      {"unequal_rising", {{kHold, 16, 256, 0, u / 4, 0}, {kHold, 16, 256, 0, u / 2, 0}, {kHold, 16, 256, 0, u, 0}, {kHold, 16, 256, 0, 2 * u, 0}}},
      {"unequal_falling", {{kHold, 16, 256, 0, 2 * u, 0}, {kHold, 16, 256, 0, u, 0}, {kHold, 16, 256, 0, u / 2, 0}, {kHold, 16, 256, 0, u / 4, 0}}},
      {"two_large", {{kHold, 528, 64, 100 << 10, u, 0}, {kHold, 528, 64, 100 << 10, u, 0}}},
      {"large_then_small", {{kHold, 528, 1024, 0, u, 0}, {kHold, 32, 256, 0, u, 0}}},
      {"small_then_large", {{kHold, 32, 256, 0, u, 0}, {kHold, 528, 1024, 0, u, 0}}},
      {"priority", {{kHold, 1056, 64, 100 << 10, u, 0}, {kHold, 264, 64, 100 << 10, u, -5}}},
      {"priorities_of_three", {{kHold, 528, 64, 100 << 10, u, 0}, {kHold, 264, 64, 100 << 10, u, -2}, {kHold, 264, 64, 100 << 10, u, -5}}},
      {"memory_beside_compute", {moving, computing}},
      {"compute_beside_memory", {computing, moving}},
      {"two_memory", {moving, moving}},
      {"two_memory_two_compute", {moving, computing, moving, computing}},
      {"clusters_beside_plain", {{kCluster, 132, 256, 100 << 10, u, 0}, {kHold, 264, 256, 50 << 10, u, 0}}},
      {"plain_beside_clusters", {{kHold, 264, 256, 50 << 10, u, 0}, {kCluster, 132, 256, 100 << 10, u, 0}}},
      {"carveouts", {{kHold, 264, 128, 0, u, 0}, {kHold, 264, 128, 100 << 10, u, 0}, {kHold, 264, 128, 0, u, 0}}},
  };
  OK(cudaFuncSetAttribute(hold, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
  OK(cudaFuncSetAttribute(hold_clusters, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
  const cudaStream_t s = stream_of();
  std::vector<std::vector<cudaStream_t>> streams(6);
  for (int priority = 0; priority < 6; ++priority)
    for (int k = 0; k < 8; ++k) streams[priority].push_back(stream_of(-priority));
  const cudaEvent_t fork = event_of(cudaEventDisableTiming);
  std::vector<cudaEvent_t> join;
  for (int k = 0; k < 8; ++k) join.push_back(event_of(cudaEventDisableTiming));
  float4* memory;
  OK(cudaMalloc(&memory, 4 * (16 << 20) + 16));
  const auto launch = [&](const Kernel& k, int place, cudaStream_t t) {
    switch (k.kind) {
      case kHold: hold<<<k.blocks, k.threads, k.shared, t>>>(k.amount); break;
      case kCluster: hold_clusters<<<k.blocks, k.threads, k.shared, t>>>(k.amount); break;
      case kMove: move<<<k.blocks, k.threads, k.shared, t>>>(memory + (place % 2) * 2 * k.amount, memory + ((place % 2) * 2 + 1) * k.amount, k.amount); break;
      case kCompute: compute<<<k.blocks, k.threads, k.shared, t>>>(reinterpret_cast<float*>(memory + 4 * 16 * mib), k.amount); break;
    }
  };
  for (const Mix& mix : mixes) {
    const int n = static_cast<int>(mix.kernels.size());
    clock.time(mix.name, n, 400000, s, [&] {
      OK(cudaEventRecord(fork, s));
      for (int k = 0; k < n; ++k) {
        const cudaStream_t t = streams[-mix.kernels[k].priority][k];
        OK(cudaStreamWaitEvent(t, fork, 0));
        launch(mix.kernels[k], k / 2, t);
        OK(cudaEventRecord(join[k], t));
      }
      for (int k = 0; k < n; ++k) OK(cudaStreamWaitEvent(s, join[k], 0));
    });
    for (int k = 0; k < n; ++k)
      if (k == 0 || !(mix.kernels[k] == mix.kernels[k - 1]))
        clock.time(mix.name + std::string("_alone_") + std::to_string(k), n, 200000, s, [&] { launch(mix.kernels[k], k / 2, s); });
  }
}
