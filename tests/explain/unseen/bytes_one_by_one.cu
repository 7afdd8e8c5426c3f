// SPDX-License-Identifier: Apache-2.0
// Bytes are copied one a thread and step; the repaired kernel takes 16 at once.
extern "C" __global__ void planted(const unsigned char* in, unsigned char* out, int n) {
  const int all = gridDim.x * blockDim.x;
#pragma unroll 4
  for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < n; at += all) out[at] = in[at];  // defect
}
extern "C" __global__ void repaired(const uint4* in, uint4* out, int n) {
  const int all = gridDim.x * blockDim.x;
#pragma unroll 4
  for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < n / 16; at += all) out[at] = in[at];
}
