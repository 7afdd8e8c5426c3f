// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic on values that all lanes share: ptxas leaves it to the uniform datapath (ULDC, S2UR,
// UIADD3, UIMAD, ULOP3, USHF, ULEA, UMOV), where it takes no registers of the vector file. What decides is
// who reads the result (SASS of ptxas 13.0 for sm_90: Triton's matmul, dropout and softmax, loops that
// count, bench/silicon/lowering): another uniform operation, or vector arithmetic with room for one uniform
// operand, which has no immediate and nothing of the constant bank beside it. ctaid times ntid of the
// constant bank stays S2R, ctaid beside two registers is S2UR. Multiplications and shifts of what a vector
// register must hold in the end stay there too. What is compared there is chosen there (UISETP, USEL); PLOP3
// brings the predicate to the vector file for branches, guards and vector operations (138 branches of both
// sets of machine learning; bounds of loops among them). Addresses of 64 bits go there where vector sums take
// them as their base (SASS of kl_divergence, cumsum_rows: UIMAD.WIDE UR6, UR5, 0x4, UR6 in front of a loop
// with IMAD.WIDE R6, R26, R7, UR6). For their sake a loop's counter or the block's place does too, although
// others need it in a vector register (MOV R14, UR4; IMAD.U32 R26, RZ, RZ, UR4).
//
// Uniform are by construction constants, parameters, the block's place in the grid, what is made of them
// alone, and what loops make of it again, where no lanes are apart.
#include <algorithm>
#include <map>

#include "ptx/isa/table/op_traits.h"
#include "ptx/isa/table/use_of.h"
#include "ptx/machine/constant_uses.h"
#include "ptx/machine/facts.h"
#include "ptx/machine/graph.h"
#include "ptx/machine/grid_place.h"
#include "ptx/machine/node_questions.h"
#include "ptx/passes/loop_nest.h"

namespace gpuloom::ptx {

namespace {

class UniformArithmetic {
 public:
  explicit UniformArithmetic(Graph& g)
      : g_(g),
        p_(*g.program),
        makers_(g.registers.size()),
        users_(g.registers.size()),
        chosen_(g.registers.size(), 0),
        in_vector_(g.registers.size(), 0),
        loops_(g.flow, 0) {}

  void run() {
    gather();
    for (uint32_t v = 0; v < chosen_.size(); ++v) chosen_[v] = may_be_uniform(v) ? 1 : 0;
    drop([&](uint32_t v) { return is_made_uniformly(v); });
    for (bool again = true; again;) {
      drop([&](uint32_t v) { return is_made_uniformly(v) && is_read_uniformly(v); });
      again = false;
      for (uint32_t v = 0; v < in_vector_.size(); ++v) {
        if (!g_.model->profile.parameter_in_one_file || in_vector_[v] != 0 || !must_be_in_vector(v)) continue;
        in_vector_[v] = 1;
        again = true;
      }
    }
    for (uint32_t v = 0; v < chosen_.size(); ++v) {
      if (chosen_[v] == 0) continue;
      g_.registers[v].uniform = true;
      for (const uint32_t n : makers_[v]) node(n).uniform = true;
    }
    for (uint32_t v = 0; v < chosen_.size(); ++v)
      if (chosen_[v] != 0 && g_.registers[v].words == 0) copy_back(v);
    for (uint32_t v = 0; v < chosen_.size(); ++v)
      if (chosen_[v] != 0 && g_.registers[v].words != 0) copy_back(v);
    insert();
  }

 private:
  // A step of 64-bit integer arithmetic that the uniform datapath has.
  enum class Wide : uint8_t {
    kNot,
    kOther,  // of a product or a sign
    kSum,    // IMAD.WIDE, or LEA and LEA.HI.X, or IADD3 and IADD3.X
  };
  struct Site {
    uint32_t block = 0, node = 0;
    bool alone = true;  // no operation of the same instruction stands before it
    Wide wide = Wide::kNot;
    bool of_wide() const { return wide != Wide::kNot; }
    bool sums() const { return wide == Wide::kSum; }
  };

  Node& node(uint32_t n) { return g_.blocks[sites_[n].block][sites_[n].node]; }
  const Node& node(uint32_t n) const { return g_.blocks[sites_[n].block][sites_[n].node]; }

  void gather() {
    for (uint32_t b = 0; b < g_.blocks.size(); ++b) {
      const std::vector<Node>& nodes = g_.blocks[b];
      for (uint32_t k = 0; k < nodes.size(); ++k) {
        const auto n = static_cast<uint32_t>(sites_.size());
        // Constants in front of a loop are put beside what the block ends with and stand for that.
        const bool alone =
            k == 0 || nodes[k - 1].decoded != nodes[k].decoded || !reads(nodes[k], nodes[k - 1].defs);
        sites_.push_back({b, k, alone, wide_kind(nodes, k)});
        for (const uint32_t v : nodes[k].defs) makers_[v].push_back(n);
        for (const uint32_t v : nodes[k].uses) users_[v].push_back(n);
      }
    }
  }

