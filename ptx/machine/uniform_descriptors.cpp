// SPDX-License-Identifier: Apache-2.0
// Lower halves of matrix descriptors, and addresses and coordinates of tensor copies, are computed on the
// uniform datapath from where all that reads them does the same. What they are made of comes there by R2UR,
// and a shuffle that gives all lanes one lane's value is one; what several multiplications name is moved to
// each of them (SASS of ptxas 13.0 for sm_90a: UIADD3 and UMOV for each matrix of a multiplication, R2UR of
// the warp's number in front of the loop).
#include <algorithm>
#include <map>
#include <tuple>

#include "ptx/isa/table/op_traits.h"
#include "ptx/isa/table/use_of.h"
#include "ptx/machine/facts.h"
#include "ptx/machine/graph.h"
#include "ptx/machine/grid_place.h"
#include "ptx/machine/node_questions.h"

namespace gpuloom::ptx {

namespace {

class UniformDescriptors {
 public:
  explicit UniformDescriptors(Graph& g)
      : g_(g),
        p_(*g.program),
        makers_(g.registers.size()),
        readers_(g.registers.size()),
        chosen_(g.registers.size(), 0) {}

  void run() {
    gather();
    if (multiplications_.empty()) return;
    choose();
    for_chosen([&](uint32_t v) {
      g_.registers[v].uniform = true;
      node(makers_[v][0]).uniform = true;
    });
    for_chosen([&](uint32_t v) {
      const std::vector<uint32_t> sources = node(makers_[v][0]).uses;
      for (const uint32_t w : sources) bring(w, makers_[v][0]);
    });
    for (const Site at : multiplications_) {
      const std::vector<uint32_t> lower = node(at).descriptors;
      for (const uint32_t v : lower) {
        bring(v, at);
        copy(v, at);
      }
    }
    insert();
  }

 private:
  struct Site {
    uint32_t block = 0, node = 0;
    auto operator<=>(const Site&) const = default;
  };

  Node& node(Site at) { return g_.blocks[at.block][at.node]; }
  const Node& node(Site at) const { return g_.blocks[at.block][at.node]; }

  void gather() {
    for (uint32_t b = 0; b < g_.blocks.size(); ++b) {
      for (uint32_t k = 0; k < g_.blocks[b].size(); ++k) {
        const Node& n = g_.blocks[b][k];
        for (const uint32_t v : n.defs) makers_[v].push_back({b, k});
        for (const uint32_t v : n.uses) readers_[v].push_back({b, k});
        if (!n.descriptors.empty()) multiplications_.push_back({b, k});
      }
    }
  }

  template <class Fn>
  void for_chosen(Fn fn) {
    for (uint32_t v = 0; v < chosen_.size(); ++v)
      if (chosen_[v] != 0) fn(v);
  }

  // Whether all lanes have one result.
  bool is_shared(const Node& n) const {
    const uint32_t f = g_.liveness.function_of[g_.flow.block_of[n.decoded]];
    for (uint32_t r = p_.ref_begin[n.decoded]; r < p_.ref_begin[n.decoded + 1]; ++r) {
      const OperandRef& ref = p_.refs[r];
      if (ref.defines && g_.exchanged_row[f][g_.liveness.number(f, ref.place)] != 0) return false;
    }
    return true;
  }

  bool is_plain(uint32_t v) const {
    const VirtualRegister& r = g_.registers[v];
    return r.words == 1 && !r.whole && r.fixed == kNoRegister;
  }

  bool may_be_uniform(uint32_t v) const {
    if (!is_plain(v) || g_.registers[v].uniform || makers_[v].size() != 1 || readers_[v].empty())
      return false;
    const Node& n = node(makers_[v][0]);
    return is(n.op, kOnUniformPath) && n.op != OpClass::mov && g_.apart[makers_[v][0].block] == 0 &&
           !n.guarded && !n.memory && !n.ends && !n.ordered && !n.volatile_order && n.defs.size() == 1 &&
           n.scratch.empty() && p_.code[n.decoded].kind == InstrKind::kPlain && is_shared(n) &&
           std::all_of(n.uses.begin(), n.uses.end(), [&](uint32_t w) { return is_plain(w); });
  }

  static bool names(const std::vector<uint32_t>& list, uint32_t v) {
    return std::find(list.begin(), list.end(), v) != list.end();
  }

  // Whether v is a source of nothing but what is uniform.
  bool is_read_uniformly(uint32_t v) const {
    return std::all_of(readers_[v].begin(), readers_[v].end(), [&](Site at) {
      const Node& n = node(at);
      return names(n.descriptors, v) || (n.defs.size() == 1 && chosen_[n.defs[0]] != 0) || is_barrier(n, v);
    });
  }

  // SYNCS takes the barrier's address from either file (SASS of Triton's products with tensor descriptors:
  // SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR13+0x20000], R88).
  bool is_barrier(const Node& n, uint32_t v) const {
    if (!is_mbarrier(n.op)) return false;
    const uint32_t f = g_.liveness.function_of[g_.flow.block_of[n.decoded]];
    for (uint32_t r = p_.ref_begin[n.decoded]; r < p_.ref_begin[n.decoded + 1]; ++r) {
      const OperandRef& ref = p_.refs[r];
      if (ref.address && !ref.place.constant() && g_.first_virtual[f] + g_.liveness.number(f, ref.place) == v)
        return true;
    }
    return false;
  }

