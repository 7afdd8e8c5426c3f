// SPDX-License-Identifier: Apache-2.0
// Parameters are operands in the constant bank until late in ptxas, so they are loaded where they are used,
// and again where they are used again (SASS of ptxas 13.0 for sm_90, small kernels and the reference suite):
// - a loop without loops inside finds them loaded in front of it; one with loops inside loads them anew in
//   each iteration, once for all of its blocks that the first one dominates (reread, softmax_rows, sgemm);
// - arithmetic with room for an operand in the constant bank takes a uniform register (ULDC) of its own
//   block, what is stored or has an immediate beside it a vector register (LDC);
// - what a guarded operation alone needs is loaded under its guard (conv5x5: @!P0 LDC.64).
// Before 9.0 (`lowering.constant_operands`) arithmetic has an operand in the constant bank itself, and what
// must be in a register is moved there.
#include <algorithm>
#include <optional>

#include "ptx/machine/constant_uses.h"
#include "ptx/machine/graph.h"
#include "ptx/machine/node_questions.h"
#include "ptx/passes/loop_nest.h"

namespace gpuloom::ptx {

namespace {

class Placer {
 public:
  Placer(Graph& g, uint32_t f) : g_(g), loops_(g.flow, f) {}

  void run() {
    std::vector<uint32_t> defs(g_.registers.size(), 0);
    std::vector<Site> loads;
    used_in_.assign(g_.registers.size(), {});
    for (uint32_t b = loops_.first(); b < loops_.end(); ++b) {
      for (uint32_t k = 0; k < g_.blocks[b].size(); ++k) {
        const Node& n = g_.blocks[b][k];
        for (const uint32_t v : n.defs) ++defs[v];
        for (const uint32_t v : n.uses) {
          if (used_in_[v].empty() || used_in_[v].back() != b) used_in_[v].push_back(b);
        }
        if (is_load(n)) loads.push_back({b, n.defs[0]});
      }
    }
    for (const Site& load : loads) {
      if (defs[load.made] == 1) place(load.block, load.made);
    }
    for (uint32_t b = loops_.first(); b < loops_.end(); ++b) {
      if (g_.model->profile.constant_operands) move_constants(g_.blocks[b]);
      join_pairs(g_.blocks[b]);
    }
  }

 private:
  struct Site {
    uint32_t block = 0, made = 0;
  };
  struct Load {
    uint32_t home = 0;    // the block that it stands in
    uint32_t wanted = 0;  // the block that asked for it first
    uint32_t guard = kNoVirtual;
    uint32_t made = kNoVirtual;
    bool uniform = false;
  };
  struct Use {
    uint32_t block = 0, node = 0;
    ConstantUse kind = ConstantUse::kUniform;
    bool runs_uniformly = false;  // on the uniform datapath, which reads no vector registers
    uint32_t guard = kNoVirtual;  // under which a load for it would stand
    bool skipped = false;         // by a branch that has become guards
  };

  static bool is_load(const Node& n) { return loads_one_constant(n) && !n.memory && !n.ends; }

  std::vector<Use> uses_of(uint32_t v) const {
    std::vector<Use> uses;
    for (const uint32_t b : used_in_[v]) {
      for (uint32_t k = 0; k < g_.blocks[b].size(); ++k) {
        const Node& n = g_.blocks[b][k];
        if (!has(n.uses, v)) continue;
        uses.push_back({b, k, constant_use(g_, n, v), n.uniform, kNoVirtual, n.skipped});
      }
    }
    return uses;
  }

  // Whether the block keeps an operation that carries decoded instructions without node k.
  bool may_leave(uint32_t b, uint32_t k) const {
    const std::vector<Node>& nodes = g_.blocks[b];
    for (uint32_t other = 0; other < nodes.size(); ++other) {
      if (other != k && nodes[other].carries) return true;
    }
    return !nodes[k].carries;
  }

