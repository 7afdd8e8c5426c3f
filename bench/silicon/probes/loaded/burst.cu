// SPDX-License-Identifier: Apache-2.0
// How long do loads take that L2 has, where all warps of all SMs ask at once? Blocks meet at a barrier of the
// grid; then each warp loads `loads` pieces of 512 or 128 bytes at random places of 16 MiB. A row: bytes,
// SMs, warps of an SM, loads, cycles of a warp's loads (mean of warps and of rounds), cycles from an SM's
// first load to its last answer (mean of SMs and rounds), and sectors of 32 bytes an SM has in each of the
// latter.
#include <vector>

#include "../bursts.cuh"

constexpr int kSms = 132, kRounds = 16;
constexpr unsigned kPlaces = 16u << 20;

// All blocks are on the GPU at once: one to an SM.
__device__ void meet(unsigned* meeting, unsigned blocks, unsigned round) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(meeting, 1u);
    while (*(volatile unsigned*)meeting < blocks * (round + 1)) {
    }
    // The last poll is over everywhere before the first load.
    pass(4000);
  }
  begin_together();
}

template <typename Vector, int kLoads>
__global__ void __launch_bounds__(1024, 1)
    burst(const char* memory, unsigned* meeting, uint64_t* begins, uint64_t* ends, float* out) {
  const unsigned lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32,
                 warps = gridDim.x * blockDim.x / 32;
  constexpr unsigned kPiece = sizeof(Vector) * 32;
  float sum = 0;
#pragma unroll 1
  for (unsigned round = 0; round < kRounds; ++round) {
    const Vector* from[kLoads];
    Vector v[kLoads];
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const unsigned place =
          spread(((round * kLoads + i) * warps + warp) * 2 + kLoads) % kPlaces / kPiece * kPiece;
      from[i] = reinterpret_cast<const Vector*>(memory + place) + lane;
      asm volatile("" : "+l"(from[i]));
    }
    meet(meeting, gridDim.x, round);
    const uint64_t begin = now64();
#pragma unroll
    for (int i = 0; i < kLoads; ++i) v[i] = __ldcg(from[i]);
#pragma unroll
    for (int i = 0; i < kLoads; ++i) sum += *reinterpret_cast<const float*>(&v[i]);
    asm volatile("" ::"f"(sum) : "memory");
    const uint64_t end = now64();
    if (lane == 0) {
      begins[round * warps + warp] = begin;
      ends[round * warps + warp] = end;
    }
  }
  if (sum == 12345.f) *out = sum;
}

char* memory;
unsigned* meeting;
uint64_t *begins, *ends;
float* out;

template <typename Vector, int kLoads>
void ask(int blocks, int threads) {
  const size_t warps = size_t(blocks) * threads / 32;
  double of_warp = 0, of_sm = 0;
  for (int run = 0; run < 3; ++run) {
    OK(cudaMemset(meeting, 0, sizeof(unsigned)));
    burst<Vector, kLoads><<<blocks, threads>>>(memory, meeting, begins, ends, out);
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
    if (run == 0) continue;  // code and constants come first
    std::vector<uint64_t> b(warps * kRounds), e(b.size());
    OK(cudaMemcpy(b.data(), begins, b.size() * 8, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(e.data(), ends, e.size() * 8, cudaMemcpyDeviceToHost));
    const size_t of_block = threads / 32;
    for (size_t i = of_block * blocks; i < b.size(); i += of_block) {  // not of the first round
      uint64_t first = b[i], last = e[i];
      for (size_t k = i; k < i + of_block; ++k) {
        of_warp += double(e[k] - b[k]) / of_block;
        if (b[k] < first) first = b[k];
        if (e[k] > last) last = e[k];
      }
      of_sm += double(last - first);
    }
  }
  const double times = 2.0 * (kRounds - 1) * blocks;
  std::printf("%zu,%d,%d,%d,%.0f,%.0f,%.2f\n", sizeof(Vector) * 32, blocks, threads / 32, kLoads,
              of_warp / times, of_sm / times,
              double(threads) * sizeof(Vector) / 32 * kLoads / (of_sm / times));
  std::fflush(stdout);
}

int main() {
  OK(cudaMalloc(&memory, kPlaces));
  OK(cudaMemset(memory, 0, kPlaces));
  OK(cudaMalloc(&meeting, sizeof(unsigned)));
  OK(cudaMalloc(&begins, kSms * 32 * kRounds * 8));
  OK(cudaMalloc(&ends, kSms * 32 * kRounds * 8));
  OK(cudaMalloc(&out, sizeof(float)));
  for (int i = 0; i < 3; ++i) reads<<<kSms * 2, 1024>>>(reinterpret_cast<float*>(memory), kPlaces / 4, out);
  std::printf("bytes,sms,warps,loads,cycles_of_warp,cycles_of_sm,sectors_a_cycle\n");
  for (const int blocks : {1, kSms})
    for (const int threads : {32, 128, 512, 1024}) {
      ask<float4, 1>(blocks, threads);
      ask<float4, 2>(blocks, threads);
      ask<float4, 4>(blocks, threads);
      ask<float, 1>(blocks, threads);
      ask<float, 4>(blocks, threads);
    }
}
