// SPDX-License-Identifier: Apache-2.0
// The largest of all values, by a loop of compare-and-swap from every thread. Repaired, a thread keeps its largest, a
// block finds its own by exchanges, and one thread of it does an integer maximum (the values are not negative).
extern "C" __global__ void planted(const float* in, float* most, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    int* at = reinterpret_cast<int*>(most);
    int seen = *at;
    while (in[i] > __int_as_float(seen)) {
      const int before = atomicCAS(at, seen, __float_as_int(in[i]));  // defect
      if (before == seen) break;
      seen = before;
    }
  }
}
extern "C" __global__ void repaired(const float* in, float* most, int n) {
  __shared__ float of_warp[32];
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v = fmaxf(v, in[i]);
  for (int step = 16; step; step /= 2) v = fmaxf(v, __shfl_xor_sync(~0u, v, step));
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  v = threadIdx.x < blockDim.x / 32 ? of_warp[threadIdx.x] : 0;
  for (int step = 16; step; step /= 2) v = fmaxf(v, __shfl_xor_sync(~0u, v, step));
  if (threadIdx.x == 0) atomicMax(reinterpret_cast<int*>(most), __float_as_int(v));
}
