// SPDX-License-Identifier: Apache-2.0
// Graphs: building, instantiating, updating, launching.
#include "graph_parts.h"

static cudaGraphNode_t kernel(cudaGraph_t g, int* x, int n, cudaGraphNode_t after = nullptr) {
  static int* pointers[64];
  static int numbers[64], used = 0;
  pointers[used] = x, numbers[used] = n;
  void* arguments[] = {&pointers[used], &numbers[used]};
  ++used;
  cudaKernelNodeParams p = {};
  p.func = reinterpret_cast<void*>(add);
  p.gridDim = p.blockDim = dim3(1);
  p.kernelParams = arguments;
  cudaGraphNode_t node = nullptr;
  DO(cudaGraphAddKernelNode(&node, g, after != nullptr ? &after : nullptr, after != nullptr ? 1 : 0, &p));
  return node;
}
static void update(cudaGraphExec_t exec, cudaGraph_t g) {
  cudaGraphExecUpdateResultInfo info = {};
  say(cudaGraphExecUpdate(exec, g, &info));
  say(static_cast<int>(info.result));
}

CASE(graph_empty_launches, "Success") { say(cudaGraphLaunch(instance(graph()), nullptr)); }
CASE(graph_cycle, "Success InvalidValue") {
  int* x = device_int();
  const cudaGraph_t g = graph();
  const cudaGraphNode_t a = kernel(g, x, 1), b = kernel(g, x, 1, a);
  say(cudaGraphAddDependencies(g, &b, &a, nullptr, 1));
  cudaGraphExec_t exec = nullptr;
  say(cudaGraphInstantiate(&exec, g, 0));
}
CASE(graph_dependence_twice, "InvalidValue") {
  int* x = device_int();
  const cudaGraph_t g = graph();
  const cudaGraphNode_t a = kernel(g, x, 1), b = kernel(g, x, 1, a);
  say(cudaGraphAddDependencies(g, &a, &b, nullptr, 1));
}
CASE(graph_remove_dependence_that_is_none, "InvalidValue") {
  int* x = device_int();
  const cudaGraph_t g = graph();
  const cudaGraphNode_t a = kernel(g, x, 1), b = kernel(g, x, 1);
  say(cudaGraphRemoveDependencies(g, &a, &b, nullptr, 1));
}
CASE(graph_runs_each_launch, "33") {
  int* x = device_int();
  const cudaGraph_t g = graph();
  kernel(g, x, 1, kernel(g, x, 10));
  const cudaGraphExec_t exec = instance(g);
  for (int k = 0; k < 3; ++k) DO(cudaGraphLaunch(exec, nullptr));
  say(value_of(x));
}
CASE(graph_instance_keeps_parameters, "Success 1") {
  int* x = device_int();
  const cudaGraph_t g = graph();
  const cudaGraphNode_t a = kernel(g, x, 1);
  const cudaGraphExec_t exec = instance(g);
  say(cudaGraphDestroyNode(a));
  DO(cudaGraphLaunch(exec, nullptr));
  say(value_of(x));
}
CASE(graph_destroyed_instance_goes_on, "Success Success 4") {
  int* x = device_int();
  const cudaGraph_t g = graph();
  kernel(g, x, 4);
  const cudaGraphExec_t exec = instance(g);
  say(cudaGraphDestroy(g));
  say(cudaGraphLaunch(exec, nullptr));
  say(value_of(x));
}
CASE(graph_exec_destroyed_while_under_way, "Success 4") {
  int* x = device_int();
  const cudaGraph_t g = graph();
  kernel(g, x, 4);
  const cudaGraphExec_t exec = instance(g);
  wait<<<1, 1>>>(kLong);
  DO(cudaGraphLaunch(exec, nullptr));
  say(cudaGraphExecDestroy(exec));
  say(value_of(x));
}
CASE(graph_update_parameters, "Success 0 5") {
  int* x = device_int();
  const cudaGraph_t g = graph(), h = graph();
  kernel(g, x, 1);
  kernel(h, x, 5);
  const cudaGraphExec_t exec = instance(g);
  update(exec, h);
  DO(cudaGraphLaunch(exec, nullptr));
  say(value_of(x));
}
CASE(graph_update_more_nodes, "GraphExecUpdateFailure 2") {
  int* x = device_int();
  const cudaGraph_t g = graph(), h = graph();
  kernel(g, x, 1);
  kernel(h, x, 5);
  kernel(h, x, 5);
  update(instance(g), h);
}
CASE(graph_update_fewer_edges, "GraphExecUpdateFailure 2") {
  int* x = device_int();
  const cudaGraph_t g = graph(), h = graph();
  kernel(g, x, 1, kernel(g, x, 1));
  kernel(h, x, 1);
  kernel(h, x, 1);
  update(instance(g), h);
}
CASE(graph_update_other_kind, "GraphExecUpdateFailure 3") {
  int* x = device_int();
  const cudaGraph_t g = graph(), h = graph();
  kernel(g, x, 1);
  cudaMemsetParams p = {};
  p.dst = x, p.elementSize = 4, p.width = 1, p.height = 1, p.value = 3;
  cudaGraphNode_t node;
  DO(cudaGraphAddMemsetNode(&node, h, nullptr, 0, &p));
  update(instance(g), h);
}
CASE(graph_update_other_function, "Success 0 6") {
  int* x = device_int(3);
  const cudaGraph_t g = graph(), h = graph();
  kernel(g, x, 1);
  void* arguments[] = {&x};
  cudaKernelNodeParams p = {};
  p.func = reinterpret_cast<void*>(twice);
  p.gridDim = p.blockDim = dim3(1);
  p.kernelParams = arguments;
  cudaGraphNode_t node;
  DO(cudaGraphAddKernelNode(&node, h, nullptr, 0, &p));
  const cudaGraphExec_t exec = instance(g);
  update(exec, h);
  DO(cudaGraphLaunch(exec, nullptr));
  say(value_of(x));
}
CASE(graph_update_failed_keeps_old, "GraphExecUpdateFailure 2 GraphExecUpdateFailure 1") {
  int* x = device_int();
  const cudaGraph_t g = graph(), h = graph();
  kernel(g, x, 1);
  kernel(h, x, 5);
  kernel(h, x, 5);
  const cudaGraphExec_t exec = instance(g);
  update(exec, h);
  say(cudaGetLastError());
  DO(cudaGraphLaunch(exec, nullptr));
  say(value_of(x));
}
CASE(graph_set_kernel_parameters_of_instance, "Success 14") {
  int* x = device_int();
  const cudaGraph_t g = graph();
  const cudaGraphNode_t a = kernel(g, x, 1);
  const cudaGraphExec_t exec = instance(g);
  int n = 7;
  void* arguments[] = {&x, &n};
  cudaKernelNodeParams p = {};
  p.func = reinterpret_cast<void*>(add);
  p.gridDim = dim3(2), p.blockDim = dim3(1);
  p.kernelParams = arguments;
  say(cudaGraphExecKernelNodeSetParams(exec, a, &p));
  DO(cudaGraphLaunch(exec, nullptr));
  say(value_of(x));
}
CASE(graph_node_disabled, "Success 10") {
  int* x = device_int();
  const cudaGraph_t g = graph();
  const cudaGraphNode_t a = kernel(g, x, 1);
  kernel(g, x, 10, a);
  const cudaGraphExec_t exec = instance(g);
  say(cudaGraphNodeSetEnabled(exec, a, 0));
  DO(cudaGraphLaunch(exec, nullptr));
  say(value_of(x));
}
CASE(graph_clone_is_a_copy, "Success yes 1") {
  int* x = device_int();
  const cudaGraph_t g = graph();
  const cudaGraphNode_t a = kernel(g, x, 1);
  cudaGraph_t copy;
  DO(cudaGraphClone(&copy, g));
  cudaGraphNode_t there = nullptr;
  say(cudaGraphNodeFindInClone(&there, a, copy));
  say(there != a);
  kernel(g, x, 5);
  size_t nodes = 0;
  DO(cudaGraphGetNodes(copy, nullptr, &nodes));
  say(static_cast<int>(nodes));
}
CASE(graph_child_is_cloned, "2") {
  int* x = device_int();
  const cudaGraph_t g = graph(), inner = graph();
  kernel(inner, x, 2);
  cudaGraphNode_t node;
  DO(cudaGraphAddChildGraphNode(&node, g, nullptr, 0, inner));
  kernel(inner, x, 100);
  DO(cudaGraphLaunch(instance(g), nullptr));
  say(value_of(x));
}
CASE(graph_roots_and_edges, "2 1") {
  int* x = device_int();
  const cudaGraph_t g = graph();
  const cudaGraphNode_t a = kernel(g, x, 1);
  kernel(g, x, 1, a);
  kernel(g, x, 1);
  size_t roots = 0, edges = 0;
  DO(cudaGraphGetRootNodes(g, nullptr, &roots));
  DO(cudaGraphGetEdges(g, nullptr, nullptr, nullptr, &edges));
  say(static_cast<int>(roots));
  say(static_cast<int>(edges));
}
CASE(graph_host_node_runs_each_time, "3") {
  static int count = 0;
  const cudaGraph_t g = graph();
  cudaHostNodeParams p = {};
  p.fn = [](void* data) { ++*static_cast<int*>(data); };
  p.userData = &count;
  cudaGraphNode_t node;
  DO(cudaGraphAddHostNode(&node, g, nullptr, 0, &p));
  const cudaGraphExec_t exec = instance(g);
  for (int k = 0; k < 3; ++k) DO(cudaGraphLaunch(exec, nullptr));
  DO(cudaDeviceSynchronize());
  say(count);
}
CASE(graph_memory_node_gives_memory, "Success yes Success Success") {
  const cudaGraph_t g = graph();
  cudaMemAllocNodeParams p = four_bytes();
  cudaGraphNode_t node;
  say(cudaGraphAddMemAllocNode(&node, g, nullptr, 0, &p));
  say(p.dptr != nullptr);
  cudaGraphNode_t freed;
  say(cudaGraphAddMemFreeNode(&freed, g, &node, 1, p.dptr));
  say(cudaGraphLaunch(instance(g), nullptr));
}
CASE(graph_with_memory_twice_unfreed, "Success InvalidValue") {
  const cudaGraph_t g = graph();
  allocation(g);
  const cudaGraphExec_t exec = instance(g);
  say(cudaGraphLaunch(exec, nullptr));
  say(cudaGraphLaunch(exec, nullptr));
}
CASE(graph_clone_with_memory_nodes, "yes") {
  const cudaGraph_t g = graph();
  allocation(g);
  cudaGraph_t copy = nullptr;
  say(cudaGraphClone(&copy, g) != cudaSuccess);
}
