// SPDX-License-Identifier: Apache-2.0
// How late is a line from memory, and how often, alone and beside others? Four blocks have one warp each. It
// reads a line of 128 bytes that nobody has read. Then four atomics on it, which go to the line's own side of
// L2, tell by the fastest whether that is the SM's. The other 128 blocks read `loads` pieces of 512 bytes a
// warp at a time, in a row or at random places, or nothing. A row: at random?, threads of such a block,
// loads, samples, GB/s of those blocks, then of lines of the near side and of the far one: mean cycles, the
// 1st, 5th, 10th, 25th, 50th, 75th, 90th, 95th and 99th of 100. `tails CYCLES 1`: in a row only.
#include <algorithm>
#include <vector>

#include "../harness.cuh"

constexpr size_t kBytes = size_t{4} << 30;
constexpr int kSms = 132, kMost = 4096, kAsking = 4;

__device__ size_t spread(size_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdull;
  x ^= x >> 33;
  return x;
}

template <int kLoads>
__device__ void background(const char* memory, size_t first, unsigned cycles, bool random,
                           unsigned long long* moved, float* out) {
  constexpr size_t kPieces = kBytes / 512;
  const size_t warps = size_t{gridDim.x - kAsking} * blockDim.x / 32,
               warp = (size_t{blockIdx.x - kAsking} * blockDim.x + threadIdx.x) / 32;
  const unsigned lane = threadIdx.x % 32, begin = now();
  unsigned rounds = 0;
  float sum = 0;
  for (size_t piece = first + warp; now() - begin < cycles; piece += warps * kLoads, ++rounds) {
    float4 v[kLoads];
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const size_t at = piece + i * warps;
      v[i] = __ldcs(
          reinterpret_cast<const float4*>(memory + ((random ? spread(at) : at) & (kPieces - 1)) * 512) +
          lane);
    }
#pragma unroll
    for (int i = 0; i < kLoads; ++i) sum += v[i].x;
  }
  if (lane == 0) atomicAdd(moved, static_cast<unsigned long long>(rounds) * kLoads * 512);
  if (sum == 12345.f) *out = sum;
}

__global__ void tails(const char* memory, size_t first, size_t first_line, int loads, bool random,
                      unsigned cycles, unsigned* took, unsigned* home, int* samples,
                      unsigned long long* moved, float* out) {
  if (blockIdx.x >= kAsking) {
    if (loads == 1) background<1>(memory, first, cycles, random, moved, out);
    if (loads == 2) background<2>(memory, first, cycles, random, moved, out);
    if (loads == 4) background<4>(memory, first, cycles, random, moved, out);
    return;
  }
  if (threadIdx.x >= 32) return;
  constexpr size_t kLines = kBytes / 128;
  const unsigned begin = now();
  float sum = 0;
  int i = 0;
  for (; i < kMost && now() - begin < cycles; ++i) {
    const char* line =
        memory + (spread(first_line + size_t{blockIdx.x} * kMost + i) & (kLines - 1)) * 128 + threadIdx.x * 4;
    asm volatile("" : "+l"(line));
    unsigned t = now();
    float x;
    asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(x) : "l"(line) : "memory");
    sum += x;
    asm volatile("" ::"f"(sum) : "memory");
    const unsigned from_memory = now() - t;
    unsigned to_home = ~0u;
    for (int k = 0; k < 4; ++k) {
      t = now();
      unsigned old = 0;
      if (threadIdx.x == 0) old = atomicAdd(reinterpret_cast<unsigned*>(const_cast<char*>(line)), 0u);
      asm volatile("" ::"r"(old) : "memory");
      if (old == 77) sum += 1;
      t = now() - t + (old == 77);
      to_home = min(to_home, t);
    }
    if (threadIdx.x == 0) took[blockIdx.x * kMost + i] = from_memory, home[blockIdx.x * kMost + i] = to_home;
  }
  if (threadIdx.x == 0) samples[blockIdx.x] = i;
  if (sum == 12345.f) *out = sum;
}

__global__ void spin(unsigned cycles) {
  for (const unsigned begin = now(); now() - begin < cycles;) {
  }
}

int main(int count, char** arguments) {
  const unsigned cycles = count > 1 ? std::atoi(arguments[1]) : 2000000;
  char* memory;
  unsigned *took, *home;
  int* samples;
  unsigned long long* moved;
  float* out;
  OK(cudaMalloc(&memory, kBytes));
  OK(cudaMalloc(&took, kAsking * kMost * sizeof(unsigned)));
  OK(cudaMalloc(&home, kAsking * kMost * sizeof(unsigned)));
  OK(cudaMalloc(&samples, kAsking * sizeof(int)));
  OK(cudaMalloc(&moved, sizeof(*moved)));
  OK(cudaMalloc(&out, sizeof(float)));
  if (count <= 1) OK(cudaMemset(memory, 0, kBytes));  // pages are touched
  for (int i = 0; count <= 1 && i < 100; ++i) spin<<<kSms, 128>>>(2000000);
  struct Level {
    int threads, loads;
  };
  const Level levels[] = {{32, 0},  {32, 1},  {64, 2},  {128, 2}, {128, 4}, {192, 4},
                          {256, 4}, {320, 4}, {384, 4}, {512, 4}, {1024, 4}};
  size_t first = 0, line = 1234567;
  for (const bool random : {false, true})
    if (!random || count <= 2)
      for (const Level level : levels) {
        if (random && level.loads == 0) continue;
        OK(cudaMemset(moved, 0, sizeof(*moved)));
        tails<<<kSms, level.threads>>>(memory, first, line, level.loads, random, cycles, took, home, samples,
                                       moved, out);
        int n[kAsking], all = 0;
        unsigned long long bytes;
        OK(cudaMemcpy(n, samples, sizeof n, cudaMemcpyDeviceToHost));
        OK(cudaMemcpy(&bytes, moved, sizeof bytes, cudaMemcpyDeviceToHost));
        line += kAsking * kMost, first += bytes / 512;
        std::vector<unsigned> a(kAsking * kMost), b(kAsking * kMost);
        OK(cudaMemcpy(a.data(), took, a.size() * 4, cudaMemcpyDeviceToHost));
        OK(cudaMemcpy(b.data(), home, b.size() * 4, cudaMemcpyDeviceToHost));
        std::vector<int> of[2];
        for (int block = 0; block < kAsking; ++block)
          for (int i = block * kMost; i < block * kMost + n[block]; ++i, ++all)
            of[b[i] > 400].push_back(a[i]);
        std::printf("%d,%d,%d,%d,%.0f", random, level.threads, level.loads, all,
                    double(bytes) / cycles * 1.98);
        for (auto& v : of) {
          if (v.empty()) continue;
          std::sort(v.begin(), v.end());
          double mean = 0;
          for (int x : v) mean += x;
          std::printf(",%.0f", mean / v.size());
          for (int p : {1, 5, 10, 25, 50, 75, 90, 95, 99}) std::printf(",%d", v[(v.size() - 1) * p / 100]);
        }
        std::printf("\n");
        fflush(stdout);
      }
}
