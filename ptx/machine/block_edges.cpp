// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/block_edges.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "ptx/machine/dependence.h"
#include "ptx/machine/latency.h"
#include "ptx/machine/node_questions.h"

namespace gpuloom::ptx {

namespace {

class EdgeFinder {
 public:
  EdgeFinder(const Graph& g, uint32_t b) : g_(g), b_(b), nodes_(g.blocks[b]) {
    edges_.after.resize(nodes_.size());
    edges_.waiting.assign(nodes_.size(), 0);
  }

  BlockEdges run() {
    order_decoded();
    order_parts();
    order_expansions();
    order_registers();
    order_halves();
    delay_constants();
    order_barriers();
    order_branches();
    order_exchanges();
    order_frame();
    order_clocks();
    return std::move(edges_);
  }

 private:
  void edge(uint32_t from, uint32_t to, uint32_t latency) {
    if (from == to) return;
    edges_.after[from].push_back({to, latency});
    ++edges_.waiting[to];
  }

  uint32_t latency(const Node& from, uint32_t v, const Node& to) const {
    const uint32_t usual = fixed_latency(*g_.model, from);
    if (!has_variable_latency(*g_.model, from) && only_keeps(*g_.model, to, v)) return 1;
    return has_variable_latency(*g_.model, from) ? usual : usual + extra_latency(g_, from.op, v, to);
  }

  // Dependences of decoded instructions, seen through those that no operation carries.
  void order_decoded() {
    const uint32_t first = g_.flow.blocks[b_].first;
    const auto before = block_dependences(g_, b_);
    std::vector<uint32_t> carrier(before.size(), UINT32_MAX);
    for (uint32_t k = 0; k < nodes_.size(); ++k) {
      if (nodes_[k].carries) carrier[nodes_[k].decoded - first] = k;
      for (const uint32_t i : nodes_[k].also) carrier[i - first] = k;
    }
    // By instruction: carriers that must have issued before it.
    std::vector<std::vector<uint32_t>> carriers(before.size());
    for (uint32_t i = 0; i < before.size(); ++i) {
      for (const uint32_t k : before[i]) {
        if (carrier[k] != UINT32_MAX) {
          carriers[i].push_back(carrier[k]);
        } else {
          carriers[i].insert(carriers[i].end(), carriers[k].begin(), carriers[k].end());
        }
      }
      std::sort(carriers[i].begin(), carriers[i].end());
      carriers[i].erase(std::unique(carriers[i].begin(), carriers[i].end()), carriers[i].end());
      if (carrier[i] == UINT32_MAX) continue;
      for (const uint32_t c : carriers[i]) edge(c, carrier[i], 1);
    }
  }

  // Further parts of an instruction stand behind the one that carries it.
  void order_parts() {
    std::unordered_map<uint32_t, uint32_t> carrier;
    for (uint32_t k = 0; k < nodes_.size(); ++k) {
      if (nodes_[k].carries) carrier[nodes_[k].decoded] = k;
      if (nodes_[k].follows) edge(carrier.at(nodes_[k].decoded), k, 1);
    }
  }

  // What stands around an instruction (fences, empty operations) stays there: behind the accesses and ordered
  // operations before it, in front of those after it.
  void order_expansions() {
    uint32_t last = UINT32_MAX;
    std::vector<uint32_t> accesses;  // since then
    for (uint32_t k = 0; k < nodes_.size(); ++k) {
      const Node& n = nodes_[k];
      const bool accesses_memory =
          n.carries && n.memory && n.space != Space::kParam && n.space != Space::kConst;
      if (!n.ordered && !accesses_memory) continue;
      if (last != UINT32_MAX && !(n.carries && nodes_[last].carries)) edge(last, k, 1);
      if (!n.ordered) {
        accesses.push_back(k);
        continue;
      }
      if (!n.carries)
        for (const uint32_t a : accesses) edge(a, k, 1);
      accesses.clear();
      last = k;
    }
  }

