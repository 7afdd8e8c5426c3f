// SPDX-License-Identifier: Apache-2.0
// Nodes that launch a kernel: adding them, reading and changing their parameters and attributes.
#include "sim/cudart/graph_node.h"
#include "sim/cudart/launch.h"

namespace gpuloom::cudart {
namespace {

// Pointers to the arguments that the node keeps; they are valid as long as it is not changed.
void** arguments_of(host::Context& c, host::GraphNode& node) {
  host::Launch& launch = work_of<host::Launch>(node);
  node.arguments.clear();
  for (const ptx::KernelParam& p : c.launcher().kernel(*launch.function).program->params)
    node.arguments.push_back(launch.params.data() + p.offset);
  return node.arguments.data();
}

}  // namespace

GPULOOM_CUDA int cudaGraphAddKernelNode(NodeHandle* node, GraphHandle graph, const NodeHandle* from,
                                        size_t count, const KernelNode* params) {
  return add_node(node, graph, from, count,
                  [&](host::Runtime& r, host::Context& c) { return launch_of(r, c, *params); });
}

GPULOOM_CUDA int cudaGraphKernelNodeSetParams(NodeHandle node, const KernelNode* params) {
  return change_node(in_graph, nullptr, node,
                     [&](host::Runtime& r, host::Context& c) { return launch_of(r, c, *params); });
}

GPULOOM_CUDA int cudaGraphExecKernelNodeSetParams(GraphExecHandle exec, NodeHandle node,
                                                  const KernelNode* params) {
  return change_node(in_exec, exec, node,
                     [&](host::Runtime& r, host::Context& c) { return launch_of(r, c, *params); });
}

GPULOOM_CUDA int cudaGraphKernelNodeGetParams(NodeHandle node, KernelNode* params) {
  return call([&](host::Runtime&, host::Context& c) {
    host::Launch& launch = work_of<host::Launch>(node_of(node));
    *params = {launch.function, abi_of(launch.grid), abi_of(launch.block), launch.shared, nullptr, nullptr};
    params->arguments = arguments_of(c, node_of(node));
  });
}

GPULOOM_CUDA int cudaGraphKernelNodeSetAttribute(NodeHandle node, int id, const LaunchAttributeValue* value) {
  return call([&](host::Runtime&, host::Context&) {
    apply(work_of<host::Launch>(node_of(node)), {static_cast<LaunchAttributeId>(id), {}, *value});
  });
}

GPULOOM_CUDA int cudaGraphKernelNodeGetAttribute(NodeHandle node, int id, LaunchAttributeValue* value) {
  return call([&](host::Runtime&, host::Context&) {
    const host::Launch& launch = work_of<host::Launch>(node_of(node));
    *value = {};
    if (id == kAttributeCooperative)
      value->integer = launch.cooperative ? 1 : 0;
    else if (id == kAttributePriority)
      value->integer = launch.priority;
    else if (id == kAttributeCluster && launch.cluster)
      value->cluster = abi_of(*launch.cluster);
    else if (id != kAttributeCluster && id != kAttributeAccessWindow)
      throw Failure(Status::kInvalidValue);
  });
}

GPULOOM_CUDA int cudaGraphKernelNodeCopyAttributes(NodeHandle to, NodeHandle from) {
  return call([&](host::Runtime&, host::Context&) {
    host::Launch& target = work_of<host::Launch>(node_of(to));
    const host::Launch& source = work_of<host::Launch>(node_of(from));
    target.cooperative = source.cooperative;
    target.priority = source.priority;
    target.cluster = source.cluster;
    target.window = source.window;
    target.carveout = source.carveout;
  });
}

}  // namespace gpuloom::cudart
