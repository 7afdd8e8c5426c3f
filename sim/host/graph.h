// SPDX-License-Identifier: Apache-2.0
// Graphs: work with its dependences, made node by node or by capturing streams, and carried out as a whole.
#pragma once
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "sim/host/conditional.h"
#include "sim/host/copy.h"
#include "sim/host/launch.h"
#include "sim/streams/stream.h"

namespace gpuloom::host {

class Graph;

struct HostCall {
  void (*function)(void*) = nullptr;
  void* data = nullptr;
};
// A host function that is told of errors: cudaStreamAddCallback.
struct HostCallback {
  void (*function)(void* stream, int status, void* data) = nullptr;
  void *stream = nullptr, *data = nullptr;
};
struct Nothing {};
struct ChildGraph {
  std::shared_ptr<Graph> graph;
};
struct EventRecord {
  Event* event = nullptr;
};
struct EventWait {
  Event* event = nullptr;
};
// Memory that a graph allocates: it has its address from the node's making on.
struct Allocate {
  uint64_t address = 0, bytes = 0;
};
struct Release {
  uint64_t address = 0;
};

// A graph or none of several, by a value that kernels set (cudaGraphSetConditional).
struct Conditional {
  enum class Kind : int { kIf = 0, kWhile = 1, kSwitch = 2 };
  std::shared_ptr<const ConditionalValue> value;
  Kind kind = Kind::kIf;
  std::vector<std::shared_ptr<Graph>> bodies;
  std::shared_ptr<std::vector<Graph*>> for_program;  // the array of its bodies that the program gets
};

// What a stream or a graph can be asked to do.
using Operation = std::variant<Nothing, Launch, Copy, Fill, HostCall, HostCallback, ChildGraph, EventRecord,
                               EventWait, Allocate, Release, Conditional>;

struct GraphNode {
  uint64_t id = 0;  // the same in clones
  Graph* graph = nullptr;
  Operation operation;
  std::vector<GraphNode*> from, to;  // that it depends on, that depend on it
  // Of `from`, launches that let this one begin before they end (edges of the programmatic type).
  std::vector<GraphNode*> dependent;
  bool enabled = true;
  unsigned device = 0;           // whose work it is
  std::vector<void*> arguments;  // into a launch's parameters, for who asks for them
};

class Graph {
 public:
  Graph() = default;
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  // Throws Failure (kInvalidValue) where a dependence is of another graph or named twice.
  GraphNode& add(Operation operation, const std::vector<GraphNode*>& from);
  void connect(GraphNode& from, GraphNode& to);
  void disconnect(GraphNode& from, GraphNode& to);
  void remove(GraphNode& node);
  bool has(const GraphNode* node) const { return index_.contains(node); }

  const std::vector<std::unique_ptr<GraphNode>>& nodes() const { return nodes_; }
  // Held by what is instantiated of a graph with memory nodes: one at a time (CUDA C++ guide, graph memory
  // nodes; H200).
  std::shared_ptr<const int> claim_memory();
  // A value that was made for this graph lives as long as it, whether or not a node has taken it yet.
  void keep(std::shared_ptr<const ConditionalValue> value) { conditionals_.push_back(std::move(value)); }
  // Nodes so that each comes after all that it depends on, in the order of their making where that leaves a
  // choice. Throws Failure (kInvalidValue) where there is a cycle.
  std::vector<GraphNode*> order() const;
  // A copy, child graphs included. Nodes keep their ids.
  std::unique_ptr<Graph> clone() const;
  GraphNode* node_of(uint64_t id) const;  // null: none
  // As Graphviz takes it.
  std::string dot() const;

 private:
  std::weak_ptr<const int> memory_claimed_;
  std::vector<std::unique_ptr<GraphNode>> nodes_;
  std::unordered_map<const GraphNode*, size_t> index_;
  std::vector<std::shared_ptr<const ConditionalValue>> conditionals_;
};

// Why an executable graph cannot become another one; values of cudaGraphExecUpdateResult.
enum class UpdateResult : int {
  kSuccess = 0,
  kError = 1,
  kTopologyChanged = 2,
  kNodeTypeChanged = 3,
  kFunctionChanged = 4,
  kParametersChanged = 5,
  kNotSupported = 6,
};

// An instantiated graph: a copy of its own, in the order of execution.
class GraphExec {
 public:
  explicit GraphExec(Graph& graph, uint64_t flags);

  const std::vector<GraphNode*>& order() const { return order_; }
  // The node that stands for one of the graph that this was made from. Throws Failure (kInvalidValue).
  GraphNode& node_of(const GraphNode& original);
  // Takes over the parameters of a graph of the same shape.
  UpdateResult update(const Graph& graph, const GraphNode*& failed);
  uint64_t flags() const { return flags_; }
  // The end of its latest launch, on the machine: it does not run beside itself.
  std::shared_ptr<WorkElsewhere> last_launch = std::make_shared<WorkElsewhere>();

 private:
  std::shared_ptr<const int> memory_;  // of the graph that it was made of
  std::unique_ptr<Graph> graph_;
  std::vector<GraphNode*> order_;
  uint64_t flags_;
};

}  // namespace gpuloom::host
