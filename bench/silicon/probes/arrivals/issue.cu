// SPDX-License-Identifier: Apache-2.0
// How fast do copies to shared memory issue at a lone SM, and when are they there? Each warp issues eight in
// a row, behind each of which it reads its clock, and waits for all. A row: kind, warps, then means of 15
// rounds: cycles from a warp's begin to behind its 1st .. 8th copy and to the end of its wait (mean of the
// warps), from the first begin to the last copy, and to the last end. Kinds: bytes a lane through (ca) or
// past (cg) the L1; `again`: the same lines each round; `rows`: rows of 64 or 32 bytes, 8 KiB apart; `off`:
// the guard is false; `each`: a commit behind each; ld: loads of as many bits.
#include <algorithm>
#include <vector>

#include "../bursts.cuh"

constexpr int kRounds = 16, kCopies = 8, kTimes = kCopies + 2;
constexpr unsigned kPlaces = 16u << 20, kSharedStep = 16384;

struct Kind {
  const char* name;
  unsigned bytes;  // a lane
  bool copies, through_l1, again, each, off;
  unsigned row;  // bytes that stand together
};
constexpr Kind kKinds[] = {
    {"cg16", 16, true, false, false, false, false, 512},
    {"ca16", 16, true, true, false, false, false, 512},
    {"ca8", 8, true, true, false, false, false, 512},
    {"ca4", 4, true, true, false, false, false, 512},
    {"cg16_each", 16, true, false, false, true, false, 512},
    {"ld128", 16, false, true, false, false, false, 512},
    {"ld64", 8, false, true, false, false, false, 512},
    {"ld32", 4, false, true, false, false, false, 512},
    {"cg16_again", 16, true, false, true, false, false, 512},
    {"ca16_again", 16, true, true, true, false, false, 512},
    {"ca8_again", 8, true, true, true, false, false, 512},
    {"ca4_again", 4, true, true, true, false, false, 512},
    {"cg16_rows64", 16, true, false, false, false, false, 64},
    {"ca16_rows64", 16, true, true, false, false, false, 64},
    {"cg16_rows32", 16, true, false, false, false, false, 32},
    {"cg16_off", 16, true, false, false, false, true, 512},
};
constexpr int kCount = sizeof(kKinds) / sizeof(kKinds[0]);

template <int kKind>
__global__ void __launch_bounds__(1024, 1) issue(const char* memory, unsigned* times, bool on, float* out) {
  constexpr Kind k = kKinds[kKind];
  constexpr int kStep = k.row;
  extern __shared__ float4 tile[];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  unsigned to = (unsigned)__cvta_generic_to_shared(tile) + threadIdx.x * k.bytes;
  asm volatile("" : "+r"(to));
  float sum = 0;
#pragma unroll 1
  for (unsigned round = 0; round < kRounds; ++round) {
    const unsigned place =
        spread((k.again ? 0 : round) * warps + warp) % (kPlaces - (1 << 19)) / 4096 * 4096 + 4096;
    const char* from = memory + place + lane * k.bytes / k.row * 8192 + lane * k.bytes % k.row;
    asm volatile("" : "+l"(from));
    meet_alone();
    float4 v[kCopies];
    unsigned t[kTimes];
    t[0] = now();
#pragma unroll
    for (int i = 0; i < kCopies; ++i) {
      // LDGSTS's offset reaches from -2048 to 2047.
      const char* piece = from + i * kStep - 2048;
      const unsigned there = to + i * kSharedStep;
      if constexpr (k.off)
        asm volatile(
            "{.reg .pred p; setp.ne.u32 p, %2, 0; @p cp.async.cg.shared.global [%0], [%1], 16;}" ::"r"(there),
            "l"(piece), "r"(unsigned(on))
            : "memory");
      else if constexpr (k.copies && !k.through_l1)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(there), "l"(piece) : "memory");
      else if constexpr (k.copies)
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(there), "l"(piece), "n"(k.bytes)
                     : "memory");
      else if constexpr (k.bytes == 16)
        asm volatile("ld.global.v4.f32 {%0,%1,%2,%3}, [%4];"
                     : "=f"(v[i].x), "=f"(v[i].y), "=f"(v[i].z), "=f"(v[i].w)
                     : "l"(piece)
                     : "memory");
      else if constexpr (k.bytes == 8)
        asm volatile("ld.global.v2.f32 {%0,%1}, [%2];" : "=f"(v[i].x), "=f"(v[i].y) : "l"(piece) : "memory");
      else
        asm volatile("ld.global.f32 %0, [%1];" : "=f"(v[i].x) : "l"(piece) : "memory");
      if constexpr (k.each) asm volatile("cp.async.commit_group;" ::: "memory");
      t[i + 1] = now();
    }
    if constexpr (k.copies) {
      asm volatile("cp.async.wait_all;" ::: "memory");
    } else {
#pragma unroll
      for (int i = 0; i < kCopies; ++i) sum += v[i].x;
      asm volatile("" ::"f"(sum) : "memory");
    }
    t[kCopies + 1] = now();
    if (lane == 0)
      for (int i = 0; i < kTimes; ++i) times[(round * warps + warp) * kTimes + i] = t[i];
  }
  if (sum == 12345.f) *out = sum;
}

char* memory;
unsigned* times;
float* out;

template <int kKind>
void ask(int warps) {
  const int shared = kCopies * kSharedStep;
  OK(cudaFuncSetAttribute(issue<kKind>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  for (int run = 0; run < 2; ++run) {  // code and constants come first
    issue<kKind><<<1, warps * 32, shared>>>(memory, times, false, out);
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
  }
  std::vector<unsigned> t(size_t(warps) * kRounds * kTimes);
  OK(cudaMemcpy(t.data(), times, t.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
  double mean[kTimes] = {}, last = 0, end = 0;
  for (int round = 1; round < kRounds; ++round) {
    unsigned first = ~0u, latest = 0, over = 0;
    for (int warp = 0; warp < warps; ++warp) {
      const unsigned* x = &t[size_t(round * warps + warp) * kTimes];
      first = std::min(first, x[0]);
      latest = std::max(latest, x[kCopies]);
      over = std::max(over, x[kCopies + 1]);
      for (int i = 1; i < kTimes; ++i) mean[i] += double(x[i] - x[0]) / warps;
    }
    last += latest - first;
    end += over - first;
  }
  std::printf("%s,%d", kKinds[kKind].name, warps);
  for (int i = 1; i < kTimes; ++i) std::printf(",%.0f", mean[i] / (kRounds - 1));
  std::printf(",%.0f,%.0f\n", last / (kRounds - 1), end / (kRounds - 1));
  std::fflush(stdout);
}

template <int kKind>
void ask_from() {
  if constexpr (kKind < kCount) {
    for (const int warps : {1, 2, 4, 8, 16, 32}) ask<kKind>(warps);
    ask_from<kKind + 1>();
  }
}

int main() {
  OK(cudaMalloc(&memory, kPlaces));
  OK(cudaMemset(memory, 0, kPlaces));
  OK(cudaMalloc(&times, 32 * kRounds * kTimes * sizeof(unsigned)));
  OK(cudaMalloc(&out, sizeof(float)));
  for (int i = 0; i < 3; ++i) reads<<<264, 1024>>>(reinterpret_cast<float*>(memory), kPlaces / 4, out);
  std::printf("kind,warps");
  for (int i = 1; i <= kCopies; ++i) std::printf(",behind_%d", i);
  std::printf(",there,last_issued,all_there\n");
  ask_from<0>();
}