  void place(uint32_t b, uint32_t v) {
    std::vector<Node>& from = g_.blocks[b];
    const auto at =
        std::find_if(from.begin(), from.end(), [&](const Node& n) { return is_load(n) && n.defs[0] == v; });
    const auto own = static_cast<uint32_t>(at - from.begin());
    std::vector<Use> uses = uses_of(v);
    if (uses.empty() || !may_leave(b, own)) return;
    for (const Use& use : uses) {
      if (!loops_.dominates(b, use.block)) return;
    }
    const Node load = *at;
    from.erase(at);
    for (Use& use : uses) use.node -= use.block == b && use.node > own ? 1 : 0;
    std::vector<Load> immediates;
    if (g_.model->profile.constant_operands) read_in_place(load, v, uses, immediates);
    // Beside a use that must have a register all others take it.
    const bool in_register =
        std::any_of(uses.begin(), uses.end(), [](const Use& u) { return u.kind == ConstantUse::kData; });
    std::vector<Load> made;
    find_guards(uses);
    for (const Use& use : uses) {
      const bool free = use.kind == ConstantUse::kUniform && !in_register && !vector_beside(uses, use);
      const bool uniform = use.runs_uniformly || free;
      rename(use, v, load_for(use, v, uniform, made));
    }
    for (const Load& l : made) insert(l, load);
    Node immediate;
    immediate.op = OpClass::mov;
    for (const Load& l : immediates) insert(l, immediate);
  }

  // Operations with room for it read it where it is, and need no register. In a product that fills 64
  // bits it takes the place of the immediate, which a register holds for all of them (SASS for sm_75 to sm_89
  // of vecadd: MOV R7, 0x4; IMAD.WIDE R4, R6, R7, c[0x0][0x168]).
  void read_in_place(const Node& load, uint32_t v, std::vector<Use>& uses, std::vector<Load>& immediates) {
    std::erase_if(uses, [&](const Use& use) {
      Node& n = g_.blocks[use.block][use.node];
      if (use.runs_uniformly || n.memory || is_constant_load(n.op) || n.copies) return false;
      const std::optional<uint64_t> immediate = immediate_of(*g_.program, n);
      const bool gives_way = n.op == OpClass::imad_wide && immediate && takes_bank(n, v);
      if (constant_use(g_, n, v) != ConstantUse::kUniform && !gives_way) return false;
      std::erase(n.uses, v);
      n.constant_operand = true;
      n.constant_offset = load.constant_offset;
      if (gives_way) n.uses.push_back(register_of(*immediate, use.block, immediates));
      return true;
    });
  }

  // Whether nothing else than an immediate stands in the place of an operand of the constant bank.
  bool takes_bank(const Node& n, uint32_t v) const {
    return n.carries && !n.constant_operand && std::none_of(n.uses.begin(), n.uses.end(), [&](uint32_t w) {
             return w != v && g_.registers[w].uniform;
           });
  }

  uint32_t register_of(uint64_t immediate, uint32_t block, std::vector<Load>& made) {
    for (const auto& [value, l] : immediates_) {
      if (value == immediate && loops_.dominates(l.home, block)) return l.made;
    }
    Load l;
    l.wanted = block;
    l.home = loops_.before_leaf(block);
    l.made = static_cast<uint32_t>(g_.registers.size());
    g_.registers.push_back({1, false, kNoRegister});
    immediates_.emplace_back(immediate, l);
    made.push_back(l);
    return l.made;
  }

  // What else is to be in a register is moved there, each half of 64 bits by itself.
  void move_constants(std::vector<Node>& nodes) {
    for (size_t k = 0; k < nodes.size(); ++k) {
      if (!is_constant_load(nodes[k].op) || !nodes[k].constant_operand || nodes[k].uniform ||
          nodes[k].memory || nodes[k].defs.size() != 1)
        continue;
      nodes[k].op = OpClass::mov;
      if (g_.registers[nodes[k].defs[0]].words != 2) continue;
      Node low = nodes[k];
      low.carries = false;
      low.defs = {static_cast<uint32_t>(g_.registers.size())};
      std::erase(low.uses, nodes[k].defs[0]);
      g_.registers.push_back({1, false, kNoRegister});
      nodes[k].uses.push_back(low.defs[0]);
      nodes[k].begins = false;
      nodes.insert(nodes.begin() + static_cast<ptrdiff_t>(k++), std::move(low));
    }
  }

