// SPDX-License-Identifier: Apache-2.0
// Which side of L2 has a line after a kernel has read, written or copied it, and up to what size. Single
// loads past L1 say it: 302 cycles where the SM's own side has the line, 480 where the other has it alone,
// 559 and more from memory. A line: what was done, MiB, whose lines, the side of the reading SM (0, 1),
// whether the line belongs to that side (near, far), and how many loads took under 400, 520, 650 cycles, and
// longer.
#include <algorithm>
#include <string>
#include <vector>

#include "../harness.cuh"
#include "../streams.cuh"

constexpr int kSamples = 2048;
constexpr unsigned kSteps[] = {400, 520, 650};

__device__ bool on(int sm) {
  int here;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(here));
  return here == sm;
}
// One warp writes whole lines, or a sector of each.
__global__ void store(int sm, float* memory, const int* lines, int n, int lanes) {
  if (!on(sm)) return;
  for (int i = 0; i < n; ++i)
    if (threadIdx.x < lanes) memory[lines[i] * 32ll + threadIdx.x] = 1;
}
__global__ void load(int sm, const float* memory, const int* lines, int n, unsigned* cycles) {
  if (!on(sm) || threadIdx.x != 0) return;
  for (int i = 0; i < n; ++i) {
    const float* at = memory + lines[i] * 32ll;
    float v;
    const unsigned begin = now();
    asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v) : "l"(at) : "memory");
    asm volatile("" ::"f"(v + 1) : "memory");
    cycles[i] = (v == 77.f) + now() - begin;
  }
}
__global__ void add(int sm, float* memory, const int* lines, int n, unsigned* cycles) {
  if (!on(sm) || threadIdx.x != 0) return;
  for (int i = 0; i < n; ++i) {
    int* at = reinterpret_cast<int*>(memory + lines[i] * 32ll);
    int v;
    const unsigned begin = now();
    asm volatile("atom.global.add.u32 %0, [%1], 0;" : "=r"(v) : "l"(at) : "memory");
    cycles[i] = (v == 77) + now() - begin;
  }
}

struct Probe {
  float* memory = nullptr;
  int* lines = nullptr;
  unsigned* cycles = nullptr;
  int sms[2] = {0, 0};  // one of each side

