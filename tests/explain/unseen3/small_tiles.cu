// SPDX-License-Identifier: Apache-2.0
// A product of matrices by tiles of 8 in shared memory. Repaired, tiles have 32 columns and rows, so each word that is
// loaded serves four times as many products; a thread makes the same number of results.
template <int kTile>
__device__ void product(const float* a, const float* b, float* c, int n) {
  __shared__ float x[kTile][kTile], y[kTile][kTile + 1];
  const int column = blockIdx.x * kTile + threadIdx.x, row = blockIdx.y * kTile + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; k += kTile) {
    x[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];       // defect
    y[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];  // defect
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kTile; ++i) sum += x[threadIdx.y][i] * y[i][threadIdx.x];  // defect
    __syncthreads();
  }
  c[row * n + column] = sum;
}
extern "C" __global__ void planted(const float* a, const float* b, float* c, int n) { product<8>(a, b, c, n); }
extern "C" __global__ void repaired(const float* a, const float* b, float* c, int n) { product<32>(a, b, c, n); }
