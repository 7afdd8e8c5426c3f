// SPDX-License-Identifier: Apache-2.0
// Graphs with nodes of both GPUs. The answers are those of the CUDA C++ guide (graphs, multi-device), but for
// capture_joins_a_stream_of_another: no H200s were asked.
#include "tests/cuda/peers/two.h"

namespace {

__global__ void add_to(int* to, const int* from) { *to += *from; }

cudaGraphNode_t kernel_node(cudaGraph_t graph, const cudaGraphNode_t* after, size_t count, int device, int* to, const int* from) {
  const On there(device);
  void* arguments[] = {&to, &from};
  cudaKernelNodeParams p = {};
  p.func = reinterpret_cast<void*>(add_to);
  p.gridDim = p.blockDim = dim3(1);
  p.kernelParams = arguments;
  cudaGraphNode_t node = nullptr;
  DO(cudaGraphAddKernelNode(&node, graph, after, count, &p));
  return node;
}

}  // namespace

// An H200's own answer.
CASE(capture_joins_a_stream_of_another, "Success Success 2") {
  int *x = int_on(0), *y = int_on(1);
  const cudaStream_t s = stream_on(0), t = stream_on(1);
  const cudaEvent_t fork = event_on(0), join = event_on(1);
  DO(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
  add<<<1, 1, 0, s>>>(x, 1);
  DO(cudaEventRecord(fork, s));
  say(cudaStreamWaitEvent(t, fork, 0));
  {
    const On there(1);
    add<<<1, 1, 0, t>>>(y, 1);
    DO(cudaEventRecord(join, t));
  }
  DO(cudaStreamWaitEvent(s, join, 0));
  cudaGraph_t graph = nullptr;
  say(cudaStreamEndCapture(s, &graph));
  size_t nodes = 0;
  DO(cudaGraphGetNodes(graph, nullptr, &nodes));
  say(static_cast<int>(nodes));
}

// x = 1; the other's y = 5 * 2; back: x + 0 = 1, three times: y doubles on.
CASE(captured_graph_runs_on_both, "3 40") {
  int *x = int_on(0), *y = int_on(1, 5);
  const cudaStream_t s = stream_on(0), t = stream_on(1);
  const cudaEvent_t fork = event_on(0), join = event_on(1);
  DO(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
  add<<<1, 1, 0, s>>>(x, 1);
  DO(cudaEventRecord(fork, s));
  DO(cudaStreamWaitEvent(t, fork, 0));
  {
    const On there(1);
    twice<<<1, 1, 0, t>>>(y);
    DO(cudaEventRecord(join, t));
  }
  DO(cudaStreamWaitEvent(s, join, 0));
  cudaGraph_t graph = nullptr;
  DO(cudaStreamEndCapture(s, &graph));
  cudaGraphExec_t exec = nullptr;
  DO(cudaGraphInstantiate(&exec, graph, 0));
  for (int k = 0; k < 3; ++k) DO(cudaGraphLaunch(exec, s));
  DO(cudaStreamSynchronize(s));
  say(value_of(x));
  say(value_of(y));
}

// Each adds what the node before it has made, on the other GPU: 1, 1 + 1, 2 + 1, ...
CASE(nodes_of_two_follow_each_other, "Success 1 2 3 5") {
  int *a = int_on(0, 1), *b = int_on(1, 1), *c = int_on(0, 1), *d = int_on(1, 2);
  enable_peers();
  cudaGraph_t graph = nullptr;
  DO(cudaGraphCreate(&graph, 0));
  const cudaGraphNode_t first = kernel_node(graph, nullptr, 0, 1, b, a);
  const cudaGraphNode_t second = kernel_node(graph, &first, 1, 0, c, b);
  kernel_node(graph, &second, 1, 1, d, c);
  cudaGraphExec_t exec = nullptr;
  DO(cudaGraphInstantiate(&exec, graph, 0));
  DO(cudaGraphLaunch(exec, stream_on(0)));
  say(cudaDeviceSynchronize());
  for (const int* x : {a, b, c, d}) say(value_of(x));
}

// The same graph in streams of both: the second launch comes after the first.
CASE(graph_launched_in_streams_of_both, "4 6") {
  int *one = int_on(0, 1), *x = int_on(0, 2), *y = int_on(1, 2);
  enable_peers();
  cudaGraph_t graph = nullptr;
  DO(cudaGraphCreate(&graph, 0));
  const cudaGraphNode_t first = kernel_node(graph, nullptr, 0, 0, x, one), second = kernel_node(graph, &first, 1, 1, y, one);
  kernel_node(graph, &second, 1, 1, y, one);
  cudaGraphExec_t exec = nullptr;
  DO(cudaGraphInstantiate(&exec, graph, 0));
  const cudaStream_t s = stream_on(0), t = stream_on(1);
  DO(cudaGraphLaunch(exec, s));
  {
    const On there(1);
    DO(cudaGraphLaunch(exec, t));
    DO(cudaStreamSynchronize(t));
  }
  say(value_of(x));
  say(value_of(y));
}
