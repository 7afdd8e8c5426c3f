// SPDX-License-Identifier: Apache-2.0
// What do collective operations under masks that differ between lanes cost? Cycles of 16 turns of a loop around
// one operation, by number of groups, their shape and the warps of the block.
#include <cstdio>
#include <cuda_runtime.h>

constexpr int kTurns = 16;

#define TIMED(name, body)                                                                          \
  extern "C" __global__ void name(unsigned* out, const unsigned* masks, const unsigned* values) {  \
    const unsigned lane = threadIdx.x & 31, m = masks[lane];                                       \
    unsigned v = values[lane], s = 0;                                                              \
    __syncthreads();                                                                               \
    unsigned begin = 0, end = 0;                                                                   \
    _Pragma("unroll 1") for (int pass = 0; pass < 2; ++pass) {                                     \
      begin = clock();                                                                             \
      _Pragma("unroll 1") for (int i = 0; i < kTurns; ++i) { body; }                               \
      end = clock();                                                                               \
    }                                                                                              \
    if (lane == 0) out[blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32] = end - begin;           \
    if (s == 0x12345678 && v == 0x9abcdef0) out[0] = m;                                            \
  }

// One operation in the kernel: WARPSYNC.EXCLUSIVE.
TIMED(exclusive_redux, s += __reduce_add_sync(m, v + s))
TIMED(exclusive_vote, s += __ballot_sync(m, (v + s) & 1))
TIMED(exclusive_match, s += __match_any_sync(m, (v + s) & 1))
// Three: REDUX.OR, R2UR, BRA.DIV, WARPSYNC.COLLECTIVE.
TIMED(collective_redux, s += __reduce_add_sync(m, v + s); s += __reduce_add_sync(m, v + s); s += __reduce_add_sync(m, v + s))
TIMED(collective_vote, s += __ballot_sync(m, (v + s) & 1); s += __ballot_sync(m, (v + s) & 3); s += __ballot_sync(m, (v + s) & 5))
// Full masks; `values` have as many different ones as there are groups.
TIMED(full_redux, s += __reduce_add_sync(~0u, v + s))
TIMED(full_match, s += __match_any_sync(~0u, v + (s >> 31)) >> 31)
TIMED(full_match_all, int p; s += __match_all_sync(~0u, v + (s >> 31), &p) >> 31)
TIMED(sync_shfl, s += __shfl_xor_sync(m, v + s, 1))
TIMED(full_shfl, s += __shfl_xor_sync(~0u, v + s, 1))
TIMED(sync_warp, __syncwarp(m); s += v; asm volatile("" : "+r"(s)))
// Branches that the same groups take one after another: what divergence costs without WARPSYNC.
TIMED(branches, if (m & 1) s += v * 3; else if (m & 2) s ^= v + 5; else if (m & 4) s = s * v; else s -= v; asm volatile("" : "+r"(s)))

using Kernel = void (*)(unsigned*, const unsigned*, const unsigned*);

int main() {
  const struct { const char* name; Kernel kernel; } kernels[] = {
      {"exclusive_redux", exclusive_redux}, {"exclusive_vote", exclusive_vote}, {"exclusive_match", exclusive_match},
      {"collective_redux", collective_redux}, {"collective_vote", collective_vote}, {"full_redux", full_redux},
      {"full_match", full_match}, {"full_match_all", full_match_all}, {"sync_shfl", sync_shfl},
      {"full_shfl", full_shfl}, {"sync_warp", sync_warp}, {"branches", branches}};
  unsigned *out, *masks, *values;
  cudaMallocManaged(&out, 64 * 4);
  cudaMallocManaged(&masks, 32 * 4);
  cudaMallocManaged(&values, 32 * 4);
  printf("kernel,groups,shape,warps,least,median,most\n");
  for (const auto& k : kernels)
    for (int shape = 0; shape < 2; ++shape)
      for (int groups = 1; groups <= 32; groups *= 2)
        for (int warps : {1, 4, 8, 16, 32}) {
          for (int l = 0; l < 32; ++l) {
            masks[l] = 0;
            const auto of = [&](int lane) { return shape == 0 ? lane % groups : lane * groups / 32; };
            for (int j = 0; j < 32; ++j)
              if (of(j) == of(l)) masks[l] |= 1u << j;
            values[l] = of(l);
          }
          unsigned least = ~0u, most = 0, all[5];
          for (int run = 0; run < 5; ++run) {
            k.kernel<<<1, warps * 32>>>(out, masks, values);
            cudaDeviceSynchronize();
            unsigned longest = 0;
            for (int w = 0; w < warps; ++w) longest = out[w] > longest ? out[w] : longest;
            all[run] = longest;
            least = longest < least ? longest : least;
            most = longest > most ? longest : most;
          }
          for (int i = 0; i < 5; ++i)
            for (int j = i + 1; j < 5; ++j)
              if (all[j] < all[i]) { unsigned t = all[i]; all[i] = all[j]; all[j] = t; }
          printf("%s,%d,%s,%d,%u,%u,%u\n", k.name, groups, shape == 0 ? "comb" : "runs", warps, least, all[2], most);
        }
  if (cudaGetLastError() != cudaSuccess) { printf("error\n"); return 1; }
}
