// SPDX-License-Identifier: Apache-2.0
// How long loads of 32, 64 and 128 bits take by how many lanes load, and how fast mma.sync is by the type of its sums.
// Lines: load,SPACE,BITS,LANES,SPREAD,cycles a step   mma,SHAPE,SUMS,WARPS,CHAINS,cycles an mma of a sub-core
#include <initializer_list>

#include "../harness.cuh"

constexpr int kSteps = 256;

// A chain through values: each step's address is the last one's first word, which is its own address in bytes.
template <int kBits, bool kShared>
__global__ void chain(uint32_t* memory, unsigned lanes, unsigned stride, unsigned* out) {
  __shared__ uint32_t shared[8192];
  const unsigned lane = threadIdx.x;
  for (unsigned i = lane; i < 8192; i += 32) shared[i] = (i * 4) / (kBits / 8) * (kBits / 8);
  for (unsigned i = lane; i < 8192; i += 32) memory[i] = (i * 4) / (kBits / 8) * (kBits / 8);
  __syncthreads();
  if (lane >= lanes) return;
  uint32_t at = lane * stride;
  const uint64_t base = kShared ? __cvta_generic_to_shared(shared) : reinterpret_cast<uint64_t>(memory);
  const auto step = [&] {
    uint32_t b, c, d;
    if constexpr (kShared) {
      const uint32_t a = uint32_t(base) + at;
      if constexpr (kBits == 32) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(at) : "r"(a));
      if constexpr (kBits == 64) asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(at), "=r"(b) : "r"(a));
      if constexpr (kBits == 128) asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(at), "=r"(b), "=r"(c), "=r"(d) : "r"(a));
    } else {
      const uint64_t a = base + at;
      if constexpr (kBits == 32) asm volatile("ld.global.u32 %0, [%1];" : "=r"(at) : "l"(a));
      if constexpr (kBits == 64) asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(at), "=r"(b) : "l"(a));
      if constexpr (kBits == 128) asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(at), "=r"(b), "=r"(c), "=r"(d) : "l"(a));
    }
  };
  for (int i = 0; i < 16; ++i) step();
  const unsigned begin = now();
#pragma unroll 16
  for (int i = 0; i < kSteps; ++i) step();
  const unsigned end = now();
  if (lane == 0) out[0] = end - begin;
  out[1 + lane] = at;
}

// The chase of a published latency: a 64-bit pointer to the next one, nothing between two loads.
__global__ void pointers(uint64_t** first, unsigned lanes, unsigned* out) {
  const unsigned lane = threadIdx.x;
  uint64_t** p = first + 16 * lane;
  for (int i = 0; i < 32; ++i) first[16 * (lane + 32 * i)] = reinterpret_cast<uint64_t*>(first + 16 * (lane + 32 * ((i + 1) % 32)));
  __syncthreads();
  if (lane >= lanes) return;
  for (int i = 0; i < 32; ++i) p = reinterpret_cast<uint64_t**>(*p);
  const unsigned begin = now();
#pragma unroll 16
  for (int i = 0; i < kSteps; ++i) p = reinterpret_cast<uint64_t**>(*p);
  const unsigned end = now();
  if (lane == 0) out[0] = end - begin;
  out[1 + lane] = unsigned(reinterpret_cast<uint64_t>(p));
}

template <int kBits, bool kShared>
void loads(uint32_t* memory, unsigned* out) {
  for (unsigned stride : {kBits / 8, 0})
    for (unsigned lanes : {1u, 2u, 4u, 8u, 9u, 12u, 16u, 17u, 20u, 24u, 28u, 31u, 32u}) {
      chain<kBits, kShared><<<1, 32>>>(memory, lanes, stride, out);
      OK(cudaDeviceSynchronize());
      unsigned cycles;
      OK(cudaMemcpy(&cycles, out, 4, cudaMemcpyDeviceToHost));
      std::printf("load,%s,%d,%u,%u,%.3f\n", kShared ? "shared" : "global", kBits, lanes, stride, cycles / double(kSteps));
    }
}

