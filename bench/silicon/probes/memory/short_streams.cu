// SPDX-License-Identifier: Apache-2.0
// Short streams: kernels with a thread an element, from 256 KiB to 64 MiB an array, each once. `all` runs them in the order of the
// results, `one OP KIB` a single one (as under `gpuloom exec --timed`, which starts with cold caches). On the GPU, from cold caches:
//   ncu --clock-control none --csv --page raw --metrics
//   sm__cycles_elapsed.max,sm__cycles_active.avg,sm__cycles_active.max,sm__cycles_active.min short_streams all
#include <string>
#include <vector>
#include "../harness.cuh"

__device__ float4 operator+(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
__device__ double2 operator+(double2 a, double2 b) { return make_double2(a.x + 3.0 * b.x, a.y + 3.0 * b.y); }
__device__ bool odd(float v) { return v == 12345.f; }
__device__ bool odd(float4 v) { return v.x + v.y + v.z + v.w == 12345.f; }
__device__ size_t element() { return blockIdx.x * (size_t)blockDim.x + threadIdx.x; }

template <class T> __global__ void copy(const T* a, T* out) { out[element()] = a[element()]; }
template <class T> __global__ void read(const T* a, T* out) {
  const T v = a[element()];
  if (odd(v)) out[element()] = v;
}
template <class T> __global__ void write(T* out, T v) { out[element()] = v; }
template <class T> __global__ void add(const T* a, const T* b, T* out) { out[element()] = a[element()] + b[element()]; }
__global__ void gather(const int* index, const float* a, float* out) { out[element()] = a[index[element()]]; }

constexpr size_t kMost = size_t(64) << 20;
static char* arrays;  // three of kMost

static void launch(const std::string& op, size_t bytes) {
  char *a = arrays, *b = arrays + kMost, *out = arrays + 2 * kMost;
  const auto blocks = [&](size_t size) { return (unsigned)(bytes / size / 256); };
  if (op == "copy4") copy<<<blocks(16), 256>>>((float4*)a, (float4*)out);
  if (op == "copy1") copy<<<blocks(4), 256>>>((float*)a, (float*)out);
  if (op == "read4") read<<<blocks(16), 256>>>((float4*)a, (float4*)out);
  if (op == "read1") read<<<blocks(4), 256>>>((float*)a, (float*)out);
  if (op == "write4") write<<<blocks(16), 256>>>((float4*)out, make_float4(1, 2, 3, 4));
  if (op == "write1") write<<<blocks(4), 256>>>((float*)out, 1.f);
  if (op == "add1") add<<<blocks(4), 256>>>((float*)a, (float*)b, (float*)out);
  if (op == "add4") add<<<blocks(16), 256>>>((float4*)a, (float4*)b, (float4*)out);
  if (op == "triad2") add<<<blocks(16), 256>>>((double2*)a, (double2*)b, (double2*)out);
  if (op == "gather") gather<<<blocks(4), 256>>>((int*)b, (float*)a, (float*)out);
  OK(cudaGetLastError());
  OK(cudaDeviceSynchronize());
}

// An index within 32 of its own place: neighbours share lines, as in a gather of a mesh.
static void fill_index(size_t bytes) {
  std::vector<int> index(bytes / 4);
  unsigned h = 1;
  for (size_t i = 0; i < index.size(); ++i) {
    h = h * 1664525u + 1013904223u;
    const long at = (long)i + (int)(h >> 26) - 32;
    index[i] = (int)(at < 0 ? 0 : at >= (long)index.size() ? (long)index.size() - 1 : at);
  }
  OK(cudaMemcpy(arrays + kMost, index.data(), bytes, cudaMemcpyHostToDevice));
}

int main(int count, char** words) {
  const std::string mode = count > 1 ? words[1] : "all";
  OK(cudaMalloc(&arrays, 3 * kMost));
  if (mode == "one") {
    const size_t bytes = size_t(std::atol(words[3])) << 10;
    if (std::string(words[2]) == "gather") fill_index(bytes);
    return launch(words[2], bytes), 0;
  }
  OK(cudaMemset(arrays, 0, 3 * kMost));
  launch("read1", size_t(1) << 20);  // a process's first kernel waits for more
  for (size_t bytes = size_t(256) << 10; bytes <= kMost; bytes *= 2) {
    fill_index(bytes);
    for (const char* op : {"copy4", "copy1", "read4", "read1", "write4", "write1", "add1", "add4", "triad2", "gather"}) launch(op, bytes);
  }
}
