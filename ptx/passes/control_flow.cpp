// SPDX-License-Identifier: Apache-2.0
// Blocks and meeting points. After this pass the code does not move any more.
#include <algorithm>

#include "ptx/passes/draft.h"
#include "ptx/passes/edit.h"
#include "ptx/passes/flow.h"
#include "ptx/passes/meeting_points.h"
#include "ptx/passes/polling.h"
#include "ptx/passes/post_dominators.h"
#include "ptx/passes/pseudo.h"
#include "ptx/passes/synthesize.h"
#include "ptx/passes/uniformity.h"

namespace gpuloom::ptx {

namespace {

// A block of the entry that does nothing but return: lanes need not meet for that.
bool only_leaves(const Program& p, const Block& block) {
  const Instr& in = p.code[block.first];
  return block.first < p.functions[0].end && leaves_function(in) && !in.guard.present();
}

}  // namespace

void build_control_flow(Program& p) {
  std::vector<std::vector<uint32_t>> meeting_instr;  // by branch block: instructions of the old numbering
  {
    const Flow flow = build_flow(p);
    const Liveness liveness = find_liveness(p, flow);
    const std::vector<uint32_t> meets = all_post_dominators(flow);
    mark_polling_loops(p, flow, liveness, meets);
    const Uniformity uniform = find_uniformity(p, flow, liveness, meets);
    const std::vector<std::vector<uint32_t>> places = meeting_points(flow, meets);
    std::vector<uint8_t> is_meeting(flow.blocks.size(), 0);
    for (uint32_t b = 0; b < flow.blocks.size(); ++b) {
      Instr& last = p.code[flow.blocks[b].last];
      const bool diverges = uniform.divergent_branch[b] != 0;
      if (last.kind == InstrKind::kBranch && !diverges) last.uniform = 1;
      meeting_instr.emplace_back();
      for (const uint32_t place : places[b]) {
        if (!diverges || last.kind != InstrKind::kBranch || only_leaves(p, flow.blocks[place])) continue;
        meeting_instr.back().push_back(flow.blocks[place].first);
        is_meeting[place] = 1;
      }
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
    const auto place = [&](uint32_t old) { return flow.blocks[flow.block_of[shifted[old]]].first; };
    const std::vector<uint32_t>& meets = meeting_instr[b];
    if (!meets.empty()) block.reconverge = place(meets.front());
    for (size_t k = 1; k < meets.size() && k <= std::size(block.outer); ++k)
      block.outer[k - 1] =
          place(meets[meets.size() - std::min(meets.size(), std::size(block.outer) + 1) + k]);
    p.code[block.first].begins_block = 1;
    p.code[block.last].ends_block = 1;
  }
  p.blocks = std::move(flow.blocks);
  p.block_of = std::move(flow.block_of);
}

}  // namespace gpuloom::ptx
