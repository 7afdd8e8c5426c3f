// SPDX-License-Identifier: Apache-2.0
// Many host threads use the runtime at once: streams, events, allocations, launches, graphs, host functions,
// and each thread's default stream. Each thread does all tasks, beginning with another one, so that different
// calls meet. Every task checks its output. Argument: how many turns of all tasks a thread does.
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <thread>
#include <vector>

#include "check.h"

namespace {

constexpr uint32_t kThreads = 8, kCount = 192, kBlock = 64;
constexpr size_t kBytes = kCount * sizeof(uint32_t);
std::atomic<int> wrong{0};

#define RIGHT(holds)                                                  \
  do {                                                                \
    if (!(holds)) {                                                   \
      std::printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #holds); \
      ++wrong;                                                        \
    }                                                                 \
  } while (0)

__global__ void fill(uint32_t* out, uint32_t first) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = first + i;
}
__global__ void step(uint32_t* out, const uint32_t* in, uint32_t add) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] * 3 + add;
}
__global__ void count(uint32_t* total) { atomicAdd(total, 1u); }

void launch_fill(uint32_t* out, uint32_t first, cudaStream_t s) {
  fill<<<kCount / kBlock, kBlock, 0, s>>>(out, first);
  CUDA(cudaGetLastError());
}
void launch_step(uint32_t* out, const uint32_t* in, uint32_t add, cudaStream_t s) {
  step<<<kCount / kBlock, kBlock, 0, s>>>(out, in, add);
  CUDA(cudaGetLastError());
}

// What `turns` steps make of a fill.
bool holds_steps(const uint32_t* values, uint32_t first, uint32_t turns, uint32_t add) {
  for (uint32_t i = 0; i < kCount; ++i) {
    uint32_t v = first + i;
    for (uint32_t k = 0; k < turns; ++k) v = v * 3 + add;
    if (values[i] != v) return false;
  }
  return true;
}

// What all threads share.
uint32_t* total = nullptr;         // each count() adds kBlock to it
std::atomic<uint32_t> counted{0};  // what it has to be in the end
struct Baton {                     // thread t fills it, thread t + 1 reads it on a stream of its own
  uint32_t* data = nullptr;
  cudaEvent_t filled = nullptr, read = nullptr;
  std::atomic<uint32_t> fills{0}, reads{0};
};
Baton batons[kThreads];

