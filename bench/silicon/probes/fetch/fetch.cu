// SPDX-License-Identifier: Apache-2.0
// Code that does not fit the caches of instructions. -DKIB=40: straight code of that size, which every warp runs over and
// over. -DLINES=4: pieces of so many lines of 128 bytes (eight instructions), to which warps jump. -DREGION=30: four
// regions of so many KiB, of which each warp runs one over and over. One warp makes a multiply-add a cycle.
#include <numeric>
#include <vector>
#include "../harness.cuh"

// A line of code: eight multiply-adds, of which no other line has the numbers.
template <int C>
__device__ __forceinline__ void line(float* f) {
#pragma unroll
  for (int i = 0; i < 8; ++i) asm volatile("fma.rn.f32 %0, %0, %1, %0;" : "+f"(f[i]) : "f"(1.f + C * 8 + i));
}
template <int C, int N>
__device__ __forceinline__ void lines(float* f) {
  if constexpr (N > 8) {
    lines<C, N / 2>(f);
    lines<C + N / 2, N - N / 2>(f);
  } else if constexpr (N > 0) {
    line<C>(f);
    lines<C + 1, N - 1>(f);
  }
}
struct Work {
  unsigned mod, limit;    // the SMs that work: below `limit`, of each mod-th TPC. SMs of TPCs that are 8 apart have one GPC
  unsigned rounds;        // that are timed
  int apart;              // straight: cycles that each warp of a sub-core begins after the one before it; -1: they meet at each round
  unsigned pieces, step;  // jumps: so many pieces, each time `step` further. Regions: so many
  unsigned every, turn;   // regions: each so manyth warp works, and so many in a row have the same region
};
// Whether the SM works; what a warp's multiply-adds begin with.
__device__ __forceinline__ bool begins(const Work& w, float x, float* f) {
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  for (int i = 0; i < 8; ++i) f[i] = x + i;
  return sm / 2 % w.mod == w.mod - 1 && sm < w.limit;
}
__device__ __forceinline__ void keep(unsigned* out, const float* f, unsigned begin, unsigned end) {
  float sum = 0;
  for (int i = 0; i < 8; ++i) sum += f[i];
  if (threadIdx.x % 32 == 0) {
    unsigned* o = out + (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * 2;
    o[0] = begin;
    o[1] = end;
    if (sum == 123) out[65535] = 1;
  }
}
#if defined KIB
constexpr unsigned kLines = KIB * 8;
__global__ void kernel(unsigned* out, float x, Work w) {
  float f[8];
  if (!begins(w, x, f)) return;
  unsigned begin = now();
  if (w.apart > 0) {
    const unsigned wait = threadIdx.x / 128 * w.apart;
    while (now() - begin < wait) {}
  }
#pragma unroll 1
  for (unsigned r = 0; r <= w.rounds; ++r) {
    if (w.apart < 0) __syncthreads();
    if (r == 1) begin = now();
    lines<0, kLines>(f);
  }
  keep(out, f, begin, now());
}
#elif defined REGION
constexpr unsigned kLines = REGION * 8;
__global__ void kernel(unsigned* out, float x, Work w) {
  float f[8];
  const unsigned warp = threadIdx.x / 32, region = warp / w.turn % w.pieces;
  if (!begins(w, x, f) || warp % w.every != 0) return;
  unsigned begin = 0;
#pragma unroll 1
  for (unsigned r = 0; r <= w.rounds; ++r) {
    if (r == 1) begin = now();
    switch (region) {
      case 0: lines<0, kLines>(f); break;
      case 1: lines<kLines, kLines>(f); break;
      case 2: lines<2 * kLines, kLines>(f); break;
      default: lines<3 * kLines, kLines>(f);
    }
  }
  keep(out, f, begin, now());
}
#else
constexpr unsigned kLines = LINES, kPieces = LINES == 1 ? 512 : LINES == 4 ? 128 : 32;
// A piece by the digits of its number, which its multiply-adds have in theirs; a branch by a table leads to it.
#define MULTIPLY(a, b, c, l, i) "fma.rn.f32 %" #i ", %" #i ", 0f3F8" #a #b #c #l #i ", %" #i ";\n"
#define LINE(a, b, c, l) MULTIPLY(a, b, c, l, 0) MULTIPLY(a, b, c, l, 1) MULTIPLY(a, b, c, l, 2) MULTIPLY(a, b, c, l, 3) \
    MULTIPLY(a, b, c, l, 4) MULTIPLY(a, b, c, l, 5) MULTIPLY(a, b, c, l, 6) MULTIPLY(a, b, c, l, 7)
#define FOUR(a, b, c, k, l, m, n) LINE(a, b, c, k) LINE(a, b, c, l) LINE(a, b, c, m) LINE(a, b, c, n)
#if LINES == 1
#define BODY(a, b, c) LINE(a, b, c, 0)
#define ALL(X) PAGE(X, 0) PAGE(X, 1)
#elif LINES == 4
#define BODY(a, b, c) FOUR(a, b, c, 0, 1, 2, 3)
#define ALL(X) HALF(X, 0)
#else
#define BODY(a, b, c) FOUR(a, b, c, 0, 1, 2, 3) FOUR(a, b, c, 4, 5, 6, 7) FOUR(a, b, c, 8, 9, A, B) FOUR(a, b, c, C, D, E, F)
#define ALL(X) ROW(X, 0, 0) ROW(X, 0, 1)
#endif
#define ROW(X, a, b) X(a, b, 0) X(a, b, 1) X(a, b, 2) X(a, b, 3) X(a, b, 4) X(a, b, 5) X(a, b, 6) X(a, b, 7) \
    X(a, b, 8) X(a, b, 9) X(a, b, A) X(a, b, B) X(a, b, C) X(a, b, D) X(a, b, E) X(a, b, F)
#define HALF(X, a) ROW(X, a, 0) ROW(X, a, 1) ROW(X, a, 2) ROW(X, a, 3) ROW(X, a, 4) ROW(X, a, 5) ROW(X, a, 6) ROW(X, a, 7)
#define PAGE(X, a) HALF(X, a) ROW(X, a, 8) ROW(X, a, 9) ROW(X, a, A) ROW(X, a, B) ROW(X, a, C) ROW(X, a, D) ROW(X, a, E) ROW(X, a, F)
#define NAME(a, b, c) "P" #a #b #c ", "
#define PIECE(a, b, c) "P" #a #b #c ":\n" BODY(a, b, c) "bra.uni DONE;\n"
__global__ void kernel(unsigned* out, float x, Work w) {
  float f[8];
  if (!begins(w, x, f)) return;
  unsigned at = threadIdx.x / 32 * w.pieces / (blockDim.x / 32), begin = 0;
  const unsigned all = w.pieces * (w.rounds + 1);
#pragma unroll 1
  for (unsigned n = 0; n < all; ++n) {
    if (n == w.pieces) begin = now();
    asm volatile("{\nTABLE: .branchtargets " ALL(NAME) "DONE;\nbrx.idx.uni %8, TABLE;\n" ALL(PIECE) "DONE:\n}"
                 : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3]), "+f"(f[4]), "+f"(f[5]), "+f"(f[6]), "+f"(f[7])
                 : "r"(at));
    at += w.step;
    if (at >= w.pieces) at -= w.pieces;
  }
  keep(out, f, begin, now());
}
#endif

