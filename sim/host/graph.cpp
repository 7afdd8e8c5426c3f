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
  forget(to.dependent, &from);
}

void Graph::remove(GraphNode& node) {
  require(has(&node));
  for (GraphNode* before : node.from) forget(before->to, &node);
  for (GraphNode* after : node.to) {
    forget(after->from, &node);
    forget(after->dependent, &node);
  }
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
    same.device = node->device;
  }
  for (size_t i = 0; i < nodes_.size(); ++i)
    for (const GraphNode* after : nodes_[i]->to)
      graph->connect(*graph->nodes_[i], *graph->nodes_[index_.at(after)]);
  for (size_t i = 0; i < nodes_.size(); ++i)
    for (const GraphNode* before : nodes_[i]->dependent)
      graph->nodes_[i]->dependent.push_back(graph->nodes_[index_.at(before)].get());
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

std::shared_ptr<const int> Graph::claim_memory() {
  if (std::none_of(nodes_.begin(), nodes_.end(),
                   [](const auto& n) { return std::holds_alternative<Allocate>(n->operation); }))
    return nullptr;
  require(memory_claimed_.expired(), Status::kNotSupported);
  auto claim = std::make_shared<const int>();
  memory_claimed_ = claim;
  return claim;
}

GraphExec::GraphExec(Graph& graph, uint64_t flags)
    : memory_(graph.claim_memory()), graph_(graph.clone()), order_(graph_->order()), flags_(flags) {}

GraphNode& GraphExec::node_of(const GraphNode& original) {
  GraphNode* node = graph_->node_of(original.id);
  require(node != nullptr);
  return *node;
}

UpdateResult GraphExec::update(const Graph& graph, const GraphNode*& failed) {
  failed = nullptr;
  const auto &mine = graph_->nodes(), &theirs = graph.nodes();
  if (mine.size() != theirs.size()) return UpdateResult::kTopologyChanged;
  // Nodes are paired from those that nothing depends on, in the order of their making, back along their edges
  // in order (CUDA runtime API, cudaGraphExecUpdate; H200: tests/cuda/rules).
  std::vector<std::pair<GraphNode*, const GraphNode*>> pairs;
  std::unordered_map<const GraphNode*, const GraphNode*> partner;
  const auto pair = [&](GraphNode* of_mine, const GraphNode* of_theirs) {
    const auto [at, fresh] = partner.emplace(of_mine, of_theirs);
    if (fresh) pairs.emplace_back(of_mine, of_theirs);
    return at->second == of_theirs;
  };
  const auto last_of = [](const auto& nodes) {
    std::vector<GraphNode*> last;
    for (const auto& n : nodes)
      if (n->to.empty()) last.push_back(n.get());
    return last;
  };
  const auto my_last = last_of(mine), their_last = last_of(theirs);
  if (my_last.size() != their_last.size()) return UpdateResult::kTopologyChanged;
  for (size_t k = 0; k < my_last.size(); ++k) pair(my_last[k], their_last[k]);
  for (size_t i = 0; i < pairs.size(); ++i) {
    const auto [a, b] = pairs[i];
    failed = b;
    if (a->operation.index() != b->operation.index()) return UpdateResult::kNodeTypeChanged;
    if (a->from.size() != b->from.size()) return UpdateResult::kTopologyChanged;
    for (size_t k = 0; k < a->from.size(); ++k)
      if (!pair(a->from[k], b->from[k])) return UpdateResult::kTopologyChanged;
    if (std::holds_alternative<Allocate>(a->operation) || a->device != b->device)
      return UpdateResult::kNotSupported;
  }
  failed = nullptr;
  for (const auto& [a, b] : pairs) {
    a->operation = copied(b->operation);
    a->id = b->id;
  }
  return UpdateResult::kSuccess;
}

}  // namespace gpuloom::host