  // Registers of the calling convention overlap: each of their words counts.
  template <class Fn>
  void for_words(uint32_t v, Fn fn) const {
    constexpr uint32_t kFixed = 1u << 31;
    const VirtualRegister& r = g_.registers[v];
    if (r.fixed == kNoRegister) return fn(v);
    for (uint32_t k = 0; k < r.words; ++k) fn(kFixed | (r.fixed + k));
  }

  // What the machine registers need; also orders the operations of one sequence.
  void order_registers() {
    std::unordered_map<uint32_t, uint32_t> writer;
    std::unordered_map<uint32_t, std::vector<uint32_t>> readers;
    for (uint32_t k = 0; k < nodes_.size(); ++k) {
      const Node& n = nodes_[k];
      for (const uint32_t v : n.uses) {
        for_words(v, [&](uint32_t word) {
          if (const auto it = writer.find(word); it != writer.end())
            edge(it->second, k, latency(nodes_[it->second], v, n));
          readers[word].push_back(k);
        });
      }
      for (const uint32_t v : n.defs) {
        for_words(v, [&](uint32_t word) {
          if (const auto it = writer.find(word); it != writer.end()) edge(it->second, k, 1);
          for (const uint32_t r : readers[word]) edge(r, k, 1);
          readers[word].clear();
          writer[word] = k;
        });
      }
      if (n.begins) {
        for (uint32_t j = k + 1; j < nodes_.size(); ++j) edge(k, j, 1);
      }
      if (n.ends) {
        for (uint32_t j = 0; j < k; ++j) edge(j, k, 1);
      }
    }
  }

  // Where a sum of 64 bits replaces one of its operands, its lower half does so too: it comes behind all that
  // read the old value.
  void order_halves() {
    for (uint32_t k = 1; k < nodes_.size(); ++k) {
      const Node& sum = nodes_[k];
      if (!adds_in_place(g_, nodes_[k - 1], sum)) continue;
      for (uint32_t r = 0; r + 1 < k; ++r) {
        if (has(nodes_[r].uses, sum.defs[0])) edge(r, k - 1, 1);
      }
    }
  }
  static bool has(const std::vector<uint32_t>& list, uint32_t v) {
    return std::find(list.begin(), list.end(), v) != list.end();
  }

  // A constant is moved to its register when what is used beside it is there (SASS of local_array, gelu_erf),
  // but not past a barrier or a branch, behind which that is made.
  void delay_constants() {
    uint32_t divided = 0;              // all that stands before this may not come behind it
    std::vector<uint32_t> divided_at;  // by node
    std::unordered_map<uint32_t, uint32_t> writer;
    std::vector<uint32_t> constants;  // whose use has not come yet
    for (uint32_t k = 0; k < nodes_.size(); ++k) {
      const Node& n = nodes_[k];
      if (divides(n)) divided = k;
      divided_at.push_back(divided);
      for (size_t c = 0; c < constants.size();) {
        const uint32_t made = nodes_[constants[c]].defs[0];
        if (std::find(n.uses.begin(), n.uses.end(), made) == n.uses.end()) {
          ++c;
          continue;
        }
        for (const uint32_t v : n.uses) {
          // Its last writer may be a guarded operation, which comes behind the constant.
          if (v == made) continue;
          const auto it = writer.find(v);
          if (it != writer.end() && !moves_constant(nodes_[it->second]) &&
              divided_at[it->second] <= constants[c] && !leads(constants[c], it->second))
            edge(it->second, constants[c], 1);
        }
        constants.erase(constants.begin() + static_cast<ptrdiff_t>(c));
      }
      for (const uint32_t v : n.defs) writer[v] = k;
      if (moves_constant(n)) constants.push_back(k);
    }
  }
  // Whether `to`, which stands later, waits for `from` (through registers of the calling convention, which
  // several values share).
  bool leads(uint32_t from, uint32_t to) const {
    if (from > to) return false;
    std::vector<uint32_t> open = {from};
    std::unordered_set<uint32_t> seen = {from};
    while (!open.empty()) {
      const uint32_t at = open.back();
      open.pop_back();
      for (const auto& [next, lat] : edges_.after[at]) {
        if (next == to) return true;
        if (next < to && seen.insert(next).second) open.push_back(next);
      }
    }
    return false;
  }
  static bool divides(const Node& n) { return is_barrier(n.op) || branches(n); }

