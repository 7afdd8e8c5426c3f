// SPDX-License-Identifier: Apache-2.0
// What programs do wrong, or to the extreme, one case a run: cases NAME. robustness.py says how each has to end.
#include <cuda_runtime.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

__global__ void add_one(int* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += 1;
}

__global__ void spin(volatile int* flag) {
  while (*flag == 0) {
  }
}

__global__ void misaligned(char* data) { *reinterpret_cast<int*>(data + 1) = 7; }
__global__ void trapped() { asm volatile("trap;"); }
__global__ void grow_heap(int** out) { out[threadIdx.x] = static_cast<int*>(malloc(1 << 20)); }

int told(const char* what, cudaError_t status) {
  std::printf("%s: %s\n", what, cudaGetErrorName(status));
  std::fflush(stdout);
  return status == cudaSuccess ? 0 : 1;
}

int* device_memory(size_t count) {
  int* data = nullptr;
  if (cudaMalloc(&data, count * sizeof(int)) != cudaSuccess) std::exit(9);
  cudaMemset(data, 0, count * sizeof(int));
  return data;
}

int out_of_bounds() {
  add_one<<<1, 256>>>(device_memory(16), 256);
  told("wait", cudaDeviceSynchronize());
  return told("and stays", cudaGetLastError() == cudaSuccess ? cudaSuccess : cudaDeviceSynchronize());
}

int alignment() {
  misaligned<<<1, 1>>>(reinterpret_cast<char*>(device_memory(16)));
  return told("wait", cudaDeviceSynchronize());
}

int trap() {
  trapped<<<1, 1>>>();
  return told("wait", cudaDeviceSynchronize());
}

int null_pointer() {
  add_one<<<1, 1>>>(nullptr, 1);
  return told("wait", cudaDeviceSynchronize());
}

int freed_pointer() {
  int* data = device_memory(16);
  cudaFree(data);
  told("free again", cudaFree(data));
  told("copy", cudaMemset(data, 0, 4));
  add_one<<<1, 1>>>(data, 1);
  return told("wait", cudaDeviceSynchronize());
}

int null_arguments() {
  told("malloc", cudaMalloc(static_cast<void**>(nullptr), 4));
  told("memcpy", cudaMemcpy(nullptr, nullptr, 4, cudaMemcpyHostToDevice));
  told("event", cudaEventRecord(nullptr, nullptr));
  told("stream", cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(0x1234)));
  return told("attributes", cudaFuncGetAttributes(nullptr, add_one));
}

int spins() {
  spin<<<1, 32>>>(device_memory(1));
  return told("wait", cudaDeviceSynchronize());
}

// Many kernels that end, for ever.
int endless() {
  int* data = device_memory(256);
  for (;;) add_one<<<1, 256>>>(data, 256);
}

int device_heap() {
  int** out = nullptr;
  cudaMallocManaged(&out, 64 * sizeof(int*));
  grow_heap<<<1, 64>>>(out);
  const int status = told("wait", cudaDeviceSynchronize());
  std::printf("last is %s\n", out[63] == nullptr ? "null" : "memory");
  return status;
}

int host_heap() {
  device_memory(16);
  // In front of a block stands its size, by which the C library sees on every machine that it is broken. What
  // lies behind a block depends on all that was allocated before.
  void* volatile block = std::malloc(24);
  static_cast<volatile size_t*>(block)[-1] = 0x5a5a5a5a5a5a5a5a;
  std::free(block);
  return 0;
}

// The child uses no CUDA; the parent goes on.
int forks() {
  int* data = device_memory(256);
  const pid_t child = fork();
  if (child == 0) _exit(7);
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("child: %d\n", WEXITSTATUS(status));
  add_one<<<1, 256>>>(data, 256);
  return told("parent", cudaDeviceSynchronize());
}

// A child that ends as programs do must not write the parent's results.
int child_exits() {
  device_memory(256);
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) std::exit(7);
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("child: %d\n", WEXITSTATUS(status));
  return 0;
}

int unsynchronised() {
  add_one<<<1, 256>>>(device_memory(256), 256);
  std::printf("ends\n");
  return 0;
}

int threads() {
  constexpr int kThreads = 10, kTurns = 200;
  std::atomic<int> wrong{0};
  std::vector<std::thread> all;
  for (int t = 0; t < kThreads; ++t)
    all.emplace_back([&wrong] {
      int* data = device_memory(256);
      cudaStream_t stream;
      cudaStreamCreate(&stream);
      for (int k = 0; k < kTurns; ++k) add_one<<<1, 256, 0, stream>>>(data, 256);
      std::vector<int> out(256, 0);
      cudaMemcpyAsync(out.data(), data, 1024, cudaMemcpyDeviceToHost, stream);
      if (cudaStreamSynchronize(stream) != cudaSuccess) ++wrong;
      for (int x : out)
        if (x != kTurns) ++wrong;
      cudaStreamDestroy(stream);
      cudaFree(data);
    });
  for (std::thread& t : all) t.join();
  std::printf("wrong: %d\n", wrong.load());
  return wrong.load() == 0 ? 0 : 1;
}

long resident_kilobytes() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return use.ru_maxrss;
}

// Launches and events, of which the first `warm` may take memory and the others no more than `most` kilobytes.
int launch_many(int count, int warm, long most) {
  int* data = device_memory(32);
  cudaEvent_t event;
  cudaEventCreate(&event);
  long before = 0;
  for (int k = 0; k < count; ++k) {
    add_one<<<1, 32>>>(data, 32);
    cudaEventRecord(event);
    if (k == warm) before = resident_kilobytes();
  }
  const int status = told("wait", cudaDeviceSynchronize());
  int first = 0;
  cudaMemcpy(&first, data, 4, cudaMemcpyDeviceToHost);
  // What a launch leaves behind would be there 190,000 times: 8 MB are 44 bytes each. A system with huge
  // pages grows by 2 MB at once.
  const long grown = resident_kilobytes() - before;
  std::printf("first: %d, grown: %s\n", first, grown < most ? "no" : "yes");
  return status;
}

int many() { return launch_many(200000, 10000, 8 * 1024); }

// What is kept of one is some kilobytes, with its metrics some more: a thousand would be seen.
int many_in_time() { return launch_many(2000, 1200, 24 * 1024); }

int too_much() {
  void* all = nullptr;
  told("malloc", cudaMalloc(&all, size_t{1} << 50));
  add_one<<<1, 2048>>>(device_memory(16), 16);
  return told("launch", cudaGetLastError());
}

const struct {
  const char* name;
  int (*run)();
} kCases[] = {
    {"out_of_bounds", out_of_bounds},
    {"alignment", alignment},
    {"trap", trap},
    {"null_pointer", null_pointer},
    {"freed_pointer", freed_pointer},
    {"null_arguments", null_arguments},
    {"spins", spins},
    {"endless", endless},
    {"device_heap", device_heap},
    {"host_heap", host_heap},
    {"forks", forks},
    {"child_exits", child_exits},
    {"unsynchronised", unsynchronised},
    {"threads", threads},
    {"many", many},
    {"many_in_time", many_in_time},
    {"many_written", many_in_time},
    {"too_much", too_much},
};

}  // namespace

int main(int argc, char** argv) {
  for (const auto& c : kCases)
    if (argc > 1 && std::strcmp(argv[1], c.name) == 0) return c.run();
  return 8;
}
