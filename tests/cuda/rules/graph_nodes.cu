// SPDX-License-Identifier: Apache-2.0
// Single nodes of graphs, changes of instances, launches of one instance in two streams.
#include "graph_parts.h"

struct Node {
  cudaGraphNode_t node = nullptr;
  cudaKernelNodeParams p = {};
};
template <typename... P, typename... A>
static Node kernel(cudaGraph_t g, void (*f)(P...), cudaGraphNode_t after, A... arguments) {
  void* all[] = {&arguments...};
  Node n;
  n.p.func = reinterpret_cast<void*>(f);
  n.p.gridDim = n.p.blockDim = dim3(1);
  n.p.kernelParams = all;
  DO(cudaGraphAddKernelNode(&n.node, g, after != nullptr ? &after : nullptr, after != nullptr ? 1 : 0, &n.p));
  return n;
}
CASE(graph_does_not_run_beside_itself, "Success") {
  const cudaStream_t s = stream(), t = stream();
  const cudaGraph_t g = graph();
  kernel(g, wait, nullptr, 5 * kLong);
  const cudaGraphExec_t exec = instance(g);
  const cudaEvent_t e = event();
  DO(cudaGraphLaunch(exec, s));
  DO(cudaEventRecord(e, s));
  DO(cudaGraphLaunch(exec, t));
  DO(cudaStreamSynchronize(t));
  say(cudaEventQuery(e));
}
CASE(graph_null_handles, "InvalidValue InvalidValue InvalidValue") {
  say(cudaGraphExecDestroy(nullptr));
  say(cudaGraphDestroy(nullptr));
  say(cudaGraphLaunch(nullptr, nullptr));
}
CASE(graph_upload, "Success Success") {
  const cudaStream_t s = stream();
  const cudaGraphExec_t exec = instance(graph());
  say(cudaGraphUpload(exec, s));
  say(cudaStreamSynchronize(s));
}
CASE(graph_auto_free, "Success Success") {
  const cudaGraph_t g = graph();
  allocation(g);
  const cudaGraphExec_t exec = instance(g, cudaGraphInstantiateFlagAutoFreeOnLaunch);
  say(cudaGraphLaunch(exec, nullptr));
  say(cudaGraphLaunch(exec, nullptr));
}
CASE(graph_memory_freed_outside_may_come_again, "Success Success Success") {
  const cudaGraph_t g = graph();
  const Allocation memory = allocation(g);
  const cudaGraphExec_t exec = instance(g);
  say(cudaGraphLaunch(exec, nullptr));
  say(cudaFreeAsync(memory.at, nullptr));
  say(cudaGraphLaunch(exec, nullptr));
}
CASE(graph_memory_instantiated_twice, "Success NotSupported") {
  const cudaGraph_t g = graph();
  allocation(g);
  cudaGraphExec_t a = nullptr, b = nullptr;
  say(cudaGraphInstantiate(&a, g, 0));
  say(cudaGraphInstantiate(&b, g, 0));
}
CASE(graph_copy_changes_its_source, "Success 22") {
  int *x = device_int(11), *y = device_int(22), *z = device_int();
  const cudaGraph_t g = graph();
  cudaGraphNode_t node;
  DO(cudaGraphAddMemcpyNode1D(&node, g, nullptr, 0, z, x, 4, cudaMemcpyDeviceToDevice));
  const cudaGraphExec_t exec = instance(g);
  say(cudaGraphExecMemcpyNodeSetParams1D(exec, node, z, y, 4, cudaMemcpyDeviceToDevice));
  DO(cudaGraphLaunch(exec, nullptr));
  say(value_of(z));
}
CASE(graph_copy_may_not_change_its_kind, "InvalidValue") {
  int *x = device_int(11), *z = device_int(), *pinned;
  DO(cudaMallocHost(&pinned, 4));
  const cudaGraph_t g = graph();
  cudaGraphNode_t node;
  DO(cudaGraphAddMemcpyNode1D(&node, g, nullptr, 0, z, x, 4, cudaMemcpyDeviceToDevice));
  say(cudaGraphExecMemcpyNodeSetParams1D(instance(g), node, pinned, x, 4, cudaMemcpyDeviceToHost));
}
CASE(graph_fill_changes_its_value, "Success 9") {
  int* x = device_int(1);
  const cudaGraph_t g = graph();
  cudaMemsetParams p = {};
  p.dst = x, p.elementSize = 4, p.width = 1, p.height = 1, p.value = 3;
  cudaGraphNode_t node;
  DO(cudaGraphAddMemsetNode(&node, g, nullptr, 0, &p));
  const cudaGraphExec_t exec = instance(g);
  p.value = 9;
  say(cudaGraphExecMemsetNodeSetParams(exec, node, &p));
  DO(cudaGraphLaunch(exec, nullptr));
  say(value_of(x));
}
CASE(graph_parameters_of_the_graph_leave_the_instance, "Success 1") {
  int *x = device_int(), n = 50;
  const cudaGraph_t g = graph();
  Node a = kernel(g, add, nullptr, x, 1);
  const cudaGraphExec_t exec = instance(g);
  void* arguments[] = {&x, &n};
  a.p.kernelParams = arguments;
  say(cudaGraphKernelNodeSetParams(a.node, &a.p));
  DO(cudaGraphLaunch(exec, nullptr));
  say(value_of(x));
}
CASE(graph_event_node_records, "Success NotReady Success") {
  const cudaEvent_t e = event();
  const cudaStream_t s = stream();
  const cudaGraph_t g = graph();
  const Node a = kernel(g, wait, nullptr, 5 * kLong);
  cudaGraphNode_t node;
  say(cudaGraphAddEventRecordNode(&node, g, &a.node, 1, e));
  DO(cudaGraphLaunch(instance(g), s));
  say(cudaEventQuery(e));
  say(cudaEventSynchronize(e));
}
CASE(graph_event_node_waits, "Success 5") {
  int* x = device_int();
  const cudaEvent_t e = event();
  const cudaStream_t s = stream(), t = stream();
  wait<<<1, 1, 0, t>>>(kLong);
  add<<<1, 1, 0, t>>>(x, 2);
  DO(cudaEventRecord(e, t));
  const cudaGraph_t g = graph();
  cudaGraphNode_t node;
  say(cudaGraphAddEventWaitNode(&node, g, nullptr, 0, e));
  kernel(g, twice, node, x);
  kernel(g, add, nullptr, device_int(), 1);
  DO(cudaGraphLaunch(instance(g), s));
  add<<<1, 1, 0, s>>>(x, 1);
  DO(cudaDeviceSynchronize());
  say(value_of(x));
}
CASE(graph_update_turned_edge, "Success 0") {
  int* x = device_int();
  const cudaGraph_t g = graph(), h = graph();
  const Node a = kernel(g, add, nullptr, x, 1), b = kernel(h, add, nullptr, x, 1);
  kernel(g, twice, a.node, x);
  const Node c = kernel(h, twice, nullptr, x);
  DO(cudaGraphAddDependencies(h, &c.node, &b.node, nullptr, 1));
  cudaGraphExecUpdateResultInfo info = {};
  say(cudaGraphExecUpdate(instance(g), h, &info));
  say(static_cast<int>(info.result));
}
CASE(graph_update_by_itself, "Success 0") {
  const cudaGraph_t g = graph();
  kernel(g, add, nullptr, device_int(), 1);
  cudaGraphExecUpdateResultInfo info = {};
  say(cudaGraphExecUpdate(instance(g), g, &info));
  say(static_cast<int>(info.result));
}
CASE(graph_update_while_under_way, "Success 21") {
  int* x = device_int();
  const cudaGraph_t g = graph(), h = graph();
  kernel(g, add, nullptr, x, 1);
  kernel(h, add, nullptr, x, 20);
  const cudaGraphExec_t exec = instance(g);
  const cudaStream_t s = stream();
  wait<<<1, 1, 0, s>>>(kLong);
  DO(cudaGraphLaunch(exec, s));
  cudaGraphExecUpdateResultInfo info = {};
  say(cudaGraphExecUpdate(exec, h, &info));
  DO(cudaGraphLaunch(exec, s));
  DO(cudaDeviceSynchronize());
  say(value_of(x));
}
CASE(graph_priority_of_a_node, "Success -3") {
  const cudaGraph_t g = graph();
  const Node a = kernel(g, add, nullptr, device_int(), 1);
  cudaKernelNodeAttrValue v = {};
  v.priority = -3;
  say(cudaGraphKernelNodeSetAttribute(a.node, cudaLaunchAttributePriority, &v));
  v.priority = 9;
  DO(cudaGraphKernelNodeGetAttribute(a.node, cudaLaunchAttributePriority, &v));
  say(v.priority);
}
CASE(graph_edge_to_itself, "InvalidValue") {
  const cudaGraph_t g = graph();
  const Node a = kernel(g, add, nullptr, device_int(), 1);
  say(cudaGraphAddDependencies(g, &a.node, &a.node, nullptr, 1));
}
CASE(graph_edge_between_graphs, "InvalidValue") {
  const cudaGraph_t g = graph(), h = graph();
  const Node a = kernel(g, add, nullptr, device_int(), 1), b = kernel(h, add, nullptr, device_int(), 1);
  say(cudaGraphAddDependencies(g, &a.node, &b.node, nullptr, 1));
}
CASE(graph_destroyed_node_leaves_its_edges_out, "Success 1 0") {
  int* x = device_int();
  const cudaGraph_t g = graph();
  const Node a = kernel(g, add, nullptr, x, 1);
  kernel(g, add, a.node, x, 1);
  say(cudaGraphDestroyNode(a.node));
  size_t nodes = 9, edges = 9;
  DO(cudaGraphGetNodes(g, nullptr, &nodes));
  DO(cudaGraphGetEdges(g, nullptr, nullptr, nullptr, &edges));
  say(static_cast<int>(nodes));
  say(static_cast<int>(edges));
}
CASE(graph_bad_launch_shape_is_told_when_added, "InvalidValue") {
  const cudaGraph_t g = graph();
  int* x = device_int();
  int n = 1;
  void* arguments[] = {&x, &n};
  cudaKernelNodeParams p = {};
  p.func = reinterpret_cast<void*>(add);
  p.gridDim = dim3(1), p.blockDim = dim3(2000);
  p.kernelParams = arguments;
  cudaGraphNode_t node;
  cudaError_t status = cudaGraphAddKernelNode(&node, g, nullptr, 0, &p);
  if (status == cudaSuccess) {
    say(std::string("added"));
    cudaGraphExec_t exec;
    status = cudaGraphInstantiate(&exec, g, 0);
  }
  say(status);
}
CASE(graph_in_legacy_stream_waits_for_blocking, "3") {
  int* x = device_int();
  const cudaStream_t s = stream(cudaStreamDefault);
  wait<<<1, 1, 0, s>>>(kLong);
  add<<<1, 1, 0, s>>>(x, 1);
  const cudaGraph_t g = graph();
  kernel(g, twice, nullptr, x);
  DO(cudaGraphLaunch(instance(g), nullptr));
  add<<<1, 1, 0, s>>>(x, 1);
  DO(cudaDeviceSynchronize());
  say(value_of(x));
}
CASE(graph_flags_of_instance, "Success 1") {
  unsigned long long flags = 9;
  say(cudaGraphExecGetFlags(instance(graph(), cudaGraphInstantiateFlagAutoFreeOnLaunch), &flags));
  say(static_cast<int>(flags));
}
CASE(graph_bad_flags, "InvalidValue") {
  cudaGraphExec_t exec;
  say(cudaGraphInstantiate(&exec, graph(), 1 << 20));
}
