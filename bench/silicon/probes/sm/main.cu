// SPDX-License-Identifier: Apache-2.0
// Runs the SM probes: name, parameter, warps, cycles for few, cycles for many, cycles an operation.
#include "probe.cuh"
#include <cstring>

unsigned* d_out;
unsigned char* d_mem;
void arithmetic();
void shared_memory();
void synchronisation();
void wgmma();
void fetch();
void multiplies();

__global__ void empty() {}
__global__ void stores(unsigned* out) { out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; }

int main(int argc, char** argv) {
  OK(cudaMalloc(&d_out, 1 << 24));
  OK(cudaMalloc(&d_mem, 1 << 24));
  OK(cudaMemset(d_mem, 0, 1 << 24));
  const char* what = argc > 1 ? argv[1] : "all";
  const auto is = [&](const char* name) { return !std::strcmp(what, name) || !std::strcmp(what, "all"); };
  if (!std::strcmp(what, "launch")) {  // under ncu: empty kernels and one that stores, by grid and block size
    for (int grid : {1, 132, 264, 528, 1056, 2112, 4224, 16896})
      for (int block : {32, 128, 256, 1024}) empty<<<grid, block>>>();
    for (int grid : {1, 132, 1056})
      for (int block : {32, 256}) stores<<<grid, block>>>(d_out);
    OK(cudaDeviceSynchronize());
    return 0;
  }
  if (is("arith")) arithmetic();
  if (is("shared")) shared_memory();
  if (is("sync")) synchronisation();
  if (is("wgmma")) wgmma();
  if (is("fetch")) fetch();
  if (is("multiplies")) multiplies();
  return 0;
}