  // ptxas lets work fall below a barrier but raises none above it, except that a comparison may pass one
  // (SASS of reduce_sequential, matmul_tiled16, scan_block).
  void order_barriers() {
    uint32_t last = UINT32_MAX, before_last = UINT32_MAX;
    for (uint32_t k = 0; k < nodes_.size(); ++k) {
      const uint32_t from = compares(nodes_[k]) ? before_last : last;
      if (from != UINT32_MAX) edge(from, k, 1);
      if (!is_barrier(nodes_[k].op)) continue;
      before_last = last;
      last = k;
    }
  }
  // A place of the stack frame is loaded after it has been stored, and stored again after it has been loaded.
  void order_frame() {
    std::unordered_map<uint32_t, std::vector<uint32_t>> before;  // by offset
    for (uint32_t k = 0; k < nodes_.size(); ++k) {
      if (!nodes_[k].frame) continue;
      for (const uint32_t other : before[nodes_[k].frame_offset]) {
        if (nodes_[k].op == OpClass::stl || nodes_[other].op == OpClass::stl) edge(other, k, 1);
      }
      before[nodes_[k].frame_offset].push_back(k);
    }
  }

  // Constants that are loaded behind a clock read stay behind it (SASS of lat_*: their miss is part of the
  // time).
  void order_clocks() {
    uint32_t last = UINT32_MAX;
    for (uint32_t k = 0; k < nodes_.size(); ++k) {
      if (last != UINT32_MAX && is_constant_load(nodes_[k].op)) edge(last, k, 1);
      if (nodes_[k].volatile_order) last = k;
    }
  }

  // Expansions that branch around a slow path (square root, division) end a block of ptxas's, and nothing
  // passes them, nor a WARPSYNC of some lanes.
  void order_branches() {
    uint32_t last = UINT32_MAX;
    for (uint32_t k = 0; k < nodes_.size(); ++k) {
      if (last != UINT32_MAX) edge(last, k, 1);
      if (!branches(nodes_[k])) continue;
      for (uint32_t j = last == UINT32_MAX ? 0 : last + 1; j < k; ++j) edge(j, k, 1);
      last = k;
    }
  }

  static bool branches(const Node& n) {
    if (n.ends || n.begins) return false;
    const bool syncs = n.op == OpClass::warpsync && !n.uses.empty();
    return syncs || n.op == OpClass::bra || n.op == OpClass::bsync || calls(n);
  }

  // Where lanes may be apart, exchanges keep their order: behind BRA.DIV stands another copy of them, which
  // comes back to each of their places (SASS of attention with a loop over positions).
  void order_exchanges() {
    if (g_.apart[b_] == 0) return;
    uint32_t last = UINT32_MAX;
    for (uint32_t k = 0; k < nodes_.size(); ++k) {
      if (!is_shuffle(nodes_[k].op)) continue;
      if (last != UINT32_MAX) edge(last, k, 1);
      last = k;
    }
  }

  bool compares(const Node& n) const {
    return !n.defs.empty() && !n.memory && !n.ends && !n.ordered &&
           std::all_of(n.defs.begin(), n.defs.end(), [&](uint32_t v) { return g_.registers[v].words == 0; });
  }

  const Graph& g_;
  uint32_t b_;
  const std::vector<Node>& nodes_;
  BlockEdges edges_;
};

}  // namespace

BlockEdges block_edges(const Graph& graph, uint32_t block) { return EdgeFinder(graph, block).run(); }

}  // namespace gpuloom::ptx
