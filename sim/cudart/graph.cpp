// SPDX-License-Identifier: Apache-2.0
// Graphs as a whole: making, looking at, instantiating, launching.
#include "sim/cudart/graph.h"

#include <algorithm>

#include "sim/memory/files.h"

namespace gpuloom::cudart {
namespace {

// Fills a caller's list: without one, its length is what the caller wants to know.
template <class T, class F>
void list(T* out, size_t* count, size_t all, F&& at) {
  host::require(count != nullptr);
  if (out == nullptr) {
    *count = all;
    return;
  }
  for (size_t k = 0; k < *count; ++k) out[k] = k < all ? at(k) : nullptr;
  *count = std::min(*count, all);
}

// cudaGraphDependencyType and cudaGraphKernelNodePort.
constexpr unsigned char kEdgeProgrammatic = 1, kPortProgrammatic = 1;

EdgeData edge_of(const host::GraphNode& from, const host::GraphNode& to) {
  EdgeData e = {};
  if (std::find(to.dependent.begin(), to.dependent.end(), &from) == to.dependent.end()) return e;
  e.type = kEdgeProgrammatic;
  e.from_port = kPortProgrammatic;
  return e;
}

int instantiate(GraphExecHandle* exec, GraphHandle graph, unsigned long long flags) {
  return call([&](host::Runtime&, host::Context& c) {
    constexpr unsigned long long kDeviceLaunch = 4, kKnown = 15;
    host::require(exec != nullptr && (flags & ~kKnown) == 0, Status::kInvalidValue);
    if ((flags & kDeviceLaunch) != 0)
      throw Failure(static_cast<Status>(
          refuse("cudaGraphInstantiateFlagDeviceLaunch", "kernels do not launch graphs")));
    not_in_capture(c);
    *exec = handle_of(*new host::GraphExec(graph_of(graph), flags));
  });
}

}  // namespace

void set_edge(host::GraphNode& from, host::GraphNode& to, const EdgeData& edge) {
  if (edge.type == 0 && edge.from_port == 0) return;
  const auto launches = [](const host::GraphNode& n) {
    return std::holds_alternative<host::Launch>(n.operation);
  };
  host::require(edge.type == kEdgeProgrammatic && launches(from) && launches(to));
  // The port of the launch's completion would let the next begin as soon as all blocks have begun.
  host::require(edge.from_port == kPortProgrammatic, Status::kNotSupported);
  to.dependent.push_back(&from);
}

std::vector<host::GraphNode*> nodes_of(const NodeHandle* handles, size_t count) {
  host::require(handles != nullptr || count == 0);
  std::vector<host::GraphNode*> nodes;
  for (size_t k = 0; k < count; ++k) nodes.push_back(&node_of(handles[k]));
  return nodes;
}

GPULOOM_CUDA int cudaGraphCreate(GraphHandle* graph, unsigned flags) {
  return call([&](host::Runtime&, host::Context&) {
    host::require(graph != nullptr && flags == 0);
    *graph = handle_of(*new host::Graph);
  });
}

GPULOOM_CUDA int cudaGraphDestroy(GraphHandle graph) {
  return call([&](host::Runtime&, host::Context&) { delete &graph_of(graph); });
}

GPULOOM_CUDA int cudaGraphClone(GraphHandle* clone, GraphHandle graph) {
  return call([&](host::Runtime&, host::Context&) {
    host::require(clone != nullptr);
    // Graphs with memory nodes cannot be cloned (CUDA C++ guide, graph memory nodes).
    for (const auto& node : graph_of(graph).nodes())
      host::require(!std::holds_alternative<host::Allocate>(node->operation) &&
                        !std::holds_alternative<host::Release>(node->operation),
                    host::Status::kNotSupported);
    *clone = handle_of(*graph_of(graph).clone().release());
  });
}

GPULOOM_CUDA int cudaGraphNodeFindInClone(NodeHandle* node, NodeHandle original, GraphHandle clone) {
  return call([&](host::Runtime&, host::Context&) {
    host::require(node != nullptr);
    host::GraphNode* found = graph_of(clone).node_of(node_of(original).id);
    host::require(found != nullptr);
    *node = handle_of(*found);
  });
}

GPULOOM_CUDA int cudaGraphGetNodes(GraphHandle graph, NodeHandle* nodes, size_t* count) {
  return call([&](host::Runtime&, host::Context&) {
    const auto& all = graph_of(graph).nodes();
    list(nodes, count, all.size(), [&](size_t k) { return handle_of(*all[k]); });
  });
}

GPULOOM_CUDA int cudaGraphGetRootNodes(GraphHandle graph, NodeHandle* nodes, size_t* count) {
  return call([&](host::Runtime&, host::Context&) {
    std::vector<host::GraphNode*> roots;
    for (const auto& node : graph_of(graph).nodes())
      if (node->from.empty()) roots.push_back(node.get());
    list(nodes, count, roots.size(), [&](size_t k) { return handle_of(*roots[k]); });
  });
}

GPULOOM_CUDA int cudaGraphGetEdges(GraphHandle graph, NodeHandle* from, NodeHandle* to, EdgeData* data,
                                   size_t* count) {
  return call([&](host::Runtime&, host::Context&) {
    host::require(count != nullptr && (from == nullptr) == (to == nullptr));
    std::vector<std::pair<host::GraphNode*, host::GraphNode*>> edges;
    for (const auto& node : graph_of(graph).nodes())
      for (host::GraphNode* after : node->to) edges.emplace_back(node.get(), after);
    const size_t room = *count;
    list(from, count, edges.size(), [&](size_t k) { return handle_of(*edges[k].first); });
    for (size_t k = 0; to != nullptr && k < room; ++k)
      to[k] = k < edges.size() ? handle_of(*edges[k].second) : nullptr;
    for (size_t k = 0; data != nullptr && k < std::min(*count, edges.size()); ++k)
      data[k] = edge_of(*edges[k].first, *edges[k].second);
  });
}

GPULOOM_CUDA int cudaGraphNodeGetDependencies(NodeHandle node, NodeHandle* from, EdgeData* data,
                                              size_t* count) {
  return call([&](host::Runtime&, host::Context&) {
    const auto& before = node_of(node).from;
    list(from, count, before.size(), [&](size_t k) { return handle_of(*before[k]); });
    for (size_t k = 0; data != nullptr && k < std::min(*count, before.size()); ++k)
      data[k] = edge_of(*before[k], node_of(node));
  });
}

GPULOOM_CUDA int cudaGraphNodeGetDependentNodes(NodeHandle node, NodeHandle* to, EdgeData* data,
                                                size_t* count) {
  return call([&](host::Runtime&, host::Context&) {
    const auto& after = node_of(node).to;
    list(to, count, after.size(), [&](size_t k) { return handle_of(*after[k]); });
    for (size_t k = 0; data != nullptr && k < std::min(*count, after.size()); ++k)
      data[k] = edge_of(node_of(node), *after[k]);
  });
}

GPULOOM_CUDA int cudaGraphAddDependencies(GraphHandle graph, const NodeHandle* from, const NodeHandle* to,
                                          const EdgeData* data, size_t count) {
  return call([&](host::Runtime&, host::Context&) {
    for (size_t k = 0; k < count; ++k) {
      graph_of(graph).connect(node_of(from[k]), node_of(to[k]));
      if (data != nullptr) set_edge(node_of(from[k]), node_of(to[k]), data[k]);
    }
  });
}

GPULOOM_CUDA int cudaGraphRemoveDependencies(GraphHandle graph, const NodeHandle* from, const NodeHandle* to,
                                             const EdgeData*, size_t count) {
  return call([&](host::Runtime&, host::Context&) {
    for (size_t k = 0; k < count; ++k) graph_of(graph).disconnect(node_of(from[k]), node_of(to[k]));
  });
}

GPULOOM_CUDA int cudaGraphDestroyNode(NodeHandle node) {
  return call([&](host::Runtime&, host::Context&) {
    host::GraphNode& n = node_of(node);
    n.graph->remove(n);
  });
}

GPULOOM_CUDA int cudaGraphNodeGetType(NodeHandle node, int* type) {
  return call([&](host::Runtime&, host::Context&) {
    host::require(type != nullptr);
    *type = type_of(node_of(node).operation);
  });
}

GPULOOM_CUDA int cudaGraphDebugDotPrint(GraphHandle graph, const char* path, unsigned) {
  return call([&](host::Runtime&, host::Context&) {
    host::require(path != nullptr);
    sim::write_file(path, graph_of(graph).dot());
  });
}

GPULOOM_CUDA int cudaGraphInstantiate(GraphExecHandle* exec, GraphHandle graph, unsigned long long flags) {
  return instantiate(exec, graph, flags);
}

GPULOOM_CUDA int cudaGraphInstantiateWithFlags(GraphExecHandle* exec, GraphHandle graph,
                                               unsigned long long flags) {
  return instantiate(exec, graph, flags);
}

GPULOOM_BOTH(cudaGraphInstantiateWithParams, _ptsz,
             (GraphExecHandle * exec, GraphHandle graph, InstantiateParams* params), exec, graph, params) {
  static_cast<void>(defaults);
  const int status = instantiate(exec, graph, params->flags);
  params->failed = nullptr;
  params->result = status == 0 ? 0 : 1;
  return status;
}

GPULOOM_CUDA int cudaGraphExecGetFlags(GraphExecHandle exec, unsigned long long* flags) {
  return call([&](host::Runtime&, host::Context&) { *flags = exec_of(exec).flags(); });
}

GPULOOM_BOTH(cudaGraphLaunch, _ptsz, (GraphExecHandle exec, StreamHandle stream), exec, stream) {
  return call(
      [&](host::Runtime&, host::Context& c) { c.launch(exec_of(exec), stream_of(c, stream, defaults)); });
}

// Nothing to bring to the device beforehand.
GPULOOM_BOTH(cudaGraphUpload, _ptsz, (GraphExecHandle exec, StreamHandle stream), exec, stream) {
  return call([&](host::Runtime&, host::Context& c) {
    exec_of(exec);
    stream_of(c, stream, defaults);
  });
}

GPULOOM_CUDA int cudaGraphExecDestroy(GraphExecHandle exec) {
  return call([&](host::Runtime&, host::Context& c) {
    not_in_capture(c);
    delete &exec_of(exec);
  });
}

GPULOOM_CUDA int cudaGraphExecUpdate(GraphExecHandle exec, GraphHandle graph, UpdateInfo* info) {
  return call([&](host::Runtime&, host::Context&) {
    const host::GraphNode* failed = nullptr;
    const host::UpdateResult result = exec_of(exec).update(graph_of(graph), failed);
    if (info != nullptr) {
      *info = {};
      info->result = static_cast<int>(result);
      info->failed = reinterpret_cast<NodeHandle>(const_cast<host::GraphNode*>(failed));
    }
    host::require(result == host::UpdateResult::kSuccess, Status::kGraphExecUpdateFailure);
  });
}

GPULOOM_CUDA int cudaGraphNodeSetEnabled(GraphExecHandle exec, NodeHandle node, unsigned enabled) {
  return call(
      [&](host::Runtime&, host::Context&) { exec_of(exec).node_of(node_of(node)).enabled = enabled != 0; });
}

GPULOOM_CUDA int cudaGraphNodeGetEnabled(GraphExecHandle exec, NodeHandle node, unsigned* enabled) {
  return call([&](host::Runtime&, host::Context&) {
    *enabled = exec_of(exec).node_of(node_of(node)).enabled ? 1 : 0;
  });
}

}  // namespace gpuloom::cudart
