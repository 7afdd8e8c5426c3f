// SPDX-License-Identifier: Apache-2.0
// What an SM's loads cost whose line is on its way to the L1 already, and what the L1's fills cost, by the
// SM's own clock. A warp sends K loads before it uses the first; load k of lane l of warp w reads word w *
// warp + k * step + l * lane of its block's own piece. Then all wait for each other and do the same again,
// when the L1 has the lines. A line a case: pattern, K, warps, blocks, where the lines are at first (L2 or
// memory). Then cycles from the begin until the last load is sent and until the last data are here, in the
// first round and in the second: medians over blocks and runs. The last is the first round's end in the block
// that ends last, the median of the runs. Arguments: runs, pattern.
#include <algorithm>
#include <cstring>
#include <vector>

#include "../harness.cuh"

struct Pattern {
  const char* name;
  int warp, step, lane;  // in words; `warp` for each load of a warp where it is negative
};
static const Pattern kPatterns[] = {
    {"same_line", 32, 0, 1},             // a warp's loads all want its own line
    {"own_lines", -32, 32, 1},           // each load another line, none wanted twice
    {"all_one_line", 0, 0, 1},           // all warps want one line
    {"shared_lines", 0, 32, 1},          // all warps want the same K lines
    {"own_sectors", -256, 256, 8},       // each lane a sector of its own
    {"shared_sectors", 0, 256, 8},       // each lane a sector, all warps the same ones
    {"lines_by_lane", -1024, 1024, 32},  // each lane a line of its own
};

template <int K>
__device__ __forceinline__ unsigned sent(const unsigned* p, int step, unsigned& issued) {
  unsigned v[K], all = 0;
#pragma unroll
  for (int k = 0; k < K; ++k)
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(v[k]) : "l"(p + k * step) : "memory");
  issued = unsigned(now64());
  // Three at a time: what is timed is not to be a chain of sums.
#pragma unroll
  for (int k = 0; k < K; k += 2) all |= v[k] | v[K > 1 ? k + 1 : k];
  return all;
}

template <int K>
__global__ void __launch_bounds__(1024)
    waits(const unsigned* a, unsigned* out, int warp, int step, int lane, size_t piece, unsigned never) {
  unsigned begin[2], issued[2], done[2];
  const int w = threadIdx.x / 32;
  const unsigned* const own = a + blockIdx.x * piece + w * warp + (threadIdx.x % 32) * lane;
#pragma unroll 1
  for (int round = -1; round < 2; ++round) {  // the first one brings the code
    const unsigned* p = round < 0 ? out + threadIdx.x % 32 : own;
    const int stride = round < 0 ? 0 : step;
    begin[0] = begin[1], issued[0] = issued[1], done[0] = done[1];
    // A barrier does not hold the clock's reads back: all start at a time that one of them sets.
    __shared__ volatile unsigned
        start[32];  // a word a lane: clocks read for a uniform value would take turns
    if (threadIdx.x < 32) start[threadIdx.x] = unsigned(now64()) + 400;
    __syncthreads();
    begin[1] = start[threadIdx.x % 32];
    while (int(unsigned(now64()) - begin[1]) < 0) {
    }
    const unsigned all = sent<K>(p, stride, issued[1]);
    if (all == never) out[0] = 1;
    done[1] = unsigned(now64());
    __syncthreads();
  }
  if (threadIdx.x % 32 == 0)
    for (int r = 0; r < 2; ++r) {
      unsigned* o = out + 32 + ((blockIdx.x * 2 + r) * 32 + w) * 3;
      o[0] = begin[r], o[1] = issued[r], o[2] = done[r];
    }
}
__global__ void warm(const unsigned* a, size_t words, unsigned never) {
  unsigned all = 0;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < words;
       i += (size_t)gridDim.x * blockDim.x)
    all |= __ldcg(a + i);
  if (all == never) const_cast<unsigned*>(a)[0] = 1;
}

#define CASE(K) \
  if (k == K) waits<K><<<blocks, warps * 32>>>(a, out, warp, p.step, p.lane, piece, 12345u);
static void launch(int k, const Pattern& p, int warps, int blocks, const unsigned* a, size_t piece,
                   unsigned* out) {
  const int warp = p.warp < 0 ? -p.warp * k : p.warp;
  CASE(1) CASE(2) CASE(4) CASE(8) CASE(16) OK(cudaGetLastError());
}

int main(int count, char** words) {
  const int repeats = count > 1 ? std::atoi(words[1]) : 5;
  const size_t all_words = size_t{4} << 30;  // no case from memory reads what an earlier one has read
  size_t fresh = 0;
  unsigned *a, *out;
  std::printf("pattern,loads,warps,blocks,source,sent,here,sent_again,here_again,last_here\n");
  std::vector<unsigned> got(32 + 132 * 2 * 32 * 3);
  OK(cudaMalloc(&a, all_words * 4));
  OK(cudaMalloc(&out, got.size() * 4));
  for (const Pattern& p : kPatterns) {
    if (count > 2 && std::strcmp(words[2], p.name)) continue;
    for (int k = 1; k <= 16; k *= 2)
      for (int warps : {1, 4, 8, 16, 32})
        for (int blocks : {1, 132})
          for (int memory : {0, 1}) {
            const int each = p.warp < 0 ? -p.warp * k : p.warp;
            const size_t piece =
                std::max<size_t>(1024, size_t(warps - 1) * each + (k - 1) * p.step + 32 * p.lane);
            if (piece * 4 > 200 << 10) continue;  // more than the L1 keeps
            std::vector<unsigned> all[4], latest;
            for (int run = 0; run < repeats; ++run) {
              const size_t from = fresh + piece * blocks > all_words ? 0 : fresh;
              fresh = from + piece * blocks;
              if (!memory) warm<<<132, 256>>>(a + from, piece * blocks, 12345u);
              launch(k, p, warps, blocks, a + from, piece, out);
              OK(cudaMemcpy(got.data(), out, got.size() * 4, cudaMemcpyDeviceToHost));
              unsigned most = 0;
              for (int r = 0; r < blocks * 2; ++r) {
                const unsigned* o = &got[32 + r * 96];
                unsigned issue = 0, end = 0;
                for (int w = 0; w < warps; ++w)
                  issue = std::max(issue, o[w * 3 + 1] - o[0]), end = std::max(end, o[w * 3 + 2] - o[0]);
                all[r % 2 * 2].push_back(issue);
                all[r % 2 * 2 + 1].push_back(end);
                if (r % 2 == 0) most = std::max(most, end);
              }
              latest.push_back(most);
            }
            std::printf("%s,%d,%d,%d,%s", p.name, k, warps, blocks, memory ? "memory" : "L2");
            std::sort(latest.begin(), latest.end());
            for (auto& v : all)
              std::nth_element(v.begin(), v.begin() + v.size() / 2, v.end()),
                  std::printf(",%u", v[v.size() / 2]);
            std::printf(",%u\n", latest[latest.size() / 2]);
          }
  }
}