  static bool vector_beside(const std::vector<Use>& uses, const Use& use) {
    return std::any_of(uses.begin(), uses.end(), [&](const Use& other) {
      return other.block == use.block && other.kind != ConstantUse::kUniform;
    });
  }

  // Where operations of several guards in a block need the value, one load without a guard serves them all
  // (SASS of Triton's masked loads: layer_norm_bwd_dwdb, 16 of them by two pointers). What branches skipped
  // was in blocks of its own when parameters were placed, and each has its own load (spmv_ell).
  void find_guards(std::vector<Use>& uses) const {
    for (Use& use : uses) use.guard = guard_around(use);
    for (auto begin = uses.begin(); begin != uses.end();) {  // uses stand in order of their blocks
      const auto of_another = [&](const Use& u) { return u.block != begin->block; };
      const auto end = std::find_if(begin, uses.end(), of_another);
      if (std::any_of(begin, end, [&](const Use& u) { return !u.skipped && u.guard != begin->guard; }))
        for (auto use = begin; use != end; ++use) use->guard = use->skipped ? use->guard : kNoVirtual;
      begin = end;
    }
  }

  // The register in which this use finds the value.
  uint32_t load_for(const Use& use, uint32_t v, bool uniform, std::vector<Load>& made) {
    const uint32_t guard = uniform ? kNoVirtual : use.guard;
    for (const Load& l : made) {
      // A loop's operands come from the constant bank even where a vector register has the value (dp_chain).
      if ((l.uniform && !uniform) || (use.runs_uniformly && !l.uniform)) continue;
      if (l.uniform != uniform && loops_.leaf(l.wanted) != loops_.leaf(use.block)) continue;
      const bool here = l.guard == guard && l.wanted == use.block;
      if (l.guard != kNoVirtual ? here : reaches(l, use.block)) return l.made;
    }
    Load l;
    l.uniform = uniform;
    l.wanted = l.home = use.block;
    l.guard = guard;
    const bool leaves = use.kind != ConstantUse::kData || loops_.always_runs(use.block);
    if (guard == kNoVirtual && leaves) l.home = loops_.before_leaf(use.block);
    l.made = v;
    if (!made.empty()) {
      l.made = static_cast<uint32_t>(g_.registers.size());
      g_.registers.push_back(g_.registers[v]);
    }
    g_.registers[l.made].uniform = uniform;
    made.push_back(l);
    return l.made;
  }

  // Whether what the load made is still in its register in block b.
  bool reaches(const Load& l, uint32_t b) const {
    const uint32_t leaf = loops_.leaf(l.wanted);
    return loops_.nest(l.wanted) == loops_.nest(b) && loops_.dominates(l.wanted, b) &&
           (leaf == kNoLoop || leaf == loops_.leaf(b));
  }

  // The predicate under which n runs.
  uint32_t guard_of(const Node& n) const {
    if (!n.guarded || n.ends) return kNoVirtual;
    uint32_t guard = kNoVirtual;
    for (const uint32_t v : n.uses) {
      if (g_.registers[v].words != 0 || g_.registers[v].uniform) continue;
      if (guard != kNoVirtual || has(n.defs, v)) return kNoVirtual;
      guard = v;
    }
    return guard;
  }