unsigned* d_out;
int runs = 5;
// Cycles of a line (of a piece, where warps jump), mean and longest of the SMs' warps; of the run with the least mean.
void measure(const char* name, int warps, const Work& w, unsigned visited) {
  constexpr unsigned grid = 132;
  double least = 1e30, longest = 0;
  for (int run = 0; run < runs; ++run) {
    OK(cudaMemset(d_out, 0, 1 << 18));
    kernel<<<grid, warps * 32>>>(d_out, 1.5f, w);
    OK(cudaDeviceSynchronize());
    std::vector<unsigned> t(grid * warps * 2);
    OK(cudaMemcpy(t.data(), d_out, t.size() * 4, cudaMemcpyDeviceToHost));
    double sum = 0, most = 0;
    unsigned count = 0;
    for (size_t i = 0; i < t.size(); i += 2)
      if (const unsigned cycles = t[i + 1] - t[i]; cycles != 0) sum += cycles, most = cycles > most ? cycles : most, ++count;
    if (count != 0 && sum / count < least) least = sum / count, longest = most;
  }
  const double n = double(visited) * w.rounds;
  std::printf("%s,%u,%u,%u,%d,%u,%u,%d,%u,%u,%.3f,%.3f\n", name, kLines, w.pieces, w.step, w.apart, w.every, w.turn, warps, w.mod,
              w.limit, least / n, longest / n);
  std::fflush(stdout);
}

// An argument: one SM and two runs, which a simulator has done soon.
int main(int argc, char**) {
  const bool few = argc > 1;
  struct Sms { unsigned mod, limit; };
  const std::vector<Sms> some = few ? std::vector<Sms>{{1, 1}} : std::vector<Sms>{{1, 1}, {1, 2}, {1, 132}};
  if (few) runs = 2;
  OK(cudaMalloc(&d_out, 1 << 18));
#if defined KIB
  for (int place : {-1, 0, 1})
    for (int warps : {1, 2, 4, 8, 12, 16, 24, 32})
      for (const Sms& s : some) {
        if (place == 1 && warps < 8) continue;
        const int turn = warps / 4 > 2 ? warps / 4 * 8 : 18;  // about what a warp takes for a line
        measure("straight", warps, {s.mod, s.limit, 5, place == 1 ? int(KIB * 8 * turn / (warps / 4)) : place, KIB, 0, 1, 1}, kLines);
      }
#elif defined REGION
  struct Way { unsigned every, turn; int warps; };
  const std::vector<Sms> sets = few ? some : std::vector<Sms>{{1, 1}, {1, 2}, {1, 6}, {8, 48}, {8, 64}, {1, 16}, {1, 132}};
  for (const Way& y : std::vector<Way>{{1, 99, 1}, {1, 99, 4}, {1, 99, 8}, {1, 99, 16}, {1, 4, 8}, {1, 4, 12}, {1, 4, 16}, {1, 1, 2},
                                       {1, 1, 3}, {1, 1, 4}, {1, 1, 8}, {1, 1, 16}, {4, 4, 5}, {4, 4, 9}, {4, 4, 13}})
    for (unsigned regions : {2u, 4u})
      for (const Sms& s : sets)
        if (y.turn < 9 || regions == 4) measure("regions", y.warps, {s.mod, s.limit, 9, 0, regions, 0, y.every, y.turn}, kLines);
#else
  for (unsigned kib : {1u, 2u, 3u, 4u, 5u, 6u, 8u, 10u, 12u, 14u, 16u, 20u, 24u, 28u, 32u, 40u, 64u}) {
    const unsigned pieces = kib * 8 / LINES;
    if (pieces > kPieces || pieces < 2) continue;
    unsigned far = pieces * 3 / 8;
    while (std::gcd(far, pieces) != 1) ++far;
    for (unsigned step : {1u, pieces - 1, far})  // one after another, backwards, and far apart
      for (int warps : {1, 4, 8, 16, 32})
        for (const Sms& s : some) measure("jumps", warps, {s.mod, s.limit, 8, 0, pieces, step, 1, 1}, pieces);
  }
#endif
  return 0;
}
