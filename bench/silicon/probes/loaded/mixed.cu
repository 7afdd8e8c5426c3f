// SPDX-License-Identifier: Apache-2.0
// What do reads and writes of memory cost together? Kernels with 16 bytes a thread in turn, or 4 bytes a
// thread once (`_scalar`), and calls. Each a few times, of the same buffers or (`moves` 1) of others each
// time, which the last ones have left dirty. A row: what, MiB of a buffer, moves, us between two events, the
// middle of all. `mixed [MiB at most] [runs] [anything, where no clock has to come up]`
#include <algorithm>
#include <vector>

#include "../streams.cuh"
#include "memory.cuh"

__device__ float4 sum(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }

__global__ void adds(float4* z, const float4* x, const float4* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    z[i] = sum(x[i], y[i]);
}
__global__ void updates(float4* x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    x[i] = sum(x[i], make_float4(1, 0, 0, 0));
}
__global__ void copies_scalar(float* y, const float* x) {
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  y[i] = x[i];
}
__global__ void adds_scalar(float* z, const float* x, const float* y) {
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  z[i] = x[i] + y[i];
}

constexpr const char* kNames[] = {"read",      "write",     "copy",        "add",       "update",
                                  "copy_call", "fill_call", "copy_scalar", "add_scalar"};

void work(size_t what, char* x, size_t bytes, int run, float* out) {
  const int n = static_cast<int>(bytes / sizeof(float4));
  const unsigned scalar = static_cast<unsigned>(bytes / sizeof(float) / 256);
  const auto vector = [](char* of) { return reinterpret_cast<float4*>(of); };
  const auto plain = [](char* of) { return reinterpret_cast<float*>(of); };
  char *y = x + bytes, *z = y + bytes;
  switch (what) {
    case 0:
      reads<<<1056, 512>>>(vector(x), n, out);
      break;
    case 1:
      write<<<1056, 512>>>(vector(x), n);
      break;
    case 2:
      move<<<1056, 512>>>(vector(x), vector(y), n);
      break;
    case 3:
      adds<<<1056, 512>>>(vector(z), vector(x), vector(y), n);
      break;
    case 4:
      updates<<<1056, 512>>>(vector(x), n);
      break;
    case 5:
      OK(cudaMemcpyAsync(y, x, bytes, cudaMemcpyDeviceToDevice));
      break;
    case 6:
      OK(cudaMemsetAsync(x, run, bytes));
      break;
    case 7:
      copies_scalar<<<scalar, 256>>>(plain(y), plain(x));
      break;
    default:
      adds_scalar<<<scalar, 256>>>(plain(z), plain(x), plain(y));
  }
}

int main(int count, char** arguments) {
  const size_t most = count > 1 ? std::atoi(arguments[1]) : 512;
  const int runs = count > 2 ? std::atoi(arguments[2]) : 15;
  const bool quick = count > 3;
  char* memory = allocate<char>(kBytes);
  float* out = allocate<float>(1);
  const Stopwatch time_of;
  if (!quick) raise_clock();
  for (size_t mib = 16; mib <= most; mib *= 2)
    for (int moves = 0; moves < 2; ++moves)
      for (size_t what = 0; what < std::size(kNames); ++what) {
        const size_t bytes = mib << 20, places = kBytes / bytes / 4;
        std::vector<float> us;
        for (int run = 0; run < runs; ++run) {
          char* x = memory + (moves != 0 ? 4 * (run % places) * bytes : 0);
          us.push_back(time_of([&] { work(what, x, bytes, run, out); }));
        }
        if (quick && runs > 1) us.erase(us.begin());  // the buffers are not dirty yet
        std::sort(us.begin(), us.end());
        std::printf("%s,%zu,%d,%.2f\n", kNames[what], mib, moves, us[us.size() / 2]);
      }
}