  std::vector<unsigned> times(void (*kernel)(int, float*, const int*, int, unsigned*), int sm, int n) {
    kernel<<<132, 32, 200 << 10>>>(sm, memory, lines, n, cycles);
    std::vector<unsigned> all(n);
    OK(cudaMemcpy(all.data(), cycles, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
    return all;
  }
  std::vector<unsigned> loads(int sm, int n) {
    load<<<132, 32, 200 << 10>>>(sm, memory, lines, n, cycles);
    std::vector<unsigned> all(n);
    OK(cudaMemcpy(all.data(), cycles, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
    return all;
  }
  void choose(long long from, long long count, int n) {
    std::vector<int> picked(n);
    unsigned long long state = 12345;
    for (int& line : picked) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      line = static_cast<int>(from + (state >> 33) % count);
    }
    std::sort(picked.begin(), picked.end());
    picked.erase(std::unique(picked.begin(), picked.end()), picked.end());
    while (static_cast<int>(picked.size()) < n) picked.push_back(picked[picked.size() / 2]);
    OK(cudaMemcpy(lines, picked.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  }
};

static void say(const std::string& what, int mib, const char* whose, int side, const std::vector<unsigned>& t,
                const std::vector<unsigned>& homes) {
  for (const bool near : {true, false}) {
    unsigned bins[4] = {0, 0, 0, 0};
    for (size_t i = 0; i < t.size(); ++i)
      if ((homes[i] < 400) == near)
        ++bins[std::upper_bound(std::begin(kSteps), std::end(kSteps), t[i]) - std::begin(kSteps)];
    std::printf("%s,%d,%s,%d,%s,%u,%u,%u,%u\n", what.c_str(), mib, whose, side, near ? "near" : "far",
                bins[0], bins[1], bins[2], bins[3]);
  }
  std::fflush(stdout);
}

// Few lines, by one SM of either side: 512 lines that a warp writes, and who has them then.
static void few_lines(Probe& p) {
  for (const int lanes : {32, 8})
    for (const int writer : {0, 1})
      for (const int reader : {0, 1}) {
        p.choose(0, 1 << 16, 512);
        p.times(add, p.sms[reader], 512);
        const auto homes = p.times(add, p.sms[reader], 512);
        for (const bool had : {false, true}) {
          if (had) p.loads(p.sms[reader], 512);  // the reader's side has a copy
          store<<<132, 32, 200 << 10>>>(p.sms[writer], p.memory, p.lines, 512, lanes);
          const auto first = p.loads(p.sms[reader], 512);
          const auto again = p.loads(p.sms[reader], 512);
          const std::string what = std::string(lanes == 32 ? "line" : "sector") +
                                   (writer == reader ? "_own" : "_other") + (had ? "_read" : "");
          say(what, 0, "first", reader, first, homes);
          say(what, 0, "again", reader, again, homes);
        }
      }
}

// The same work again and again, and which of its lines are there then.
static void again_and_again(Probe& p) {
  float4* m = reinterpret_cast<float4*>(p.memory);
  const int mib = (1 << 20) / sizeof(float4);
  const long long of_mib = (1 << 20) / 128;
  for (const std::string what : {"read", "write", "move"})
    for (const int n : {8, 12, 16, 18, 20, 22, 24, 28, 32, 36, 40, 44, 48, 56})
      for (const char* whose : {"from", "to"}) {
        if ((what == "read" && whose[0] == 't') || (what == "write" && whose[0] == 'f') ||
            (what == "move" && n > 32))
          continue;
        for (const int reader : {0, 1}) {
          p.choose(whose[0] == 'f' ? 0 : n * of_mib, n * of_mib, kSamples);
          for (int k = 0; k < 4; ++k) {
            if (what == "read") read<<<264, 256>>>(m, m + 200 * mib, n * mib);
            if (what == "write") write<<<264, 256>>>(m + n * mib, n * mib);
            if (what == "move") move<<<264, 256>>>(m, m + n * mib, n * mib);
          }
          const auto t = p.loads(p.sms[reader], kSamples);
          p.times(add, p.sms[reader], kSamples);  // the first time a line may have to come from memory
          const auto homes = p.times(add, p.sms[reader], kSamples);
          say(what, n, whose, reader, t, homes);
        }
      }
}

// Two parts one after the other, each read or written once, behind 128 MiB that were read: which stays?
static void two_parts(Probe& p) {
  float4* m = reinterpret_cast<float4*>(p.memory);
  const int mib = (1 << 20) / sizeof(float4);
  const long long of_mib = (1 << 20) / 128;
  for (const std::string what : {"read_read", "read_write", "write_read", "write_write"})
    for (const int first : {16, 24, 32})
      for (const char* whose : {"first", "second"})
        for (const int reader : {0, 1}) {
          const int second = 48 - first;
          p.choose(whose[0] == 'f' ? 0 : first * of_mib, (whose[0] == 'f' ? first : second) * of_mib,
                   kSamples);
          read<<<264, 256>>>(m + 64 * mib, m + 200 * mib, 128 * mib);
          if (what.rfind("read", 0) == 0)
            read<<<264, 256>>>(m, m + 200 * mib, first * mib);
          else
            write<<<264, 256>>>(m, first * mib);
          if (what.find("_read") != std::string::npos)
            read<<<264, 256>>>(m + first * mib, m + 200 * mib, second * mib);
          else
            write<<<264, 256>>>(m + first * mib, second * mib);
          const auto t = p.loads(p.sms[reader], kSamples);
          p.times(add, p.sms[reader], kSamples);
          say(what, first, whose, reader, t, p.times(add, p.sms[reader], kSamples));
        }
}

int main() {
  Probe p;
  OK(cudaFuncSetAttribute(load, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
  OK(cudaFuncSetAttribute(add, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
  OK(cudaFuncSetAttribute(store, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
  OK(cudaMalloc(&p.memory, 256 << 20));
  OK(cudaMemset(p.memory, 0, 256 << 20));
  OK(cudaMalloc(&p.lines, kSamples * sizeof(int)));
  OK(cudaMalloc(&p.cycles, kSamples * sizeof(unsigned)));
  // SMs of the two sides: to whom the first line is near, and to whom it is far.
  p.choose(0, 1, 64);
  for (int sm = 0, found = 0; sm < 132 && found != 3; ++sm) {
    p.times(add, sm, 64);
    const unsigned t = p.times(add, sm, 64)[32];
    const int side = t < 400 ? 0 : 1;
    if (!(found >> side & 1)) p.sms[side] = sm, found |= 1 << side;
  }
  std::fprintf(stderr, "SMs %d and %d\n", p.sms[0], p.sms[1]);
  few_lines(p);
  again_and_again(p);
  two_parts(p);
}
