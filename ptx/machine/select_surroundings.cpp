// SPDX-License-Identifier: Apache-2.0
// What is added around a function: stack pointer, memory descriptor, BSSY.
#include <algorithm>

#include "ptx/machine/selector.h"

namespace gpuloom::ptx {

void Selector::add_prologue() {
  std::vector<Node>& first = g_.blocks[g_.flow.first_block[f_]];
  bool global = false;
  for (const Instr& in : p_.code) {
    global |= is_memory(in) && (in.space == Space::kGlobal || in.space == Space::kGeneric);
  }
  std::vector<Node> prologue;
  Node& stack = push(prologue, OpClass::ldc, code_.entry);
  stack.constant_operand = true;
  stack.constant_offset = g_.model->profile.constant_bank.stack_pointer;
  stack.defs = {temporary(1)};
  stack.begins = true;  // SASS: the first operation of each of the suite's 116 kernels
  if (global && g_.model->profile.constant_bank.descriptor != 0) {
    Node& descriptor = push(prologue, OpClass::ldc, code_.entry);
    descriptor.constant_operand = descriptor.uniform = true;
    descriptor.constant_offset = g_.model->profile.constant_bank.descriptor;
    descriptor.defs = {temporary(2, true)};
  }
  const size_t at = !first.empty() && first.front().begins ? 1 : 0;
  first.insert(first.begin() + static_cast<ptrdiff_t>(at), prologue.begin(), prologue.end());
}

void Selector::add_convergence() {
  for (uint32_t b = g_.flow.first_block[f_]; b < g_.flow.first_block[f_ + 1]; ++b) {
    const Instr& last = p_.code[g_.flow.blocks[b].last];
    uint32_t meet_instr = last.kind == InstrKind::kBranch ? p_.blocks[b].reconverge : UINT32_MAX;
    if (last.kind == InstrKind::kCall && p_.calls[last.extra].address.present())
      meet_instr = g_.flow.blocks[b].last + 1;
    if (meet_instr == UINT32_MAX) continue;
    const uint32_t meet = g_.flow.block_of[meet_instr];
    const uint32_t at = last.kind == InstrKind::kCall ? b : region_start(b, meet);
    // Branches inside that meet at the same place need no barrier of their own (SASS of divergent_switch).
    if (last.kind != InstrKind::kCall &&
        std::any_of(regions_.begin(), regions_.end(), [&](const auto& outer) {
          return outer.second == meet && outer.first <= at && (meet > b || outer.first == at);
        }))
      continue;
    regions_.emplace_back(at, meet);
    std::vector<Node>& nodes = g_.blocks[at];
    size_t where = nodes.size();
    if (where > 0 && nodes.back().ends) --where;
    Node n;
    n.decoded = g_.flow.blocks[at].last;
    if (g_.model->profile.clears_barrier) {
      n.op = OpClass::bmov;
      nodes.insert(nodes.begin() + static_cast<ptrdiff_t>(where++), n);
    }
    n.op = OpClass::bssy;
    nodes.insert(nodes.begin() + static_cast<ptrdiff_t>(where), n);
  }
}

uint32_t Selector::region_start(uint32_t b, uint32_t meet) const {
  uint32_t at = b;
  for (uint32_t header = g_.flow.first_block[f_]; header <= b; ++header) {
    for (const uint32_t latch : g_.flow.predecessors[header]) {
      // Loops as code order shows them: nvcc lays them out in one piece, header first.
      if (latch < header || b < header || b > latch || (meet >= header && meet <= latch)) continue;
      for (const uint32_t outside : g_.flow.predecessors[header]) {
        if (outside < header) return outside;
      }
    }
  }
  return at;
}

}  // namespace gpuloom::ptx