  // Of nodes[k]'s instruction. Not where sums read their base in the constant bank (8.x and 7.5: IMAD.WIDE
  // R2, R0, R3, c[0x0][0x160]). There ptxas makes fewer of them here, and of our five with such sums for 8.6
  // none.
  Wide wide_kind(const std::vector<Node>& nodes, uint32_t k) const {
    if (g_.model->profile.constant_operands) return Wide::kNot;
    uint32_t first = k, last = k;
    while (first != 0 && nodes[first - 1].decoded == nodes[k].decoded) --first;
    while (last + 1 < nodes.size() && nodes[last + 1].decoded == nodes[k].decoded) ++last;
    if (last - first > 3 || !nodes[last].carries || nodes[last].defs.size() != 1 ||
        g_.registers[nodes[last].defs[0]].words != 2)
      return Wide::kNot;
    bool sums = last - first <= 1;
    for (uint32_t at = first; at <= last; ++at) {
      const Node& n = nodes[at];
      const bool adds = n.op == OpClass::imad_wide || n.op == OpClass::lea || n.op == OpClass::iadd;
      if (!adds && n.op != OpClass::imad && n.op != OpClass::shift) return Wide::kNot;
      if (n.guarded || n.memory || n.copies || n.ends) return Wide::kNot;
      sums = sums && adds;
    }
    return sums ? Wide::kSum : Wide::kOther;
  }

  static bool reads(const Node& n, const std::vector<uint32_t>& values) {
    return std::any_of(values.begin(), values.end(), [&](uint32_t v) {
      return std::find(n.uses.begin(), n.uses.end(), v) != n.uses.end();
    });
  }

  bool in_entry(uint32_t n) const { return sites_[n].block < g_.flow.first_block[1]; }

  // Whether the uniform datapath can do it, if its sources are uniform.
  bool is_uniform_operation(uint32_t at) const {
    const Node& n = node(at);
    if (!in_entry(at) || g_.apart[sites_[at].block] != 0 || n.guarded || n.memory || n.ends || n.begins ||
        n.copies || n.ordered || n.volatile_order || n.defs.size() != 1 || !n.scratch.empty())
      return false;
    if (reads_place_in_grid(p_, n)) return sites_[at].alone;
    if (sites_[at].of_wide()) return p_.code[n.decoded].kind == InstrKind::kPlain;
    if (!n.carries || !sites_[at].alone || p_.code[n.decoded].kind != InstrKind::kPlain) return false;
    return is(n.op, kOnUniformPath) || n.op == OpClass::isetp || n.op == OpClass::sel;
  }

  bool may_be_uniform(uint32_t v) const {
    const VirtualRegister& r = g_.registers[v];
    if (r.uniform || r.words > 2 || r.whole || r.fixed != kNoRegister || makers_[v].empty() ||
        users_[v].empty())
      return false;
    if (r.words == 0 && (makers_[v].size() != 1 || node(makers_[v][0]).op != OpClass::isetp)) return false;
    if (r.words == 2 && makers_[v].size() != 1) return false;
    return std::all_of(makers_[v].begin(), makers_[v].end(), [&](uint32_t n) {
      return is_uniform_operation(n) && (r.words != 2 || sites_[n].of_wide());
    });
  }

  // A parameter that is loaded for its uses alone (sink).
  bool is_parameter(uint32_t v) const {
    if (makers_[v].size() != 1 || g_.registers[v].words == 0) return false;
    const Node& n = node(makers_[v][0]);
    return loads_one_constant(n) && !n.memory;
  }

  // Of one that a vector register must hold for somebody, everybody makes his there (SASS for sm_80 and
  // sm_90: LDC R0; ISETP R0, 1; IADD3 R4, R0, -1; LOP3 R0, R0, 3, where no reader with an immediate leaves
  // ULDC UR4, UIADD3, USHF, ISETP RZ, UR4).
  bool is_uniform(uint32_t v) const {
    return is_parameter(v) ? in_vector_[v] == 0 : chosen_[v] != 0 || g_.registers[v].uniform;
  }

  bool must_be_in_vector(uint32_t v) const {
    return is_parameter(v) && std::any_of(users_[v].begin(), users_[v].end(), [&](uint32_t at) {
             const Node& n = node(at);
             if (runs_uniformly(n)) return false;
             const bool shifted = shifts(n) && n.carries && moves(n, v);
             return shifted || constant_use(g_, n, v) != ConstantUse::kUniform;
           });
  }

  bool runs_uniformly(const Node& n) const {
    return n.uniform || (n.defs.size() == 1 && chosen_[n.defs[0]] != 0);
  }

