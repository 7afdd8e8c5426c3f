// SPDX-License-Identifier: Apache-2.0
// `mix`: a warp of each of the first `writers` SMs stores to lines that a warp of each of the next `readers` SMs
// loads past L1. Rows: what is stored (word: by one lane, line: by 32, red: one lane reduces, none), lines, bytes
// from one to the next, writers, cycles from one store of each to its next, readers, lanes that load, mean and
// longest cycles a load, mean cycles from a store to the next.
// `rate`: warps do one atomic after another at random words. Rows: operation, bytes in which the words lie, lanes
// that act, SMs, warps an SM, mean and longest cycles an operation.
#include <vector>

#include "../memory/reductions.cuh"

constexpr int kTurns = 128;

__global__ void mix(unsigned* base, int what, unsigned lines, unsigned stride, unsigned writers, unsigned delay, unsigned readers, unsigned lanes, volatile unsigned* stop, unsigned* sink, unsigned* clocks) {
  unsigned sm;
  asm("mov.u32 %0, %%smid;" : "=r"(sm));
  const unsigned lane = threadIdx.x % 32;
  if (sm >= writers + readers) return;
  unsigned sum = 0, at = sm % lines;
  if (sm < writers) {
    unsigned count = 0;
    const unsigned begin = now();
    unsigned next = begin;
    while (count < 20000) {
      unsigned* p = base + size_t{at} * stride / 4 + lane;
      if (what == 1 && lane == sm % 32) asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(0) : "memory");
      if (what == 2) asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(0) : "memory");
      if (what == 3 && lane == sm % 32) asm volatile("red.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(p), "r"(0) : "memory");
      at = at + 1 == lines ? 0 : at + 1;
      ++count;
      if (count % 8 == 0 && *stop >= readers) break;
      next += delay;
      while (int(now() - next) < 0) {}
    }
    if (lane == 0) clocks[sm] = (now() - begin) / count;
    return;
  }
  unsigned begin = 0;
  for (int k = 0; k < kTurns + 16; ++k) {
    if (k == 16) begin = now();
    unsigned v = 0;
    if (lane < lanes) asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(base + size_t{at} * stride / 4 + lane) : "memory");
    v = __reduce_add_sync(~0u, v);
    sum += v;
    at += 1 + v;
    if (at >= lines) at -= lines;
  }
  unsigned end = now();
  if (sum == 0x12345) *sink = sum;
  if (lane == 0) clocks[sm] = end - begin, atomicAdd((unsigned*)stop, 1);
}

template <int kOp>
__global__ void rate(char* base, unsigned mask, unsigned sms, unsigned lanes, unsigned* sink, unsigned* clocks) {
  unsigned sm;
  asm("mov.u32 %0, %%smid;" : "=r"(sm));
  const unsigned lane = threadIdx.x % 32;
  if (sm >= sms) return;
  unsigned key = (sm * blockDim.x + threadIdx.x) * 2654435761u + 12345u, sum = 0;
  const unsigned begin = now();
  for (unsigned k = 0; k < 32; ++k) {
    key = key * 1664525u + 1013904223u;
    unsigned h = key ^ key >> 15;
    h *= 0x85EBCA77u;
    h ^= h >> 13;
    h ^= sum & 0x80000000u;
    if (lane < lanes) sum += reduce_one<kOp>(base + size_t{h & mask} * 4, 1) & 0xffff;
  }
  const unsigned end = now();
  if (sum == 0x12345) *sink = sum;
  if (lane == 0) clocks[sm * 32 + threadIdx.x / 32] = end - begin;
}

template <int kOp>
void rates(const char* name, char* base, unsigned* sink, unsigned* clocks, int all) {
  std::vector<unsigned> host(all * 32);
  for (unsigned bytes : {1u << 7, 1u << 22})
    for (unsigned lanes : {1u, 8u, 32u})
      for (int sms : {1, 2, 16, all})
        for (int warps : {1, 8, 32}) {
          if (sms == all && warps == 32 && bytes == 128) continue;
          for (int turn = 0; turn < 2; ++turn) {
            OK(cudaMemset(clocks, 0, all * 128));
            rate<kOp><<<all, warps * 32>>>(base, bytes / 4 - 1, sms, lanes, sink, clocks);
            OK(cudaDeviceSynchronize());
          }
          OK(cudaMemcpy(host.data(), clocks, all * 128, cudaMemcpyDeviceToHost));
          double sum = 0, most = 0;
          int n = 0;
          for (unsigned v : host)
            if (v) sum += v, n++, most = v > most ? v : most;
          std::printf("rate,%s,%u,%u,%d,%d,%.1f,%.1f\n", name, bytes, lanes, sms, warps, sum / n / 32, most / 32);
        }
}

int main() {
  int all = 0;
  OK(cudaDeviceGetAttribute(&all, cudaDevAttrMultiProcessorCount, 0));
  char* base;
  unsigned *sink, *clocks, *stop;
  OK(cudaMalloc(&base, 1 << 22));
  OK(cudaMalloc(&sink, 4));
  OK(cudaMalloc(&stop, 4));
  OK(cudaMalloc(&clocks, all * 128));
  OK(cudaMemset(base, 0, 1 << 22));
  const char* names[] = {"none", "word", "line", "red"};
  OK(cudaFuncSetAttribute(mix, cudaFuncAttributeMaxDynamicSharedMemorySize, 200000));
  const auto row = [&](int what, unsigned lines, unsigned stride, unsigned writers, unsigned delay, unsigned readers, unsigned lanes) {
    std::vector<unsigned> host(all);
    for (int turn = 0; turn < 2; ++turn) {
      OK(cudaMemset(clocks, 0, all * 4));
      OK(cudaMemset(stop, 0, 4));
      mix<<<all, 32, 200000>>>((unsigned*)base, what, lines, stride, writers, delay, readers, lanes, stop, sink, clocks);
      OK(cudaDeviceSynchronize());
    }
    OK(cudaMemcpy(host.data(), clocks, all * 4, cudaMemcpyDeviceToHost));
    double sum = 0, most = 0, wrote = 0;
    for (unsigned i = 0; i < writers; ++i) wrote += host[i];
    for (unsigned i = writers; i < writers + readers; ++i) sum += host[i], most = host[i] > most ? host[i] : most;
    std::printf("mix,%s,%u,%u,%u,%u,%u,%u,%.1f,%.1f,%.1f\n", names[what], lines, stride, writers, delay, readers, lanes, sum / readers / kTurns, most / kTurns, writers ? wrote / writers : 0.0);
  };
  for (unsigned readers : {1u, 8u, 64u})
    for (unsigned lanes : {1u, 32u}) {
      row(0, 1, 128, 0, 0, readers, lanes);
      for (int what : {1, 2, 3})
        for (unsigned writers : {1u, 8u, 64u})
          for (unsigned delay : {400u, 3200u}) row(what, 1, 128, writers, delay, readers, lanes);
    }
  for (int what : {1, 2})
    for (unsigned lines : {2u, 8u, 64u})
      for (unsigned stride : {128u, 512u, 8192u}) row(what, lines, stride, 64, 400, 64, 32);
  rates<kAddU32>("red_add_u32", base, sink, clocks, all);
  rates<kAddReturned>("atom_add_u32", base, sink, clocks, all);
  rates<kCas>("atom_cas", base, sink, clocks, all);
  return 0;
}
