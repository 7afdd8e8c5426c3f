// SPDX-License-Identifier: Apache-2.0
// What cp.async asks for where lanes copy fewer bytes than they fill, none, or are off; `nothing list` names the launches, `nothing` makes them,
// `nothing times` times them: bytes, way (size: a source size by lane, off: a guard by lane), pattern of the lanes' sizes, cycles of 16 copies in a row
// from issue to their end, first (cold) and second time.
#include <cstring>
#include <string>
#include "../harness.cuh"

extern __shared__ __align__(1024) char smem[];
template <int bytes, int ca, int guard>
__device__ __forceinline__ void body(const char* p, const int* size, unsigned* out, int n) {
  const unsigned base = (unsigned)__cvta_generic_to_shared(smem), t = threadIdx.x;
  const int z = size[t % 32];
  unsigned times[3];
  for (int round = 0; round < 2; ++round) {
    __syncwarp();
    times[round] = now();
#pragma unroll 4
    for (int i = 0; i < n; ++i) {
      const char* g = p + (i * blockDim.x + t) * bytes;
      const unsigned s = base + (i * blockDim.x + t) * bytes;
      if (guard) {
        if (ca) asm volatile("{ .reg .pred q; setp.ne.u32 q, %2, 0; @q cp.async.ca.shared.global [%0], [%1], %3; }" ::"r"(s), "l"(g), "r"(z), "n"(bytes) : "memory");
        else asm volatile("{ .reg .pred q; setp.ne.u32 q, %2, 0; @q cp.async.cg.shared.global [%0], [%1], 16; }" ::"r"(s), "l"(g), "r"(z) : "memory");
      } else {
        if (ca) asm volatile("cp.async.ca.shared.global [%0], [%1], %3, %2;" ::"r"(s), "l"(g), "r"(z), "n"(bytes) : "memory");
        else asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(s), "l"(g), "r"(z) : "memory");
      }
    }
    asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
    times[round] = now() - times[round];
  }
  if (t == 0) out[0] = times[0], out[1] = times[1];
  if (smem[t] == 77) out[5] = 1;
}
#define K(name, bytes, ca, guard) extern "C" __global__ void name(const char* p, const int* size, unsigned* out, int n) { body<bytes, ca, guard>(p, size, out, n); }
K(cg16_size, 16, 0, 0) K(cg16_off, 16, 0, 1) K(ca16_size, 16, 1, 0) K(ca16_off, 16, 1, 1) K(ca8_size, 8, 1, 0) K(ca8_off, 8, 1, 1) K(ca4_size, 4, 1, 0) K(ca4_off, 4, 1, 1)
struct Kernel { const char* name; int bytes; void (*fn)(const char*, const int*, unsigned*, int); };
static const Kernel kernels[] = {{"cg16_size", 16, cg16_size}, {"cg16_off", 16, cg16_off}, {"ca16_size", 16, ca16_size}, {"ca16_off", 16, ca16_off}, {"ca8_size", 8, ca8_size}, {"ca8_off", 8, ca8_off}, {"ca4_size", 4, ca4_size}, {"ca4_off", 4, ca4_off}};
int main(int argc, char** argv) {
  const bool list = argc > 1 && !strcmp(argv[1], "list"), times = argc > 1 && !strcmp(argv[1], "times");
  char* p = nullptr; int* size = nullptr; unsigned* out = nullptr;
  if (!list) { cudaMalloc(&p, 1 << 20); cudaMemset(p, 0, 1 << 20); cudaMalloc(&size, 128); cudaMalloc(&out, 4096); }
  if (list || times) puts(times ? "kernel,pattern,first,second" : "kernel,pattern");
  for (const Kernel& k : kernels)
    for (const char* pattern : {"all", "none", "low_half", "even", "one", "quarters", "partial", "partial_even", "line_one"}) {
      const std::string q = pattern;
      int h[32];
      for (int l = 0; l < 32; ++l)
        h[l] = q == "all" ? k.bytes : q == "none" ? 0 : q == "low_half" ? (l < 16 ? k.bytes : 0) : q == "even" ? (l % 2 ? 0 : k.bytes) : q == "one" ? (l == 5 ? k.bytes : 0)
             : q == "quarters" ? (l / 8 % 2 ? 0 : k.bytes) : q == "partial" ? k.bytes / 4 : q == "partial_even" ? (l % 2 ? 0 : k.bytes / 2) : (l % 8 == 0 ? k.bytes : 0);
      if (list) { printf("%s,%s\n", k.name, pattern); continue; }
      cudaMemcpy(size, h, 128, cudaMemcpyHostToDevice);
      k.fn<<<1, 32, 16384>>>(p, size, out, 16);
      if (cudaDeviceSynchronize() != cudaSuccess) { puts("error"); return 1; }
      unsigned t[2];
      cudaMemcpy(t, out, 8, cudaMemcpyDeviceToHost);
      if (times) printf("%s,%s,%u,%u\n", k.name, pattern, t[0], t[1]);
    }
  return 0;
}
