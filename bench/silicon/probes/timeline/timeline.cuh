// SPDX-License-Identifier: Apache-2.0
// What the probes of this folder share. Each measures by events alone, so that the same program gives simulated time under
// `gpuloom exec --timed`. Lines: what,n,us.
#pragma once
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "../harness.cuh"

static __global__ void spin(uint64_t cycles) {
  for (const uint64_t begin = now64(); now64() - begin < cycles;) {
  }
}

// Each element is read, worked on for so many turns and written.
static __device__ __forceinline__ void work_on(float4* x, int n, int turns) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float4 v = x[i];
    float a = v.x;
    for (int k = 0; k < turns; ++k) a = rsqrtf(a) + 0.5f;
    v.x = a;
    x[i] = v;
  }
}

inline cudaStream_t stream_of(int priority = 0) {
  cudaStream_t s = nullptr;
  OK(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, priority));
  return s;
}
inline cudaEvent_t event_of(unsigned flags = cudaEventDefault) {
  cudaEvent_t e = nullptr;
  OK(cudaEventCreateWithFlags(&e, flags));
  return e;
}

class Clock {
 public:
  // The probe's arguments: rounds, 9 on a GPU and 1 where each is like the others; then what to time, by a part of its name.
  Clock(int count, char** arguments) : rounds_(count > 1 ? std::atoi(arguments[1]) : 9), only_(count > 2 ? arguments[2] : "") {}
  // From the first event to the second in `s`, in the middle of the rounds; the first round is not counted. `ahead` cycles
  // of a spinning thread stand before the first event: what is submitted while it spins waits on the device.
  void time(const std::string& what, long long n, uint64_t ahead, cudaStream_t s, const std::function<void()>& submit) {
    if (what.find(only_) == std::string::npos) return;
    std::vector<double> all;
    for (int round = 0; round <= rounds_; ++round) {
      if (ahead != 0) spin<<<1, 1, 0, s>>>(ahead);
      OK(cudaEventRecord(begin_, s));
      submit();
      OK(cudaEventRecord(end_, s));
      OK(cudaDeviceSynchronize());
      float ms = 0;
      OK(cudaEventElapsedTime(&ms, begin_, end_));
      if (round > 0) all.push_back(ms * 1e3);
    }
    std::sort(all.begin(), all.end());
    std::printf("%s,%lld,%.3f\n", what.c_str(), n, all[all.size() / 2]);
    std::fflush(stdout);
  }

 private:
  int rounds_;
  std::string only_;
  cudaEvent_t begin_ = event_of(), end_ = event_of();
};
