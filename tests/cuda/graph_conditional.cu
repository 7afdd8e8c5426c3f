// SPDX-License-Identifier: Apache-2.0
// Conditional nodes: if with else, while, switch, one within another; by default values and by kernels.
#include "check.h"

namespace {

__global__ void set(cudaGraphConditionalHandle handle, const int* value) {
  cudaGraphSetConditional(handle, static_cast<unsigned>(*value));
}

__global__ void count_down(cudaGraphConditionalHandle handle, int* left, int* rounds) {
  ++*rounds;
  --*left;
  cudaGraphSetConditional(handle, *left > 0 ? 1 : 0);
}

__global__ void add(int* to, int value) { *to += value; }

template <class... A>
cudaGraphNode_t kernel(cudaGraph_t graph, const void* function, const cudaGraphNode_t* after,
                       A... arguments) {
  void* list[] = {&arguments...};
  cudaGraphNodeParams p = {};
  p.type = cudaGraphNodeTypeKernel;
  p.kernel.func = const_cast<void*>(function);
  p.kernel.gridDim = p.kernel.blockDim = dim3(1);
  p.kernel.kernelParams = list;
  cudaGraphNode_t node = nullptr;
  CUDA(cudaGraphAddNode(&node, graph, after, nullptr, after != nullptr ? 1 : 0, &p));
  return node;
}

struct Choice {
  cudaGraphNode_t node = nullptr;
  cudaGraph_t* bodies = nullptr;
};

Choice conditional(cudaGraph_t graph, const cudaGraphNode_t* after, cudaGraphConditionalHandle handle,
                   cudaGraphConditionalNodeType type, unsigned size) {
  cudaGraphNodeParams p = {};
  p.type = cudaGraphNodeTypeConditional;
  p.conditional.handle = handle;
  p.conditional.type = type;
  p.conditional.size = size;
  Choice choice;
  CUDA(cudaGraphAddNode(&choice.node, graph, after, nullptr, after != nullptr ? 1 : 0, &p));
  choice.bodies = p.conditional.phGraph_out;
  return choice;
}

cudaGraphConditionalHandle handle_in(cudaGraph_t graph, unsigned value = 0, unsigned flags = 0) {
  cudaGraphConditionalHandle handle = 0;
  CUDA(cudaGraphConditionalHandleCreate(&handle, graph, value, flags));
  return handle;
}

int launched(cudaGraph_t graph, const int* result) {
  cudaGraphExec_t exec = nullptr;
  CUDA(cudaGraphInstantiate(&exec, graph, 0));
  CUDA(cudaGraphLaunch(exec, nullptr));
  CUDA(cudaDeviceSynchronize());
  CUDA(cudaGraphExecDestroy(exec));
  return *result;
}

// if (*value) result += 1; else result += 10;
void chooses(int* value, int* result) {
  cudaGraph_t graph = nullptr;
  CUDA(cudaGraphCreate(&graph, 0));
  const auto handle = handle_in(graph);
  const auto first =
      kernel(graph, reinterpret_cast<const void*>(set), nullptr, handle, static_cast<const int*>(value));
  const Choice choice = conditional(graph, &first, handle, cudaGraphCondTypeIf, 2);
  kernel(choice.bodies[0], reinterpret_cast<const void*>(add), nullptr, result, 1);
  kernel(choice.bodies[1], reinterpret_cast<const void*>(add), nullptr, result, 10);
  kernel(graph, reinterpret_cast<const void*>(add), &choice.node, result, 100);
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  CUDA(cudaGraphNodeGetType(choice.node, &type));
  CHECK(type == cudaGraphNodeTypeConditional);
  *result = 0;
  *value = 1;
  CHECK(launched(graph, result) == 101);
  *value = 0;
  CHECK(launched(graph, result) == 211);
  CUDA(cudaGraphDestroy(graph));
}

// while (default 1) { rounds; left - 1 }, twice: the default is assigned at each launch.
void repeats(int* left, int* rounds) {
  cudaGraph_t graph = nullptr;
  CUDA(cudaGraphCreate(&graph, 0));
  const auto handle = handle_in(graph, 1, cudaGraphCondAssignDefault);
  const Choice loop = conditional(graph, nullptr, handle, cudaGraphCondTypeWhile, 1);
  kernel(loop.bodies[0], reinterpret_cast<const void*>(count_down), nullptr, handle, left, rounds);
  *rounds = 0;
  *left = 5;
  CHECK(launched(graph, rounds) == 5);
  *left = 3;
  CHECK(launched(graph, rounds) == 8);
  CUDA(cudaGraphDestroy(graph));
}

// A switch over three graphs; the last has an `if` of its own, captured from a stream.
void switches(int* value, int* result) {
  cudaGraph_t graph = nullptr;
  CUDA(cudaGraphCreate(&graph, 0));
  const auto handle = handle_in(graph);
  const auto first =
      kernel(graph, reinterpret_cast<const void*>(set), nullptr, handle, static_cast<const int*>(value));
  const Choice choice = conditional(graph, &first, handle, cudaGraphCondTypeSwitch, 3);
  kernel(choice.bodies[0], reinterpret_cast<const void*>(add), nullptr, result, 1);
  kernel(choice.bodies[1], reinterpret_cast<const void*>(add), nullptr, result, 10);
  const auto inner = handle_in(choice.bodies[2], 1, cudaGraphCondAssignDefault);
  const Choice within = conditional(choice.bodies[2], nullptr, inner, cudaGraphCondTypeIf, 1);
  cudaStream_t stream = nullptr;
  CUDA(cudaStreamCreate(&stream));
  CUDA(cudaStreamBeginCaptureToGraph(stream, within.bodies[0], nullptr, nullptr, 0,
                                     cudaStreamCaptureModeGlobal));
  add<<<1, 1, 0, stream>>>(result, 50);
  add<<<1, 1, 0, stream>>>(result, 50);
  CUDA(cudaStreamEndCapture(stream, nullptr));
  CUDA(cudaStreamDestroy(stream));
  const int sums[] = {1, 11, 111, 111};  // 3 has no graph
  *result = 0;
  for (int i = 0; i < 4; ++i) {
    *value = i;
    CHECK(launched(graph, result) == sums[i]);
  }
  CUDA(cudaGraphDestroy(graph));
}

void refuses() {
  cudaGraph_t graph = nullptr;
  CUDA(cudaGraphCreate(&graph, 0));
  cudaGraphNodeParams p = {};
  p.type = cudaGraphNodeTypeConditional;
  p.conditional.handle = handle_in(graph);
  p.conditional.type = cudaGraphCondTypeWhile;
  p.conditional.size = 2;
  cudaGraphNode_t node = nullptr;
  EXPECT(cudaErrorInvalidValue, cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &p));
  CUDA(cudaGraphDestroy(graph));
}

}  // namespace

int main() {
  int* values = nullptr;
  CUDA(cudaMallocManaged(&values, 2 * sizeof(int)));
  chooses(values, values + 1);
  repeats(values, values + 1);
  switches(values, values + 1);
  refuses();
  CUDA(cudaFree(values));
  return verdict();
}
