// SPDX-License-Identifier: Apache-2.0
// What the two units know of each other.
#pragma once

extern __device__ int table[4];
extern __device__ int counter;
__device__ int helper(int x);
template <class T>
__device__ __noinline__ T twice(T x) {
  return x + x;
}
void launch_second(int* out);
