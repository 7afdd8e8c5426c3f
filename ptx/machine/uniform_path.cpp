// SPDX-License-Identifier: Apache-2.0
// Counts of bits and leading zeros of values that all lanes share. The quarter-rate pipe takes 17 cycles for
// POPC and FLO, the uniform datapath 4, so ptxas takes that where the source stands in a uniform register
// and all users can read one: one operand of an instruction can, and no other constant beside it (SASS of
// lat_popc and of single POPC, FLO with their users). What is left of the uniform datapath is in select_emit.
#include <algorithm>

#include "ptx/machine/graph.h"

namespace gpuloom::ptx {

namespace {

class UniformPath {
 public:
  explicit UniformPath(Graph& g) : g_(g), p_(*g.program), users_(g.registers.size()) {
    definitions_.assign(g.registers.size(), 0);
    for (std::vector<Node>& nodes : g_.blocks) {
      for (Node& n : nodes) {
        for (const uint32_t v : n.uses) users_[v].push_back(&n);
        for (const uint32_t v : n.defs) ++definitions_[v];
      }
    }
  }

  void run() {
    for (bool again = true; again;) {
      again = false;
      for (std::vector<Node>& nodes : g_.blocks) {
        for (Node& n : nodes) again |= promote(n);
      }
    }
  }

 private:
  bool promote(Node& n) {
    if (n.uniform || n.guarded || !n.carries || n.defs.size() != 1 || n.uses.size() != 1) return false;
    if (n.op != OpClass::popc && n.op != OpClass::flo) return false;
    const uint32_t source = n.uses[0], result = n.defs[0];
    const bool single = definitions_[result] == 1 && g_.registers[result].words == 1;
    if (!single || !g_.registers[source].uniform) return false;
    for (const Node* user : users_[result]) {
      if (!reads_uniform(*user, result)) return false;
    }
    if (users_[result].empty()) return false;
    n.op = n.op == OpClass::popc ? OpClass::upopc : OpClass::uflo;
    n.uniform = true;
    g_.registers[result].uniform = true;
    return true;
  }

  bool reads_uniform(const Node& n, uint32_t value) const {
    if (n.memory || n.constant_operand || !n.carries) return false;
    for (const uint32_t v : n.uses) {
      if (v != value && g_.registers[v].uniform) return false;
    }
    for (uint32_t r = p_.ref_begin[n.decoded]; r < p_.ref_begin[n.decoded + 1]; ++r) {
      if (p_.refs[r].place.constant()) return false;
    }
    return p_.code[n.decoded].kind == InstrKind::kPlain;
  }

  Graph& g_;
  const Program& p_;
  std::vector<std::vector<const Node*>> users_;  // by virtual register
  std::vector<uint32_t> definitions_;
};

}  // namespace

void use_uniform_path(Graph& g) {
  if (g.model->profile.uniform_datapath) UniformPath(g).run();
}

}  // namespace gpuloom::ptx
