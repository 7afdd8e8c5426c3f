// SPDX-License-Identifier: Apache-2.0
#include "sim/host/graph.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>

#include "base/demangle.h"
#include "sim/host/status.h"

namespace gpuloom::host {
namespace {

// Clones keep ids, so ids must differ between graphs too.
uint64_t next_id() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

void forget(std::vector<GraphNode*>& nodes, const GraphNode* node) { std::erase(nodes, node); }

Operation copied(const Operation& operation) {
  if (const auto* child = std::get_if<ChildGraph>(&operation)) return ChildGraph{child->graph->clone()};
  if (const auto* conditional = std::get_if<Conditional>(&operation)) {
    Conditional copy = *conditional;
    for (std::shared_ptr<Graph>& body : copy.bodies) body = body->clone();
    return copy;
  }
  return operation;
}

std::string label(const GraphNode& node) {
  static constexpr const char* kNames[] = {"empty",      "kernel",    "memcpy",      "memset",
                                           "host",       "host",      "child graph", "event record",
                                           "event wait", "mem alloc", "mem free",    "conditional"};
  if (const auto* launch = std::get_if<Launch>(&node.operation))
    return "kernel " + short_name(launch->function->name);
  return kNames[node.operation.index()];
}

}  // namespace

GraphNode& Graph::add(Operation operation, const std::vector<GraphNode*>& from) {
  for (size_t i = 0; i < from.size(); ++i)
    require(has(from[i]) && std::find(from.begin(), from.begin() + static_cast<ptrdiff_t>(i), from[i]) ==
                                from.begin() + static_cast<ptrdiff_t>(i));
  auto node = std::make_unique<GraphNode>();
  node->id = next_id();
  node->graph = this;
  node->operation = std::move(operation);
  GraphNode& added = *node;
  index_[&added] = nodes_.size();
  nodes_.push_back(std::move(node));
  for (GraphNode* before : from) connect(*before, added);
  return added;
}

void Graph::connect(GraphNode& from, GraphNode& to) {
  require(has(&from) && has(&to) && &from != &to);
  require(std::find(from.to.begin(), from.to.end(), &to) == from.to.end());
  from.to.push_back(&to);
  to.from.push_back(&from);
}

void Graph::disconnect(GraphNode& from, GraphNode& to) {
  require(has(&from) && has(&to));
  require(std::find(from.to.begin(), from.to.end(), &to) != from.to.end());
  forget(from.to, &to);
  forget(to.from, &from);
}

void Graph::remove(GraphNode& node) {
  require(has(&node));
  for (GraphNode* before : node.from) forget(before->to, &node);
  for (GraphNode* after : node.to) forget(after->from, &node);
  index_.erase(&node);
  std::erase_if(nodes_, [&](const auto& n) { return n.get() == &node; });
  for (size_t i = 0; i < nodes_.size(); ++i) index_[nodes_[i].get()] = i;
}

std::vector<GraphNode*> Graph::order() const {
  std::vector<size_t> waits(nodes_.size());
  std::vector<GraphNode*> ready, ordered;
  for (size_t i = 0; i < nodes_.size(); ++i)
    if ((waits[i] = nodes_[i]->from.size()) == 0) ready.push_back(nodes_[i].get());
  for (size_t at = 0; at < ready.size(); ++at) {
    GraphNode* node = ready[at];
    ordered.push_back(node);
    for (GraphNode* after : node->to)
      if (--waits[index_.at(after)] == 0) ready.push_back(after);
  }
  require(ordered.size() == nodes_.size());
  return ordered;
}

std::unique_ptr<Graph> Graph::clone() const {
  auto graph = std::make_unique<Graph>();
  for (const auto& node : nodes_) {
    GraphNode& same = graph->add(copied(node->operation), {});
    same.id = node->id;
    same.enabled = node->enabled;
  }
  for (size_t i = 0; i < nodes_.size(); ++i)
    for (const GraphNode* after : nodes_[i]->to)
      graph->connect(*graph->nodes_[i], *graph->nodes_[index_.at(after)]);
  return graph;
}

GraphNode* Graph::node_of(uint64_t id) const {
  for (const auto& node : nodes_)
    if (node->id == id) return node.get();
  return nullptr;
}

std::string Graph::dot() const {
  std::string text = "digraph dot {\n";
  for (size_t i = 0; i < nodes_.size(); ++i)
    text += fmt::format("  n{} [label=\"{}: {}\"];\n", i, i, label(*nodes_[i]));
  for (size_t i = 0; i < nodes_.size(); ++i)
    for (const GraphNode* after : nodes_[i]->to) text += fmt::format("  n{} -> n{};\n", i, index_.at(after));
  return text + "}\n";
}

GraphExec::GraphExec(const Graph& graph, uint64_t flags)
    : graph_(graph.clone()), order_(graph_->order()), flags_(flags) {}

GraphNode& GraphExec::node_of(const GraphNode& original) {
  GraphNode* node = graph_->node_of(original.id);
  require(node != nullptr);
  return *node;
}

UpdateResult GraphExec::update(const Graph& graph, const GraphNode*& failed) {
  failed = nullptr;
  const auto &mine = graph_->nodes(), &theirs = graph.nodes();
  if (mine.size() != theirs.size()) return UpdateResult::kTopologyChanged;
  std::unordered_map<const GraphNode*, size_t> place;
  for (size_t i = 0; i < mine.size(); ++i) place[mine[i].get()] = place[theirs[i].get()] = i;
  for (size_t i = 0; i < mine.size(); ++i) {
    failed = theirs[i].get();
    if (mine[i]->operation.index() != theirs[i]->operation.index()) return UpdateResult::kNodeTypeChanged;
    if (mine[i]->from.size() != theirs[i]->from.size()) return UpdateResult::kTopologyChanged;
    for (size_t k = 0; k < mine[i]->from.size(); ++k)
      if (place.at(mine[i]->from[k]) != place.at(theirs[i]->from[k])) return UpdateResult::kTopologyChanged;
    if (std::holds_alternative<Allocate>(mine[i]->operation)) return UpdateResult::kNotSupported;
  }
  failed = nullptr;
  for (size_t i = 0; i < mine.size(); ++i) {
    mine[i]->operation = copied(theirs[i]->operation);
    mine[i]->id = theirs[i]->id;
  }
  return UpdateResult::kSuccess;
}

}  // namespace gpuloom::host
