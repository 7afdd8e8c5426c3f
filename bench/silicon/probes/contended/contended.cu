// SPDX-License-Identifier: Apache-2.0
// What do words take that many SMs ask for at once? `poll`: warps of `sms` SMs load the same `lines` lines past
// L1, one load after another. Rows: way, lines, SMs, warps an SM, warps of these that also store there, mean and
// longest cycles a load. `scatter`: each lane reduces to a random word of `bytes`. Rows: operation, bytes,
// reductions a thread, cold or warm, ns of the grid less an empty one's, longest cycles until a warp has issued
// its own, ns a lane. An argument leaves the cold rows out.
#include <vector>

#include "../memory/reductions.cuh"

constexpr int kTurns = 64;

template <int kWay>
__global__ void poll(unsigned* base, unsigned lines, unsigned sms, unsigned writers, unsigned* sink, unsigned* clocks) {
  unsigned sm;
  asm("mov.u32 %0, %%smid;" : "=r"(sm));
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (sm >= sms) return;
  unsigned sum = 0, at = (warp + sm) % lines;
  const bool writes = warp < writers;
  unsigned begin = now();
  for (int k = 0; k < kTurns; ++k) {
    unsigned* p = base + at * 32 + lane;
    unsigned v = 0;
    if (writes) {
      asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(0) : "memory");
      asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    } else if (kWay == 0) {
      asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    } else if (kWay == 1) {
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    } else if (kWay == 2) {
      asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(base + at * 32) : "memory");
    } else {
      asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;" : "=r"(v) : "l"(base + at * 32 + (lane & 0)), "r"(1), "r"(1) : "memory");
    }
    sum += v;
    at += 1 + v;
    if (at >= lines) at -= lines;
  }
  unsigned end = now();
  if (sum == 0x12345) *sink = sum;
  if (lane == 0) clocks[sm * 32 + warp] = end - begin;
}

template <int kWay>
void polls(const char* name, unsigned* base, unsigned* sink, unsigned* clocks, int all) {
  std::vector<unsigned> host(all * 32);
  for (unsigned lines : {1u, 4u, 64u})
    for (int sms : {1, 16, all})
      for (int warps : {1, 8})
        for (int writers : {0, 1}) {
          if (writers == 1 && (warps == 1 || lines != 4)) continue;
          for (int turn = 0; turn < 2; ++turn) {
            OK(cudaMemset(clocks, 0, all * 128));
            OK(cudaMemset(base, 0, 8192));
            poll<kWay><<<all, warps * 32, 200000>>>(base, lines, sms, writers, sink, clocks);
            OK(cudaDeviceSynchronize());
          }
          OK(cudaMemcpy(host.data(), clocks, all * 128, cudaMemcpyDeviceToHost));
          double sum = 0, most = 0;
          int n = 0;
          for (int i = 0; i < all * 32; ++i)
            if (host[i] && i % 32 >= writers) sum += host[i], n++, most = host[i] > most ? host[i] : most;
          std::printf("poll,%s,%u,%d,%d,%d,%.1f,%.1f\n", name, lines, sms, warps, writers, sum / n / kTurns, most / kTurns);
        }
}

template <int kWay>
void allow() { OK(cudaFuncSetAttribute(poll<kWay>, cudaFuncAttributeMaxDynamicSharedMemorySize, 200000)); }

template <int kOp>
__global__ void scatter(char* base, unsigned mask, unsigned size, unsigned turns, unsigned* sink, long long* clocks) {
  const long long begin = clock64();
  unsigned key = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 12345u, sum = 0;
  for (unsigned k = 0; k < turns; ++k) {
    key = key * 1664525u + 1013904223u;
    unsigned h = key ^ key >> 15;
    h *= 0x85EBCA77u;
    h ^= h >> 13;
    char* at = base + size_t{h & mask} * size;
    if (kOp == kNone) sum += h; else sum += reduce_one<kOp>(at, key >> 7);
  }
  if (sum == 0x12345) *sink = sum;
  if (threadIdx.x % 32 == 0) atomicMax((unsigned long long*)&clocks[0], (unsigned long long)(clock64() - begin));
}

template <int kOp>
void scatters(const char* name, unsigned size, char* base, char* wash, size_t washed, unsigned* sink, long long* clocks) {
  for (unsigned bytes : {1u << 10, 1u << 12, 1u << 15, 1u << 18, 1u << 22})
    for (int cold : {0, 1})
      for (unsigned turns : {1u, 8u}) {
        if (cold && bytes != (1u << 15)) continue;
        if (cold && !washed) continue;
        long long active = 0;
        const auto prepare = [&] {
          OK(cudaMemset(base, 0, bytes));
          if (cold) OK(cudaMemset(wash, 1, washed));
          OK(cudaMemset(clocks, 0, 8));
        };
        const float empty = 1e6f * least_ms(3, prepare, [&] { scatter<kNone><<<132, 256>>>(base, bytes / size - 1, size, turns, sink, clocks); });
        const float ns = 1e6f * least_ms(3, prepare, [&] { scatter<kOp><<<132, 256>>>(base, bytes / size - 1, size, turns, sink, clocks); });
        OK(cudaMemcpy(&active, clocks, 8, cudaMemcpyDeviceToHost));
        std::printf("scatter,%s,%u,%u,%s,%.0f,%lld,%.3f\n", name, bytes, turns, cold ? "cold" : "warm", ns - empty, active, (ns - empty) / (132 * 256.0 * turns));
      }
}

int main(int argc, char**) {
  int all = 0;
  OK(cudaDeviceGetAttribute(&all, cudaDevAttrMultiProcessorCount, 0));
  char *base, *wash = nullptr;
  unsigned *sink, *clocks;
  const size_t washed = argc > 1 ? 0 : size_t{256} << 20;
  OK(cudaMalloc(&base, 1 << 22));
  if (washed) OK(cudaMalloc(&wash, washed));
  OK(cudaMalloc(&sink, 4));
  OK(cudaMalloc(&clocks, all * 128));
  allow<0>(), allow<1>(), allow<2>(), allow<3>();
  polls<0>("volatile", (unsigned*)base, sink, clocks, all);
  polls<1>("acquire", (unsigned*)base, sink, clocks, all);
  polls<2>("relaxed_word", (unsigned*)base, sink, clocks, all);
  polls<3>("cas_word", (unsigned*)base, sink, clocks, all);
  long long* c = (long long*)clocks;
  scatters<kAddU32>("red_add_u32", 4, base, wash, washed, sink, c);
  scatters<kMaxU32>("red_max_u32", 4, base, wash, washed, sink, c);
  scatters<kAddU64>("red_add_u64", 8, base, wash, washed, sink, c);
  scatters<kAddF32>("red_add_f32", 4, base, wash, washed, sink, c);
  scatters<kAddReturned>("atom_add_u32", 4, base, wash, washed, sink, c);
  scatters<kCas>("atom_cas", 4, base, wash, washed, sink, c);
  return 0;
}