  // Whether a vector sum of 64 bits takes v as its base.
  bool takes_base(uint32_t at, uint32_t v) const {
    const Node& n = node(at);
    if (!sites_[at].sums() || n.constant_operand) return false;
    return std::none_of(n.uses.begin(), n.uses.end(), [&](uint32_t w) {
      return w != v && (chosen_[w] != 0 || g_.registers[w].uniform || is_parameter(w));
    });
  }

  // Whether vector arithmetic takes v in the place of a uniform register.
  bool has_room(uint32_t at, uint32_t v) const {
    if (g_.registers[v].words == 2) return takes_base(at, v);
    const Node& n = node(at);
    if (n.ends || p_.code[n.decoded].kind != InstrKind::kPlain) return false;
    // All parts of a product of 64 bits take one (SASS: IMAD R9, R3, UR6, RZ; IMAD.WIDE.U32 R6, R2, UR6, RZ;
    // IMAD R9, R2, UR7, R9).
    const bool multiplies = n.op == OpClass::imad || n.op == OpClass::imad_wide;
    if (!multiplies && (!n.carries || !sites_[at].alone)) return false;
    // A parameter gives way to what has been computed, and the block's place to a parameter (SASS of a loop
    // up to a parameter: LDC R2, UIADD3 UR4, ISETP R2, UR4; of ctaid times ntid: S2R, ULDC).
    const bool computed = std::none_of(makers_[v].begin(), makers_[v].end(),
                                       [&](uint32_t m) { return reads_place_in_grid(p_, node(m)); });
    Node others = n;
    std::erase_if(others.uses, [&](uint32_t w) { return computed && w != v && is_parameter(w); });
    if (constant_use(g_, others, v) != ConstantUse::kUniform) return false;
    for (const uint32_t w : n.uses) {  // the first of several has it
      if (w == v) break;
      if (chosen_[w] != 0) return false;
    }
    // LEA and shifts take what they move from a vector register.
    return !shifts(n) || !moves(n, v);
  }

  // Whether v is what a shift, alone or in a sum, moves.
  bool moves(const Node& n, uint32_t v) const {
    const Instr& in = p_.code[n.decoded];
    const uint32_t f = g_.liveness.function_of[g_.flow.block_of[n.decoded]];
    const auto is = [&](Place place) {
      return place.present() && !place.constant() && g_.first_virtual[f] + g_.liveness.number(f, place) == v;
    };
    if (n.op == OpClass::shift) return !is(in.ops[2]);
    return !is(in.ops[1]) && !is(in.ops[2]);
  }

  bool is_made_uniformly(uint32_t v) const {
    return std::all_of(makers_[v].begin(), makers_[v].end(), [&](uint32_t at) {
      const std::vector<uint32_t>& uses = node(at).uses;
      return std::all_of(uses.begin(), uses.end(), [&](uint32_t w) { return is_uniform(w); });
    });
  }

  // Whoever reads a predicate in the vector file has it from PLOP3. What a loop counts to is compared there,
  // but for two computed values (SASS: UISETP UR4, UR22 and ISETP R4, 100).
  bool is_compared_uniformly(uint32_t v) const {
    if (std::any_of(users_[v].begin(), users_[v].end(),
                    [&](uint32_t at) { return runs_uniformly(node(at)); }))
      return true;
    const std::vector<uint32_t>& uses = node(makers_[v][0]).uses;
    const auto computed =
        std::count_if(uses.begin(), uses.end(), [&](uint32_t w) { return !is_parameter(w); });
    const uint32_t block = sites_[makers_[v][0]].block;
    return loops_.leaf(block) != kNoLoop || loops_.nest(block) != kNoLoop ? computed >= 2 : computed >= 1;
  }

  // A constant alone does not call for a uniform register.
  bool is_read_uniformly(uint32_t v) const {
    if (g_.registers[v].words == 0) return is_compared_uniformly(v);
    const bool computes = std::any_of(makers_[v].begin(), makers_[v].end(), [&](uint32_t at) {
      return node(at).op != OpClass::mov || !node(at).uses.empty();
    });
    if (is_wide_product(v) && !is_added_to_twice(v)) return false;
    for (const uint32_t at : users_[v]) {
      if (runs_uniformly(node(at))) continue;
      if (!computes || (!has_room(at, v) && !may_be_copied(v))) return false;
    }
    return true;
  }

  bool is_wide_product(uint32_t v) const {
    return g_.registers[v].words == 2 && std::any_of(makers_[v].begin(), makers_[v].end(), [&](uint32_t at) {
             return sites_[at].wide == Wide::kOther && node(at).op == OpClass::iadd;
           });
  }

