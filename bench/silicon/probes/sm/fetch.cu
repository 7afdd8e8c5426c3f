// SPDX-License-Identifier: Apache-2.0
// Instruction fetch: code that runs for the first time, and loops larger than each instruction cache. Constant banks, cold.
#include "probe.cuh"

// N samples of 1 KiB of code each (64 instructions): a clock into shared memory and 62 multiply-adds on eight chains.
template <int N>
__global__ void straight(unsigned* out, float x, int rounds) {
  __shared__ unsigned at[2][1024];
  float f[8];
  for (int j = 0; j < 8; ++j) f[j] = x + j;
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) {
    __syncthreads();
#pragma unroll
    for (int n = 0; n < N; ++n) {
      at[r & 1][n] = now();
#pragma unroll
      for (int i = 0; i < 62; ++i) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(f[i & 7]) : "f"(x));
    }
    at[r & 1][N] = now();
  }
  __syncthreads();
  float sum = 0;
  for (int j = 0; j < 8; ++j) sum += f[j];
  for (int i = threadIdx.x; i <= N; i += blockDim.x) out[i] = at[0][i], out[1024 + i] = at[1][i];
  if (sum == 123) out[4000] = 1;
}

// Code of every other kernel goes out of the caches: other code, and 200 MB through L2.
void flush() {
  straight<512><<<132, 32>>>(d_out, 1.5f, 1);
  static unsigned char* big = nullptr;
  if (!big) OK(cudaMalloc(&big, 200 << 20));
  OK(cudaMemset(big, 1, 200 << 20));
  OK(cudaDeviceSynchronize());
}

template <int N>
void cold() {
  for (int mode = 0; mode < 3; ++mode) {  // 0: L2 and caches flushed; 1: other code ran in between; 2: again at once
    if (mode == 0) flush();
    if (mode == 1) { straight<512><<<132, 32>>>(d_out, 1.5f, 1); OK(cudaDeviceSynchronize()); }
    straight<N><<<1, 32>>>(d_out, 1.5f, 2);
    OK(cudaDeviceSynchronize());
    std::vector<unsigned> t(2048);
    OK(cudaMemcpy(t.data(), d_out, 8192, cudaMemcpyDeviceToHost));
    std::printf("StraightCold%d,%d,first", N, mode);
    for (int i = 0; i < N; ++i) std::printf(",%u", t[i + 1] - t[i]);
    std::printf("\nStraightCold%d,%d,second", N, mode);
    for (int i = 0; i < N; ++i) std::printf(",%u", t[1024 + i + 1] - t[1024 + i]);
    std::printf("\n");
  }
}

// The whole body over and over: cycles a KiB in the last round.
template <int N>
void loop_of() {
  for (int warps : {1, 4, 8, 16}) {
    straight<N><<<1, warps * 32>>>(d_out, 1.5f, 6);
    OK(cudaDeviceSynchronize());
    std::vector<unsigned> t(2048);
    OK(cudaMemcpy(t.data(), d_out, 8192, cudaMemcpyDeviceToHost));
    std::printf("CodeLoop,%d,%d,%u,%u,%.3f\n", N, warps, t[1024], t[1024 + N], double(t[1024 + N] - t[1024]) / N);
  }
  for (int blocks : {132}) {  // every SM at once: what is shared beyond the SM
    straight<N><<<blocks, 128>>>(d_out, 1.5f, 6);
    OK(cudaDeviceSynchronize());
    std::vector<unsigned> t(2048);
    OK(cudaMemcpy(t.data(), d_out, 8192, cudaMemcpyDeviceToHost));
    std::printf("CodeLoopAll,%d,4,%u,%u,%.3f\n", N, t[1024], t[1024 + N], double(t[1024 + N] - t[1024]) / N);
  }
}

__constant__ unsigned bank[16384];
// Constant loads, one after another, by stride, first and second pass. Immediate: fixed-latency constant operand.
__global__ void constants(unsigned* out, int stride, int count) {
  __shared__ unsigned at[2][300];
  unsigned x = 0;
  for (int r = 0; r < 2; ++r)
    for (int i = 0; i < count; ++i) {
      unsigned t = now();
      unsigned v = *(const volatile unsigned*)((const char*)bank + i * stride + x);
      asm volatile("add.u32 %0, %0, %1;" : "+r"(x) : "r"(v));
      at[r][i] = now() + x - t;
    }
  for (int i = threadIdx.x; i < count; i += 32) out[i] = at[0][i], out[512 + i] = at[1][i];
}
template <int Step>
__global__ void immediate(unsigned* out, int) {
  __shared__ unsigned at[2][40];
  unsigned x = 0;
#pragma unroll 1
  for (int r = 0; r < 2; ++r) {
#pragma unroll
    for (int i = 0; i < 32; ++i) {
      at[r][i] = now();
      asm volatile("add.u32 %0, %0, %1;" : "+r"(x) : "r"(bank[i * Step]));
    }
    at[r][32] = now();
  }
  if (threadIdx.x == 0) for (int i = 0; i <= 32; ++i) out[i] = at[0][i] , out[512 + i] = at[1][i];
  out[600] = x;
}
void constant_banks() {
  std::vector<unsigned> t(1024);
  for (int stride : {4, 64, 256}) {
    flush();
    constants<<<1, 32>>>(d_out, stride, 200);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(t.data(), d_out, 4096, cudaMemcpyDeviceToHost));
    for (int r = 0; r < 2; ++r) {
      std::printf("ConstantLoad,%d,%s", stride, r ? "second" : "first");
      for (int i = 0; i < 200; ++i) std::printf(",%u", t[r * 512 + i]);
      std::printf("\n");
    }
  }
  const auto show = [&](const char* name) {
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(t.data(), d_out, 4096, cudaMemcpyDeviceToHost));
    for (int r = 0; r < 2; ++r) {
      std::printf("%s,%s", name, r ? "second" : "first");
      for (int i = 0; i < 32; ++i) std::printf(",%u", t[r * 512 + i + 1] - t[r * 512 + i]);
      std::printf("\n");
    }
  };
  flush(); immediate<1><<<1, 32>>>(d_out, 0); show("Immediate4");
  flush(); immediate<16><<<1, 32>>>(d_out, 0); show("Immediate64");
  flush(); immediate<64><<<1, 32>>>(d_out, 0); show("Immediate256");
}

void fetch() {
  cold<64>();
  cold<256>();
  loop_of<4>(); loop_of<8>(); loop_of<16>(); loop_of<24>(); loop_of<30>(); loop_of<32>(); loop_of<40>(); loop_of<64>(); loop_of<96>(); loop_of<120>();
  loop_of<128>(); loop_of<160>(); loop_of<256>(); loop_of<512>();
  constant_banks();
}
