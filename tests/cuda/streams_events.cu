// SPDX-License-Identifier: Apache-2.0
// Streams, events, host functions and callbacks: order, queries, elapsed time.
#include <vector>

#include "check.h"

__global__ void scale(int* x, int n, int factor, int plus) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * factor + plus;
}

struct Seen {
  int order[4], count;
};
void CUDART_CB first(void* data) {
  Seen* s = static_cast<Seen*>(data);
  s->order[s->count++] = 1;
}
void CUDART_CB second(cudaStream_t, cudaError_t status, void* data) {
  Seen* s = static_cast<Seen*>(data);
  s->order[s->count++] = status == cudaSuccess ? 2 : -2;
}

int main() {
  const int n = 1 << 16;
  int* x;
  CUDA(cudaMallocHost(&x, n * sizeof(int)));
  for (int i = 0; i < n; ++i) x[i] = i;
  int* d;
  CUDA(cudaMalloc(&d, n * sizeof(int)));
  cudaStream_t a, b;
  CUDA(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
  CUDA(cudaStreamCreateWithPriority(&b, cudaStreamNonBlocking, -1));
  int priority = 0;
  CUDA(cudaStreamGetPriority(b, &priority));
  CHECK(priority == -1);
  unsigned flags = 0;
  CUDA(cudaStreamGetFlags(a, &flags));
  CHECK(flags == cudaStreamNonBlocking);
  cudaEvent_t start, copied, end;
  CUDA(cudaEventCreate(&start));
  CUDA(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming));
  CUDA(cudaEventCreate(&end));

  Seen seen{};
  CUDA(cudaEventRecord(start, a));
  CUDA(cudaMemcpyAsync(d, x, n * sizeof(int), cudaMemcpyHostToDevice, a));
  scale<<<n / 256, 256, 0, a>>>(d, n, 3, 1);
  CUDA(cudaLaunchHostFunc(a, first, &seen));
  CUDA(cudaEventRecord(copied, a));
  CUDA(cudaStreamWaitEvent(b, copied, 0));
  scale<<<n / 256, 256, 0, b>>>(d, n, 5, 2);
  CUDA(cudaStreamAddCallback(b, second, &seen, 0));
  CUDA(cudaMemcpyAsync(x, d, n * sizeof(int), cudaMemcpyDeviceToHost, b));
  CUDA(cudaEventRecord(end, b));
  while (cudaStreamQuery(b) == cudaErrorNotReady) {
  }
  static_cast<void>(cudaGetLastError());  // a query that is not ready leaves its answer there
  CUDA(cudaEventSynchronize(end));
  CUDA(cudaEventQuery(end));
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += x[i] != (i * 3 + 1) * 5 + 2;
  CHECK(wrong == 0);
  CHECK(seen.count == 2 && seen.order[0] == 1 && seen.order[1] == 2);
  float ms = -1;
  CUDA(cudaEventElapsedTime(&ms, start, end));
  CHECK(ms > 0 && ms < 1000);
  EXPECT(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, start, copied));  // made without time
  cudaEvent_t never;
  CUDA(cudaEventCreate(&never));
  EXPECT(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, start, never));
  CUDA(cudaEventQuery(never));  // nothing recorded: nothing to wait for

  CUDA(cudaStreamDestroy(a));
  CUDA(cudaStreamDestroy(b));
  EXPECT(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(b));
  CUDA(cudaEventDestroy(start));
  CUDA(cudaEventDestroy(copied));
  CUDA(cudaEventDestroy(end));
  CUDA(cudaEventDestroy(never));
  CUDA(cudaFree(d));
  CUDA(cudaFreeHost(x));
  return verdict();
}
