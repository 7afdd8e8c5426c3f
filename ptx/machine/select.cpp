// SPDX-License-Identifier: Apache-2.0
// Which machine operations there are: what vanishes, fuses and expands. Patterns are those that the
// disassembly of the reference suite (ptxas 13.0, sm_90) shows. Folding is about time only: the decoded
// instructions all stay and take effect in a fitting place.
#include <algorithm>

#include "ptx/machine/narrowing.h"
#include "ptx/machine/rules/fold_rule.h"
#include "ptx/machine/rules/gather_lanes.h"
#include "ptx/machine/selector.h"
#include "ptx/machine/surroundings.h"
#include "ptx/machine/uniform_constants.h"
#include "ptx/passes/guards.h"
#include "ptx/passes/instr_questions.h"
#include "ptx/passes/pseudo.h"

namespace gpuloom::ptx {

bool is_memory(const Instr& in) {
  switch (in.kind) {
    case InstrKind::kLoad:
    case InstrKind::kStore:
    case InstrKind::kAtomic:
    case InstrKind::kAsyncCopy:
      return true;
    default:
      return false;
  }
}

void Selector::fold(uint32_t i) {
  Candidate c{i, shape(i), single_result(i), false};
  c.steady = c.result != nullptr && stable_sources(i);
  const Selection function(*this);
  for (const FoldRule* rule : fold_rules()) {
    if (!g_.options.control.runs(rule->name) || !rule->match(function, c)) continue;
    Folder folder(*this, c);
    return rule->apply(function, folder, c);
  }
}

void Selector::run() {
  gather();
  for (uint32_t i = code_.entry; i < code_.end; ++i) {
    const Instr& in = p_.code[i];
    if (splits(in)) (in.aux != 0 ? gathering_.asks : gathering_.syncs) = true;
    if (exchanges(in) && is_shuffle(class_of(i)) && divergent(member_mask(in)))
      ++gathering_.differing_shuffles;
  }
  drop_exchanges();
  Narrowing(*this, halves_).run();
  UniformConstants uniform{Selection(*this)};
  if (g_.model->profile.uniform_datapath) uniform.find();
  join_moves();
  join_fragments();
  find_shared_bases();
  for (uint32_t i = code_.entry; i < code_.end; ++i) fold(i);
  split_extensions();
  pieces_.find();
  for (uint32_t b = g_.flow.first_block[f_]; b < g_.flow.first_block[f_ + 1]; ++b) {
    share_matrix_loads(b);
    share_exchanges(b);
    for (uint32_t i = g_.flow.blocks[b].first; i <= g_.flow.blocks[b].last; ++i) {
      const size_t from = g_.blocks[b].size();
      if (!hoist(i)) {
        emit_in_order(i, g_.blocks[b]);
        guard_as_branch(i, g_.blocks[b], from);
      }
      uniform.make_uniform(g_, i, g_.blocks[b], from);
    }
    if (g_.blocks[b].empty()) push(g_.blocks[b], OpClass::mov, g_.flow.blocks[b].last).carries = true;
  }
  note_registers();
  add_shared_bases();
  Surroundings(g_, calls_, f_).add();
}

// Guards what stands for an instruction that a branch skipped before it became guards.
void Selector::guard_as_branch(uint32_t i, std::vector<Node>& out, size_t from) {
  const Instr& in = p_.code[i];
  if (in.guard.present() && !is_guarded_in_ptx(p_, in)) {
    for (size_t k = from; k < out.size(); ++k) out[k].skipped = out[k].guarded && !out[k].ends;
  }
  for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
    if (p_.refs[r].operand != kBranchGuard) continue;
    std::vector<uint32_t> guard;
    add_source(p_.refs[r].place, guard, 0);
    for (size_t k = from; k < out.size(); ++k) {
      Node& n = out[k];
      if (n.guarded || n.uniform || guard.size() != 1) continue;
      if (std::ranges::find(n.uses, guard[0]) == n.uses.end()) n.uses.push_back(guard[0]);
      n.guarded = n.fresh = n.skipped = true;
    }
  }
}

// Where operations have rows; kNoVirtual for those that stand in several registers or in none.
void Selector::note_registers() {
  g_.register_of_row.resize(base_ + rows_.size(), kNoVirtual);
  for (uint32_t row = 0; row < rows_.size(); ++row) {
    std::vector<uint32_t> in;
    add_source(Place::reg(g_.liveness.rows[f_].offset[row]), in, 0);
    if (in.size() == 1) g_.register_of_row[base_ + row] = in[0];
  }
}

void select_operations(Graph& g) {
  g.blocks.assign(g.flow.blocks.size(), {});
  Calls calls(g);
  for (uint32_t f = 0; f < g.program->functions.size(); ++f) Selector(g, calls, f).run();
}

void plain_operations(Graph& g) {
  const Program& p = *g.program;
  g.blocks.assign(g.flow.blocks.size(), {});
  for (uint32_t b = 0; b < g.flow.blocks.size(); ++b) {
    const uint32_t f = g.liveness.function_of[b];
    for (uint32_t i = g.flow.blocks[b].first; i <= g.flow.blocks[b].last; ++i) {
      const Instr& in = p.code[i];
      const auto& sequence = g.model->sequence[in.op_class];
      Node n;
      n.op = sequence.empty() ? static_cast<OpClass>(in.op_class) : sequence.front();
      if (n.op == OpClass::none) n.op = OpClass::nop;
      n.decoded = i;
      n.carries = true;
      n.guarded = in.guard.present();
      n.memory = is_memory(in) && in.space != Space::kParam;
      n.lane_bytes = static_cast<uint8_t>((in.type == Type::kNone ? 4 : bytes(in.type)) * in.vec);
      n.space = in.space;
      for (uint32_t r = p.ref_begin[i]; r < p.ref_begin[i + 1]; ++r) {
        if (p.refs[r].place.constant()) continue;
        const uint32_t v = g.first_virtual[f] + g.liveness.number(f, p.refs[r].place);
        (p.refs[r].defines ? n.defs : n.uses).push_back(v);
      }
      g.blocks[b].push_back(std::move(n));
    }
  }
}

}  // namespace gpuloom::ptx
