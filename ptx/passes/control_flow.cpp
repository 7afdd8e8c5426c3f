// SPDX-License-Identifier: Apache-2.0
// Blocks and meeting points. After this pass the code does not move any more.
#include <algorithm>

#include "ptx/passes/draft.h"
#include "ptx/passes/edit.h"
#include "ptx/passes/flow.h"
#include "ptx/passes/post_dominators.h"
#include "ptx/passes/pseudo.h"
#include "ptx/passes/synthesize.h"
#include "ptx/passes/uniformity.h"

namespace gpuloom::ptx {

namespace {

// Whether lanes come to `meet` by more than one way out of block b; with one alone nobody needs to wait
// there.
bool several_ways(const Flow& flow, uint32_t b, uint32_t meet) {
  std::vector<uint32_t> found{meet};
  std::vector<uint8_t> seen(flow.blocks.size(), 0);
  seen[meet] = 1;
  for (size_t k = 0; k < found.size(); ++k) {
    for (const uint32_t before : flow.predecessors[found[k]]) {
      if (seen[before] != 0) continue;
      seen[before] = 1;
      found.push_back(before);
    }
  }
  const auto& ways = flow.successors[b];
  return std::count_if(ways.begin(), ways.end(), [&](uint32_t s) { return seen[s] != 0; }) > 1;
}

// A block of the entry that does nothing but return: lanes need not meet for that.
bool only_leaves(const Program& p, const Block& block) {
  const Instr& in = p.code[block.first];
  return block.first < p.functions[0].end && leaves_function(in) && !in.guard.present();
}

}  // namespace

void build_control_flow(Program& p) {
  std::vector<uint32_t> meeting_instr;  // by branch block: an instruction of the old numbering, or UINT32_MAX
  {
    const Flow flow = build_flow(p);
    const Liveness liveness = find_liveness(p, flow);
    const std::vector<uint32_t> meets = all_post_dominators(flow);
    const Uniformity uniform = find_uniformity(p, flow, liveness, meets);
    std::vector<uint8_t> is_meeting(flow.blocks.size(), 0);
    for (uint32_t b = 0; b < flow.blocks.size(); ++b) {
      Instr& last = p.code[flow.blocks[b].last];
      const bool diverges = uniform.divergent_branch[b] != 0;
      if (last.kind == InstrKind::kBranch && !diverges) last.uniform = 1;
      const bool meet_here = diverges && last.kind == InstrKind::kBranch && meets[b] != UINT32_MAX &&
                             several_ways(flow, b, meets[b]) && !only_leaves(p, flow.blocks[meets[b]]);
      meeting_instr.push_back(meet_here ? flow.blocks[meets[b]].first : UINT32_MAX);
      if (meet_here) is_meeting[meets[b]] = 1;
      // Lanes that call different functions by address meet behind the call.
      const bool by_address = last.kind == InstrKind::kCall && p.calls[last.extra].address.present();
      if (by_address && !flow.successors[b].empty()) is_meeting[flow.successors[b][0]] = 1;
    }
    Edit edit(p);
    for (uint32_t b = 0; b < flow.blocks.size(); ++b) {
      if (is_meeting[b] == 0) continue;
      Instr in;
      in.fn = reconverge_lanes;
      in.kind = InstrKind::kReconverge;
      in.op_class = static_cast<uint16_t>(OpClass::bsync);
      edit.insert.push_back({flow.blocks[b].first, in, {}});
    }
    apply(p, edit);
  }
  // Insertions come first in their blocks, so the blocks are the same ones, shifted.
  Flow flow = build_flow(p);
  std::vector<uint32_t> shifted;  // new position of the k-th old instruction
  for (uint32_t i = 0; i < p.code.size(); ++i) {
    if (p.code[i].kind != InstrKind::kReconverge) shifted.push_back(i);
  }
  for (uint32_t b = 0; b < flow.blocks.size(); ++b) {
    Block& block = flow.blocks[b];
    if (meeting_instr[b] != UINT32_MAX)
      block.reconverge = flow.blocks[flow.block_of[shifted[meeting_instr[b]]]].first;
    p.code[block.first].begins_block = 1;
    p.code[block.last].ends_block = 1;
  }
  p.blocks = std::move(flow.blocks);
  p.block_of = std::move(flow.block_of);
}

}  // namespace gpuloom::ptx
