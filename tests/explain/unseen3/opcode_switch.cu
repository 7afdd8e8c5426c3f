// SPDX-License-Identifier: Apache-2.0
// A small interpreter: each element has an operation of its own, in any order. Repaired, elements were sorted by
// operation before, so that a warp does one.
__device__ __noinline__ float apply(int op, float v, int turns) {
  float r = v;
  switch (op) {  // defect
    case 0:
      for (int k = 0; k < turns; ++k) r = r * 0.5f + v;  // defect
      break;
    case 1:
      for (int k = 0; k < turns; ++k) r = fmaxf(r - v, 0.25f);  // defect
      break;
    case 2:
      for (int k = 0; k < turns; ++k) r = __int_as_float(__float_as_int(r) ^ (k << 3));  // defect
      break;
    case 3:
      for (int k = 0; k < turns; ++k) r = r + v * k;  // defect
      break;
    default:
      for (int k = 0; k < turns; ++k) r = r * r - v;  // defect
  }
  return r;
}
extern "C" __global__ void planted(const unsigned* op, const float* in, float* out, int turns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = apply(op[i] % 5, in[i], turns);
}
extern "C" __global__ void repaired(const unsigned* op, const float* in, float* out, int turns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = apply(op[i / 32] % 5, in[i], turns);
}
