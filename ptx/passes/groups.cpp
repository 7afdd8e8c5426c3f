// SPDX-License-Identifier: Apache-2.0
// REDUX, VOTE and MATCH know no member mask: they act for the lanes that issue them together. Where ptxas
// cannot tell that all lanes share one, it sends those of each mask one after another to a meeting point. One
// such operation in a kernel stands behind WARPSYNC.EXCLUSIVE; where there are more, each is asked first
// whether the lanes are together (REDUX.OR and R2UR of the mask, BRA.DIV), and a second copy of it behind
// WARPSYNC.COLLECTIVE takes those that are not (ptxas 13.0, sm_90: SASS of cg_partition, vote_match and of
// single instructions).
#include <span>

#include "ptx/passes/draft.h"
#include "ptx/passes/edit.h"
#include "ptx/passes/flow.h"
#include "ptx/passes/post_dominators.h"
#include "ptx/passes/pseudo.h"
#include "ptx/passes/uniformity.h"

namespace gpuloom::ptx {

namespace {

bool acts_for_group(const Instr& in) {
  const auto op = static_cast<OpClass>(in.op_class);
  return in.kind == InstrKind::kWarpSync && !in.guard.present() &&
         (op == OpClass::redux || op == OpClass::vote || op == OpClass::match);
}

std::vector<uint32_t> find_groups(const Program& p) {
  std::vector<uint32_t> candidates;
  for (uint32_t i = 0; i < p.code.size(); ++i)
    if (acts_for_group(p.code[i]) && !member_mask(p.code[i]).constant()) candidates.push_back(i);
  if (candidates.empty()) return candidates;
  const Flow flow = build_flow(p);
  const Liveness live = find_liveness(p, flow);
  const Uniformity uniform = find_uniformity(p, flow, live, all_post_dominators(flow), Exchanges::kUniform);
  std::erase_if(candidates, [&](uint32_t i) {
    uint32_t f = 0;
    while (i >= p.functions[f].end) ++f;
    return uniform.divergent_row[f][live.number(f, member_mask(p.code[i]))] == 0;
  });
  return candidates;
}

// `distance` to the target goes into imm until the instructions stand in their places.
Instr branch_of(LaneFn fn, OpClass op, int64_t distance) {
  Instr in;
  in.fn = fn;
  in.kind = InstrKind::kBranch;
  in.op_class = static_cast<uint16_t>(op);
  in.uniform = fn == end_split ? 1 : 0;
  in.imm = distance;
  return in;
}

void set_targets(Program& p) {
  for (uint32_t i = 0; i < p.code.size(); ++i) {
    Instr& in = p.code[i];
    if (in.fn != split_lanes && in.fn != skip_split && in.fn != end_split) continue;
    in.target = i + static_cast<uint32_t>(in.imm);
    in.imm = 0;
  }
}

// Operations under one mask that follow one another: `groups` begins with them. ptxas asks once for all.
size_t run_of(const Program& p, std::span<const uint32_t> groups) {
  size_t count = 1;
  for (; count < groups.size(); ++count) {
    if (member_mask(p.code[groups[count]]).at != member_mask(p.code[groups[0]]).at) break;
    bool plain = true;
    for (uint32_t i = groups[count - 1] + 1; i < groups[count]; ++i)
      plain = plain && p.code[i].kind == InstrKind::kPlain;
    if (!plain) break;
  }
  return count;
}

// In front of the operations of a run, which are for lanes that are together: question, and for lanes that
// are not, of each operation WARPSYNC.COLLECTIVE, a copy, ENDCOLLECTIVE, and copies of what stands between.
void add_question(const Program& p, std::span<const uint32_t> run, Edit& edit) {
  const size_t begin = edit.insert.size();
  const uint32_t first = run.front(), last = run.back();
  OperandRef mask{};
  mask.place = member_mask(p.code[first]);
  const auto copy = [&](uint32_t i) {
    edit.insert.push_back(
        {first, p.code[i], {p.refs.begin() + p.ref_begin[i], p.refs.begin() + p.ref_begin[i + 1]}});
  };
  const auto branch = [&](LaneFn fn, OpClass op, int64_t distance) {
    Instr in = branch_of(fn, op, distance);
    in.aux = 1;
    if (fn != end_split) in.ops[0] = mask.place;
    edit.insert.push_back({first, in, {}});
    if (fn != end_split) edit.insert.back().refs.push_back(mask);
  };
  branch(skip_split, OpClass::bra, 0);
  size_t next = 0;
  for (uint32_t i = first; i <= last; ++i) {
    const bool acts = next < run.size() && run[next] == i;
    if (acts) branch(split_lanes, OpClass::warpsync, 3);
    copy(i);
    if (!acts) continue;
    branch(end_split, OpClass::endcollective, 1);
    ++next;
  }
  branch(end_split, OpClass::bra, int64_t{last} - first + 2);
  edit.insert[begin].instr.imm = static_cast<int64_t>(edit.insert.size() - begin);
}

}  // namespace

void split_groups(Draft& draft) {
  Program& p = draft.program;
  const std::vector<uint32_t> groups = find_groups(p);
  if (groups.empty()) return;
  Edit edit(p);
  if (groups.size() == 1) {
    OperandRef mask{};
    mask.place = member_mask(p.code[groups[0]]);
    Instr split = branch_of(split_lanes, OpClass::warpsync, 2);
    split.ops[0] = mask.place;
    edit.insert.push_back({groups[0], split, {mask}});
  } else {
    for (std::span<const uint32_t> left = groups; !left.empty();) {
      const size_t count = run_of(p, left);
      add_question(p, left.first(count), edit);
      left = left.subspan(count);
    }
  }
  apply(p, edit);
  set_targets(p);
}

}  // namespace gpuloom::ptx
