// SPDX-License-Identifier: Apache-2.0
// Products of 16x8x8 on the tensor cores, where 16x8x16 halves their number.
extern "C" __global__ void planted(const unsigned* in, float* out, int n) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned a[4] = {in[at], in[at] + 1, in[at] + 2, in[at] + 3}, b[2] = {in[at] + 4, in[at] + 5};
  float c[4][4] = {};
#pragma unroll 1
  for (int k = 0; k < n; ++k)
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int half = 0; half < 2; ++half)
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"  // defect
                     : "+f"(c[i][0]), "+f"(c[i][1]), "+f"(c[i][2]), "+f"(c[i][3])
                     : "r"(a[2 * half]), "r"(a[2 * half + 1]), "r"(b[half]));  // defect
  float sum = 0;
  for (int i = 0; i < 4; ++i) sum += c[i][0] + c[i][1] + c[i][2] + c[i][3];
  out[at] = sum;
}
extern "C" __global__ void repaired(const unsigned* in, float* out, int n) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned a[4] = {in[at], in[at] + 1, in[at] + 2, in[at] + 3}, b[2] = {in[at] + 4, in[at] + 5};
  float c[4][4] = {};
#pragma unroll 1
  for (int k = 0; k < n; ++k)
#pragma unroll
    for (int i = 0; i < 4; ++i)
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                   : "+f"(c[i][0]), "+f"(c[i][1]), "+f"(c[i][2]), "+f"(c[i][3])
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  float sum = 0;
  for (int i = 0; i < 4; ++i) sum += c[i][0] + c[i][1] + c[i][2] + c[i][3];
  out[at] = sum;
}
