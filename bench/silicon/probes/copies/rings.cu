// SPDX-License-Identifier: Apache-2.0
// What rings of copies through shared memory get from memory, by stages, bytes on their way and blocks: the kernels
// of bench/published, and bulk copies. A line a ring: kind, stages, copies a thread and stage, threads, blocks an SM, bytes a second.
#include "../harness.cuh"
#include "bulk_rings.cuh"

namespace {

struct Place {
  char* memory = nullptr;
  size_t bytes = 0, next = 0;
  uint32_t* out = nullptr;
  int sms = 0;
};

// A region that no launch has read yet, or not for long.
const uint4* fresh(Place& p, size_t bytes) {
  if (p.next + bytes > p.bytes) p.next = 0;
  const char* region = p.memory + p.next;
  p.next += bytes;
  return reinterpret_cast<const uint4*>(region);
}

template <typename Launch>
double seconds(Launch launch) {
  cudaEvent_t begin, end;
  OK(cudaEventCreate(&begin));
  OK(cudaEventCreate(&end));
  OK(cudaEventRecord(begin));
  launch();
  OK(cudaEventRecord(end));
  OK(cudaEventSynchronize(end));
  float ms = 0;
  OK(cudaEventElapsedTime(&ms, begin, end));
  OK(cudaEventDestroy(begin));
  OK(cudaEventDestroy(end));
  return ms * 1e-3;
}

template <typename Kernel, typename... More>
void ask_ring(Place& p, const char* kind, Kernel kernel, int stages, int copies, int threads, int each_sm, int turns,
              More... more) {
  const size_t tile = size_t{16} * copies * threads, blocks = size_t(each_sm) * p.sms;
  const int shared = each_sm == 1 ? 120 * 1024 : 200 * 1024 / each_sm;
  OK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  const auto run = [&](int t) {
    const size_t bytes = blocks * tile * t;
    const uint4* in = fresh(p, bytes);
    return seconds([&] { kernel<<<blocks, threads, shared>>>(p.out, in, bytes / 16, more...); });
  };
  run(turns);
  double once = 1e9, twice = 1e9;
  for (int i = 0; i < 5; ++i) {
    const double a = run(turns), b = run(2 * turns);
    once = a < once ? a : once;
    twice = b < twice ? b : twice;
  }
  OK(cudaGetLastError());
  std::printf("%s,%d,%d,%d,%d,%.4g\n", kind, stages, copies, threads, each_sm,
              double(blocks * tile * turns) / (twice - once));
  std::fflush(stdout);
}

}  // namespace

// usage: rings [TURNS]: how many tiles a block copies in the shorter of two launches
int main(int argc, char** argv) {
  const int turns = argc > 1 ? std::atoi(argv[1]) : 512;
  Place p;
  cudaDeviceProp properties;
  OK(cudaGetDeviceProperties(&properties, 0));
  p.sms = properties.multiProcessorCount;
  p.bytes = turns >= 512 ? size_t{16} << 30 : size_t{3} << 30;
  OK(cudaMalloc(&p.memory, p.bytes));
  OK(cudaMalloc(&p.out, size_t{4} * 1024 * 4 * p.sms));
  std::printf("kind,stages,copies,threads,blocks_per_sm,bytes_per_s\n");
  for (const int threads : {64, 128, 256}) {
    ask_ring(p, "cp.async", ring_1_1, 1, 1, threads, 1, turns);
    ask_ring(p, "cp.async", ring_4_1, 4, 1, threads, 1, turns);
    ask_ring(p, "cp.async", ring_8_1, 8, 1, threads, 1, turns);
  }
  ask_ring(p, "cp.async", ring_4_1, 4, 1, 256, 2, turns);
  ask_ring(p, "cp.async", ring_1_1, 1, 1, 256, 4, turns);
  ask_ring(p, "cp.async", ring_4_1, 4, 1, 256, 4, turns);
  ask_ring(p, "cp.async", ring_2_4, 2, 4, 128, 1, turns);
  ask_ring(p, "cp.async", ring_2_16, 2, 16, 128, 1, turns / 4);
  ask_ring(p, "cp.async", ring_4_4, 4, 4, 128, 1, turns);
  ask_ring(p, "cp.async", ring_8_4, 8, 4, 128, 1, turns);
  for (const int copies : {1, 2, 4}) {
    ask_ring(p, "bulk", bulk_ring_2, 2, 4 * copies, 128, 1, turns / copies, 4u * copies);
    ask_ring(p, "bulk", bulk_ring_4, 4, 2 * copies, 128, 1, turns / copies, 2u * copies);
    ask_ring(p, "bulk", bulk_ring_8, 8, copies, 128, 1, turns / copies, 1u * copies);
  }
  return 0;
}
