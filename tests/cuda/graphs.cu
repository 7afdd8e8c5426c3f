// SPDX-License-Identifier: Apache-2.0
// Graphs: captured with a fork and a join, built by hand, updated, cloned; what capture forbids.
#include <vector>

#include "check.h"

__global__ void add(int* x, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += value;
}
__global__ void combine(const int* a, const int* b, int* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] * b[i];
}

static int calls = 0;
void CUDART_CB count(void*) { ++calls; }

const int n = 1024;

void captured(int* a, int* b, int* c) {
  cudaStream_t s, t;
  CUDA(cudaStreamCreate(&s));
  CUDA(cudaStreamCreate(&t));
  cudaEvent_t fork, join;
  CUDA(cudaEventCreate(&fork));
  CUDA(cudaEventCreate(&join));
  CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  CUDA(cudaMemsetAsync(a, 0, n * sizeof(int), s));
  CUDA(cudaEventRecord(fork, s));
  CUDA(cudaStreamWaitEvent(t, fork, 0));
  CUDA(cudaMemsetAsync(b, 0, n * sizeof(int), t));
  add<<<n / 256, 256, 0, s>>>(a, n, 6);
  add<<<n / 256, 256, 0, t>>>(b, n, 7);
  CUDA(cudaLaunchHostFunc(t, count, nullptr));
  CUDA(cudaEventRecord(join, t));
  CUDA(cudaStreamWaitEvent(s, join, 0));
  combine<<<n / 256, 256, 0, s>>>(a, b, c, n);
  cudaStreamCaptureStatus status;
  CUDA(cudaStreamIsCapturing(s, &status));
  CHECK(status == cudaStreamCaptureStatusActive);
  cudaGraph_t graph;
  CUDA(cudaStreamEndCapture(s, &graph));
  size_t nodes = 0;
  CUDA(cudaGraphGetNodes(graph, nullptr, &nodes));
  CHECK(nodes == 6);
  CHECK(calls == 0);
  cudaGraphExec_t exec;
  CUDA(cudaGraphInstantiate(&exec, graph, 0));
  for (int k = 0; k < 3; ++k) CUDA(cudaGraphLaunch(exec, s));
  CUDA(cudaStreamSynchronize(s));
  CHECK(calls == 3);
  std::vector<int> out(n);
  CUDA(cudaMemcpy(out.data(), c, n * sizeof(int), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int x : out) wrong += x != 42;
  CHECK(wrong == 0);
  CUDA(cudaGraphExecDestroy(exec));
  CUDA(cudaGraphDestroy(graph));

  // A wait for what the capture has recorded, and a capture that forgets its second stream.
  CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
  CUDA(cudaEventRecord(fork, s));
  CUDA(cudaStreamWaitEvent(t, fork, 0));
  add<<<1, 32, 0, t>>>(b, 32, 1);
  EXPECT(cudaErrorStreamCaptureUnjoined, cudaStreamEndCapture(s, &graph));
  CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));  // a stream goes that has joined
  cudaStream_t gone;
  CUDA(cudaStreamCreateWithFlags(&gone, cudaStreamNonBlocking));
  CUDA(cudaEventRecord(fork, s));
  CUDA(cudaStreamWaitEvent(gone, fork, 0));
  add<<<1, 32, 0, gone>>>(b, 32, 1);
  CUDA(cudaEventRecord(join, gone));
  CUDA(cudaStreamWaitEvent(s, join, 0));
  CUDA(cudaStreamDestroy(gone));
  CUDA(cudaStreamEndCapture(s, &graph));
  CUDA(cudaGraphGetNodes(graph, nullptr, &nodes));
  CHECK(nodes == 1);
  CUDA(cudaGraphDestroy(graph));
  CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  EXPECT(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(s));
  EXPECT(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s, &graph));
  CUDA(cudaStreamDestroy(s));
  CUDA(cudaStreamDestroy(t));
}

void built(int* a, int* b, int* c) {
  cudaGraph_t graph;
  CUDA(cudaGraphCreate(&graph, 0));
  cudaMemsetParams zero{};
  zero.dst = a;
  zero.value = 5;
  zero.elementSize = 4;
  zero.width = n;
  zero.height = 1;
  cudaGraphNode_t set, first, second, copy, last;
  CUDA(cudaGraphAddMemsetNode(&set, graph, nullptr, 0, &zero));
  int count = n, value = 10;
  void* arguments[] = {&a, &count, &value};
  cudaKernelNodeParams kernel{};
  kernel.func = reinterpret_cast<void*>(add);
  kernel.gridDim = dim3(n / 256);
  kernel.blockDim = dim3(256);
  kernel.kernelParams = arguments;
  CUDA(cudaGraphAddKernelNode(&first, graph, &set, 1, &kernel));
  value = 100;  // the node keeps what it was given
  CUDA(cudaGraphAddMemcpyNode1D(&copy, graph, &first, 1, b, a, n * sizeof(int), cudaMemcpyDeviceToDevice));
  CUDA(cudaGraphAddEmptyNode(&second, graph, &copy, 1));
  std::vector<int> out(n);
  CUDA(cudaGraphAddMemcpyNode1D(&last, graph, &second, 1, out.data(), b, n * sizeof(int), cudaMemcpyDeviceToHost));
  size_t edges = 0;
  CUDA(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
  CHECK(edges == 4);
  cudaGraphNodeType type;
  CUDA(cudaGraphNodeGetType(first, &type));
  CHECK(type == cudaGraphNodeTypeKernel);
  cudaGraphExec_t exec;
  CUDA(cudaGraphInstantiate(&exec, graph, 0));
  CUDA(cudaGraphLaunch(exec, nullptr));
  CUDA(cudaDeviceSynchronize());
  CHECK(out[0] == 15 && out[n - 1] == 15);
  CUDA(cudaGraphExecKernelNodeSetParams(exec, first, &kernel));
  CUDA(cudaGraphLaunch(exec, nullptr));
  CUDA(cudaDeviceSynchronize());
  CHECK(out[0] == 105 && out[n - 1] == 105);
  value = 1;
  CUDA(cudaGraphKernelNodeSetParams(first, &kernel));
  cudaGraphExecUpdateResultInfo info;
  CUDA(cudaGraphExecUpdate(exec, graph, &info));
  cudaGraph_t child;
  CUDA(cudaGraphClone(&child, graph));
  cudaGraphNode_t inside, more;
  CUDA(cudaGraphAddChildGraphNode(&inside, graph, &last, 1, child));
  EXPECT(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(exec, graph, &info));
  CHECK(info.result == cudaGraphExecUpdateErrorTopologyChanged);
  CUDA(cudaGraphLaunch(exec, nullptr));
  CUDA(cudaDeviceSynchronize());
  CHECK(out[0] == 6);
  EXPECT(cudaErrorInvalidValue, cudaGraphAddEmptyNode(&more, child, &first, 1));  // of another graph
  CUDA(cudaGraphExecDestroy(exec));
  CUDA(cudaGraphDestroy(child));
  CUDA(cudaGraphDestroy(graph));
  static_cast<void>(c);
}

int main() {
  int *a, *b, *c;
  CUDA(cudaMalloc(&a, n * sizeof(int)));
  CUDA(cudaMalloc(&b, n * sizeof(int)));
  CUDA(cudaMalloc(&c, n * sizeof(int)));
  captured(a, b, c);
  built(a, b, c);
  return verdict();
}