  // A product of 64 bits goes to the uniform datapath only where what is made of it there is an address that
  // is added to there again (SASS: softmax_online's rows, whose columns a loop counts; the rows of
  // cross_entropy, argmax_rows and staged_sync, to which only lanes add, are IMAD.WIDE R2, R3, UR8).
  bool is_added_to_twice(uint32_t v) const {
    const auto sums_there = [&](uint32_t at) { return runs_uniformly(node(at)) && sites_[at].sums(); };
    return std::any_of(users_[v].begin(), users_[v].end(), [&](uint32_t at) {
      const uint32_t made = node(at).defs.size() == 1 ? node(at).defs[0] : v;
      if (made == v || g_.registers[made].words != 2) return false;
      if (node(at).op == OpClass::shift && runs_uniformly(node(at))) return is_added_to_twice(made);
      return sums_there(at) && std::any_of(users_[made].begin(), users_[made].end(), sums_there);
    });
  }

  // Whether what the uniform datapath makes of v is worth a move to the vector file for those that read it
  // there.
  bool may_be_copied(uint32_t v) const {
    const bool place = reads_place_in_grid(p_, node(makers_[v][0]));
    if (!place && makers_[v].size() == 1) return false;
    std::vector<uint32_t> work = {v}, seen = {v};
    while (!work.empty()) {
      const uint32_t at = work.back();
      work.pop_back();
      for (const uint32_t user : users_[at]) {
        const Node& n = node(user);
        if (!runs_uniformly(n)) continue;
        if (sites_[user].of_wide()) return true;
        for (const uint32_t w : n.defs) {
          if (std::find(seen.begin(), seen.end(), w) != seen.end()) continue;
          seen.push_back(w);
          work.push_back(w);
        }
      }
    }
    return false;
  }

  // Vector operations read a predicate of their own file, and those that have no room for v a copy of it: one
  // for all of the block's place, one in each block of a loop's counter.
  void copy_back(uint32_t v) {
    const bool predicate = g_.registers[v].words == 0, once = makers_[v].size() == 1;
    struct Copy {
      uint32_t reader, value;
    };
    std::map<uint32_t, Copy> copies;  // by block
    for (const uint32_t at : users_[v]) {
      if (node(at).uniform || (!predicate && has_room(at, v))) continue;
      const auto [copy, first] = copies.try_emplace(once ? 0 : sites_[at].block, Copy{at, 0});
      if (first) {
        copy->second.value = static_cast<uint32_t>(g_.registers.size());
        g_.registers.push_back({g_.registers[v].words, false, kNoRegister});
      }
      std::replace(node(at).uses.begin(), node(at).uses.end(), v, copy->second.value);
      std::replace(node(at).tuple.begin(), node(at).tuple.end(), v, copy->second.value);
    }
    for (const auto& [block, copy] : copies) {
      Node n;
      n.op = predicate ? OpClass::plop3 : OpClass::mov;
      n.uses = {v};
      n.defs = {copy.value};
      moves_.push_back({once ? makers_[v][0] + 1 : copy.reader, std::move(n)});
    }
  }

  void insert() {
    std::stable_sort(moves_.begin(), moves_.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    for (auto& [next, n] : moves_) {
      const Site& site = sites_[next];
      std::vector<Node>& nodes = g_.blocks[site.block];
      n.decoded = nodes[site.node].decoded;
      nodes.insert(nodes.begin() + site.node, std::move(n));
    }
  }

  // What cannot be kept goes, and then what it was made of or made can perhaps not be kept either.
  template <class Keeps>
  void drop(Keeps keeps) {
    std::vector<uint32_t> work;
    for (uint32_t v = static_cast<uint32_t>(chosen_.size()); v-- > 0;) work.push_back(v);
    while (!work.empty()) {
      const uint32_t v = work.back();
      work.pop_back();
      if (chosen_[v] == 0 || keeps(v)) continue;
      chosen_[v] = 0;
      for (const uint32_t n : makers_[v]) work.insert(work.end(), node(n).uses.begin(), node(n).uses.end());
      for (const uint32_t n : users_[v]) work.insert(work.end(), node(n).defs.begin(), node(n).defs.end());
    }
  }

  Graph& g_;
  const Program& p_;
  std::vector<Site> sites_;                            // of all operations
  std::vector<std::vector<uint32_t>> makers_, users_;  // by virtual register
  std::vector<uint8_t> chosen_;                        // by virtual register: goes to the uniform file
  std::vector<uint8_t> in_vector_;                     // by virtual register: a parameter that does not
  LoopNest loops_;                                     // of the entry
  std::vector<std::pair<uint32_t, Node>> moves_;       // to the vector file, each in front of an operation
};

}  // namespace

void use_uniform_arithmetic(Graph& g) {
  if (g.model->profile.uniform_datapath) UniformArithmetic(g).run();
}

}  // namespace gpuloom::ptx
