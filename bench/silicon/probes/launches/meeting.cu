// SPDX-License-Identifier: Apache-2.0
// When kernels of several streams meet: who gets the places, and when each begins and ends. A block says its SM and its
// times. Lines: case,kernel,blocks,first_begin_ns,last_begin_ns,first_end_ns,last_end_ns,sms, from the case's first begin.
#include <algorithm>
#include <cstring>
#include <vector>

#include "../harness.cuh"

struct Seen { unsigned long long begin, end; unsigned sm, pad; };

__device__ unsigned long long global_time() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
  return t;
}
__global__ void work(Seen* seen, uint64_t cycles) {
  const unsigned long long t = global_time();
  for (const uint64_t begin = now64(); now64() - begin < cycles;) {
  }
  if (threadIdx.x == 0) {
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    seen[blockIdx.x] = {t, global_time(), sm, 0};
  }
}
__global__ void gate(volatile int* open) { while (*open == 0) {} }

struct K { int blocks, threads, shared; uint64_t cycles; int priority; };
struct Case { const char* name; std::vector<K> kernels; bool one_stream = false, dependent = false; };

int main() {
  const uint64_t u = 20000;  // 10 us or so
  const std::vector<Case> cases = {
      {"alone_1wave", {{132, 1024, 100 << 10, u, 0}}},
      {"alone_3waves", {{792, 1024, 100 << 10, u, 0}}},
      {"two_small", {{32, 256, 0, u, 0}, {32, 256, 0, u, 0}}},
      {"eight_small", {{16, 256, 0, u, 0}, {16, 256, 0, u, 0}, {16, 256, 0, u, 0}, {16, 256, 0, u, 0}, {16, 256, 0, u, 0}, {16, 256, 0, u, 0}, {16, 256, 0, u, 0}, {16, 256, 0, u, 0}}},
      {"two_large", {{792, 1024, 100 << 10, u, 0}, {792, 1024, 100 << 10, u, 0}}},
      {"three_large", {{792, 1024, 100 << 10, u, 0}, {792, 1024, 100 << 10, u, 0}, {792, 1024, 100 << 10, u, 0}}},
      {"large_then_small", {{792, 1024, 100 << 10, u, 0}, {32, 256, 0, u, 0}}},
      {"large_then_small_that_fits", {{792, 512, 100 << 10, u, 0}, {32, 256, 0, u, 0}}},
      {"priority", {{1584, 1024, 100 << 10, u, 0}, {264, 1024, 100 << 10, u, -5}}},
      {"priority_small", {{1584, 1024, 100 << 10, u, 0}, {32, 256, 0, u, -5}}},
      {"unequal", {{132, 1024, 100 << 10, 10 * u, 0}, {792, 1024, 100 << 10, u, 0}}},
      {"carveouts", {{264, 128, 0, u, 0}, {264, 128, 100 << 10, u, 0}}},
      {"one_stream", {{132, 1024, 100 << 10, u, 0}, {132, 1024, 100 << 10, u, 0}}, true},
  };
  OK(cudaFuncSetAttribute(work, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
  int low, high;
  OK(cudaDeviceGetStreamPriorityRange(&low, &high));
  std::printf("priorities,%d,%d\n", low, high);
  int *open_host, *open_device;
  OK(cudaHostAlloc(&open_host, 4, cudaHostAllocMapped));
  OK(cudaHostGetDevicePointer(&open_device, open_host, 0));
  cudaStream_t gates;
  OK(cudaStreamCreateWithFlags(&gates, cudaStreamNonBlocking));
  cudaEvent_t opened;
  OK(cudaEventCreateWithFlags(&opened, cudaEventDisableTiming));
  for (const Case& c : cases)
    for (int round = 0; round < 3; ++round) {
      std::vector<Seen*> seen;
      std::vector<cudaStream_t> streams;
      *open_host = 0;
      for (const K& k : c.kernels) {
        seen.push_back(nullptr);
        OK(cudaMalloc(&seen.back(), k.blocks * sizeof(Seen)));
        streams.push_back(nullptr);
        OK(cudaStreamCreateWithPriority(&streams.back(), cudaStreamNonBlocking, k.priority));
      }
      // All are queued before the first may begin; the gate holds one SM's place for a moment only.
      gate<<<1, 1, 0, gates>>>(open_device);
      OK(cudaEventRecord(opened, gates));
      for (size_t i = 0; i < c.kernels.size(); ++i) {
        const K& k = c.kernels[i];
        cudaStream_t s = c.one_stream ? streams[0] : streams[i];
        if (!c.one_stream || i == 0) OK(cudaStreamWaitEvent(s, opened, 0));
        work<<<k.blocks, k.threads, k.shared, s>>>(seen[i], k.cycles);
      }
      *(volatile int*)open_host = 1;
      OK(cudaDeviceSynchronize());
      std::vector<std::vector<Seen>> all;
      unsigned long long zero = ~0ull;
      for (size_t i = 0; i < c.kernels.size(); ++i) {
        all.emplace_back(c.kernels[i].blocks);
        OK(cudaMemcpy(all[i].data(), seen[i], all[i].size() * sizeof(Seen), cudaMemcpyDeviceToHost));
        for (const Seen& b : all[i]) zero = std::min(zero, b.begin);
        OK(cudaFree(seen[i]));
        OK(cudaStreamDestroy(streams[i]));
      }
      for (size_t i = 0; i < all.size(); ++i) {
        unsigned long long fb = ~0ull, lb = 0, fe = ~0ull, le = 0;
        std::vector<bool> sms(256);
        for (const Seen& b : all[i]) {
          fb = std::min(fb, b.begin), lb = std::max(lb, b.begin), fe = std::min(fe, b.end), le = std::max(le, b.end);
          sms[b.sm] = true;
        }
        std::printf("%s,%zu,%zu,%llu,%llu,%llu,%llu,%d\n", c.name, i, all[i].size(), fb - zero, lb - zero, fe - zero, le - zero, (int)std::count(sms.begin(), sms.end(), true));
      }
    }
}