  void choose() {
    for (uint32_t v = 0; v < chosen_.size(); ++v) chosen_[v] = may_be_uniform(v) ? 1 : 0;
    std::vector<uint32_t> work;
    for (uint32_t v = 0; v < chosen_.size(); ++v) work.push_back(v);
    while (!work.empty()) {
      const uint32_t v = work.back();
      work.pop_back();
      if (chosen_[v] == 0 || is_read_uniformly(v)) continue;
      chosen_[v] = 0;
      const std::vector<uint32_t>& sources = node(makers_[v][0]).uses;
      work.insert(work.end(), sources.begin(), sources.end());
    }
  }

  // Parameters are loaded to where they are needed (sink).
  bool is_parameter(uint32_t v) const {
    if (makers_[v].size() != 1) return false;
    const Node& n = node(makers_[v][0]);
    return loads_one_constant(n);
  }

  bool gives_one_lane(const Node& n) const {
    if (!is_shuffle(n.op) || !n.carries || n.guarded || n.defs.size() != 1) return false;
    const FormUse use = use_of(p_, p_.code[n.decoded]);
    return use.has(".idx") && is_shared(n);
  }

  // S2UR gives it.
  bool reads_grid(const Node& n) const {
    return !n.guarded && n.defs.size() == 1 && reads_place_in_grid(p_, n);
  }

  // Behind what makes v's value in the block of `at`, which reads it, or at the block's begin: one move is
  // for all that read it there.
  Site after_maker(uint32_t v, Site at) const {
    Site place{at.block, node({at.block, 0}).begins ? 1u : 0u};
    for (const Site maker : makers_[v])
      if (maker.block == at.block && maker.node < at.node) place.node = std::max(place.node, maker.node + 1);
    return place;
  }

  // v, which `at` reads, in a uniform register.
  void bring(uint32_t v, Site at) {
    if (g_.registers[v].uniform || is_parameter(v)) return;
    const bool once = makers_[v].size() == 1 && !node(makers_[v][0]).ends;
    const Site place = once ? Site{makers_[v][0].block, makers_[v][0].node + 1} : after_maker(v, at);
    const auto [known, is_new] = brought_.try_emplace({v, once ? Site{} : place}, 0);
    if (is_new && once && gives_one_lane(node(makers_[v][0])) && is_read_uniformly(v)) {
      Node& shuffle = node(makers_[v][0]);
      shuffle.op = OpClass::mov;
      shuffle.ordered = false;
      g_.registers[v].uniform = true;
      brought_.erase(known);
      return;
    }
    if (is_new && once && reads_grid(node(makers_[v][0])) && is_read_uniformly(v)) {
      node(makers_[v][0]).uniform = true;
      g_.registers[v].uniform = true;
      brought_.erase(known);
      return;
    }
    if (is_new) known->second = move(v, place);
    replace(at, v, known->second);
  }

  uint32_t move(uint32_t v, Site place) {
    Node n;
    n.op = OpClass::mov;
    const std::vector<Node>& nodes = g_.blocks[place.block];
    n.decoded = nodes[std::min<size_t>(place.node, nodes.size() - 1)].decoded;
    n.uniform = g_.registers[v].uniform;
    n.uses = {v};
    n.defs = {static_cast<uint32_t>(g_.registers.size())};
    g_.registers.push_back({1, true, kNoRegister});
    const uint32_t made = n.defs[0];
    moves_[place].push_back(std::move(n));
    return made;
  }

  void replace(Site at, uint32_t v, uint32_t by) {
    Node& n = node(at);
    std::replace(n.uses.begin(), n.uses.end(), v, by);
    std::replace(n.descriptors.begin(), n.descriptors.end(), v, by);
    if (by >= readers_.size()) readers_.resize(by + 1);
    readers_[by].push_back(at);
  }

  // What another operation names too is moved beside the upper half.
  void copy(uint32_t v, Site at) {
    if (node(at).defs.size() == 1 && g_.registers[node(at).defs[0]].uniform) return;  // reads any register
    for (const auto& [key, made] : brought_)
      if (key.first == v && names(node(at).descriptors, made)) v = made;
    if (readers_[v].size() <= 1) return;
    // The same multiplicand of another multiplication of the block stands in its place still.
    const auto& lower = node(at).descriptors;
    const auto place = static_cast<uint32_t>(std::find(lower.begin(), lower.end(), v) - lower.begin());
    if (!is_warpgroup_product(node(at).op)) return replace(at, v, move(v, at));
    const auto [known, is_new] = copied_.try_emplace({at.block, place, v}, 0);
    if (is_new) known->second = move(v, at);
    replace(at, v, known->second);
  }

  void insert() {
    for (auto it = moves_.rbegin(); it != moves_.rend(); ++it) {
      std::vector<Node>& nodes = g_.blocks[it->first.block];
      nodes.insert(nodes.begin() + it->first.node, it->second.begin(), it->second.end());
    }
  }

  Graph& g_;
  const Program& p_;
  std::vector<std::vector<Site>> makers_, readers_;  // by virtual register
  std::vector<uint8_t> chosen_;                      // by virtual register: goes to the uniform file
  std::vector<Site> multiplications_;
  std::map<std::pair<uint32_t, Site>, uint32_t> brought_;  // by value, and its reader where that matters
  std::map<Site, std::vector<Node>> moves_;                // in front of an operation
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> copied_;  // by block, place in it, and value
};

}  // namespace

void use_uniform_descriptors(Graph& g) {
  if (g.model->profile.uniform_datapath) UniformDescriptors(g).run();
}

}  // namespace gpuloom::ptx
