// SPDX-License-Identifier: Apache-2.0
// Nodes of graphs: adding them, reading and changing what they do.
#include <algorithm>

#include "sim/cudart/array.h"
#include "sim/cudart/copy.h"
#include "sim/cudart/graph.h"
#include "sim/cudart/launch.h"

namespace gpuloom::cudart {
namespace {

// cudaGraphNodeType.
enum : int {
  kKernel,
  kMemcpy,
  kMemset,
  kHost,
  kChild,
  kEmpty,
  kWaitEvent,
  kRecordEvent,
  kAllocate = 10,
  kRelease = 11
};

// Adds a node that `make` describes, after others.
template <class F>
int add(NodeHandle* node, GraphHandle graph, const NodeHandle* from, size_t count, F&& make) {
  return call([&](host::Runtime& r, host::Context& c) {
    host::require(node != nullptr);
    host::Graph& g = graph_of(graph);
    *node = handle_of(g.add(make(r, c), nodes_of(from, count)));
  });
}

// Replaces what a node does by something of the same kind.
template <class F>
int change(host::GraphNode& (*find)(void*, NodeHandle), void* where, NodeHandle node, F&& make) {
  return call([&](host::Runtime& r, host::Context& c) {
    host::GraphNode& n = find(where, node);
    host::Operation operation = make(r, c);
    host::require(operation.index() == n.operation.index());
    n.operation = std::move(operation);
  });
}

host::GraphNode& in_graph(void*, NodeHandle node) { return node_of(node); }
host::GraphNode& in_exec(void* exec, NodeHandle node) {
  return exec_of(static_cast<GraphExecHandle>(exec)).node_of(node_of(node));
}

host::Operation symbol_copy(host::Runtime& r, host::Context& c, const void* symbol, void* other, size_t bytes,
                            size_t offset, int kind, bool to_symbol) {
  const uint64_t place = symbol_range(r, c, symbol, offset, bytes), there = address_of(other);
  const auto direction = static_cast<host::CopyKind>(kind);
  return to_symbol ? host::linear_copy(place, there, bytes, direction)
                   : host::linear_copy(there, place, bytes, direction);
}

host::Operation plain_copy(void* to, const void* from, size_t bytes, int kind) {
  return host::linear_copy(address_of(to), address_of(from), bytes, static_cast<host::CopyKind>(kind));
}

host::Operation child(GraphHandle graph) {
  return host::ChildGraph{std::shared_ptr<host::Graph>(graph_of(graph).clone())};
}

// Pointers to the arguments that the node keeps; they are valid as long as it is not changed.
void** arguments_of(host::Context& c, host::GraphNode& node) {
  host::Launch& launch = work_of<host::Launch>(node);
  node.arguments.clear();
  for (const ptx::KernelParam& p : c.launcher().kernel(*launch.function).program->params)
    node.arguments.push_back(launch.params.data() + p.offset);
  return node.arguments.data();
}

host::Operation allocation(host::Context& c, AllocateNode& node) {
  node.pointer = pointer_of(c.pools().reserve_for_graph(node.bytes));
  return host::Allocate{address_of(node.pointer), node.bytes};
}

}  // namespace

host::Fill fill_of(const MemsetAbi& m) {
  host::Fill fill;
  host::require(m.element == 1 || m.element == 2 || m.element == 4);
  fill.address = address_of(m.target);
  fill.pitch = m.pitch;
  fill.value = m.value;
  fill.element = m.element;
  fill.width = m.width;
  fill.height = m.height;
  return fill;
}

MemsetAbi abi_of(const host::Fill& f) {
  return {pointer_of(f.address), f.pitch, f.value, f.element, f.width, f.height};
}

Copy3D abi_of(const host::Copy& copy) {
  Copy3D p{};
  const auto side = [](const host::CopySide& s, ArrayHandle& array, PositionAbi& at, PitchedPointer& memory) {
    const uint64_t texel = s.array != nullptr ? s.array->state.texel_bytes() : 1;
    at = {s.x / texel, s.y, s.z};
    if (s.array != nullptr)
      array = handle_of(*s.array);
    else
      memory = {pointer_of(s.address), s.pitch, s.pitch, s.slice_rows};
    return texel;
  };
  const uint64_t texel = std::max(side(copy.from, p.source_array, p.source_position, p.source),
                                  side(copy.to, p.target_array, p.target_position, p.target));
  p.extent = {copy.width / texel, copy.height, copy.depth};
  p.kind = static_cast<int>(copy.kind);
  return p;
}

int type_of(const host::Operation& operation) {
  struct Visitor {
    int operator()(const host::Nothing&) const { return kEmpty; }
    int operator()(const host::Launch&) const { return kKernel; }
    int operator()(const host::Copy&) const { return kMemcpy; }
    int operator()(const host::Fill&) const { return kMemset; }
    int operator()(const host::HostCall&) const { return kHost; }
    int operator()(const host::HostCallback&) const { return kHost; }
    int operator()(const host::ChildGraph&) const { return kChild; }
    int operator()(const host::EventRecord&) const { return kRecordEvent; }
    int operator()(const host::EventWait&) const { return kWaitEvent; }
    int operator()(const host::Allocate&) const { return kAllocate; }
    int operator()(const host::Release&) const { return kRelease; }
  };
  return std::visit(Visitor{}, operation);
}

host::Operation operation_of(host::Runtime& r, host::Context& c, NodeParams& p) {
  switch (p.type) {
    case kKernel:
      return launch_of(r, c, p.kernel);
    case kMemcpy:
      return copy_of(p.copy.copy);
    case kMemset:
      return fill_of(p.memset);
    case kHost:
      return host::HostCall{p.host.function, p.host.data};
    case kChild:
      return child(p.graph);
    case kEmpty:
      return host::Nothing{};
    case kWaitEvent:
      return host::EventWait{&event_of(c, p.event)};
    case kRecordEvent:
      return host::EventRecord{&event_of(c, p.event)};
    case kAllocate:
      return allocation(c, p.allocate);
    case kRelease:
      return host::Release{address_of(p.release)};
    default:  // conditional nodes, external semaphores
      throw Failure(Status::kNotSupported);
  }
}

GPULOOM_CUDA int cudaGraphAddNode(NodeHandle* node, GraphHandle graph, const NodeHandle* from,
                                  const EdgeData*, size_t count, NodeParams* params) {
  return add(node, graph, from, count,
             [&](host::Runtime& r, host::Context& c) { return operation_of(r, c, *params); });
}

GPULOOM_CUDA int cudaGraphNodeSetParams(NodeHandle node, NodeParams* params) {
  return change(in_graph, nullptr, node,
                [&](host::Runtime& r, host::Context& c) { return operation_of(r, c, *params); });
}

GPULOOM_CUDA int cudaGraphExecNodeSetParams(GraphExecHandle exec, NodeHandle node, NodeParams* params) {
  return change(in_exec, exec, node,
                [&](host::Runtime& r, host::Context& c) { return operation_of(r, c, *params); });
}

GPULOOM_CUDA int cudaGraphAddEmptyNode(NodeHandle* node, GraphHandle graph, const NodeHandle* from,
                                       size_t count) {
  return add(node, graph, from, count, [](host::Runtime&, host::Context&) { return host::Nothing{}; });
}

GPULOOM_CUDA int cudaGraphAddKernelNode(NodeHandle* node, GraphHandle graph, const NodeHandle* from,
                                        size_t count, const KernelNode* params) {
  return add(node, graph, from, count,
             [&](host::Runtime& r, host::Context& c) { return launch_of(r, c, *params); });
}

GPULOOM_CUDA int cudaGraphKernelNodeSetParams(NodeHandle node, const KernelNode* params) {
  return change(in_graph, nullptr, node,
                [&](host::Runtime& r, host::Context& c) { return launch_of(r, c, *params); });
}

GPULOOM_CUDA int cudaGraphExecKernelNodeSetParams(GraphExecHandle exec, NodeHandle node,
                                                  const KernelNode* params) {
  return change(in_exec, exec, node,
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

GPULOOM_CUDA int cudaGraphAddMemcpyNode(NodeHandle* node, GraphHandle graph, const NodeHandle* from,
                                        size_t count, const Copy3D* params) {
  return add(node, graph, from, count, [&](host::Runtime&, host::Context&) { return copy_of(*params); });
}

GPULOOM_CUDA int cudaGraphMemcpyNodeSetParams(NodeHandle node, const Copy3D* params) {
  return change(in_graph, nullptr, node, [&](host::Runtime&, host::Context&) { return copy_of(*params); });
}

GPULOOM_CUDA int cudaGraphExecMemcpyNodeSetParams(GraphExecHandle exec, NodeHandle node,
                                                  const Copy3D* params) {
  return change(in_exec, exec, node, [&](host::Runtime&, host::Context&) { return copy_of(*params); });
}

GPULOOM_CUDA int cudaGraphMemcpyNodeGetParams(NodeHandle node, Copy3D* params) {
  return call([&](host::Runtime&, host::Context&) { *params = abi_of(work_of<host::Copy>(node_of(node))); });
}

GPULOOM_CUDA int cudaGraphAddMemcpyNode1D(NodeHandle* node, GraphHandle graph, const NodeHandle* from,
                                          size_t count, void* to, const void* source, size_t bytes,
                                          int kind) {
  return add(node, graph, from, count,
             [&](host::Runtime&, host::Context&) { return plain_copy(to, source, bytes, kind); });
}

GPULOOM_CUDA int cudaGraphMemcpyNodeSetParams1D(NodeHandle node, void* to, const void* from, size_t bytes,
                                                int kind) {
  return change(in_graph, nullptr, node,
                [&](host::Runtime&, host::Context&) { return plain_copy(to, from, bytes, kind); });
}

GPULOOM_CUDA int cudaGraphExecMemcpyNodeSetParams1D(GraphExecHandle exec, NodeHandle node, void* to,
                                                    const void* from, size_t bytes, int kind) {
  return change(in_exec, exec, node,
                [&](host::Runtime&, host::Context&) { return plain_copy(to, from, bytes, kind); });
}

GPULOOM_CUDA int cudaGraphAddMemcpyNodeToSymbol(NodeHandle* node, GraphHandle graph, const NodeHandle* from,
                                                size_t count, const void* symbol, const void* source,
                                                size_t bytes, size_t offset, int kind) {
  return add(node, graph, from, count, [&](host::Runtime& r, host::Context& c) {
    return symbol_copy(r, c, symbol, const_cast<void*>(source), bytes, offset, kind, true);
  });
}

GPULOOM_CUDA int cudaGraphAddMemcpyNodeFromSymbol(NodeHandle* node, GraphHandle graph, const NodeHandle* from,
                                                  size_t count, void* to, const void* symbol, size_t bytes,
                                                  size_t offset, int kind) {
  return add(node, graph, from, count, [&](host::Runtime& r, host::Context& c) {
    return symbol_copy(r, c, symbol, to, bytes, offset, kind, false);
  });
}

GPULOOM_CUDA int cudaGraphMemcpyNodeSetParamsToSymbol(NodeHandle node, const void* symbol, const void* source,
                                                      size_t bytes, size_t offset, int kind) {
  return change(in_graph, nullptr, node, [&](host::Runtime& r, host::Context& c) {
    return symbol_copy(r, c, symbol, const_cast<void*>(source), bytes, offset, kind, true);
  });
}

GPULOOM_CUDA int cudaGraphMemcpyNodeSetParamsFromSymbol(NodeHandle node, void* to, const void* symbol,
                                                        size_t bytes, size_t offset, int kind) {
  return change(in_graph, nullptr, node, [&](host::Runtime& r, host::Context& c) {
    return symbol_copy(r, c, symbol, to, bytes, offset, kind, false);
  });
}

GPULOOM_CUDA int cudaGraphExecMemcpyNodeSetParamsToSymbol(GraphExecHandle exec, NodeHandle node,
                                                          const void* symbol, const void* source,
                                                          size_t bytes, size_t offset, int kind) {
  return change(in_exec, exec, node, [&](host::Runtime& r, host::Context& c) {
    return symbol_copy(r, c, symbol, const_cast<void*>(source), bytes, offset, kind, true);
  });
}

GPULOOM_CUDA int cudaGraphExecMemcpyNodeSetParamsFromSymbol(GraphExecHandle exec, NodeHandle node, void* to,
                                                            const void* symbol, size_t bytes, size_t offset,
                                                            int kind) {
  return change(in_exec, exec, node, [&](host::Runtime& r, host::Context& c) {
    return symbol_copy(r, c, symbol, to, bytes, offset, kind, false);
  });
}

GPULOOM_CUDA int cudaGraphAddMemsetNode(NodeHandle* node, GraphHandle graph, const NodeHandle* from,
                                        size_t count, const MemsetAbi* params) {
  return add(node, graph, from, count, [&](host::Runtime&, host::Context&) { return fill_of(*params); });
}

GPULOOM_CUDA int cudaGraphMemsetNodeSetParams(NodeHandle node, const MemsetAbi* params) {
  return change(in_graph, nullptr, node, [&](host::Runtime&, host::Context&) { return fill_of(*params); });
}

GPULOOM_CUDA int cudaGraphExecMemsetNodeSetParams(GraphExecHandle exec, NodeHandle node,
                                                  const MemsetAbi* params) {
  return change(in_exec, exec, node, [&](host::Runtime&, host::Context&) { return fill_of(*params); });
}

GPULOOM_CUDA int cudaGraphMemsetNodeGetParams(NodeHandle node, MemsetAbi* params) {
  return call([&](host::Runtime&, host::Context&) { *params = abi_of(work_of<host::Fill>(node_of(node))); });
}

GPULOOM_CUDA int cudaGraphAddHostNode(NodeHandle* node, GraphHandle graph, const NodeHandle* from,
                                      size_t count, const HostNode* params) {
  return add(node, graph, from, count, [&](host::Runtime&, host::Context&) {
    return host::HostCall{params->function, params->data};
  });
}

GPULOOM_CUDA int cudaGraphHostNodeSetParams(NodeHandle node, const HostNode* params) {
  return change(in_graph, nullptr, node, [&](host::Runtime&, host::Context&) -> host::Operation {
    return host::HostCall{params->function, params->data};
  });
}

GPULOOM_CUDA int cudaGraphExecHostNodeSetParams(GraphExecHandle exec, NodeHandle node,
                                                const HostNode* params) {
  return change(in_exec, exec, node, [&](host::Runtime&, host::Context&) -> host::Operation {
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
  return add(node, graph, from, count, [&](host::Runtime&, host::Context&) { return child(inner); });
}

GPULOOM_CUDA int cudaGraphChildGraphNodeGetGraph(NodeHandle node, GraphHandle* graph) {
  return call([&](host::Runtime&, host::Context&) {
    *graph = handle_of(*work_of<host::ChildGraph>(node_of(node)).graph);
  });
}

GPULOOM_CUDA int cudaGraphExecChildGraphNodeSetParams(GraphExecHandle exec, NodeHandle node,
                                                      GraphHandle inner) {
  return change(in_exec, exec, node, [&](host::Runtime&, host::Context&) { return child(inner); });
}

GPULOOM_CUDA int cudaGraphAddEventRecordNode(NodeHandle* node, GraphHandle graph, const NodeHandle* from,
                                             size_t count, EventHandle event) {
  return add(node, graph, from, count,
             [&](host::Runtime&, host::Context& c) { return host::EventRecord{&event_of(c, event)}; });
}

GPULOOM_CUDA int cudaGraphAddEventWaitNode(NodeHandle* node, GraphHandle graph, const NodeHandle* from,
                                           size_t count, EventHandle event) {
  return add(node, graph, from, count,
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
  return change(in_graph, nullptr, node, [&](host::Runtime&, host::Context& c) -> host::Operation {
    return host::EventRecord{&event_of(c, event)};
  });
}

GPULOOM_CUDA int cudaGraphEventWaitNodeSetEvent(NodeHandle node, EventHandle event) {
  return change(in_graph, nullptr, node, [&](host::Runtime&, host::Context& c) -> host::Operation {
    return host::EventWait{&event_of(c, event)};
  });
}

GPULOOM_CUDA int cudaGraphExecEventRecordNodeSetEvent(GraphExecHandle exec, NodeHandle node,
                                                      EventHandle event) {
  return change(in_exec, exec, node, [&](host::Runtime&, host::Context& c) -> host::Operation {
    return host::EventRecord{&event_of(c, event)};
  });
}

GPULOOM_CUDA int cudaGraphExecEventWaitNodeSetEvent(GraphExecHandle exec, NodeHandle node,
                                                    EventHandle event) {
  return change(in_exec, exec, node, [&](host::Runtime&, host::Context& c) -> host::Operation {
    return host::EventWait{&event_of(c, event)};
  });
}

GPULOOM_CUDA int cudaGraphAddMemAllocNode(NodeHandle* node, GraphHandle graph, const NodeHandle* from,
                                          size_t count, AllocateNode* params) {
  return add(node, graph, from, count,
             [&](host::Runtime&, host::Context& c) { return allocation(c, *params); });
}

GPULOOM_CUDA int cudaGraphAddMemFreeNode(NodeHandle* node, GraphHandle graph, const NodeHandle* from,
                                         size_t count, void* pointer) {
  return add(node, graph, from, count,
             [&](host::Runtime&, host::Context&) { return host::Release{address_of(pointer)}; });
}

GPULOOM_CUDA int cudaGraphMemFreeNodeGetParams(NodeHandle node, void* pointer) {
  return call([&](host::Runtime&, host::Context&) {
    *static_cast<void**>(pointer) = pointer_of(work_of<host::Release>(node_of(node)).address);
  });
}

}  // namespace gpuloom::cudart
