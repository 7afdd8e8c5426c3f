// SPDX-License-Identifier: Apache-2.0
// Which addresses share a slice of the L2, and which atomics wait for each other there?
//
// slices map: a warp's first lane does an atomic on one address, its second on another. A slice serves one at a time, so two
// addresses of one slice take twice as long as two of different slices. Each chunk is tried against one chunk of every group
// found so far. Rows: map, offset in bytes, group.
// slices near: rows: near, offset in bytes, SM, cycles of an atomic with a result.
// slices chain: warps of the whole GPU do one lane's reduction each, even warps to one word, odd warps to another.
// Rows: chain, operation, place of the second word, SM cycles a reduction.
#include <cooperative_groups.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "reductions.cuh"

namespace cg = cooperative_groups;
constexpr int kBlocks = 132, kWarps = 8, kTurns = 16;

__global__ void pairs(char* base, size_t chunk, const size_t* others, int count, long long* clocks, unsigned* sink) {
  const unsigned lane = threadIdx.x % 32;
  unsigned sum = 0;
  for (int i = 0; i < count; ++i) {
    unsigned* at = reinterpret_cast<unsigned*>(base + (lane == 0 ? chunk : others[i]));
    cg::this_grid().sync();
    const long long begin = clock64();
    if (lane < 2) {
#pragma unroll
      for (int k = 0; k < kTurns; ++k) sum += atomicExch(at, sum + k);
    }
    cg::this_grid().sync();
    if (blockIdx.x == 0 && threadIdx.x == 0) clocks[i] = clock64() - begin + (sum == 0x12345);
  }
  if (sum == 0x12345) *sink = sum;
}

struct Prober {
  char* base;
  size_t* others;
  long long* clocks;
  unsigned* sink;
  std::vector<long long> ask(size_t chunk, const std::vector<size_t>& list) {
    int count = static_cast<int>(list.size());
    OK(cudaMemcpy(others, list.data(), list.size() * sizeof(size_t), cudaMemcpyHostToDevice));
    void* args[] = {&base, &chunk, &others, &count, &clocks, &sink};
    std::vector<long long> best(list.size(), 1LL << 60), now(list.size());
    for (int turn = 0; turn < 3; ++turn) {
      OK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(pairs), dim3(kBlocks), dim3(kWarps * 32), args, 0, nullptr));
      OK(cudaMemcpy(now.data(), clocks, now.size() * sizeof(long long), cudaMemcpyDeviceToHost));
      for (size_t i = 0; i < now.size(); ++i) best[i] = std::min(best[i], now[i]);
    }
    return best;
  }
};

void map(Prober& p, const char* name, size_t step, int chunks) {
  std::vector<size_t> first;  // of each group
  const std::vector<long long> same = p.ask(0, {32, 32});  // another sector of the same line
  std::fprintf(stderr, "%s: same slice %lld cycles\n", name, same[1]);
  for (int c = 0; c < chunks; ++c) {
    const size_t at = step * c;
    int group = -1;
    if (!first.empty()) {
      const std::vector<long long> t = p.ask(at, first);
      const auto most = std::max_element(t.begin(), t.end());
      std::vector<long long> sorted(t);
      std::sort(sorted.begin(), sorted.end());
      const long long usual = sorted[sorted.size() / 2];
      if (first.size() < 4 ? *most > same[1] * 85 / 100 : *most > usual * 14 / 10) group = static_cast<int>(most - t.begin());
    }
    if (group < 0) {
      group = static_cast<int>(first.size());
      first.push_back(at);
    }
    std::printf("%s,%zu,%d\n", name, at, group);
    if (first.size() > 400) break;
  }
}

