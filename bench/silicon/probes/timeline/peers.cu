// SPDX-License-Identifier: Apache-2.0
// Two GPUs: copies between them by size and way, waits of one for the other, and kernels that read, write and add to the
// other's memory. For `gpuloom exec --timed -c h100-sxm -c h100-sxm`, and two GPUs that reach each other.
#include "timeline.cuh"

namespace {

// Thread after thread reads 16 bytes at a time; what they are is of no interest.
__global__ void __launch_bounds__(256) reading(const float4* from, float4* to, int n) {
  float4 sum = {0, 0, 0, 0};
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float4 v = __ldcg(from + i);
    sum.x += v.x;
    sum.y += v.y;
  }
  if (sum.x == 12345) *to = sum;
}
__global__ void __launch_bounds__(256) writing(float4* to, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) to[i] = {1, 2, 3, 4};
}
__global__ void __launch_bounds__(256) adding(int* to, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(to + i, 1);
}
// One thread goes from word to word, 4 KiB apart: each load waits for the one before.
__global__ void chasing(const int* from, int* to, int steps) {
  int at = 0;
  for (int k = 0; k < steps; ++k) at = __ldcg(from + at * 1024);
  *to = at;
}
__global__ void adding_one_by_one(int* x, int* to, int steps) {
  int at = 0;
  for (int k = 0; k < steps; ++k) at = atomicAdd(x + at * 0, 1);
  *to = at;
}

constexpr size_t kMost = 64 << 20;
size_t largest = kMost;  // of the copies: a third argument of the program
constexpr size_t kKernels = 16 << 20;

template <class T>
T* memory_of(int device, size_t bytes) {
  OK(cudaSetDevice(device));
  T* x = nullptr;
  OK(cudaMalloc(&x, bytes));
  OK(cudaMemset(x, 0, bytes));
  OK(cudaDeviceSynchronize());
  return x;
}

void copies(Clock& clock, const std::string& suffix, char* const (&here)[2], char* const (&there)[2], cudaStream_t s, cudaStream_t t) {
  const cudaEvent_t fork = event_of(cudaEventDisableTiming), join = event_of(cudaEventDisableTiming);
  for (size_t n = 64; n <= largest; n *= 4) {
    const auto push = [&](cudaStream_t in) { OK(cudaMemcpyPeerAsync(there[0], 1, here[0], 0, n, in)); };
    const auto pull = [&](cudaStream_t in) { OK(cudaMemcpyPeerAsync(here[1], 0, there[1], 1, n, in)); };
    clock.time("push" + suffix, n, 0, s, [&] { push(s); });
    clock.time("pull" + suffix, n, 0, s, [&] { pull(s); });
    clock.time("push_queued" + suffix, n, 200000, s, [&] { push(s); });
    clock.time("pull_queued" + suffix, n, 200000, s, [&] { pull(s); });
    clock.time("push_ten" + suffix, n, 200000, s, [&] {
      for (int k = 0; k < 10; ++k) push(s);
    });
    clock.time("both" + suffix, n, 200000, s, [&] {
      OK(cudaEventRecord(fork, s));
      OK(cudaStreamWaitEvent(t, fork, 0));
      push(s);
      pull(t);
      OK(cudaEventRecord(join, t));
      OK(cudaStreamWaitEvent(s, join, 0));
    });
  }
}

// The other device's stream waits for this one's event, and this one for its.
void waits(Clock& clock, cudaStream_t s, cudaStream_t other) {
  cudaEvent_t there = nullptr, back = event_of(cudaEventDisableTiming);
  OK(cudaSetDevice(1));
  OK(cudaEventCreateWithFlags(&there, cudaEventDisableTiming));
  OK(cudaSetDevice(0));
  for (const int rounds : {1, 2, 5, 10}) {
    const auto to_and_fro = [&] {
      for (int k = 0; k < rounds; ++k) {
        OK(cudaEventRecord(back, s));
        OK(cudaStreamWaitEvent(other, back, 0));
        OK(cudaSetDevice(1));
        spin<<<1, 1, 0, other>>>(100);
        OK(cudaEventRecord(there, other));
        OK(cudaSetDevice(0));
        OK(cudaStreamWaitEvent(s, there, 0));
        spin<<<1, 1, 0, s>>>(100);
      }
    };
    clock.time("waits", rounds, 0, s, to_and_fro);
    clock.time("waits_queued", rounds, 400000, s, to_and_fro);
    clock.time("waits_none_queued", rounds, 400000, s, [&] {
      for (int k = 0; k < 2 * rounds; ++k) spin<<<1, 1, 0, s>>>(100);
    });
  }
}

void kernels(Clock& clock, const std::string& where, char* memory, int* out, cudaStream_t s) {
  const int n = kKernels / sizeof(float4);
  for (const int blocks : {1, 4, 16, 66, 132, 528}) {
    const int some = std::min(n, blocks * 256 * 64);
    clock.time("read_" + where, blocks, 200000, s, [&] { reading<<<blocks, 256, 0, s>>>((float4*)memory, (float4*)out, some); });
    clock.time("write_" + where, blocks, 200000, s, [&] { writing<<<blocks, 256, 0, s>>>((float4*)memory, some); });
    clock.time("add_" + where, blocks, 200000, s, [&] { adding<<<blocks, 256, 0, s>>>((int*)memory, some); });
  }
  OK(cudaMemsetAsync(memory, 0, kMost, s));
  clock.time("chase_" + where, 100, 200000, s, [&] { chasing<<<1, 1, 0, s>>>((int*)memory, out, 100); });
  clock.time("chase_" + where, 200, 200000, s, [&] { chasing<<<1, 1, 0, s>>>((int*)memory, out, 200); });
  clock.time("atomics_" + where, 100, 200000, s, [&] { adding_one_by_one<<<1, 1, 0, s>>>((int*)memory, out, 100); });
  clock.time("atomics_" + where, 200, 200000, s, [&] { adding_one_by_one<<<1, 1, 0, s>>>((int*)memory, out, 200); });
}

}  // namespace

int main(int count, char** arguments) {
  char *here[2] = {memory_of<char>(0, kMost), memory_of<char>(0, kMost)}, *there[2] = {memory_of<char>(1, kMost), memory_of<char>(1, kMost)};
  cudaStream_t other = nullptr;
  OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));  // of the second GPU
  OK(cudaSetDevice(0));
  Clock clock(count, arguments);
  if (count > 3) largest = std::strtoull(arguments[3], nullptr, 10);
  const cudaStream_t s = stream_of(), t = stream_of();
  copies(clock, "_staged", here, there, s, t);
  for (int k = 0; k < 2; ++k) {
    OK(cudaSetDevice(k));
    OK(cudaDeviceEnablePeerAccess(1 - k, 0));
  }
  OK(cudaSetDevice(0));
  copies(clock, "", here, there, s, t);
  waits(clock, s, other);
  int* out = memory_of<int>(0, 64);
  kernels(clock, "near", here[0], out, s);
  kernels(clock, "peer", there[0], out, s);
}
