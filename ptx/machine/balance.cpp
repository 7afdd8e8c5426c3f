// SPDX-License-Identifier: Apache-2.0
// Additions, shifts by constants and moves run on the ALU (IADD3, SHF, MOV) or on the FMA pipe (VIADD and
// IMAD.IADD, IMAD.SHL, IMAD.MOV). ptxas takes the pipe that the function uses less: SASS of fma_chain, nbody
// and matmul_naive has the one kind, that of int_hash, dp_chain and bank_random the other.
#include <algorithm>

#include "ptx/isa/table/op_traits.h"
#include "ptx/machine/facts.h"
#include "ptx/machine/graph.h"

namespace gpuloom::ptx {

namespace {

class Balancer {
 public:
  Balancer(Graph& g, uint32_t f) : g_(g), p_(*g.program), f_(f) {}

  void run() {
    std::vector<Node*> free;
    int64_t alu = 0, fma = 0;
    for (uint32_t b = g_.flow.first_block[f_]; b < g_.flow.first_block[f_ + 1]; ++b) {
      for (Node& n : g_.blocks[b]) {
        if (n.uniform) continue;
        if (can_move(n)) {
          free.push_back(&n);
          continue;
        }
        const PipeSide side = traits(n.op).side;
        alu += side == PipeSide::kAlu ? 1 : 0;
        fma += side == PipeSide::kFma ? 1 : 0;
      }
    }
    // As many as make the two even, spread over all that could move (SASS of rate_iadd: 11 of 43, two of the
    // eight in front of the loop, one behind the barrier, eight of the 33 in the loop).
    const auto all = static_cast<int64_t>(free.size());
    const int64_t moved = std::clamp<int64_t>((alu + all - fma) / 2, 0, all);
    for (int64_t k = 0; k < all; ++k)
      if ((k + 1) * moved / all != k * moved / all) free[static_cast<size_t>(k)]->op = OpClass::imad;
  }

 private:
  // Whether the FMA pipe could do it: an operation of one instruction, nothing fused to it.
  bool can_move(const Node& n) const {
    if (n.defs.size() != 1 || g_.registers[n.defs[0]].words != 1) return false;
    const Instr& in = p_.code[n.decoded];
    const Shape shape = shape_of(p_, in);
    if (shape == Shape::kAdd32 && increments(n)) return true;
    if (!n.carries) return false;
    switch (n.op) {
      case OpClass::iadd:
        return (shape == Shape::kAdd32 || shape == Shape::kSub32) && reads_its_own(n);
      case OpClass::shift:
        return shape == Shape::kShl32 && in.ops[2].constant() && reads_its_own(n);
      case OpClass::lea:  // IMAD with a power of two
        return shape == Shape::kAdd32 && !n.high;
      case OpClass::mov:
        return shape == Shape::kMove;
      default:
        return false;
    }
  }
  // The sum and the guarded move of rules/conditional_increment.
  static bool increments(const Node& n) {
    return n.op == OpClass::mov || (n.op == OpClass::iadd && !n.carries && n.uses.size() == 1);
  }
  bool reads_its_own(const Node& n) const {
    size_t own = 0;
    for (uint32_t r = p_.ref_begin[n.decoded]; r < p_.ref_begin[n.decoded + 1]; ++r) {
      const OperandRef& ref = p_.refs[r];
      if (ref.defines || ref.place.constant()) continue;
      const uint32_t v = g_.first_virtual[f_] + g_.liveness.number(f_, ref.place);
      for (const uint32_t used : n.uses) own += used == v ? 1 : 0;
    }
    return own == n.uses.size();
  }

  Graph& g_;
  const Program& p_;
  uint32_t f_;
};

}  // namespace

void balance_pipes(Graph& g) {
  if (!g.model->profile.balances_pipes) return;
  for (uint32_t f = 0; f < g.program->functions.size(); ++f) Balancer(g, f).run();
}

}  // namespace gpuloom::ptx
