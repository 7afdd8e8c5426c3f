// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/result_lines.h"

#include <algorithm>

#include "ptx/machine/node_questions.h"

namespace gpuloom::ptx {

namespace {

// By node: what it needs, in the order in which it is to be made.
std::vector<std::vector<uint32_t>> needs_in_order(const Edges& before, const std::vector<uint32_t>* size) {
  std::vector<std::vector<uint32_t>> above(before.size());
  std::vector<uint32_t> most(before.size(), 0);  // registers that making it takes
  for (uint32_t k = 0; k < before.size(); ++k) {
    for (const auto& [from, lat] : before[k]) above[k].push_back(from);
    if (size == nullptr) continue;
    const auto passing = [&](uint32_t n) { return static_cast<int>(most[n]) - static_cast<int>((*size)[n]); };
    std::sort(above[k].begin(), above[k].end(), [&](uint32_t a, uint32_t b) {
      return passing(a) != passing(b) ? passing(a) > passing(b) : a < b;
    });
    above[k].erase(std::unique(above[k].begin(), above[k].end()), above[k].end());
    uint32_t held = 0;
    most[k] = (*size)[k];
    for (const uint32_t from : above[k]) {
      most[k] = std::max(most[k], held + most[from]);
      held += (*size)[from];
    }
    most[k] = std::max(most[k], held);
  }
  return above;
}

// Post-order over what the roots need.
class PostOrder {
 public:
  explicit PostOrder(std::vector<std::vector<uint32_t>> above)
      : above_(std::move(above)), seen_(above_.size(), 0) {}

  void visit(uint32_t root) {
    open(root);
    while (!open_.empty()) {
      Visit& top = open_.back();
      if (top.next != above_[top.node].size()) {
        open(above_[top.node][top.next++]);
        continue;
      }
      line.push_back(top.node);
      open_.pop_back();
    }
  }

  std::vector<uint32_t> line;

 private:
  struct Visit {
    uint32_t node;
    size_t next;
  };

  void open(uint32_t node) {
    if (seen_[node] != 0) return;
    seen_[node] = 1;
    open_.push_back({node, 0});
  }

  std::vector<std::vector<uint32_t>> above_;
  std::vector<uint8_t> seen_;
  std::vector<Visit> open_;
};

}  // namespace

std::vector<uint32_t> results_of(const std::vector<Node>& nodes, const BlockEdges& edges) {
  std::vector<uint32_t> results;
  for (uint32_t k = 0; k < nodes.size(); ++k) {
    const bool is_result = std::all_of(edges.after[k].begin(), edges.after[k].end(), [&](const auto& edge) {
      return nodes[edge.first].ends || is_block_barrier(nodes[edge.first].op);
    });
    if (is_result) results.push_back(k);
  }
  return results;
}

std::vector<uint32_t> latest_users_first(std::vector<uint32_t> results, const BlockEdges& edges,
                                         const Edges& before) {
  constexpr uint32_t kShared = kNoNode - 1;
  const size_t count = before.size();
  std::vector<uint32_t> depth(count, 0), owner(count, kNoNode), uses(count, 0);
  std::vector<uint64_t> depths(count, 0);  // by result: of the operations that use what it shares
  for (const uint32_t k : results) owner[k] = k;
  for (uint32_t k = 0; k < count; ++k)
    for (const auto& [from, lat] : before[k]) depth[k] = std::max(depth[k], depth[from] + 1);
  for (size_t k = count; k-- > 0;) {
    for (const auto& [to, lat] : edges.after[k]) {
      if (owner[k] == kNoNode) owner[k] = owner[to];
      if (owner[k] != owner[to]) owner[k] = kShared;
    }
    if (owner[k] != kShared) continue;
    for (const auto& [to, lat] : edges.after[k]) {
      if (owner[to] >= kShared) continue;
      depths[owner[to]] += depth[to];
      ++uses[owner[to]];
    }
  }
  const auto mean = [&](uint32_t k) { return uses[k] == 0 ? 0.0 : static_cast<double>(depths[k]) / uses[k]; };
  std::stable_sort(results.begin(), results.end(), [&](uint32_t a, uint32_t b) { return mean(a) > mean(b); });
  return results;
}

std::vector<uint32_t> deep_line(const Edges& before, const std::vector<uint32_t>* size,
                                const std::vector<uint32_t>& results) {
  PostOrder order(needs_in_order(before, size));
  for (const uint32_t k : results) order.visit(k);
  for (uint32_t k = 0; k < before.size(); ++k) order.visit(k);
  return std::move(order.line);
}

std::vector<uint32_t> thrifty_line(const std::vector<uint32_t>& line, const BlockEdges& edges,
                                   Pressure& pressure, ReadyQueue& queue,
                                   const std::vector<ReadyQueue::Kind>& kinds) {
  std::vector<uint32_t> place(line.size()), waiting = edges.waiting, out;
  for (uint32_t k = 0; k < line.size(); ++k) place[line[k]] = k;
  pressure.restart();
  queue.restart(place, kinds, pressure.most_change(), &line);
  const auto adds = [&](uint32_t node) { return pressure.change(node).registers; };
  for (uint32_t k = 0; k < line.size(); ++k) {
    if (waiting[k] == 0) queue.add(k, 0, adds(k));
  }
  while (!queue.empty()) {
    uint32_t k = queue.most_urgent({0, 0, 0, 0});
    if (k == kNoNode) k = queue.first();
    queue.remove(k);
    pressure.issue(k);
    out.push_back(k);
    for (const auto& [to, lat] : edges.after[k]) {
      if (--waiting[to] == 0) queue.add(to, 0, adds(to));
    }
    pressure.for_altered([&](uint32_t other) {
      if (queue.has(other)) queue.set_change(other, adds(other));
    });
  }
  return out;
}

}  // namespace gpuloom::ptx
