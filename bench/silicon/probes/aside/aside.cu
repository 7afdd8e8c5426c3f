// SPDX-License-Identifier: Apache-2.0
// What a set-aside of L2 leaves for the rest: passes over 128 MiB and shorter ones, by set-aside.
#include <vector>
#include "../harness.cuh"
__global__ void hot_and_stream(float* stream, const float* hot, int hot_n, int per_thread) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, total = gridDim.x * blockDim.x;
  for (int k = 0; k < per_thread; k++) { int i = t + k * total; stream[i] = stream[i] + hot[i % hot_n]; }
}
__global__ void in_place(float* stream, int step, int per_thread) { int t = blockIdx.x * blockDim.x + threadIdx.x; for (int k = 0; k < per_thread; k++) { int i = t + k * step; stream[i] = stream[i] + 1.0f; } }
__global__ void copy(float* to, const float* from, int step, int per_thread) { int t = blockIdx.x * blockDim.x + threadIdx.x; for (int k = 0; k < per_thread; k++) { int i = t + k * step; to[i] = from[i] + 1.0f; } }
__global__ void reads(float* out, const float* from, int step, int per_thread) { int t = blockIdx.x * blockDim.x + threadIdx.x; float s = 0; for (int k = 0; k < per_thread; k++) { float v = from[t + k * step + (s == 12345.f)]; s += v; } if (s == 12345.f) out[0] = s; }
__global__ void reads4(float* out, const float* from, int step, int per_thread) { int t = blockIdx.x * blockDim.x + threadIdx.x; float s = 0;
#pragma unroll 8
  for (int k = 0; k < per_thread; k++) s += from[t + k * step]; if (s == 12345.f) out[0] = s; }
__global__ void writes(float* out, int step, int per_thread) { int t = blockIdx.x * blockDim.x + threadIdx.x; for (int k = 0; k < per_thread; k++) out[t + k * step] = 1.0f; }
int main(int argc, char** argv) {
  const bool counters = argc > 1; const size_t words = size_t{1056} * 512 * 62; float *s, *d, *hot; unsigned* out; OK(cudaMalloc(&s, words * 4 + (1 << 22))); OK(cudaMalloc(&d, words * 4 + (1 << 22))); OK(cudaMalloc(&hot, 16 << 20)); OK(cudaMalloc(&out, 1 << 20));
  OK(cudaMemset(s, 0, words * 4)); OK(cudaMemset(d, 0, words * 4)); OK(cudaMemset(hot, 0, 16 << 20));
  cudaStream_t st; OK(cudaStreamCreate(&st)); cudaEvent_t e0, e1; OK(cudaEventCreate(&e0)); OK(cudaEventCreate(&e1)); int mb = 0;
  auto time = [&](const char* name, int x, auto&& launch) {
    std::vector<float> t; for (int k = 0; k < (counters ? 1 : 5); ++k) { OK(cudaEventRecord(e0, st)); launch(); OK(cudaGetLastError()); OK(cudaEventRecord(e1, st)); OK(cudaStreamSynchronize(st)); float ms; OK(cudaEventElapsedTime(&ms, e0, e1)); t.push_back(ms * 1e3f); }
    if (!counters) { printf("aside,%d,%s,%d", mb, name, x); for (float v : t) printf(",%.1f", v); printf("\n"); }
  };
  const int total = 1056 * 512; float* o = (float*)out;
  std::vector<int> sizes = counters ? std::vector<int>{0, 8, 12, 16, 20, 24, 28, 34, 37} : std::vector<int>{0, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 37};
  for (int m : sizes) { mb = m; OK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, size_t(m) << 20));
    time("hot", 62, [&] { hot_and_stream<<<1056, 512, 0, st>>>(s, hot, 4 << 20, 62); });
    time("in_place", 62, [&] { in_place<<<1056, 512, 0, st>>>(s, total, 62); });
    time("copy", 62, [&] { copy<<<1056, 512, 0, st>>>(d, s, total, 62); });
    time("reads", 62, [&] { reads<<<1056, 512, 0, st>>>(o, s, total, 62); });
    time("reads4", 62, [&] { reads4<<<1056, 512, 0, st>>>(o, s, total, 62); });
    time("writes", 62, [&] { writes<<<1056, 512, 0, st>>>(d, total, 62); });
    if (!counters) for (int per : {4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}) { time("wr", per, [&] { writes<<<1056, 512, 0, st>>>(d, total, per); }); time("inplace", per, [&] { in_place<<<1056, 512, 0, st>>>(s, total, per); }); }
  }
  for (int m : {0, 30}) for (float hit : {0.5f, 1.f}) { mb = m + 100 + (int)(hit * 10) * 1000; OK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, size_t(m) << 20)); cudaStreamAttrValue v{}; v.accessPolicyWindow.base_ptr = hot; v.accessPolicyWindow.num_bytes = 16 << 20; v.accessPolicyWindow.hitRatio = hit; v.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting; v.accessPolicyWindow.missProp = cudaAccessPropertyStreaming; OK(cudaStreamSetAttribute(st, cudaStreamAttributeAccessPolicyWindow, &v));
    time("hot", 62, [&] { hot_and_stream<<<1056, 512, 0, st>>>(s, hot, 4 << 20, 62); });
    time("in_place", 62, [&] { in_place<<<1056, 512, 0, st>>>(s, total, 62); }); }
}
