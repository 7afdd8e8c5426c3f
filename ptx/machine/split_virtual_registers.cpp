// SPDX-License-Identifier: Apache-2.0
// A virtual register that holds several unrelated values is split into one for each: a value with all its
// uses, and all definitions that reach a common use, is a web (Muchnick, "Advanced Compiler Design and
// Implementation", 16.2.2). ptxas works on such values too, so a name that nvcc uses again does not bind the
// schedule or lengthen a register's life.
#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "ptx/machine/graph.h"
#include "ptx/machine/node_questions.h"

namespace gpuloom::ptx {

namespace {

class Splitter {
 public:
  explicit Splitter(Graph& g)
      : g_(g), live_(virtual_liveness(g)), at_entry_(g.blocks.size()), at_exit_(g.blocks.size()) {}

  void run() {
    for (uint32_t b = 0; b < g_.blocks.size(); ++b) {
      live_.in[b].for_each([&](uint32_t v) { at_entry_[b][v] = piece(v); });
    }
    for (uint32_t b = 0; b < g_.blocks.size(); ++b) walk(b);
    for (uint32_t b = 0; b < g_.blocks.size(); ++b) {
      for (const uint32_t s : g_.flow.successors[b]) {
        for (const auto& [v, entry] : at_entry_[s]) {
          if (const auto it = at_exit_[b].find(v); it != at_exit_[b].end()) unite(it->second, entry);
        }
      }
    }
    rename();
  }

 private:
  uint32_t piece(uint32_t v) {
    const auto made = static_cast<uint32_t>(parent_.size());
    parent_.push_back(made);
    register_of_.push_back(v);
    if (g_.registers[v].whole) unite(made, first_of_.try_emplace(v, made).first->second);
    return made;
  }
  uint32_t find(uint32_t p) {
    while (parent_[p] != p) p = parent_[p] = parent_[parent_[p]];
    return p;
  }
  // The smaller number stands for both, so that the result does not depend on the order.
  void unite(uint32_t a, uint32_t b) {
    a = find(a);
    b = find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

  // A warp group's multiplication adds to the registers that it reads, while others wait for it.
  static bool adds_in_place(const Node& n, uint32_t v) {
    return is_warpgroup_product(n.op) && std::find(n.uses.begin(), n.uses.end(), v) != n.uses.end();
  }

  // Pieces of each operand are left in its place until rename().
  void walk(uint32_t b) {
    std::unordered_map<uint32_t, uint32_t> now = at_entry_[b];
    const auto current = [&](uint32_t v) {
      const auto [it, is_new] = now.try_emplace(v, 0);
      if (is_new) it->second = piece(v);
      return it->second;
    };
    for (Node& n : g_.blocks[b]) {
      std::vector<uint32_t> uses;
      uses.reserve(n.uses.size());
      for (const uint32_t v : n.uses) uses.push_back(current(v));
      for (uint32_t& v : n.tuple) v = v == kNoVirtual ? v : current(v);
      const bool has_results = !n.rows.empty() && n.rows.back() == n.defs;  // as the last of its rows
      for (size_t k = 0; k + (has_results ? 1 : 0) < n.rows.size(); ++k)
        for (uint32_t& v : n.rows[k]) v = current(v);
      for (uint32_t& v : n.defs) {
        const bool old = n.guarded && !n.fresh;  // the old value stays in some lanes
        const bool keeps = (old || adds_in_place(n, v)) && now.count(v) != 0;
        const uint32_t of = v;
        v = piece(of);
        if (keeps) unite(v, now[of]);
        now[of] = v;
      }
      if (has_results) n.rows.back() = n.defs;
      n.uses = std::move(uses);
    }
    at_exit_[b] = std::move(now);
  }

  void rename() {
    std::vector<uint32_t> name(parent_.size(), kNoVirtual);
    std::vector<uint8_t> taken(g_.registers.size(), 0);
    for (uint32_t p = 0; p < parent_.size(); ++p) {
      const uint32_t root = find(p), v = register_of_[root];
      if (name[root] == kNoVirtual) {
        if (taken[v] == 0) {
          name[root] = v;
          taken[v] = 1;
        } else {
          name[root] = static_cast<uint32_t>(g_.registers.size());
          g_.registers.push_back(g_.registers[v]);
        }
      }
      name[p] = name[root];
    }
    for (std::vector<Node>& nodes : g_.blocks) {
      for (Node& n : nodes) {
        for (uint32_t& v : n.uses) v = name[v];
        for (uint32_t& v : n.tuple) v = v == kNoVirtual ? v : name[v];
        for (uint32_t& v : n.defs) v = name[v];
        for (std::vector<uint32_t>& row : n.rows)
          for (uint32_t& v : row) v = name[v];
      }
    }
  }

  Graph& g_;
  VirtualLiveness live_;
  std::vector<std::unordered_map<uint32_t, uint32_t>> at_entry_, at_exit_;
  std::vector<uint32_t> parent_, register_of_;
  std::unordered_map<uint32_t, uint32_t> first_of_;  // by register that is not split: its first piece
};

}  // namespace

void split_webs(Graph& g) { Splitter(g).run(); }

}  // namespace gpuloom::ptx
