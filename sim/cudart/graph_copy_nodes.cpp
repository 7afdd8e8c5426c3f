// SPDX-License-Identifier: Apache-2.0
// Nodes that copy or fill memory: adding them, reading and changing what they do.
#include <functional>

#include "sim/cudart/copy.h"
#include "sim/cudart/graph_node.h"

namespace gpuloom::cudart {
namespace {

host::Operation symbol_node_copy(host::Runtime& r, host::Context& c, const void* symbol, void* other,
                                 size_t bytes, size_t offset, int kind, bool to_symbol) {
  const uint64_t place = symbol_range(r, c, symbol, offset, bytes), there = address_of(other);
  const auto direction = static_cast<host::CopyKind>(kind);
  return to_symbol ? host::linear_copy(place, there, bytes, direction)
                   : host::linear_copy(there, place, bytes, direction);
}

host::Copy plain_copy(void* to, const void* from, size_t bytes, int kind) {
  return host::linear_copy(address_of(to), address_of(from), bytes, static_cast<host::CopyKind>(kind));
}

// Of an instantiated graph a copy's ends must stay on the sides that they are on (CUDA runtime API,
// cudaGraphExecMemcpyNodeSetParams).
int change_copy(GraphExecHandle exec, NodeHandle node, const std::function<host::Copy()>& make) {
  return change_node(in_exec, exec, node, [&](host::Runtime&, host::Context& c) -> host::Operation {
    const auto& before = work_of<host::Copy>(in_exec(exec, node));
    host::Copy copy = make();
    host::require(c.route_of(copy) == c.route_of(before));
    return copy;
  });
}

}  // namespace

GPULOOM_CUDA int cudaGraphAddMemcpyNode(NodeHandle* node, GraphHandle graph, const NodeHandle* from,
                                        size_t count, const Copy3D* params) {
  return add_node(node, graph, from, count, [&](host::Runtime&, host::Context&) { return copy_of(*params); });
}

GPULOOM_CUDA int cudaGraphMemcpyNodeSetParams(NodeHandle node, const Copy3D* params) {
  return change_node(in_graph, nullptr, node,
                     [&](host::Runtime&, host::Context&) { return copy_of(*params); });
}

GPULOOM_CUDA int cudaGraphExecMemcpyNodeSetParams(GraphExecHandle exec, NodeHandle node,
                                                  const Copy3D* params) {
  return change_copy(exec, node, [&] { return copy_of(*params); });
}

GPULOOM_CUDA int cudaGraphMemcpyNodeGetParams(NodeHandle node, Copy3D* params) {
  return call([&](host::Runtime&, host::Context&) { *params = abi_of(work_of<host::Copy>(node_of(node))); });
}

GPULOOM_CUDA int cudaGraphAddMemcpyNode1D(NodeHandle* node, GraphHandle graph, const NodeHandle* from,
                                          size_t count, void* to, const void* source, size_t bytes,
                                          int kind) {
  return add_node(node, graph, from, count,
                  [&](host::Runtime&, host::Context&) { return plain_copy(to, source, bytes, kind); });
}

GPULOOM_CUDA int cudaGraphMemcpyNodeSetParams1D(NodeHandle node, void* to, const void* from, size_t bytes,
                                                int kind) {
  return change_node(in_graph, nullptr, node,
                     [&](host::Runtime&, host::Context&) { return plain_copy(to, from, bytes, kind); });
}

GPULOOM_CUDA int cudaGraphExecMemcpyNodeSetParams1D(GraphExecHandle exec, NodeHandle node, void* to,
                                                    const void* from, size_t bytes, int kind) {
  return change_copy(exec, node, [&] { return plain_copy(to, from, bytes, kind); });
}

GPULOOM_CUDA int cudaGraphAddMemcpyNodeToSymbol(NodeHandle* node, GraphHandle graph, const NodeHandle* from,
                                                size_t count, const void* symbol, const void* source,
                                                size_t bytes, size_t offset, int kind) {
  return add_node(node, graph, from, count, [&](host::Runtime& r, host::Context& c) {
    return symbol_node_copy(r, c, symbol, const_cast<void*>(source), bytes, offset, kind, true);
  });
}

GPULOOM_CUDA int cudaGraphAddMemcpyNodeFromSymbol(NodeHandle* node, GraphHandle graph, const NodeHandle* from,
                                                  size_t count, void* to, const void* symbol, size_t bytes,
                                                  size_t offset, int kind) {
  return add_node(node, graph, from, count, [&](host::Runtime& r, host::Context& c) {
    return symbol_node_copy(r, c, symbol, to, bytes, offset, kind, false);
  });
}

GPULOOM_CUDA int cudaGraphMemcpyNodeSetParamsToSymbol(NodeHandle node, const void* symbol, const void* source,
                                                      size_t bytes, size_t offset, int kind) {
  return change_node(in_graph, nullptr, node, [&](host::Runtime& r, host::Context& c) {
    return symbol_node_copy(r, c, symbol, const_cast<void*>(source), bytes, offset, kind, true);
  });
}

GPULOOM_CUDA int cudaGraphMemcpyNodeSetParamsFromSymbol(NodeHandle node, void* to, const void* symbol,
                                                        size_t bytes, size_t offset, int kind) {
  return change_node(in_graph, nullptr, node, [&](host::Runtime& r, host::Context& c) {
    return symbol_node_copy(r, c, symbol, to, bytes, offset, kind, false);
  });
}

GPULOOM_CUDA int cudaGraphExecMemcpyNodeSetParamsToSymbol(GraphExecHandle exec, NodeHandle node,
                                                          const void* symbol, const void* source,
                                                          size_t bytes, size_t offset, int kind) {
  return change_node(in_exec, exec, node, [&](host::Runtime& r, host::Context& c) {
    return symbol_node_copy(r, c, symbol, const_cast<void*>(source), bytes, offset, kind, true);
  });
}

GPULOOM_CUDA int cudaGraphExecMemcpyNodeSetParamsFromSymbol(GraphExecHandle exec, NodeHandle node, void* to,
                                                            const void* symbol, size_t bytes, size_t offset,
                                                            int kind) {
  return change_node(in_exec, exec, node, [&](host::Runtime& r, host::Context& c) {
    return symbol_node_copy(r, c, symbol, to, bytes, offset, kind, false);
  });
}

GPULOOM_CUDA int cudaGraphAddMemsetNode(NodeHandle* node, GraphHandle graph, const NodeHandle* from,
                                        size_t count, const MemsetAbi* params) {
  return add_node(node, graph, from, count, [&](host::Runtime&, host::Context&) { return fill_of(*params); });
}

GPULOOM_CUDA int cudaGraphMemsetNodeSetParams(NodeHandle node, const MemsetAbi* params) {
  return change_node(in_graph, nullptr, node,
                     [&](host::Runtime&, host::Context&) { return fill_of(*params); });
}

GPULOOM_CUDA int cudaGraphExecMemsetNodeSetParams(GraphExecHandle exec, NodeHandle node,
                                                  const MemsetAbi* params) {
  return change_node(in_exec, exec, node, [&](host::Runtime&, host::Context&) { return fill_of(*params); });
}

GPULOOM_CUDA int cudaGraphMemsetNodeGetParams(NodeHandle node, MemsetAbi* params) {
  return call([&](host::Runtime&, host::Context&) { *params = abi_of(work_of<host::Fill>(node_of(node))); });
}

}  // namespace gpuloom::cudart
