// SPDX-License-Identifier: Apache-2.0
// How late are single misses? Each of 132 blocks reads one word of a line of its own that nobody has read,
// from memory or after another kernel has brought it to the L2. A line a source and distance: cycles that so
// many percent of the reads take at most. Argument: runs.
#include <algorithm>
#include <vector>

#include "../harness.cuh"
__global__ void one(const unsigned* a, unsigned* out, size_t piece, unsigned never) {
  const unsigned* p = a + blockIdx.x * piece;
  unsigned v, begin, end;
  asm volatile("ld.global.u32 %0, [%1];"
               : "=r"(v)
               : "l"(out + 1024)
               : "memory");  // brings the code and the page of out
  if (v == never) out[0] = 1;
  begin = unsigned(now64());
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  if (v == never) out[0] = 1;
  end = unsigned(now64());
  out[blockIdx.x] = end - begin;
}
__global__ void warm(const unsigned* a, size_t piece, unsigned never) {
  if (__ldcg(a + blockIdx.x * piece) == never) const_cast<unsigned*>(a)[0] = 1;
}
static const int kShares[] = {0,  10, 25, 50, 60, 70, 75, 80, 85, 88,
                              90, 92, 94, 95, 96, 97, 98, 99, 100};  // percent
int main(int count, char** words) {
  const int runs = count > 1 ? std::atoi(words[1]) : 100;
  const size_t total = size_t{2} << 30;
  unsigned *a, *out;
  OK(cudaMalloc(&a, total * 4));
  OK(cudaMalloc(&out, 65536));
  OK(cudaMemset(out, 0, 65536));
  size_t from = 0;
  std::printf("source,words_apart");
  for (int q : kShares) std::printf(",%d", q);
  std::printf("\n");
  for (int memory : {0, 1})
    for (size_t piece : {32, 1024, 1 << 16}) {
      std::vector<unsigned> all, got(132);
      for (int r = 0; r < runs; ++r) {
        const size_t need = piece * 132 + 64;
        if (from + need > total) from = 0;
        if (!memory) warm<<<132, 1>>>(a + from, piece, 12345u);
        one<<<132, 1>>>(a + from, out, piece, 12345u);
        OK(cudaMemcpy(got.data(), out, 132 * 4, cudaMemcpyDeviceToHost));
        all.insert(all.end(), got.begin(), got.end());
        from += need;
      }
      std::sort(all.begin(), all.end());
      std::printf("%s,%zu", memory ? "memory" : "L2", piece);
      for (int q : kShares) std::printf(",%u", all[std::min(all.size() - 1, all.size() * q / 100)]);
      std::printf("\n");
    }
}
