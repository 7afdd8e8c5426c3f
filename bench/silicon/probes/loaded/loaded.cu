// SPDX-License-Identifier: Apache-2.0
// How long do loads from memory take when many others are on their way, and how many bytes a second are that?
// Warps read memory that nobody has read before, by 512 or 128 bytes an instruction, in a row or at random
// places, `loads` at a time. A row a grid: what, threads of each of 132 blocks, loads, rounds, us between two
// events, GB/s, then cycles of a warp's round: mean, and of all warps' means the least, the 10th, 50th, 90th
// and 99th of 100, and the most. `loaded sizes [MiB at most]`: reads, writes and copies of 16 MiB and more,
// of kernels and of the copy call. A row: what, MiB, 0, 0, us, GB/s.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "../harness.cuh"

constexpr int kSms = 132;
constexpr size_t kBytes = size_t{4} << 30, kPage = size_t{2} << 20;

__device__ size_t spread(size_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdull;
  x ^= x >> 33;
  return x;
}

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

__global__ void reads(const float4* x, size_t n, float* out) {
  const size_t step = size_t{gridDim.x} * blockDim.x;
  float sum = 0;
  size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; i + 3 * step < n; i += 4 * step) {
    const float4 a = __ldcs(x + i), b = __ldcs(x + i + step), c = __ldcs(x + i + 2 * step),
                 d = __ldcs(x + i + 3 * step);
    sum += a.x + b.y + c.z + d.w;
  }
  for (; i < n; i += step) sum += __ldcs(x + i).x;
  if (sum == 12345.f) *out = sum;
}
__global__ void writes(float4* x, size_t n) {
  const size_t step = size_t{gridDim.x} * blockDim.x;
  for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step)
    x[i] = make_float4(1, 2, 3, 4);
}
__global__ void copies(float4* to, const float4* from, size_t n) {
  const size_t step = size_t{gridDim.x} * blockDim.x;
  for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) to[i] = from[i];
}

__global__ void spin(unsigned cycles) {
  for (const unsigned begin = now(); now() - begin < cycles;) {
  }
}

char* memory;
unsigned* took;
float* out;
cudaEvent_t from_event, to_event;
size_t next_piece = 0;

template <typename Work>
float time_of(Work&& work) {
  float ms = 0;
  OK(cudaEventRecord(from_event));
  work();
  OK(cudaEventRecord(to_event));
  OK(cudaDeviceSynchronize());
  OK(cudaEventElapsedTime(&ms, from_event, to_event));
  return ms * 1e3f;
}

template <typename Vector, bool kRandom, int kLoads>
void ask(const std::string& what, int threads, int rounds, int runs, int blocks = kSms, bool touch = false,
         size_t bytes = kBytes) {
  const size_t piece = sizeof(Vector) * 32, warps = size_t(blocks) * threads / 32;
  std::vector<float> us;
  std::vector<unsigned> cycles;
  for (int run = 0; run < runs; ++run) {
    us.push_back(time_of([&] {
      loads<Vector, kRandom, kLoads>
          <<<blocks, threads>>>(memory, bytes / piece, next_piece, rounds, touch, took, out);
    }));
    next_piece += warps * kLoads * rounds;
    std::vector<unsigned> of_run(warps);
    OK(cudaMemcpy(of_run.data(), took, warps * sizeof(unsigned), cudaMemcpyDeviceToHost));
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

void ask_sizes(size_t most, int runs) {
  const char* names[] = {"read", "write", "copy", "copy_call", "fill_call"};
  for (size_t mib = 16; mib <= most; mib *= 2)
    for (int what = 0; what < 5; ++what) {
      const size_t bytes = mib << 20, n = bytes / sizeof(float4), places = kBytes / bytes / 2;
      std::vector<float> us;
      for (int run = 0; run < runs; ++run) {
        char* x = memory + 2 * (run % places) * bytes;
        char* y = x + bytes;
        us.push_back(time_of([&] {
          if (what == 0) reads<<<1056, 512>>>(reinterpret_cast<float4*>(x), n, out);
          if (what == 1) writes<<<1056, 512>>>(reinterpret_cast<float4*>(x), n);
          if (what == 2) copies<<<1056, 512>>>(reinterpret_cast<float4*>(y), reinterpret_cast<float4*>(x), n);
          if (what == 3) OK(cudaMemcpyAsync(y, x, bytes, cudaMemcpyDeviceToDevice));
          if (what == 4) OK(cudaMemsetAsync(x, run, bytes));
        }));
      }
      std::sort(us.begin(), us.end());
      const double moved = static_cast<double>(bytes) * (what == 2 || what == 3 ? 2 : 1);
      std::printf("%s,%zu,0,0,%.2f,%.0f\n", names[what], mib, us[us.size() / 2],
                  moved / us[us.size() / 2] / 1e3);
    }
}

// loaded [sizes MIB | seq512 | rand512 | seq128 | rand128 | blocks | cached | all] [RUNS] [anything, where no
// clock has to come up]
int main(int count, char** arguments) {
  const std::string what = count > 1 ? arguments[1] : "all";
  const int warm_up = count > 3 ? 0 : 100;  // so that the clock is up
  OK(cudaMalloc(&memory, kBytes));
  OK(cudaMalloc(&took, kSms * 32 * sizeof(unsigned)));
  OK(cudaMalloc(&out, sizeof(float)));
  OK(cudaEventCreate(&from_event));
  OK(cudaEventCreate(&to_event));
  for (int i = 0; i < warm_up; ++i) spin<<<kSms, 128>>>(2000000);
  OK(cudaDeviceSynchronize());
  if (what == "sizes") {
    ask_sizes(count > 2 ? std::atoi(arguments[2]) : 512, warm_up != 0 ? 15 : std::atoi(arguments[3]));
    return 0;
  }
  const int runs = count > 2 ? std::atoi(arguments[2]) : 15;
  const auto wanted = [&](const char* name) { return what == "all" || what == name; };
  if (wanted("seq512")) ask_all<float4, false>("seq512", runs);
  if (wanted("rand512")) ask_all<float4, true>("rand512", runs);
  if (wanted("seq128")) ask_all<float, false>("seq128", runs);
  if (wanted("rand128")) ask_all<float, true>("rand128", runs);
  if (wanted("blocks")) ask_blocks(runs);
  if (wanted("cached")) ask_cached(runs);
}
