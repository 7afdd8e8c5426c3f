// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/matrix/warpgroup_meeting.h"

#include <algorithm>

#include "ptx/exec/check/checks.h"
#include "ptx/exec/simt.h"

namespace gpuloom::ptx {
namespace {

// Warps of the group that the block has and that have not ended.
uint32_t expected(const Cta& cta, uint32_t group) {
  uint32_t mask = 0;
  for (uint32_t k = 0; k < kWarpgroupWarps; ++k) {
    const size_t index = group * kWarpgroupWarps + k;
    if (index < cta.warps.size() && live_lanes(*cta.warps[index]) != 0) mask |= 1u << k;
  }
  return mask;
}

void finish(Cta& cta, uint32_t group) {
  WarpgroupMeetings::Meeting& m = cta.meetings->groups[group];
  const uint32_t here = m.here;
  m.here = 0;
  std::vector<Warp*> warps;
  for (uint32_t k = 0; k < kWarpgroupWarps; ++k) {
    if ((here >> k & 1) == 0) continue;
    Warp& w = *cta.warps[group * kWarpgroupWarps + k];
    const uint32_t lanes = w.lanes;  // none where another convergence set of the warp waits too
    w.lanes = m.lanes[k];
    multiply_warpgroup(w, *m.instr[k], m.product[k]);
    w.lanes = lanes;
    warps.push_back(&w);
  }
  if (Checks* checks = cta.launch->checks) checks->warps_met(warps);
  for (Warp* w : warps) wake(*w, Wait::kWarpgroup);
}

}  // namespace

void meet_and_multiply(Warp& w, const Instr& in, const WarpgroupMultiply& product) {
  Cta& cta = *w.cta;
  const uint32_t group = w.index_in_cta / kWarpgroupWarps, place = w.index_in_cta % kWarpgroupWarps;
  if (!cta.meetings) {
    cta.meetings = std::make_shared<WarpgroupMeetings>();
    cta.meetings->groups.resize((cta.warps.size() + kWarpgroupWarps - 1) / kWarpgroupWarps);
  }
  WarpgroupMeetings::Meeting& m = cta.meetings->groups[group];
  m.product[place] = product;
  m.instr[place] = &in;
  m.lanes[place] = w.lanes;
  m.here |= 1u << place;
  block_set(w, Wait::kWarpgroup);
  if (m.here == expected(cta, group)) finish(cta, group);
}

void leave_warpgroup(Warp& w) {
  Cta& cta = *w.cta;
  if (!cta.meetings) return;
  const uint32_t group = w.index_in_cta / kWarpgroupWarps;
  const uint32_t here = cta.meetings->groups[group].here;
  if (here != 0 && here == expected(cta, group)) finish(cta, group);
}

}  // namespace gpuloom::ptx
