// SPDX-License-Identifier: Apache-2.0
// How late is a line from memory, and how often, alone and beside others? Four blocks have one warp each. It
// reads a line that nobody has read. Then four atomics on it, which go to the line's own side of L2, tell by
// the fastest whether that is the SM's. The other 128 blocks read `loads` pieces of 512 bytes a warp at a
// time, in a row or at random places, or nothing. A row: at random?, threads of such a block, loads, samples,
// GB/s of those blocks, then of lines of the near side and of the far one: mean cycles, and the 1st, 5th,
// 10th, 25th, 50th, 75th, 90th, 95th and 99th of 100. `tails [CYCLES, where no clock has to come up: in a row
// only]`
#include <algorithm>
#include <vector>

#include "memory.cuh"

constexpr int kMost = 4096, kAsking = 4;  // lines of a block that asks, such blocks
constexpr unsigned kNear = 400;           // an atomic takes no longer on the SM's side
constexpr double kGigahertz = 1.98;
constexpr size_t kPiece = 512;

struct Background {
  bool random;
  int threads, loads;
};

template <int kLoads>
__device__ void background(const char* memory, size_t first, unsigned cycles, bool random,
                           unsigned long long* moved, float* out) {
  const size_t warps = size_t{gridDim.x - kAsking} * blockDim.x / 32,
               warp = (size_t{blockIdx.x - kAsking} * blockDim.x + threadIdx.x) / 32;
  const unsigned lane = threadIdx.x % 32, begin = now();
  unsigned rounds = 0;
  float sum = 0;
  for (size_t piece = first + warp; now() - begin < cycles; piece += warps * kLoads, ++rounds) {
    float4 v[kLoads];
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const size_t at = piece + i * warps, place = (random ? spread(at) : at) * kPiece & (kBytes - 1);
      v[i] = __ldcs(reinterpret_cast<const float4*>(memory + place) + lane);
    }
#pragma unroll
    for (int i = 0; i < kLoads; ++i) sum += v[i].x;
  }
  if (lane == 0) atomicAdd(moved, static_cast<unsigned long long>(rounds) * kLoads * kPiece);
  if (sum == 12345.f) *out = sum;
}

// Cycles of an atomic of one lane that changes nothing.
__device__ unsigned cycles_of_atomic(char* line, float& sum) {
  const unsigned begin = now();
  unsigned old = 0;
  if (threadIdx.x == 0) old = atomicAdd(reinterpret_cast<unsigned*>(line), 0u);
  sum += __uint_as_float(old);
  asm volatile("" ::"f"(sum) : "memory");
  return now() - begin;
}

__global__ void tails(char* memory, size_t first, size_t first_line, int loads, bool random, unsigned cycles,
                      unsigned* took, unsigned* home, int* samples, unsigned long long* moved, float* out) {
  if (blockIdx.x >= kAsking) {
    if (loads == 1) background<1>(memory, first, cycles, random, moved, out);
    if (loads == 2) background<2>(memory, first, cycles, random, moved, out);
    if (loads == 4) background<4>(memory, first, cycles, random, moved, out);
    return;
  }
  if (threadIdx.x >= 32) return;
  const size_t row = size_t{blockIdx.x} * kMost;
  const unsigned begin = now();
  float sum = 0;
  int i = 0;
  for (; i < kMost && now() - begin < cycles; ++i) {
    char* line = memory + (spread(first_line + row + i) * kLine & (kBytes - 1));
    const unsigned from_memory = cycles_of(line, sum);
    unsigned to_home = ~0u;
    for (int again = 0; again < 4; ++again) to_home = min(to_home, cycles_of_atomic(line, sum));
    if (threadIdx.x == 0) took[row + i] = from_memory, home[row + i] = to_home;
  }
  if (threadIdx.x == 0) samples[blockIdx.x] = i;
  if (sum == 12345.f) *out = sum;
}

void print(std::vector<unsigned>& cycles) {
  std::sort(cycles.begin(), cycles.end());
  double mean = 0;
  for (const unsigned c : cycles) mean += c;
  std::printf(",%.0f", mean / static_cast<double>(cycles.size()));
  for (const size_t percent : {1, 5, 10, 25, 50, 75, 90, 95, 99})
    std::printf(",%u", cycles.empty() ? 0 : cycles[(cycles.size() - 1) * percent / 100]);
}

class Tails {
 public:
  explicit Tails(bool touch) {
    if (touch) OK(cudaMemset(memory_, 0, kBytes));
  }

  void ask(const Background& beside, unsigned cycles) {
    OK(cudaMemset(moved_, 0, sizeof *moved_));
    tails<<<kSms, beside.threads>>>(memory_, piece_, line_, beside.loads, beside.random, cycles, took_, home_,
                                    samples_, moved_, out_);
    int samples[kAsking];
    unsigned long long moved = 0;
    std::vector<unsigned> took(kAsking * kMost), home(kAsking * kMost), near, far;
    fetch(samples, samples_, kAsking);
    fetch(&moved, moved_, 1);
    fetch(took.data(), took_, took.size());
    fetch(home.data(), home_, home.size());
    for (int block = 0; block < kAsking; ++block)
      for (int i = block * kMost; i < block * kMost + samples[block]; ++i)
        (home[i] > kNear ? far : near).push_back(took[i]);
    std::printf("%d,%d,%d,%zu,%.0f", beside.random, beside.threads, beside.loads, near.size() + far.size(),
                static_cast<double>(moved) / cycles * kGigahertz);
    print(near);
    print(far);
    std::printf("\n");
    line_ += kAsking * kMost;
    piece_ += moved / kPiece;
  }

 private:
  char* memory_ = allocate<char>(kBytes);
  unsigned* took_ = allocate<unsigned>(kAsking * kMost);
  unsigned* home_ = allocate<unsigned>(kAsking * kMost);
  int* samples_ = allocate<int>(kAsking);
  unsigned long long* moved_ = allocate<unsigned long long>(1);
  float* out_ = allocate<float>(1);
  size_t piece_ = 0, line_ = 1234567;  // that nobody has read
};

int main(int count, char** arguments) {
  const bool quick = count > 1;
  const unsigned cycles = quick ? std::atoi(arguments[1]) : 2000000;
  Tails tails(!quick);
  if (!quick) raise_clock();
  const Background in_a_row[] = {{false, 32, 0},  {false, 32, 1},  {false, 64, 2},  {false, 128, 2},
                                 {false, 128, 4}, {false, 192, 4}, {false, 256, 4}, {false, 320, 4},
                                 {false, 384, 4}, {false, 512, 4}, {false, 1024, 4}};
  for (const Background& beside : in_a_row) tails.ask(beside, cycles);
  for (const Background& beside : in_a_row)
    if (!quick && beside.loads != 0) tails.ask({true, beside.threads, beside.loads}, cycles);
}
