// SPDX-License-Identifier: Apache-2.0
// Random programs of streams, events, copies, fills and kernels: each leaves the memory of the serial order in which it was
// submitted, since whatever touches a buffer waits for what touched it before. Arguments: how many programs, and the seed.
#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

#include "check.h"

__global__ void step(uint32_t* out, const uint32_t* in, uint32_t add, uint32_t turns) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t v = in[i] * 3 + add;
  for (uint32_t k = 0; k < turns; ++k) v = v * 1664525u + 1013904223u;
  out[i] = v;
}

constexpr uint32_t kCount = 96, kBuffers = 5, kStreams = 4;

struct Program {
  std::mt19937& random;
  uint32_t* device[kBuffers];
  uint32_t* host[kBuffers];
  std::vector<uint32_t> expected[kBuffers], on_host[kBuffers];
  cudaStream_t stream[kStreams];
  cudaEvent_t touched[kBuffers];  // the last work on a buffer, of either side
  uint32_t pick(uint32_t n) { return random() % n; }

  void piece() {
    const uint32_t s = pick(kStreams), to = pick(kBuffers), from = pick(kBuffers);
    CUDA(cudaStreamWaitEvent(stream[s], touched[to], 0));
    CUDA(cudaStreamWaitEvent(stream[s], touched[from], 0));
    switch (pick(6)) {
      case 0:
        CUDA(cudaMemcpyAsync(device[to], device[from], kCount * 4, cudaMemcpyDeviceToDevice, stream[s]));
        expected[to] = expected[from];
        break;
      case 1:
        CUDA(cudaMemcpyAsync(host[to], device[from], kCount * 4, cudaMemcpyDeviceToHost, stream[s]));
        on_host[to] = expected[from];
        break;
      case 2:
        CUDA(cudaMemcpyAsync(device[to], host[from], kCount * 4, cudaMemcpyHostToDevice, stream[s]));
        expected[to] = on_host[from];
        break;
      case 3: {
        const uint32_t value = pick(256);
        CUDA(cudaMemsetAsync(device[to], static_cast<int>(value), kCount * 4, stream[s]));
        expected[to].assign(kCount, value * 0x01010101u);
        break;
      }
      default: {
        const uint32_t add = pick(100), turns = pick(30);
        step<<<3, kCount / 3, 0, stream[s]>>>(device[to], device[from], add, turns);
        std::vector<uint32_t> values(kCount);
        for (uint32_t i = 0; i < kCount; ++i) {
          values[i] = expected[from][i] * 3 + add;
          for (uint32_t k = 0; k < turns; ++k) values[i] = values[i] * 1664525u + 1013904223u;
        }
        expected[to] = values;
      }
    }
    CUDA(cudaEventRecord(touched[to], stream[s]));
    if (from != to) CUDA(cudaEventRecord(touched[from], stream[s]));
    const uint32_t waits = pick(12);
    if (waits == 0) CUDA(cudaStreamSynchronize(stream[s]));
    if (waits == 1) CUDA(cudaEventSynchronize(touched[to]));
    if (waits == 2) static_cast<void>(cudaStreamQuery(stream[s]));
    static_cast<void>(cudaGetLastError());  // a query that is not ready leaves its answer there
  }

  bool run() {
    for (uint32_t b = 0; b < kBuffers; ++b) {
      expected[b].assign(kCount, b + 1);
      on_host[b].assign(kCount, b + 100);
      CUDA(cudaMemcpy(device[b], expected[b].data(), kCount * 4, cudaMemcpyHostToDevice));
      for (uint32_t i = 0; i < kCount; ++i) host[b][i] = b + 100;
      CUDA(cudaEventRecord(touched[b], stream[0]));
    }
    for (uint32_t n = 3 + pick(8); n-- > 0;) piece();
    CUDA(cudaDeviceSynchronize());
    bool right = true;
    for (uint32_t b = 0; b < kBuffers; ++b) {
      std::vector<uint32_t> got(kCount);
      CUDA(cudaMemcpy(got.data(), device[b], kCount * 4, cudaMemcpyDeviceToHost));
      right &= got == expected[b];
      for (uint32_t i = 0; i < kCount; ++i) right &= host[b][i] == on_host[b][i];
    }
    return right;
  }
};

int main(int argc, char** argv) {
  const int programs = argc > 1 ? std::atoi(argv[1]) : 100;
  std::mt19937 random(argc > 2 ? std::atoi(argv[2]) : 16);
  Program p{random};
  for (uint32_t b = 0; b < kBuffers; ++b) {
    CUDA(cudaMalloc(&p.device[b], kCount * 4));
    CUDA(cudaMallocHost(&p.host[b], kCount * 4));
    CUDA(cudaEventCreate(&p.touched[b]));
  }
  // Blocking streams, others, and the legacy one.
  p.stream[0] = nullptr;
  CUDA(cudaStreamCreate(&p.stream[1]));
  CUDA(cudaStreamCreateWithFlags(&p.stream[2], cudaStreamNonBlocking));
  CUDA(cudaStreamCreateWithPriority(&p.stream[3], cudaStreamNonBlocking, -1));
  for (int n = 0; n < programs; ++n)
    if (!p.run()) {
      std::printf("program %d leaves other memory\n", n);
      ++failures;
      break;
    }
  return verdict();
}
