// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/surroundings.h"

#include <algorithm>

#include "ptx/machine/node_questions.h"
#include "ptx/machine/row_facts.h"

namespace gpuloom::ptx {

void Surroundings::add() {
  if (f_ == 0) add_prologue();
  add_convergence();
  if (f_ != 0 && calls_.conventional(f_)) keep_barriers();
}

uint32_t Surroundings::make_register(uint8_t words, bool uniform) {
  g_.registers.push_back({words, uniform, kNoRegister});
  return static_cast<uint32_t>(g_.registers.size() - 1);
}

void Surroundings::add_prologue() {
  std::vector<Node>& first = g_.blocks[g_.flow.first_block[f_]];
  bool global = false;
  for (const Instr& in : program().code) {
    global |= is_memory(in) && (in.space == Space::kGlobal || in.space == Space::kGeneric);
  }
  std::vector<Node> prologue;
  const auto load = [&]() -> Node& {
    Node& n = prologue.emplace_back();
    n.op = OpClass::ldc;
    n.decoded = entry();
    n.constant_operand = true;
    return n;
  };
  Node& stack = load();
  stack.constant_offset = g_.model->profile.constant_bank.stack_pointer;
  stack.defs = {make_register(1, false)};
  stack.begins = true;  // SASS: the first operation of each of the suite's 116 kernels
  if (global && g_.model->profile.constant_bank.descriptor != 0) {
    Node& descriptor = load();
    descriptor.uniform = true;
    descriptor.constant_offset = g_.model->profile.constant_bank.descriptor;
    descriptor.defs = {make_register(2, true)};
  }
  const size_t at = !first.empty() && first.front().begins ? 1 : 0;
  first.insert(first.begin() + static_cast<ptrdiff_t>(at), prologue.begin(), prologue.end());
}

void Surroundings::add_convergence() {
  for (uint32_t b = g_.flow.first_block[f_]; b < g_.flow.first_block[f_ + 1]; ++b) {
    const Instr& last = program().code[g_.flow.blocks[b].last];
    uint32_t meet_instr = last.kind == InstrKind::kBranch ? program().blocks[b].reconverge : UINT32_MAX;
    if (last.kind == InstrKind::kCall && program().calls[last.extra].address.present())
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

uint32_t Surroundings::region_start(uint32_t b, uint32_t meet) const {
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

unsigned Surroundings::barriers_across_calls() const {
  unsigned most = 0;
  for (uint32_t b = g_.flow.first_block[f_]; b < g_.flow.first_block[f_ + 1]; ++b) {
    const Instr& last = program().code[g_.flow.blocks[b].last];
    if (last.kind != InstrKind::kCall || !calls_.conventional(program().calls[last.extra])) continue;
    most = std::max(most,
                    static_cast<unsigned>(std::count_if(regions_.begin(), regions_.end(), [&](const auto& r) {
                      return r.first <= b && b < r.second;
                    })));
  }
  return most;
}

void Surroundings::keep_barriers() {
  for (unsigned k = barriers_across_calls(); k > 0; --k) {
    const uint32_t kept = make_register(1, false);
    std::vector<Node>& first = g_.blocks[g_.flow.first_block[f_]];
    Node take;
    take.op = OpClass::bmov;
    take.decoded = entry();
    take.defs = {kept};
    first.insert(first.begin(), take);
    for (uint32_t b = g_.flow.first_block[f_]; b < g_.flow.first_block[f_ + 1]; ++b) {
      std::vector<Node>& nodes = g_.blocks[b];
      if (nodes.empty() || !returns(nodes.back())) continue;
      Node give = take;
      give.decoded = nodes.back().decoded;
      give.defs.clear();
      give.uses = {kept};
      nodes.insert(nodes.end() - 1, give);
    }
  }
}

}  // namespace gpuloom::ptx
