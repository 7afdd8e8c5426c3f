// SPDX-License-Identifier: Apache-2.0
#include "ptx/passes/loop_region.h"

#include <algorithm>

#include "ptx/isa/table/op_class.h"
#include "ptx/passes/instr_questions.h"

namespace gpuloom::ptx {

namespace {

bool goes_back(const Program& p, const Flow& flow, uint32_t latch, uint32_t& header) {
  const Instr& in = p.code[flow.blocks[latch].last];
  if (!jumps_to_label(in)) return false;
  if (!in.guard.present() || in.guard_negated != 0 || flow.successors[latch].size() != 2) return false;
  header = flow.block_of[in.target];
  return header <= latch && flow.blocks[header].first == in.target;
}

// Whether nobody jumps into the middle, and nothing in it goes back or calls.
bool is_straight(const Program& p, const Flow& flow, LoopRegion& region) {
  const auto inside = [&](uint32_t b) { return b >= region.header && b <= region.latch; };
  for (uint32_t b = region.header; b <= region.latch; ++b) {
    const auto& before = flow.predecessors[b];
    if (b != region.header && !std::all_of(before.begin(), before.end(), inside)) return false;
    if (b == region.latch) break;
    const Instr& end = p.code[flow.blocks[b].last];
    if (end.kind == InstrKind::kCall || leaves_function(end) || jumps_by_value(end)) return false;
    for (const uint32_t s : flow.successors[b]) {
      if (inside(s) && s <= b) return false;
      if (!inside(s)) region.other_exits.push_back(s);
    }
  }
  return true;
}

void find_every_turn(const Flow& flow, LoopRegion& region) {
  region.every_turn.assign(region.latch - region.header + 1, 1);
  for (uint32_t b = region.header; b < region.latch; ++b) {
    for (const uint32_t s : flow.successors[b]) {
      if (s > region.latch) continue;  // a turn that leaves there
      for (uint32_t past = b + 1; past < s && past <= region.latch; ++past)
        region.every_turn[past - region.header] = 0;
    }
  }
}

// A condition at the end of block b that skips one block, or chooses one of two.
bool is_simple_condition(const Flow& flow, uint32_t b) {
  const auto goes_on_to = [&](uint32_t block, uint32_t next) {
    return flow.successors[block].size() == 1 && flow.successors[block][0] == next;
  };
  const uint32_t target = std::max(flow.successors[b][0], flow.successors[b][1]);
  if (target != b + 2) return false;
  return goes_on_to(b + 1, target) || (goes_on_to(b + 1, target + 1) && goes_on_to(target, target + 1));
}

}  // namespace

std::optional<LoopRegion> find_region(const Program& p, const Flow& flow, uint32_t latch) {
  LoopRegion region;
  if (!goes_back(p, flow, latch, region.header)) return std::nullopt;
  region.latch = latch;
  region.first = flow.blocks[region.header].first;
  region.last = flow.blocks[latch].last;
  if (!is_straight(p, flow, region)) return std::nullopt;
  find_every_turn(flow, region);
  for (uint32_t b = region.header; b < latch; ++b)
    region.nested |= flow.successors[b].size() == 2 && !is_simple_condition(flow, b);
  return region;
}

bool lives_at_other_exits(const Liveness& live, const LoopRegion& region, uint32_t row) {
  return std::any_of(region.other_exits.begin(), region.other_exits.end(),
                     [&](uint32_t block) { return live.live_in[block].has(row); });
}

}  // namespace gpuloom::ptx
