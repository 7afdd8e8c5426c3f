// SPDX-License-Identifier: Apache-2.0
// Latency of the two sides of L2: atomics by SM and address; first and second reads of lines that an SM of the same or the other side has read, and cold ones.
#include <algorithm>
#include <vector>
#include "../harness.cuh"
__device__ unsigned smid() { unsigned r; asm volatile("mov.u32 %0, %%smid;" : "=r"(r)); return r; }
__device__ unsigned ld_cg(const unsigned* p) { unsigned v; asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
__global__ void touch(const float4* p, size_t n, float* out) { float s = 0; for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) s += p[i].x; if (s == 12345.f) *out = s; }
// op 0: atomic, 1: load past L1, 2: store and fence; one thread of SM `on`
__global__ void timed(unsigned* mem, int lines, int step, unsigned* out, int on, int op) {
  if (smid() != (unsigned)on || threadIdx.x) return;
  unsigned carry = 0;
  for (int k = 0; k < lines; ++k) {
    unsigned* p = mem + (size_t)k * step + carry; const unsigned t = now(); unsigned v = 0;
    if (op == 0) asm volatile("atom.global.add.u32 %0, [%1], 0;" : "=r"(v) : "l"(p) : "memory");
    if (op == 1) v = ld_cg(p);
    if (op == 2) { asm volatile("st.global.u32 [%0], %1;" :: "l"(p), "r"(0) : "memory"); __threadfence(); }
    if (v == 0xffffffffu) carry = 1;
    out[k] = now() - t;
  }
}
int main() {
  unsigned *mem, *out; float4* flush; OK(cudaMalloc(&mem, 1 << 26)); OK(cudaMemset(mem, 0, 1 << 26)); OK(cudaMalloc(&out, 1 << 20)); const size_t fl = size_t{256} << 20; OK(cudaMalloc(&flush, fl)); OK(cudaMemset(flush, 0, fl));
  std::vector<unsigned> h(65536);
  auto once = [&](int sm, int op, int lines, int step) { timed<<<132, 32>>>(mem, lines, step, out, sm, op); OK(cudaGetLastError()); OK(cudaDeviceSynchronize()); OK(cudaMemcpy(h.data(), out, lines * 4, cudaMemcpyDeviceToHost)); };
  auto print = [&](const char* name, int sm, int lines) { printf("%s,%d", name, sm); for (int i = 0; i < lines; ++i) printf(",%u", h[i]); printf("\n"); };
  auto cold = [&] { touch<<<1056, 256>>>(flush, fl / 16, (float*)out); OK(cudaDeviceSynchronize()); };
  once(0, 0, 32, 2048);
  for (int sm = 0; sm < 132; ++sm) { once(sm, 0, 32, 2048); once(sm, 0, 32, 2048); print("atomic", sm, 32); }
  for (int warm : {0, 2, 4, 6, 8, 10, 12, 14}) {
    cold(); once(0, 1, 256, 2048); print("cold", 0, 256);
    cold(); once(warm, 1, 256, 2048); once(0, 1, 256, 2048); printf("warm%d,", warm); print("first", 0, 256); once(0, 1, 256, 2048); printf("warm%d,", warm); print("second", 0, 256);
  }
  once(0, 0, 256, 2048); once(0, 0, 256, 2048); print("atomic0", 0, 256);
  once(0, 2, 256, 2048); once(0, 2, 256, 2048); print("store_fence", 0, 256);
  once(0, 0, 1024, 128); once(0, 0, 1024, 128); print("fine", 0, 1024);  // each 512 B of 512 KiB
  once(0, 0, 4096, 32); once(0, 0, 4096, 32); print("line", 0, 4096);    // each line of as much
}