// The latency of a read past the L1 from one SM, the least of 16: slices of the SM's side answer sooner.
__global__ void latency(char* base, size_t step, int count, unsigned sm, unsigned* least) {
  unsigned here;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(here));
  if (here != sm || threadIdx.x != 0) return;
  for (int i = 0; i < count; ++i) {
    unsigned best = ~0u;
    for (int turn = 0; turn < 16; ++turn) {
      const unsigned begin = now();
      const unsigned v = atomicAdd(reinterpret_cast<unsigned*>(base + step * i), begin == 1);
      const unsigned took = now() - begin + (v == 0x7654321);
      best = best < took ? best : took;
    }
    least[i] = best;
  }
}

void near(Prober& p, const char* name, size_t step, int count) {
  unsigned* least;
  OK(cudaMallocManaged(&least, count * sizeof(unsigned)));
  for (unsigned sm : {0u, 1u, 2u, 65u, 130u}) {
    latency<<<264, 32>>>(p.base, step, count, sm, least);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < count; ++i) std::printf("%s,%zu,%u,%u\n", name, step * i, sm, least[i]);
  }
}

template <int kOp>
__global__ void chain(char* base, size_t second, long long* clocks) {
  const long long begin = clock64();
  const unsigned warp = threadIdx.x / 32;
  char* at = base + (warp % 2 ? second : 0);
  const unsigned v = threadIdx.x * 2654435761u >> 9;
  if (threadIdx.x % 32 == 0) {
    for (int k = 0; k < 32; ++k) reduce_one<kOp>(at, v);
  }
  if (threadIdx.x == 0) clocks[blockIdx.x] = clock64() - begin;
}

template <int kOp>
void chains(const char* operation, Prober& p, const std::vector<std::pair<const char*, size_t>>& places) {
  for (const auto& place : places) {
    const size_t second = place.second;
    const float best = least_ms(4, [] {}, [&] { chain<kOp><<<kBlocks, kWarps * 32 * 2>>>(p.base, second, p.clocks); });
    std::printf("chain,%s,%s,%.3f\n", operation, place.first, (best * 1e-3 - 2.5e-6) * 1.98e9 / (double(kBlocks) * kWarps * 2 * 32));
  }
}

int main(int argc, char** argv) {
  Prober p;
  OK(cudaMalloc(&p.base, size_t{1} << 30));
  OK(cudaMemset(p.base, 0, size_t{1} << 30));
  OK(cudaMalloc(&p.others, 4096 * sizeof(size_t)));
  OK(cudaMalloc(&p.clocks, 4096 * sizeof(long long)));
  OK(cudaMalloc(&p.sink, 4));
  if (argc < 2 || !std::strcmp(argv[1], "map")) {
    map(p, "sector", 32, 64);
    map(p, "kib", 1024, 4096);
    map(p, "line", 128, 2048);
    map(p, "page", size_t{2} << 20, 256);
  }
  if (argc < 2 || !std::strcmp(argv[1], "near")) near(p, "near", 256, 4096);
  if (argc < 2 || !std::strcmp(argv[1], "chain")) {
    // A chunk of the slice of chunk 0, and one of another slice.
    std::vector<size_t> list;
    for (size_t c = 1; c < 512; ++c) list.push_back(c * 1024);
    const std::vector<long long> t = p.ask(0, list);
    const size_t same = list[std::max_element(t.begin(), t.end()) - t.begin()];
    const size_t other = list[std::min_element(t.begin(), t.end()) - t.begin()];
    const std::vector<std::pair<const char*, size_t>> places = {{"same word", 0},   {"next 16 bytes", 16}, {"next sector", 32},
                                                               {"next line", 128}, {"same slice", same},  {"other slice", other}};
    chains<kAddU32>("add_u32", p, places);
    chains<kAddF32>("add_f32", p, places);
    chains<kAddF16x2>("add_f16x2", p, places);
    chains<kAddF64>("add_f64", p, places);
    chains<kMaxS32>("max_s32", p, places);
    chains<kAddV4F32>("add_v4_f32", p, places);
    chains<kCas>("cas", p, places);
  }
  return 0;
}