template <int kChains, bool kF32, int kShape>
__global__ void multiply(uint32_t x, uint32_t y, float* sink, unsigned* out) {
  uint32_t a[4] = {x, x ^ threadIdx.x, y, x + y}, b[2] = {y, x};
  if (x == 0) a[1] = a[3] = 0;
  float f[kChains][4] = {};
  uint32_t h[kChains][2] = {};
  __syncthreads();
  const unsigned begin = now();
#pragma unroll 1
  for (int t = 0; t < 128; ++t)
#pragma unroll
    for (int c = 0; c < kChains; ++c) {
      if constexpr (kShape == 0 && kF32)
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+f"(f[c][0]), "+f"(f[c][1]), "+f"(f[c][2]), "+f"(f[c][3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
      if constexpr (kShape == 0 && !kF32)
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
                     : "+r"(h[c][0]), "+r"(h[c][1]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
      if constexpr (kShape == 1)
        asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+r"(*(int*)&f[c][0]), "+r"(*(int*)&f[c][1]), "+r"(*(int*)&f[c][2]), "+r"(*(int*)&f[c][3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
      if constexpr (kShape == 2)
        asm volatile("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                     : "+r"(*(int*)&f[c][0]), "+r"(*(int*)&f[c][1]), "+r"(*(int*)&f[c][2]), "+r"(*(int*)&f[c][3]) : "r"(a[0]), "r"(a[1]), "r"(b[0]));
      if constexpr (kShape == 3)
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+f"(f[c][0]), "+f"(f[c][1]), "+f"(f[c][2]), "+f"(f[c][3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
  const unsigned end = now();
  if (threadIdx.x == 0) out[blockIdx.x] = end - begin;
  for (int c = 0; c < kChains; ++c) sink[threadIdx.x] += f[c][0] + f[c][1] + f[c][2] + f[c][3] + h[c][0] + h[c][1];
}
template <int kChains, bool kF32, int kShape>
void rates(const char* shape, float* sink, unsigned* out) {
  for (uint32_t x : {0u, 0x3c003c00u})
    for (int warps : {4, 8, 16}) {
      multiply<kChains, kF32, kShape><<<1, 32 * warps>>>(x, x, sink, out);
      multiply<kChains, kF32, kShape><<<1, 32 * warps>>>(x, x, sink, out);
      OK(cudaDeviceSynchronize());
      unsigned cycles;
      OK(cudaMemcpy(&cycles, out, 4, cudaMemcpyDeviceToHost));
      std::printf("mma,%s,%s,%d,%d,%s,%.3f\n", shape, kF32 ? "f32" : "f16", warps, kChains, x ? "ones" : "zeros", cycles / (128.0 * kChains * warps / 4));
    }
}

int main() {
  uint32_t* memory;
  unsigned* out;
  float* sink;
  OK(cudaMalloc(&memory, 1 << 20));
  OK(cudaMalloc(&out, 4096));
  OK(cudaMalloc(&sink, 1 << 16));
  loads<32, false>(memory, out), loads<64, false>(memory, out), loads<128, false>(memory, out);
  loads<32, true>(memory, out), loads<64, true>(memory, out), loads<128, true>(memory, out);
  for (unsigned lanes : {1u, 8u, 16u, 24u, 32u}) {
    pointers<<<1, 32>>>(reinterpret_cast<uint64_t**>(memory), lanes, out);
    OK(cudaDeviceSynchronize());
    unsigned cycles;
    OK(cudaMemcpy(&cycles, out, 4, cudaMemcpyDeviceToHost));
    std::printf("pointers,global,64,%u,128,%.3f\n", lanes, cycles / double(kSteps));
  }
  rates<2, true, 0>("m16n8k16 f16", sink, out), rates<4, true, 0>("m16n8k16 f16", sink, out), rates<8, true, 0>("m16n8k16 f16", sink, out);
  rates<2, false, 0>("m16n8k16 f16", sink, out), rates<8, false, 0>("m16n8k16 f16", sink, out);
  rates<8, true, 1>("m16n8k32 s8", sink, out), rates<8, true, 2>("m16n8k16 s8", sink, out), rates<8, true, 3>("m16n8k8 tf32", sink, out);
}
