// SPDX-License-Identifier: Apache-2.0
// What do reads and writes of memory cost together? Kernels with 16 bytes a thread in turn, or 4 bytes a
// thread once (`_scalar`), and calls. Each a few times, of the same buffers or (`moves` 1) of others each
// time, which the last ones have left dirty. A row: what, MiB of a buffer, moves, us between two events, the
// middle of all. `mixed [MiB at most] [runs] [anything, where no clock has to come up]`
#include <algorithm>
#include <vector>

#include "../harness.cuh"

#define EACH(i, n)                                                                                       \
  for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x, step_ = size_t{gridDim.x} * blockDim.x; \
       i < n; i += step_)

__device__ float4 sum(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }

__global__ void reads(const float4* x, size_t n, float* out) {
  const size_t step = size_t{gridDim.x} * blockDim.x;
  float all = 0;
  size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; i + 3 * step < n; i += 4 * step) {
    const float4 a = __ldcs(x + i), b = __ldcs(x + i + step), c = __ldcs(x + i + 2 * step),
                 d = __ldcs(x + i + 3 * step);
    all += a.x + b.y + c.z + d.w;
  }
  for (; i < n; i += step) all += __ldcs(x + i).x;
  if (all == 12345.f) *out = all;
}
__global__ void writes(float4* x, size_t n) { EACH(i, n) x[i] = make_float4(1, 2, 3, 4); }
__global__ void copies(float4* y, const float4* x, size_t n) { EACH(i, n) y[i] = x[i]; }
__global__ void adds(float4* z, const float4* x, const float4* y, size_t n) {
  EACH(i, n) z[i] = sum(x[i], y[i]);
}
__global__ void updates(float4* x, size_t n) { EACH(i, n) x[i] = sum(x[i], make_float4(1, 0, 0, 0)); }
__global__ void copies_scalar(float* y, const float* x) {
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  y[i] = x[i];
}
__global__ void adds_scalar(float* z, const float* x, const float* y) {
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  z[i] = x[i] + y[i];
}

__global__ void spin(unsigned cycles) {
  for (const unsigned begin = now(); now() - begin < cycles;) {
  }
}

constexpr size_t kBytes = size_t{4} << 30;
constexpr const char* kNames[] = {"read",      "write",     "copy",        "add",       "update",
                                  "copy_call", "fill_call", "copy_scalar", "add_scalar"};

void work(size_t what, char* x, size_t bytes, int run, float* out) {
  const size_t n = bytes / sizeof(float4);
  const unsigned scalar = static_cast<unsigned>(bytes / sizeof(float) / 256);
  const auto vector = [](char* of) { return reinterpret_cast<float4*>(of); };
  const auto plain = [](char* of) { return reinterpret_cast<float*>(of); };
  char *y = x + bytes, *z = y + bytes;
  switch (what) {
    case 0:
      reads<<<1056, 512>>>(vector(x), n, out);
      break;
    case 1:
      writes<<<1056, 512>>>(vector(x), n);
      break;
    case 2:
      copies<<<1056, 512>>>(vector(y), vector(x), n);
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
  const int runs = count > 2 ? std::atoi(arguments[2]) : 15, warm_up = count > 3 ? 0 : 100;
  char* memory;
  float* out;
  cudaEvent_t from, to;
  OK(cudaMalloc(&memory, kBytes));
  OK(cudaMalloc(&out, sizeof(float)));
  OK(cudaEventCreate(&from));
  OK(cudaEventCreate(&to));
  for (int i = 0; i < warm_up; ++i) spin<<<132, 128>>>(2000000);
  for (size_t mib = 16; mib <= most; mib *= 2)
    for (int moves = 0; moves < 2; ++moves)
      for (size_t what = 0; what < std::size(kNames); ++what) {
        const size_t bytes = mib << 20, places = kBytes / bytes / 4;
        std::vector<float> us;
        for (int run = 0; run < runs; ++run) {
          float ms = 0;
          OK(cudaEventRecord(from));
          work(what, memory + (moves != 0 ? 4 * (run % places) * bytes : 0), bytes, run, out);
          OK(cudaEventRecord(to));
          OK(cudaDeviceSynchronize());
          OK(cudaEventElapsedTime(&ms, from, to));
          if (warm_up != 0 || run != 0) us.push_back(ms * 1e3f);
        }
        std::sort(us.begin(), us.end());
        std::printf("%s,%zu,%d,%.2f\n", kNames[what], mib, moves, us[us.size() / 2]);
      }
}
