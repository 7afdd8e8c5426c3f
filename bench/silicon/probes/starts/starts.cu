// SPDX-License-Identifier: Apache-2.0
// When the first lines of code, constants and special registers come to each warp of a kernel that begins. Every warp
// reads its clock before and after each of them: `step` lines hold the cycles between two clocks over all warps, `begin`
// lines those from an SM's first clock to that of its second, third and fourth sub-core.
#include <algorithm>
#include <string>
#include <vector>
#include "../harness.cuh"
constexpr int kStamps = 13;
struct Big { unsigned v[512]; };
__device__ __forceinline__ void keep(unsigned* out, unsigned words, const unsigned* t, unsigned x) {
  if ((threadIdx.x & 31) == 0) {
    unsigned sm; asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    unsigned* o = out + (blockIdx.x * (size_t)blockDim.x + threadIdx.x) / 32 * (kStamps + 3);
    o[0] = sm; o[1] = blockIdx.x; o[2] = threadIdx.x / 32;
    for (int k = 0; k < kStamps; k++) o[3 + k] = t[k];
  }
  if (x == 12345) out[words - 1] = x;
}
// Seven dependent operations that need nothing but registers, and a clock: a line of 128 bytes.
#define LINE(k) { _Pragma("unroll") for (int j = 0; j < 7; j++) asm volatile("lop3.b32 %0, %0, %0, %1, 0x1e;" : "+r"(x) : "r"(j * 77 + k * 1001 + 5)); t[k] = now(); }
// kBranch: no constant stands in front of the first clock (ptxas moves none across a branch).
template <bool kBranch> __global__ void code(unsigned* out, unsigned words, Big p) {
  unsigned t[kStamps]; t[0] = now(); unsigned x = t[0]; if (kBranch && x == 77) return;
#pragma unroll
  for (int k = 1; k < kStamps; k++) LINE(k)
  keep(out, words, t, x);
}
// The same, and each line uses a parameter: two of a line of constants, then of the next.
__global__ void constants(unsigned* out, unsigned words, Big p) {
  unsigned t[kStamps]; t[0] = now(); unsigned x = t[0];
#define USE(k, w) { asm volatile("add.u32 %0, %0, %1;" : "+r"(x) : "r"(p.v[w])); t[k] = now(); }
  USE(1, 0) USE(2, 1) USE(3, 16) USE(4, 17) USE(5, 64) USE(6, 65) USE(7, 128) USE(8, 129) USE(9, 300) USE(10, 301) USE(11, 2) USE(12, 18)
  keep(out, words, t, x);
}
// Special registers, and what an index takes.
__global__ void registers(unsigned* out, unsigned words, Big p) {
  unsigned t[kStamps]; t[0] = now(); unsigned x = t[0], r;
#define SREG(k, name) { asm volatile("{ mov.u32 %0, %%" name "; }" : "=r"(r)); asm volatile("add.u32 %0, %0, %1;" : "+r"(x) : "r"(r)); t[k] = now(); }
  SREG(1, "tid.x") SREG(2, "ctaid.x") SREG(3, "laneid") SREG(4, "ctaid.y") SREG(5, "smid")
  asm volatile("{ .reg .u32 a; mov.u32 a, %%ntid.x; add.u32 %0, %0, a; }" : "+r"(x)); t[6] = now();
  LINE(7) LINE(8) LINE(9) LINE(10) LINE(11) LINE(12)
  keep(out, words, t, x);
}
// The program's own constants: two words of a line of 64 bytes, the next line, lines of 256 bytes further on.
__constant__ unsigned table[4096];
__global__ void tables(unsigned* out, unsigned words, Big p) {
  unsigned t[kStamps]; t[0] = now(); unsigned x = t[0];
#define WORD(k, w) { asm volatile("{ .reg .u32 a; ld.const.u32 a, [table + " #w " * 4]; add.u32 %0, %0, a; }" : "+r"(x)); t[k] = now(); }
  WORD(1, 0) WORD(2, 1) WORD(3, 16) WORD(4, 32) WORD(5, 64) WORD(6, 65) WORD(7, 128) WORD(8, 512) WORD(9, 1024) WORD(10, 2048) WORD(11, 2050) WORD(12, 2112)
  keep(out, words, t, x + table[x & 1]);
}
static unsigned *out, words; static std::string caches;
static void line(const char* name, int grid, int threads, int run, const char* what, int k, std::vector<unsigned> v) {
  if (v.empty()) return;
  std::sort(v.begin(), v.end()); double sum = 0; for (unsigned x : v) sum += x;
  printf("%s,%s,%d,%d,%d,%s,%d,%u,%u,%u,%.0f\n", caches.c_str(), name, grid, threads, run, what, k, v[v.size() / 10], v[v.size() / 2], v[v.size() * 9 / 10], sum / v.size());
}
static void report(const char* name, int grid, int threads, int run, const std::vector<unsigned>& h) {
  const size_t width = kStamps + 3, warps = h.size() / width;
  for (int k = 1; k < kStamps; k++) { std::vector<unsigned> v; for (size_t w = 0; w < warps; w++) v.push_back(h[w * width + 3 + k] - h[w * width + 2 + k]); line(name, grid, threads, run, "step", k, v); }
  if (grid != 132 || threads < 128) return;  // a block an SM: its warps' places are known
  std::vector<unsigned> place[4];
  for (int b = 0; b < grid; b++) {
    unsigned first[4]; const unsigned* r = &h[(size_t)b * threads / 32 * width]; std::fill(first, first + 4, ~0u); unsigned least = r[3];
    for (int w = 0; w < threads / 32; w++) if ((int)(r[w * width + 3] - least) < 0) least = r[w * width + 3];
    for (int w = 0; w < threads / 32; w++) first[w % 4] = std::min(first[w % 4], r[w * width + 3] - least);
    std::sort(first, first + 4); for (int k = 0; k < 4; k++) place[k].push_back(first[k]);
  }
  for (int k = 1; k < 4; k++) line(name, grid, threads, run, "begin", k, place[k]);
}
static void go(const char* name, void (*kernel)(unsigned*, unsigned, Big), int grid, int threads) {
  Big p = {}; const size_t n = (size_t)grid * threads / 32 * (kStamps + 3); std::vector<unsigned> h(n);
  for (int r = 0; r < 3; r++) {
    OK(cudaMemset(out, 0, n * 4)); OK(cudaDeviceSynchronize());
    kernel<<<grid, threads>>>(out, words, p); OK(cudaGetLastError()); OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(h.data(), out, n * 4, cudaMemcpyDeviceToHost)); report(name, grid, threads, r, h);
  }
}
int main(int argc, char** argv) {
  caches = argc > 1 ? argv[1] : "warm"; words = 1 << 20; OK(cudaMalloc(&out, words * 4));
  printf("caches,kernel,blocks,threads,launch,what,number,low_tenth,median,high_tenth,mean\n");
  const int shapes[][2] = {{1, 32}, {132, 32}, {132, 128}, {132, 256}, {264, 256}, {1056, 256}, {132, 1024}, {264, 1024}, {2112, 128}};
  for (auto& s : shapes) { go("code", code<true>, s[0], s[1]); go("code_behind_constant", code<false>, s[0], s[1]); go("constants", constants, s[0], s[1]); go("registers", registers, s[0], s[1]); go("tables", tables, s[0], s[1]); }
  return 0;
}
