// SPDX-License-Identifier: Apache-2.0
// What L2 is asked for cp.async of 16 bytes past the L1: rows of some lanes, by where they stand in lines of global and of shared memory.
// `rows list` names the launches in order, `rows` makes them (for Nsight Compute).
#include <cstring>
#include "../harness.cuh"
static char* d_buf; static unsigned* d_out; static bool listing;
__global__ void copies(char* p, int first, int last, int row, int g0, int g_row, int s0, int s_row, unsigned* out) {
  extern __shared__ __align__(1024) char s[]; int t = threadIdx.x, c = t % row, r = t / row; unsigned a = (unsigned)__cvta_generic_to_shared(s) + s0 + c * 16 + r * s_row;
  if (t >= first && t < last) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(a), "l"(p + g0 + c * 16 + r * g_row) : "memory");
  asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
  if (s[t] == 77) out[0] = 1;
}
static void one(int first, int last, int row, int g0, int g_row, int s0, int s_row) {
  if (listing) { printf("%d,%d,%d,%d,%d,%d,%d\n", first, last, row, g0, g_row, s0, s_row); return; }
  copies<<<1, 32, 16384>>>(d_buf, first, last, row, g0, g_row, s0, s_row, d_out); OK(cudaGetLastError()); OK(cudaDeviceSynchronize());
}
int main(int argc, char** argv) {
  listing = argc > 1 && !strcmp(argv[1], "list");
  if (listing) printf("first,last,row,g0,g_row,s0,s_row\n");
  else { OK(cudaMalloc(&d_buf, 1 << 20)); OK(cudaMemset(d_buf, 0, 1 << 20)); OK(cudaMalloc(&d_out, 1024)); }
  for (int k = 2; k <= 8; k++) for (int g = 0; g + k <= 8; g += k < 4 ? 1 : 2) for (int s = 0; s < 8; s++) one(0, k, 32, g * 16, 0, s * 16, 0);
  for (int n = 1; n <= 8; n++) { one(0, 4 * n, 4, 0, 1024, 0, 80); one(0, 4 * n, 4, 0, 64, 0, 80); }
  for (int n = 0; n < 8; n++) one(4 * n, 4 * n + 4, 4, 0, 1024, 0, 80);
  for (int n = 1; n <= 16; n++) one(0, 2 * n, 2, 0, 1024, 0, 48);
  for (int n = 1; n <= 4; n++) one(0, 8 * n, 8, 0, 1024, 0, 144);
  for (int n : {8, 12, 16, 20, 24, 28, 32}) { one(0, n, 32, 0, 0, 16, 0); one(0, n, 32, 16, 0, 16, 0); one(0, n, 32, 16, 0, 0, 0); }
  return 0;
}
