// SPDX-License-Identifier: Apache-2.0
// Throughput of loads that the L1 has, by where the lanes' addresses stand; `strides list` names the launches, `strides` makes them, `strides time`
// makes and times them: width in bytes, pattern, its number, warps, then cycles of a load (least of three launches).
#include <cstring>
#include <string>
#include <vector>
#include "../harness.cuh"

template <int width>
__device__ __forceinline__ unsigned load(const char* p) {  // not hoisted: each iteration's address is new to the compiler
  unsigned a, b, c, d;
  if (width == 4) { asm volatile("ld.global.u32 %0, [%1];" : "=r"(a) : "l"(p) : "memory"); return a; }
  if (width == 8) { asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "l"(p) : "memory"); return a ^ b; }
  if (width == 2) { unsigned short h; asm volatile("ld.global.u16 %0, [%1];" : "=h"(h) : "l"(p) : "memory"); return h; }
  asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(p) : "memory");
  return a ^ b ^ c ^ d;
}
template <int width>
__device__ __forceinline__ void body(const char* p, const int* place, unsigned* out, int n, int step) {
  p += place[threadIdx.x % 32];
  unsigned s = 0, t0, t1;
  for (int round = 0; round < 2; ++round) {
    __syncthreads();
    t0 = now();
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
      unsigned v[8];
      const char* q = p + i * step;  // step is 0
#pragma unroll
      for (int j = 0; j < 8; ++j) v[j] = load<width>(q + j * 4096);
#pragma unroll
      for (int j = 0; j < 8; ++j) s += v[j];
    }
    t1 = now();
    __syncthreads();
  }
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32 * 2] = t0, out[threadIdx.x / 32 * 2 + 1] = t1;
  if (s == 12345) out[500] = s;
}
#define K(w) extern "C" __global__ void load##w(const char* p, const int* place, unsigned* out, int n, int step) { body<w>(p, place, out, n, step); }
K(2) K(4) K(8) K(16)

static unsigned seed;
static unsigned random_below(unsigned n) { seed = seed * 1664525u + 1013904223u; return (seed >> 8) % n; }

// Pattern: stride k in units of the width; `random` words of k lines; `offset` lanes side by side k bytes off; `diagonal` lane l at word (l + l / k) of
// line l / k; `rows` k lanes side by side in each line, lines `step` lines apart; `same` k words that lanes share in turn
static bool place_lanes(const std::string& pattern, int k, int width, int* h) {
  for (int l = 0; l < 32; ++l) {
    if (pattern == "stride") h[l] = l * k * width;
    else if (pattern == "random") h[l] = random_below(k * 128 / width) * width;
    else if (pattern == "offset") h[l] = l * width + k * width;
    else if (pattern == "rows") h[l] = l / k * 128 + l % k * width;
    else if (pattern == "diagonal") h[l] = l / k * 128 + l * width % 128;
    else if (pattern == "rows5") h[l] = l / k * 5 * 128 + l % k * width;
    else if (pattern == "same") h[l] = l % k * 128;
    else if (pattern == "same_word") h[l] = l % k * width;
    else if (pattern == "sets") h[l] = l % k * 128 * 64 + l * 4 % 128 / width * width;
    if (h[l] + width > 512 * 1024) return false;
  }
  return true;
}
int main(int argc, char** argv) {
  const bool list = argc > 1 && !strcmp(argv[1], "list"), timed = argc > 1 && !strcmp(argv[1], "time");
  char* p = nullptr; int* place = nullptr; unsigned* out = nullptr;
  if (!list) { cudaMalloc(&p, 1 << 20); cudaMemset(p, 0, 1 << 20); cudaMalloc(&place, 128); cudaMalloc(&out, 4096); }
  struct Pattern { const char* name; std::vector<int> numbers; };
  std::vector<int> all; for (int k = 0; k <= 40; ++k) all.push_back(k);
  for (int k : {48, 56, 63, 64, 65, 96, 128}) all.push_back(k);
  std::vector<int> some = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32};
  const std::vector<Pattern> patterns = {{"stride", all}, {"random", {1, 2, 3, 4, 5, 6, 8, 12, 16, 32, 64, 256, 257, 258, 259}}, {"offset", {0, 1, 4, 8, 9}}, {"rows", {1, 2, 4, 8, 16}},
      {"diagonal", {1, 2, 3, 4, 5, 6, 8, 11, 16}}, {"rows5", {1, 2, 4, 8, 16}}, {"same", some}, {"same_word", {1, 2, 8, 16}}, {"sets", {1, 2, 4, 8}}};
  if (list || timed) puts(timed ? "width,pattern,number,warps,each,offsets" : "width,pattern,number,warps");
  for (int width : {4, 2, 8, 16})
    for (const Pattern& q : patterns)
      for (int k : q.numbers)
        for (int warps : {1, 16}) {
          int h[32];
          seed = k * 977 + width;
          if (!place_lanes(q.name, k, width, h)) continue;
          if (!timed && warps == 16) continue;
          if (list) { printf("%d,%s,%d,%d\n", width, q.name, k, warps); continue; }
          cudaMemcpy(place, h, 128, cudaMemcpyHostToDevice);
          unsigned best = ~0u;
          for (int run = 0; run < (timed ? 3 : 1); ++run) {
            (width == 2 ? load2 : width == 4 ? load4 : width == 8 ? load8 : load16)<<<1, warps * 32>>>(p, place, out, 32, 0);
            if (cudaDeviceSynchronize() != cudaSuccess) { puts("error"); return 1; }
            unsigned t[64];
            cudaMemcpy(t, out, sizeof t, cudaMemcpyDeviceToHost);
            unsigned begin = t[0], end = 0;
            for (int w = 0; w < warps; ++w) begin = (int)(t[w * 2] - begin) < 0 ? t[w * 2] : begin;
            for (int w = 0; w < warps; ++w) end = t[w * 2 + 1] - begin > end ? t[w * 2 + 1] - begin : end;
            if (end < best) best = end;
          }
          if (!timed) continue;
          printf("%d,%s,%d,%d,%.3f,", width, q.name, k, warps, best / (32.0 * 8 * warps));
          for (int l = 0; l < 32; ++l) printf("%d%c", h[l], l == 31 ? '\n' : ' ');
        }
  return 0;
}
