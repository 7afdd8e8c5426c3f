// SPDX-License-Identifier: Apache-2.0
// Nodes of any kind by one call; empty nodes, calls of the host, child graphs, events and memory.
#include <optional>

#include "sim/cudart/graph_node.h"

namespace gpuloom::cudart {

GPULOOM_CUDA int cudaGraphAddNode(NodeHandle* node, GraphHandle graph, const NodeHandle* from,
                                  const EdgeData* data, size_t count, NodeParams* params) {
  return call([&](host::Runtime& r, host::Context& c) {
    host::require(node != nullptr && params != nullptr);
    const std::vector<host::GraphNode*> before = nodes_of(from, count);
    host::GraphNode& added = graph_of(graph).add(operation_of(r, c, *params), before);
    added.device = c.number();
    for (size_t k = 0; data != nullptr && k < count; ++k) set_edge(*before[k], added, data[k]);
    *node = handle_of(added);
  });
}

GPULOOM_CUDA int cudaGraphNodeSetParams(NodeHandle node, NodeParams* params) {
  return change_node(in_graph, nullptr, node,
                     [&](host::Runtime& r, host::Context& c) { return operation_of(r, c, *params); });
}

GPULOOM_CUDA int cudaGraphExecNodeSetParams(GraphExecHandle exec, NodeHandle node, NodeParams* params) {
  return change_node(in_exec, exec, node,
                     [&](host::Runtime& r, host::Context& c) { return operation_of(r, c, *params); });
}

GPULOOM_CUDA int cudaGraphConditionalHandleCreate(unsigned long long* handle, GraphHandle graph,
                                                  unsigned at_launch, unsigned flags) {
  constexpr unsigned kAssignDefault = 1;
  return call([&](host::Runtime&, host::Context& c) {
    host::require(handle != nullptr && graph != nullptr && (flags & ~kAssignDefault) == 0);
    auto value = c.conditionals().create(flags != 0 ? std::optional(at_launch) : std::nullopt);
    *handle = value->handle;
    graph_of(graph).keep(std::move(value));
  });
}

GPULOOM_CUDA int cudaGraphAddEmptyNode(NodeHandle* node, GraphHandle graph, const NodeHandle* from,
                                       size_t count) {
  return add_node(node, graph, from, count, [](host::Runtime&, host::Context&) { return host::Nothing{}; });
}

GPULOOM_CUDA int cudaGraphAddHostNode(NodeHandle* node, GraphHandle graph, const NodeHandle* from,
                                      size_t count, const HostNode* params) {
  return add_node(node, graph, from, count, [&](host::Runtime&, host::Context&) {
    return host::HostCall{params->function, params->data};
  });
}

GPULOOM_CUDA int cudaGraphHostNodeSetParams(NodeHandle node, const HostNode* params) {
  return change_node(in_graph, nullptr, node, [&](host::Runtime&, host::Context&) -> host::Operation {
    return host::HostCall{params->function, params->data};
  });
}

GPULOOM_CUDA int cudaGraphExecHostNodeSetParams(GraphExecHandle exec, NodeHandle node,
                                                const HostNode* params) {
  return change_node(in_exec, exec, node, [&](host::Runtime&, host::Context&) -> host::Operation {
    return host::HostCall{params->function, params->data};
  });
}

GPULOOM_CUDA int cudaGraphHostNodeGetParams(NodeHandle node, HostNode* params) {
  return call([&](host::Runtime&, host::Context&) {
    const auto& h = work_of<host::HostCall>(node_of(node));
    *params = {h.function, h.data};
  });
}

GPULOOM_CUDA int cudaGraphAddChildGraphNode(NodeHandle* node, GraphHandle graph, const NodeHandle* from,
                                            size_t count, GraphHandle inner) {
  return add_node(node, graph, from, count, [&](host::Runtime&, host::Context&) { return child_of(inner); });
}

GPULOOM_CUDA int cudaGraphChildGraphNodeGetGraph(NodeHandle node, GraphHandle* graph) {
  return call([&](host::Runtime&, host::Context&) {
    *graph = handle_of(*work_of<host::ChildGraph>(node_of(node)).graph);
  });
}

GPULOOM_CUDA int cudaGraphExecChildGraphNodeSetParams(GraphExecHandle exec, NodeHandle node,
                                                      GraphHandle inner) {
  return change_node(in_exec, exec, node, [&](host::Runtime&, host::Context&) { return child_of(inner); });
}

GPULOOM_CUDA int cudaGraphAddEventRecordNode(NodeHandle* node, GraphHandle graph, const NodeHandle* from,
                                             size_t count, EventHandle event) {
  return add_node(node, graph, from, count,
                  [&](host::Runtime&, host::Context& c) { return host::EventRecord{&event_of(c, event)}; });
}

GPULOOM_CUDA int cudaGraphAddEventWaitNode(NodeHandle* node, GraphHandle graph, const NodeHandle* from,
                                           size_t count, EventHandle event) {
  return add_node(node, graph, from, count,
                  [&](host::Runtime&, host::Context& c) { return host::EventWait{&event_of(c, event)}; });
}

GPULOOM_CUDA int cudaGraphEventRecordNodeGetEvent(NodeHandle node, EventHandle* event) {
  return call([&](host::Runtime&, host::Context&) {
    *event = handle_of(*work_of<host::EventRecord>(node_of(node)).event);
  });
}

GPULOOM_CUDA int cudaGraphEventWaitNodeGetEvent(NodeHandle node, EventHandle* event) {
  return call([&](host::Runtime&, host::Context&) {
    *event = handle_of(*work_of<host::EventWait>(node_of(node)).event);
  });
}

GPULOOM_CUDA int cudaGraphEventRecordNodeSetEvent(NodeHandle node, EventHandle event) {
  return change_node(in_graph, nullptr, node, [&](host::Runtime&, host::Context& c) -> host::Operation {
    return host::EventRecord{&event_of(c, event)};
  });
}

GPULOOM_CUDA int cudaGraphEventWaitNodeSetEvent(NodeHandle node, EventHandle event) {
  return change_node(in_graph, nullptr, node, [&](host::Runtime&, host::Context& c) -> host::Operation {
    return host::EventWait{&event_of(c, event)};
  });
}

GPULOOM_CUDA int cudaGraphExecEventRecordNodeSetEvent(GraphExecHandle exec, NodeHandle node,
                                                      EventHandle event) {
  return change_node(in_exec, exec, node, [&](host::Runtime&, host::Context& c) -> host::Operation {
    return host::EventRecord{&event_of(c, event)};
  });
}

GPULOOM_CUDA int cudaGraphExecEventWaitNodeSetEvent(GraphExecHandle exec, NodeHandle node,
                                                    EventHandle event) {
  return change_node(in_exec, exec, node, [&](host::Runtime&, host::Context& c) -> host::Operation {
    return host::EventWait{&event_of(c, event)};
  });
}

GPULOOM_CUDA int cudaGraphAddMemAllocNode(NodeHandle* node, GraphHandle graph, const NodeHandle* from,
                                          size_t count, AllocateNode* params) {
  return add_node(node, graph, from, count,
                  [&](host::Runtime&, host::Context& c) { return allocation_of(c, *params); });
}

GPULOOM_CUDA int cudaGraphAddMemFreeNode(NodeHandle* node, GraphHandle graph, const NodeHandle* from,
                                         size_t count, void* pointer) {
  return add_node(node, graph, from, count,
                  [&](host::Runtime&, host::Context&) { return host::Release{address_of(pointer)}; });
}

GPULOOM_CUDA int cudaGraphMemFreeNodeGetParams(NodeHandle node, void* pointer) {
  return call([&](host::Runtime&, host::Context&) {
    *static_cast<void**>(pointer) = pointer_of(work_of<host::Release>(node_of(node)).address);
  });
}

}  // namespace gpuloom::cudart
