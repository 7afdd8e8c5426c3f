// SPDX-License-Identifier: Apache-2.0
// What a tensor map made on the device costs: its fields in shared memory, the copy to global memory that releases it,
// the acquire, the first copy that uses it, and the second. A line is blocks, block, map, and the cycles of the five.
#include "../harness.cuh"

constexpr int kMaps = 4;

#define FIELD(name, type, value) \
  asm volatile("tensormap.replace.tile." name ".shared::cta.b1024." type " [%0], %1;" ::"l"(map), value : "memory")
#define INDEXED(name, type, index, constraint, value)                                                             \
  asm volatile("tensormap.replace.tile." name ".shared::cta.b1024." type " [%0], " index ", %1;" ::"l"(map), constraint(value) \
               : "memory")

// Fields of a map of 64 columns and `rows` rows of 16 bits, swizzled by 128 bytes.
__device__ void fields(unsigned long long map, const void* data, unsigned rows) {
  asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"l"(map), "l"(data) : "memory");
  asm volatile("tensormap.replace.tile.rank.shared::cta.b1024.b32 [%0], 0x1;" ::"l"(map) : "memory");
  INDEXED("box_dim", "b32", "0x0", "r", 64u);
  INDEXED("box_dim", "b32", "0x1", "r", 64u);
  INDEXED("global_dim", "b32", "0x0", "r", 64u);
  INDEXED("global_dim", "b32", "0x1", "r", rows);
  INDEXED("global_stride", "b64", "0x0", "l", 128ull);
  INDEXED("element_stride", "b32", "0x0", "r", 1u);
  INDEXED("element_stride", "b32", "0x1", "r", 1u);
  asm volatile("tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%0], 0x6;" ::"l"(map) : "memory");
  asm volatile("tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%0], 0x0;" ::"l"(map) : "memory");
  asm volatile("tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%0], 0x3;" ::"l"(map) : "memory");
  asm volatile("tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%0], 0x0;" ::"l"(map) : "memory");
}

// A copy of 8 KiB and the wait for it.
__device__ void copy(void* to, const void* map, unsigned barrier, unsigned phase, int row) {
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 8192;" ::"r"(barrier) : "memory");
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
                     (unsigned)__cvta_generic_to_shared(to)),
                 "l"(map), "r"(0), "r"(row), "r"(barrier)
                 : "memory");
  }
  asm volatile(
      "{ .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra W; }" ::"r"(barrier), "r"(phase)
      : "memory");
}

__global__ void maps(unsigned* out, unsigned char* global, const unsigned char* data) {
  __shared__ __align__(1024) unsigned char tile[8192];
  __shared__ __align__(128) unsigned char map[128];
  __shared__ __align__(8) unsigned long long barrier;
  const unsigned at = (unsigned)__cvta_generic_to_shared(&barrier);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at) : "memory");
  __syncwarp();
  unsigned t[kMaps][6];
  const unsigned long long words = __cvta_generic_to_shared(map);
#pragma unroll 1
  for (int k = 0; k < kMaps; ++k) {
    unsigned char* own = global + (blockIdx.x * kMaps + k) * 128;
    t[k][0] = now();
    ((unsigned*)map)[threadIdx.x] = 0;
    __syncwarp();
    if (threadIdx.x == 0) fields(words, data + (blockIdx.x & 127) * 65536, 512);
    __syncwarp();
    t[k][1] = now();
    asm volatile(
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 0x80;" ::"l"(own),
        "l"(words)
        : "memory");
    t[k][2] = now();
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 0x80;" ::"l"(own) : "memory");
    t[k][3] = now();
    copy(tile, own, at, 0, 64);
    t[k][4] = now();
    copy(tile, own, at, 1, 64);
    t[k][5] = now();
  }
  if (threadIdx.x == 0)
    for (int k = 0; k < kMaps; ++k)
      for (int j = 0; j < 5; ++j) out[(blockIdx.x * kMaps + k) * 5 + j] = t[k][j + 1] - t[k][j];
}

int main() {
  unsigned* out;
  unsigned char *global, *data;
  OK(cudaMalloc(&out, 1 << 20));
  OK(cudaMalloc(&global, 1 << 22));
  OK(cudaMalloc(&data, 1 << 24));
  OK(cudaMemset(data, 0, 1 << 24));
  static unsigned host[132 * 4 * kMaps * 5];
  for (int round = 0; round < 2; ++round)
    for (int blocks : {1, 33, 132, 264}) {
      maps<<<blocks, 32>>>(out, global, data);
      OK(cudaDeviceSynchronize());
      OK(cudaMemcpy(host, out, blocks * kMaps * 5 * 4, cudaMemcpyDeviceToHost));
      for (int b = 0; b < blocks; b += blocks > 1 ? blocks / 3 : 1)
        for (int k = 0; k < kMaps; ++k) {
          const unsigned* line = host + (b * kMaps + k) * 5;
          std::printf("%d,%d,%d,%d,%u,%u,%u,%u,%u\n", round, blocks, b, k, line[0], line[1], line[2], line[3], line[4]);
        }
    }
  return 0;
}
