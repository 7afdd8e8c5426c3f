// SPDX-License-Identifier: Apache-2.0
// What a wide store writes stands in consecutive registers (SASS of local_array: STL.128 R20). A value that
// it writes twice, a constant, and a value that must stand elsewhere for another access are moved there first
// (SASS of bank_stride128: three MOV in front of STS.128).
#include <algorithm>

#include "ptx/machine/graph.h"
#include "ptx/machine/node_questions.h"

namespace gpuloom::ptx {

namespace {

class TupleMaker {
 public:
  explicit TupleMaker(Graph& g) : g_(g), taken_(g.registers.size(), 0) {}

  void run() {
    for (const std::vector<Node>& nodes : g_.blocks) {
      for (const Node& n : nodes) {
        if (!loads_pair(g_, n)) continue;
        for (const uint32_t v : n.defs) taken_[v] = 1;
        loaded_.push_back(n.defs);
      }
    }
    for (std::vector<Node>& nodes : g_.blocks) {
      for (size_t k = 0; k < nodes.size(); ++k) {
        if (nodes[k].tuple.size() >= 2) k += gather(nodes, k);
      }
    }
  }

 private:
  // Returns how many moves went in front of the store.
  size_t gather(std::vector<Node>& nodes, size_t at) {
    std::vector<uint32_t>& tuple = nodes[at].tuple;
    if (std::find(loaded_.begin(), loaded_.end(), tuple) != loaded_.end()) return 0;
    if (std::all_of(tuple.begin(), tuple.end(), [](uint32_t v) { return v == kNoVirtual; })) {
      tuple.clear();  // zeros come from RZ
      return 0;
    }
    std::vector<Node> moves;
    for (uint32_t& v : tuple) {
      const bool free = v != kNoVirtual && taken_[v] == 0 && g_.registers[v].fixed == kNoRegister &&
                        !g_.registers[v].uniform;
      if (free) {
        taken_[v] = 1;
        continue;
      }
      Node move;
      move.op = OpClass::mov;
      move.decoded = nodes[at].decoded;
      if (v != kNoVirtual) move.uses = {v};
      v = add(v == kNoVirtual ? uint8_t{1} : g_.registers[v].words);
      move.defs = {v};
      nodes[at].uses.push_back(v);
      moves.push_back(std::move(move));
    }
    loaded_.push_back(tuple);
    nodes.insert(nodes.begin() + static_cast<ptrdiff_t>(at), moves.begin(), moves.end());
    return moves.size();
  }

  uint32_t add(uint8_t words) {
    g_.registers.push_back({words, false, kNoRegister});
    taken_.push_back(1);
    return static_cast<uint32_t>(g_.registers.size() - 1);
  }

  Graph& g_;
  std::vector<uint8_t> taken_;                 // stands in a tuple
  std::vector<std::vector<uint32_t>> loaded_;  // tuples that exist
};

}  // namespace

std::vector<std::vector<uint32_t>> consecutive_registers(const Graph& g) {
  std::vector<std::vector<uint32_t>> groups;
  std::vector<uint8_t> grouped(g.registers.size(), 0);
  // Predicates and uniform registers, which an operation may write besides, are of other files.
  const auto add = [&](std::vector<uint32_t> values) {
    const auto other = [&](uint32_t v) { return g.registers[v].words == 0 || g.registers[v].uniform; };
    values.erase(std::remove_if(values.begin(), values.end(), other), values.end());
    const bool fresh =
        std::none_of(values.begin(), values.end(), [&](uint32_t v) { return grouped[v] != 0; });
    if (values.size() < 2 || !fresh) return;
    for (const uint32_t v : values) grouped[v] = 1;
    groups.push_back(std::move(values));
  };
  const auto for_nodes = [&](auto fn) {
    for (const std::vector<Node>& nodes : g.blocks) std::for_each(nodes.begin(), nodes.end(), fn);
  };
  for_nodes([&](const Node& n) {
    if (is_warpgroup_product(n.op))
      for (const std::vector<uint32_t>& row : n.rows) add(row);
  });
  for_nodes([&](const Node& n) {
    if (loads_pair(g, n)) add(n.defs);
  });
  for_nodes([&](const Node& n) {
    if (n.tuple.size() >= 2) add(n.tuple);
  });
  for_nodes([&](const Node& n) {
    for (const std::vector<uint32_t>& row : n.rows) add(row);
  });
  for_nodes([&](const Node& n) {
    if (n.op == OpClass::cs2r) add(n.defs);
  });
  return groups;
}

void make_tuples(Graph& g) { TupleMaker(g).run(); }

}  // namespace gpuloom::ptx
