// SPDX-License-Identifier: Apache-2.0
// Times of kernels and of the host's calls on one clock: the GPU's (%globaltimer) and the host's beside each other.
// For a GPU alone: under gpuloom the host's own code takes no time.
#pragma once
#include <ctime>

#include "timeline.cuh"

using Nanoseconds = long long;

static __device__ Nanoseconds gpu_now() {
  Nanoseconds t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
  return t;
}
static __global__ void answer(volatile int* asked, volatile Nanoseconds* given, int times) {
  for (int k = 1; k <= times; ++k) {
    while (*asked < k) {
    }
    given[1] = gpu_now();
    __threadfence_system();
    given[0] = k;
    __threadfence_system();
  }
}

inline Nanoseconds host_now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000ll + t.tv_nsec;
}
inline void host_waits(Nanoseconds ns) {
  for (const Nanoseconds begin = host_now(); host_now() - begin < ns;) {
  }
}

// What the GPU's clock is ahead of the host's: from the quickest of many questions.
inline Nanoseconds ahead() {
  struct Shared { Nanoseconds given[2]; int asked; };
  Shared* shared;
  OK(cudaMallocHost(&shared, sizeof(Shared)));
  *shared = {};
  const int times = 200;
  answer<<<1, 1>>>(&shared->asked, shared->given, times);
  Nanoseconds best = 1ll << 60, found = 0;
  for (int k = 1; k <= times; ++k) {
    const Nanoseconds begin = host_now();
    *const_cast<volatile int*>(&shared->asked) = k;
    while (*const_cast<volatile Nanoseconds*>(&shared->given[0]) < k) {
    }
    const Nanoseconds took = host_now() - begin;
    if (took < best) best = took, found = *const_cast<volatile Nanoseconds*>(&shared->given[1]) - begin - took / 2;
  }
  OK(cudaDeviceSynchronize());
  std::printf("question,0,%.3f\n", static_cast<double>(best) / 1e3);
  OK(cudaFreeHost(shared));
  return found;
}

// The middle of what rounds give for each name, in us.
class Middles {
 public:
  void add(const std::string& what, long long n, Nanoseconds ns) {
    for (auto& m : all_)
      if (m.what == what && m.n == n) return m.ns.push_back(ns);
    all_.push_back({what, n, {ns}});
  }
  void print() {
    for (auto& m : all_) {
      std::sort(m.ns.begin(), m.ns.end());
      std::printf("%s,%lld,%.3f\n", m.what.c_str(), m.n, static_cast<double>(m.ns[m.ns.size() / 2]) / 1e3);
    }
    std::fflush(stdout);
    all_.clear();
  }

 private:
  struct Middle { std::string what; long long n; std::vector<Nanoseconds> ns; };
  std::vector<Middle> all_;
};
