// SPDX-License-Identifier: Apache-2.0
// How long do loads from memory take when many others are on their way, and how many bytes a second are that?
// Warps read memory that nobody has read before, by 512 or 128 bytes an instruction, in a row or at random
// places, `loads` at a time. A row a grid: what, threads of each of 132 blocks, loads, rounds, us between two
// events, GB/s, then cycles of a warp's round: mean, and of all warps' means the least, the 10th, 50th, 90th
// and 99th of 100, and the most.
#include <algorithm>
#include <string>
#include <vector>

#include "memory.cuh"

constexpr size_t kPage = size_t{2} << 20;

// A warp's load is of the piece `first + warp` in the first round, then of those that many warps on.
template <typename Vector, bool kRandom, int kLoads>
__global__ void loads(const char* memory, size_t pieces, size_t first, int rounds, bool touch, unsigned* took,
                      float* out) {
  constexpr size_t kInPage = kPage / (sizeof(Vector) * 32);
  const size_t warps = size_t{gridDim.x} * blockDim.x / 32,
               warp = (size_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  const unsigned lane = threadIdx.x % 32;
  unsigned sum_of_cycles = 0;
  float sum = 0;
  for (int round = touch ? -1 : 0; round < rounds; ++round) {
    Vector v[kLoads];
    const Vector* from[kLoads];
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const size_t piece = first + (size_t(round < 0 ? 0 : round) * kLoads + i) * warps + warp;
      size_t place = (kRandom ? spread(piece) : piece) & (pieces - 1);
      if (round < 0) place = place / kInPage * kInPage + blockIdx.x;  // of the same page
      from[i] = reinterpret_cast<const Vector*>(memory) + place * 32 + lane;
      asm volatile("" : "+l"(from[i]));
    }
    const unsigned begin = now();
#pragma unroll
    for (int i = 0; i < kLoads; ++i) v[i] = __ldcs(from[i]);
#pragma unroll
    for (int i = 0; i < kLoads; ++i) sum += *reinterpret_cast<const float*>(&v[i]);
    asm volatile("" ::"f"(sum) : "memory");
    if (round >= 0)
      sum_of_cycles += now() - begin;
    else
      __syncthreads();
  }
  if (lane == 0) took[warp] = sum_of_cycles / rounds;
  if (sum == 12345.f) *out = sum;
}

char* memory;
unsigned* took;
float* out;
size_t next_piece = 0;

template <typename Vector, bool kRandom, int kLoads>
void ask(const std::string& what, int threads, int rounds, int runs, int blocks = kSms, bool touch = false,
         size_t bytes = kBytes) {
  const size_t piece = sizeof(Vector) * 32, warps = size_t(blocks) * threads / 32;
  const Stopwatch time_of;
  std::vector<float> us;
  std::vector<unsigned> cycles;
  for (int run = 0; run < runs; ++run) {
    us.push_back(time_of([&] {
      loads<Vector, kRandom, kLoads>
          <<<blocks, threads>>>(memory, bytes / piece, next_piece, rounds, touch, took, out);
    }));
    next_piece += warps * kLoads * rounds;
    std::vector<unsigned> of_run(warps);
    fetch(of_run.data(), took, warps);
    if (run != 0 || runs == 1) cycles.insert(cycles.end(), of_run.begin(), of_run.end());
  }
  std::sort(us.begin(), us.end());
  std::sort(cycles.begin(), cycles.end());
  const auto at = [&](int percent) { return cycles[(cycles.size() - 1) * percent / 100]; };
  double mean = 0;
  for (const unsigned c : cycles) mean += c;
  const double middle = us[us.size() / 2];
  std::printf("%s,%d,%d,%d,%.2f,%.0f,%.0f,%u,%u,%u,%u,%u,%u\n", what.c_str(), threads, kLoads, rounds, middle,
              static_cast<double>(warps * kLoads * rounds * piece) / middle / 1e3,
              mean / static_cast<double>(cycles.size()), at(0), at(10), at(50), at(90), at(99), at(100));
}

template <typename Vector, bool kRandom>
void ask_all(const std::string& what, int runs) {
  for (const int rounds : {1, 12})
    for (const int threads : {32, 128, 256, 512, 1024}) {
      ask<Vector, kRandom, 1>(what, threads, rounds, runs);
      ask<Vector, kRandom, 4>(what, threads, rounds, runs);
    }
}

// With one SM to all of them at work, and where each block has read a line of its pages just before.
void ask_blocks(int runs) {
  for (const int blocks : {1, 2, 8, 33, 66, 132}) {
    const std::string of = "_" + std::to_string(blocks);
    ask<float, false, 1>("seq128" + of, 32, 12, runs, blocks);
    ask<float, true, 1>("rand128" + of, 32, 12, runs, blocks);
    ask<float4, false, 1>("seq512" + of, 32, 12, runs, blocks);
    ask<float4, false, 4>("seq512" + of, 1024, 12, runs, blocks);
    ask<float, true, 4>("rand128" + of, 1024, 12, runs, blocks);
  }
  for (const int threads : {32, 256, 1024}) {
    ask<float4, false, 1>("seq512_touched", threads, 1, runs, kSms, true);
    ask<float4, false, 4>("seq512_touched", threads, 1, runs, kSms, true);
    ask<float, true, 1>("rand128_touched", threads, 1, runs, kSms, true);
    ask<float, true, 4>("rand128_touched", threads, 1, runs, kSms, true);
    ask<float4, false, 4>("seq512_touched", threads, 12, runs, kSms, true);
  }
}

// The same of 16 MiB, which L2 has: what of the wait is not memory's.
void ask_cached(int runs) {
  constexpr size_t kCached = size_t{16} << 20;
  for (int run = 0; run < 4; ++run)
    reads<<<1056, 512>>>(reinterpret_cast<float4*>(memory), kCached / sizeof(float4), out);
  for (const int threads : {32, 128, 256, 512, 1024}) {
    ask<float4, false, 1>("cached_seq512", threads, 12, runs, kSms, false, kCached);
    ask<float4, false, 4>("cached_seq512", threads, 12, runs, kSms, false, kCached);
    ask<float, true, 1>("cached_rand128", threads, 12, runs, kSms, false, kCached);
    ask<float, true, 4>("cached_rand128", threads, 12, runs, kSms, false, kCached);
  }
}

// loaded [seq512 | rand512 | seq128 | rand128 | blocks | cached | all] [RUNS] [anything, where no clock has
// to come up]
int main(int count, char** arguments) {
  const std::string what = count > 1 ? arguments[1] : "all";
  memory = allocate<char>(kBytes);
  took = allocate<unsigned>(kSms * 32);
  out = allocate<float>(1);
  if (count <= 3) raise_clock();
  OK(cudaDeviceSynchronize());
  const int runs = count > 2 ? std::atoi(arguments[2]) : 15;
  const auto wanted = [&](const char* name) { return what == "all" || what == name; };
  if (wanted("seq512")) ask_all<float4, false>("seq512", runs);
  if (wanted("rand512")) ask_all<float4, true>("rand512", runs);
  if (wanted("seq128")) ask_all<float, false>("seq128", runs);
  if (wanted("rand128")) ask_all<float, true>("rand128", runs);
  if (wanted("blocks")) ask_blocks(runs);
  if (wanted("cached")) ask_cached(runs);
}