void streams_and_events(uint32_t thread, uint32_t turn) {
  cudaStream_t a, b;
  cudaEvent_t ready, done;
  uint32_t *x, *y, *host;
  CUDA(cudaStreamCreate(&a));
  CUDA(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  CUDA(cudaEventCreate(&ready));
  CUDA(cudaEventCreate(&done));
  CUDA(cudaMallocAsync(&x, kBytes, a));
  CUDA(cudaMalloc(&y, kBytes));
  CUDA(cudaMallocHost(&host, kBytes));
  const uint32_t first = thread * 1000 + turn;
  launch_fill(x, first, a);
  CUDA(cudaEventRecord(ready, a));
  CUDA(cudaStreamWaitEvent(b, ready, 0));
  launch_step(y, x, thread, b);
  CUDA(cudaMemcpyAsync(host, y, kBytes, cudaMemcpyDeviceToHost, b));
  CUDA(cudaEventRecord(done, b));
  while (cudaEventQuery(done) == cudaErrorNotReady) std::this_thread::yield();
  RIGHT(holds_steps(host, first, 1, thread));
  float ms = -1;
  CUDA(cudaEventElapsedTime(&ms, ready, done));
  RIGHT(ms >= 0);
  CUDA(cudaStreamWaitEvent(a, done, 0));
  CUDA(cudaFreeAsync(x, a));
  CUDA(cudaStreamSynchronize(a));
  CUDA(cudaFree(y));
  CUDA(cudaFreeHost(host));
  CUDA(cudaEventDestroy(ready));
  CUDA(cudaEventDestroy(done));
  CUDA(cudaStreamDestroy(a));
  CUDA(cudaStreamDestroy(b));
}

void default_stream_of_the_thread(uint32_t thread, uint32_t turn) {
  uint32_t* data;
  std::vector<uint32_t> got(kCount);
  CUDA(cudaMalloc(&data, kBytes));
  launch_fill(data, thread + turn, cudaStreamPerThread);
  for (int k = 0; k < 4; ++k) launch_step(data, data, 7, cudaStreamPerThread);
  CUDA(cudaMemcpyAsync(got.data(), data, kBytes, cudaMemcpyDeviceToHost, cudaStreamPerThread));
  CUDA(cudaStreamSynchronize(cudaStreamPerThread));
  RIGHT(holds_steps(got.data(), thread + turn, 4, 7));
  CUDA(cudaFree(data));
}

void allocations(uint32_t thread, uint32_t turn) {
  uint32_t *blocks[6], *managed;
  for (uint32_t k = 0; k < 6; ++k) {
    CUDA(cudaMalloc(&blocks[k], (k + 1) * 4096));
    CUDA(cudaMemset(blocks[k], static_cast<int>(thread * 16 + k), 4096));
  }
  CUDA(cudaMallocManaged(&managed, kBytes));
  for (uint32_t i = 0; i < kCount; ++i) managed[i] = turn + i;
  launch_step(managed, managed, thread, cudaStreamPerThread);
  CUDA(cudaStreamSynchronize(cudaStreamPerThread));
  RIGHT(holds_steps(managed, turn, 1, thread));
  for (uint32_t k = 0; k < 6; ++k) {
    uint32_t last = 0;
    CUDA(cudaMemcpy(&last, blocks[k] + 1023, 4, cudaMemcpyDeviceToHost));
    RIGHT(last == (thread * 16 + k) * 0x01010101u);
    cudaPointerAttributes facts;
    CUDA(cudaPointerGetAttributes(&facts, blocks[k]));
    RIGHT(facts.type == cudaMemoryTypeDevice && facts.devicePointer == blocks[k]);
    CUDA(cudaFree(blocks[k]));
  }
  CUDA(cudaFree(managed));
  size_t free_bytes = 0, all_bytes = 0;
  CUDA(cudaMemGetInfo(&free_bytes, &all_bytes));
  RIGHT(free_bytes > 0 && free_bytes <= all_bytes);
}

void graphs(uint32_t thread, uint32_t turn) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  uint32_t* data;
  std::vector<uint32_t> got(kCount);
  CUDA(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  CUDA(cudaMalloc(&data, kBytes));
  CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
  launch_step(data, data, turn, s);
  launch_step(data, data, turn, s);
  CUDA(cudaStreamEndCapture(s, &graph));
  CUDA(cudaGraphInstantiate(&exec, graph, 0));
  launch_fill(data, thread, s);
  for (int k = 0; k < 3; ++k) CUDA(cudaGraphLaunch(exec, s));
  CUDA(cudaMemcpyAsync(got.data(), data, kBytes, cudaMemcpyDeviceToHost, s));
  CUDA(cudaStreamSynchronize(s));
  RIGHT(holds_steps(got.data(), thread, 6, turn));
  CUDA(cudaGraphExecDestroy(exec));
  CUDA(cudaGraphDestroy(graph));
  CUDA(cudaFree(data));
  CUDA(cudaStreamDestroy(s));
}

void host_functions(uint32_t, uint32_t) {
  cudaStream_t s;
  int called = 0;  // by whichever thread; the wait for the stream orders it
  const auto add_one = [](void* number) { ++*static_cast<int*>(number); };
  const auto callback = [](cudaStream_t, cudaError_t status, void* number) {
    if (status == cudaSuccess) *static_cast<int*>(number) += 100;
  };
  CUDA(cudaStreamCreate(&s));
  for (int k = 0; k < 3; ++k) {
    count<<<1, kBlock, 0, s>>>(total);
    CUDA(cudaGetLastError());
    CUDA(cudaLaunchHostFunc(s, add_one, &called));
  }
  CUDA(cudaStreamAddCallback(s, callback, &called, 0));
  CUDA(cudaStreamSynchronize(s));
  RIGHT(called == 103);
  counted += 3 * kBlock;
  CUDA(cudaStreamDestroy(s));
}

// The last error is the thread's own.
void errors_and_queries(uint32_t thread, uint32_t) {
  if (thread % 2 == 0) {
    RIGHT(cudaMalloc(static_cast<void**>(nullptr), 4) == cudaErrorInvalidValue);
    std::this_thread::yield();
    RIGHT(cudaGetLastError() == cudaErrorInvalidValue);
  }
  RIGHT(cudaGetLastError() == cudaSuccess);
  cudaFuncAttributes facts;
  CUDA(cudaFuncGetAttributes(&facts, step));
  int blocks = 0, device = -1;
  CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, step, kBlock, 0));
  CUDA(cudaGetDevice(&device));
  RIGHT(facts.numRegs > 0 && blocks > 0 && device == 0);
}