  // The same where the operation is not guarded itself but all that use its result are.
  uint32_t guard_around(const Use& use) const {
    const std::vector<Node>& nodes = g_.blocks[use.block];
    const Node& n = nodes[use.node];
    const std::vector<uint32_t> only = {use.block};
    if (n.guarded || n.ends || n.defs.size() != 1 || used_in_[n.defs[0]] != only) return guard_of(n);
    uint32_t guard = kNoVirtual;
    for (uint32_t k = use.node + 1; k < nodes.size(); ++k) {
      if (guard == kNoVirtual && has(nodes[k].uses, n.defs[0])) guard = guard_of(nodes[k]);
      if (has(nodes[k].uses, n.defs[0]) && (guard == kNoVirtual || guard_of(nodes[k]) != guard))
        return kNoVirtual;
      if (has(nodes[k].defs, n.defs[0])) return kNoVirtual;
    }
    for (uint32_t k = use.node; guard != kNoVirtual && k < nodes.size(); ++k) {
      if (has(nodes[k].uses, n.defs[0])) break;
      if (has(nodes[k].defs, guard)) return kNoVirtual;
    }
    return guard;
  }
  static bool has(const std::vector<uint32_t>& list, uint32_t v) {
    return std::find(list.begin(), list.end(), v) != list.end();
  }

  void rename(const Use& use, uint32_t v, uint32_t made) {
    Node& n = g_.blocks[use.block][use.node];
    std::replace(n.uses.begin(), n.uses.end(), v, made);
    std::replace(n.tuple.begin(), n.tuple.end(), v, made);
    for (std::vector<uint32_t>& row : n.rows) std::replace(row.begin(), row.end(), v, made);
  }

  void insert(const Load& l, const Node& original) {
    std::vector<Node>& nodes = g_.blocks[l.home];
    size_t at = 0;  // in front of the first use, or at the end
    while (at < nodes.size() && !nodes[at].ends && !has(nodes[at].uses, l.made)) ++at;
    Node n = original;
    n.carries = false;
    n.decoded = nodes.empty() ? g_.flow.blocks[l.home].last : nodes[std::min(at, nodes.size() - 1)].decoded;
    n.defs = {l.made};
    n.uniform = l.uniform;
    n.guarded = l.guard != kNoVirtual;
    if (n.guarded) n.uses = {l.guard, l.made};
    nodes.insert(nodes.begin() + static_cast<ptrdiff_t>(at), std::move(n));
  }

  // Two neighbours that the same block loads into registers of one kind are one load (SASS of
  // rotate_bilinear: ULDC.64 UR6, c[0x0][0x220]); what describes the launch, below the parameters, is not
  // (mandel_iter).
  void join_pairs(std::vector<Node>& nodes) const {
    const uint16_t parameters = g_.model->profile.constant_bank.parameters;
    const auto half = [&](const Node& n) {
      return is_load(n) && !n.carries && n.constant_offset >= parameters &&
             g_.registers[n.defs[0]].words == 1;
    };
    for (size_t k = 0; k < nodes.size(); ++k) {
      if (!half(nodes[k])) continue;
      const uint16_t other = nodes[k].constant_offset ^ 4u;
      const auto pair =
          std::find_if(nodes.begin() + static_cast<ptrdiff_t>(k) + 1, nodes.end(), [&](const Node& n) {
            return half(n) && n.constant_offset == other && n.uniform == nodes[k].uniform;
          });
      if (pair == nodes.end()) continue;
      nodes[k].defs.insert(other > nodes[k].constant_offset ? nodes[k].defs.end() : nodes[k].defs.begin(),
                           pair->defs[0]);
      nodes[k].constant_offset &= static_cast<uint16_t>(~4u);
      nodes.erase(pair);
    }
  }

  Graph& g_;
  LoopNest loops_;
  std::vector<std::vector<uint32_t>> used_in_;  // by virtual register: blocks, in order
  std::vector<std::pair<uint64_t, Load>> immediates_;
};

}  // namespace

void sink_constants(Graph& g) {
  for (uint32_t f = 0; f < g.program->functions.size(); ++f) Placer(g, f).run();
}

}  // namespace gpuloom::ptx
