// SPDX-License-Identifier: Apache-2.0
// Handles and parameters of graphs.
#pragma once
#include <vector>

#include "sim/cudart/process.h"

namespace gpuloom::cudart {

inline host::Graph& graph_of(GraphHandle handle) {
  host::require(handle != nullptr);
  return *reinterpret_cast<host::Graph*>(handle);
}
inline host::GraphNode& node_of(NodeHandle handle) {
  host::require(handle != nullptr);
  return *reinterpret_cast<host::GraphNode*>(handle);
}
inline host::GraphExec& exec_of(GraphExecHandle handle) {
  host::require(handle != nullptr);
  return *reinterpret_cast<host::GraphExec*>(handle);
}
inline GraphHandle handle_of(host::Graph& graph) { return reinterpret_cast<GraphHandle>(&graph); }
inline NodeHandle handle_of(host::GraphNode& node) { return reinterpret_cast<NodeHandle>(&node); }
inline GraphExecHandle handle_of(host::GraphExec& exec) { return reinterpret_cast<GraphExecHandle>(&exec); }

// Makes an edge of the type that a caller says. Throws Failure for a type that its nodes cannot have.
void set_edge(host::GraphNode& from, host::GraphNode& to, const EdgeData& edge);
std::vector<host::GraphNode*> nodes_of(const NodeHandle* handles, size_t count);

// Parameters of nodes as work. Throw Failure.
host::Fill fill_of(const MemsetAbi& memset);
MemsetAbi abi_of(const host::Fill& fill);
Copy3D abi_of(const host::Copy& copy);
host::Operation operation_of(host::Runtime& r, host::Context& c, NodeParams& params);
// A copy of a graph as one node's work.
host::Operation child_of(GraphHandle graph);
// Memory that the node allocates; its address is written into the parameters.
host::Operation allocation_of(host::Context& c, AllocateNode& node);
// The node's work, if it is of that kind. Throws Failure (kInvalidValue).
template <class T>
T& work_of(host::GraphNode& node) {
  T* work = std::get_if<T>(&node.operation);
  host::require(work != nullptr);
  return *work;
}

// cudaGraphNodeType of an operation.
int type_of(const host::Operation& operation);

}  // namespace gpuloom::cudart
