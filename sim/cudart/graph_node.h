// SPDX-License-Identifier: Apache-2.0
// How nodes are added to a graph and changed, whatever they do.
#pragma once
#include <utility>

#include "sim/cudart/graph.h"

namespace gpuloom::cudart {

// Adds a node that `make` describes, after others.
template <class F>
int add_node(NodeHandle* node, GraphHandle graph, const NodeHandle* from, size_t count, F&& make) {
  return call([&](host::Runtime& r, host::Context& c) {
    host::require(node != nullptr);
    host::Graph& g = graph_of(graph);
    host::GraphNode& added = g.add(make(r, c), nodes_of(from, count));
    added.device = c.number();
    *node = handle_of(added);
  });
}

// Replaces what a node does by something of the same kind.
template <class F>
int change_node(host::GraphNode& (*find)(void*, NodeHandle), void* where, NodeHandle node, F&& make) {
  return call([&](host::Runtime& r, host::Context& c) {
    host::GraphNode& n = find(where, node);
    host::Operation operation = make(r, c);
    host::require(operation.index() == n.operation.index());
    n.operation = std::move(operation);
  });
}

inline host::GraphNode& in_graph(void*, NodeHandle node) { return node_of(node); }
inline host::GraphNode& in_exec(void* exec, NodeHandle node) {
  return exec_of(static_cast<GraphExecHandle>(exec)).node_of(node_of(node));
}

}  // namespace gpuloom::cudart