// Fills its baton once its neighbour has read the last fill, and reads the baton of the thread before it.
void batons_between_threads(uint32_t thread, uint32_t turn) {
  Baton& mine = batons[thread];
  Baton& before = batons[(thread + kThreads - 1) % kThreads];
  uint32_t* copy;
  std::vector<uint32_t> got(kCount);
  CUDA(cudaMalloc(&copy, kBytes));
  while (mine.reads.load() != mine.fills.load()) std::this_thread::yield();
  if (mine.fills.load() != 0) CUDA(cudaStreamWaitEvent(cudaStreamPerThread, mine.read, 0));
  launch_fill(mine.data, thread * 100 + turn, cudaStreamPerThread);
  CUDA(cudaEventRecord(mine.filled, cudaStreamPerThread));
  ++mine.fills;
  while (before.fills.load() != turn + 1) std::this_thread::yield();
  CUDA(cudaStreamWaitEvent(cudaStreamPerThread, before.filled, 0));
  launch_step(copy, before.data, 5, cudaStreamPerThread);
  CUDA(cudaEventRecord(before.read, cudaStreamPerThread));
  ++before.reads;
  CUDA(cudaMemcpyAsync(got.data(), copy, kBytes, cudaMemcpyDeviceToHost, cudaStreamPerThread));
  CUDA(cudaStreamSynchronize(cudaStreamPerThread));
  RIGHT(holds_steps(got.data(), (thread + kThreads - 1) % kThreads * 100 + turn, 1, 5));
  CUDA(cudaFree(copy));
}

constexpr void (*kTasks[])(uint32_t, uint32_t) = {streams_and_events, default_stream_of_the_thread,
                                                  allocations,        graphs,
                                                  host_functions,     errors_and_queries};
constexpr uint32_t kTaskCount = sizeof(kTasks) / sizeof(kTasks[0]);

void work(uint32_t thread, uint32_t turns) {
  for (uint32_t turn = 0; turn < turns; ++turn) {
    for (uint32_t k = 0; k < kTaskCount; ++k) kTasks[(thread + turn + k) % kTaskCount](thread, turn);
    batons_between_threads(thread, turn);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto turns = static_cast<uint32_t>(argc > 1 ? std::atoi(argv[1]) : 3);
  CUDA(cudaMalloc(&total, sizeof(uint32_t)));
  CUDA(cudaMemset(total, 0, sizeof(uint32_t)));
  for (int generation = 0; generation < 2;
       ++generation) {  // default streams of threads that have ended, and of new ones
    for (Baton& b : batons) {
      CUDA(cudaMalloc(&b.data, kBytes));
      CUDA(cudaEventCreateWithFlags(&b.filled, cudaEventDisableTiming));
      CUDA(cudaEventCreateWithFlags(&b.read, cudaEventDisableTiming));
      b.fills = b.reads = 0;
    }
    std::vector<std::thread> threads;
    for (uint32_t t = 0; t < kThreads; ++t) threads.emplace_back(work, t, turns);
    for (std::thread& t : threads) t.join();
    for (Baton& b : batons) {
      CUDA(cudaFree(b.data));
      CUDA(cudaEventDestroy(b.filled));
      CUDA(cudaEventDestroy(b.read));
    }
  }
  uint32_t sum = 0;
  CUDA(cudaMemcpy(&sum, total, sizeof sum, cudaMemcpyDeviceToHost));
  RIGHT(sum == counted.load());
  failures = wrong.load();
  return verdict();
}
