// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/simt.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "ptx/exec/cta.h"
#include "ptx/exec/warp.h"
#include "ptx/exec/yield.h"

namespace gpuloom::ptx {
namespace {

// Backward branches after which a set lets another one go on, and rounds of those without anybody else to go
// on (about 16 thousand branches) after which lanes at meeting points are let go. Small enough that lanes
// waiting for one another are quick, large enough that ordinary divergent loops keep their convergence.
constexpr uint32_t kSpinsBeforeYield = 64;
constexpr uint32_t kRoundsBeforeRelease = 256;

// The lanes of region r that have come go on behind it.
ConvergenceSet leave(SimtState& s, uint32_t r) {
  Region& region = s.regions[r];
  ConvergenceSet set;
  set.lanes = region.arrived;
  set.pc = region.pc;
  set.region = region.parent;
  set.frame = region.frame;
  region.expected &= ~region.arrived;
  region.arrived = 0;
  if (region.expected == 0) region.open = false;
  return set;
}

// Lanes will not come to the meeting points of r and its ancestors (up to, not including, `end`): they have
// exited or left by another way. Regions that are complete without them go on.
void withdraw(Warp& w, uint32_t lanes) {
  SimtState& s = w.simt;
  for (uint32_t r = 1; r < s.regions.size(); ++r) {
    Region& region = s.regions[r];
    if (!region.open || !(region.expected & lanes)) continue;
    region.expected &= ~lanes;
    region.arrived &= ~lanes;
    if (region.expected == 0)
      region.open = false;
    else if (region.arrived == region.expected)
      s.sets.push_back(leave(s, r));
  }
}

bool runnable_exists(const SimtState& s) {
  for (const ConvergenceSet& set : s.sets)
    if (set.wait == Wait::kNone) return true;
  return false;
}

// Joins runnable sets that are at the same place to the current one.
void merge_equals(Warp& w) {
  SimtState& s = w.simt;
  for (size_t k = 0; k < s.sets.size();) {
    const ConvergenceSet& other = s.sets[k];
    if (other.wait == Wait::kNone && other.pc == w.pc && other.region == s.region && other.frame == s.frame &&
        other.synced == s.synced) {
      w.lanes |= other.lanes;
      s.sets.erase(s.sets.begin() + static_cast<ptrdiff_t>(k));
    } else {
      ++k;
    }
  }
}

// Why a warp without a runnable set waits: the reason that something outside can end comes first.
Wait common_reason(const SimtState& s) {
  constexpr Wait kOrder[] = {Wait::kMbarrier, Wait::kSleep,     Wait::kClusterBarrier,
                             Wait::kBarrier,  Wait::kWarpgroup, Wait::kLanes};
  for (Wait reason : kOrder)
    for (const ConvergenceSet& set : s.sets)
      if (set.wait == reason) return reason;
  return Wait::kLanes;
}

// After a backward branch of a set that others may depend on.
void turn_back(Warp& w, bool polls) {
  SimtState& s = w.simt;
  if (s.sets.empty() && s.region == 0) return;
  if (polls) {
    yield_to_all(w);
    return;
  }
  if (++s.spins < kSpinsBeforeYield) return;
  s.spins = 0;
  if (yield_set(w)) return;
  if (++s.rounds < kRoundsBeforeRelease || !s.polled) return;
  s.rounds = 0;
  s.polled = false;
  if (release_waiting_lanes(w)) yield_set(w);
}

// The region that ends at `meet` and that the current set is in, perhaps inside further ones, or 0.
uint32_t region_around(const SimtState& s, uint32_t meet) {
  for (uint32_t r = s.region; r != 0 && s.regions[r].frame == s.frame; r = s.regions[r].parent)
    if (s.regions[r].pc == meet) return r;
  return 0;
}

// Region in which the lanes of a divergent branch meet; the current one if that, or one around it, ends at
// the same place. Lanes that may leave a loop meet again outside of it: that region is opened first.
uint32_t region_of_branch(Warp& w) {
  SimtState& s = w.simt;
  const uint32_t pc = w.pc - 1;
  const Block& block = w.program->blocks[w.program->block_of[pc]];
  const uint32_t before = s.region;
  for (const uint32_t meet : {block.outer[1], block.outer[0], block.reconverge}) {
    if (meet != UINT32_MAX && region_around(s, meet) == 0) s.region = open_region(w, meet, w.lanes, s.frame);
  }
  const uint32_t region = s.region;
  s.region = before;
  return region;
}

// Lanes that leave a polling loop need not wait at its end for those that stay, which would let them go at
// once. Where they are then.
uint32_t pass_meeting_point(Warp& w, uint32_t r, uint32_t lanes) {
  Region& region = w.simt.regions[r];
  if (r == 0 || region.pc != w.program->blocks[w.program->block_of[w.pc - 1]].reconverge) return r;
  region.expected &= ~lanes;
  return region.parent;
}

// The current set has left the regions inside `end` by another way than their meeting points.
void break_out(Warp& w, uint32_t end) {
  SimtState& s = w.simt;
  for (uint32_t r = s.region; r != end;) {
    Region& region = s.regions[r];
    const uint32_t next = region.parent;
    region.expected &= ~w.lanes;
    if (region.expected == 0)
      region.open = false;
    else if (region.arrived == region.expected)
      s.sets.push_back(leave(s, r));
    r = next;
  }
  s.region = end;
}

}  // namespace

void continue_set(Warp& w, const ConvergenceSet& set) {
  SimtState& s = w.simt;
  w.lanes = set.lanes;
  w.pc = set.pc;
  w.wait = Wait::kNone;
  s.region = set.region;
  s.frame = set.frame;
  s.synced = set.synced;
  s.spins = 0;
  s.rounds = 0;
  const Frame& f = s.frames[set.frame];
  w.regs = w.register_memory.data() + f.regs;
  w.local_frame = f.local;
}

ConvergenceSet current_set(const Warp& w) {
  ConvergenceSet set;
  set.lanes = w.lanes;
  set.pc = w.pc;
  set.region = w.simt.region;
  set.frame = w.simt.frame;
  set.synced = w.simt.synced;
  return set;
}

uint32_t open_region(Warp& w, uint32_t pc, uint32_t expected, uint32_t frame) {
  SimtState& s = w.simt;
  // A stack with holes: a search for holes would make deep recursion quadratic.
  while (!s.regions.back().open) s.regions.pop_back();
  s.regions.push_back({pc, expected, 0, s.region, frame, true});
  return static_cast<uint32_t>(s.regions.size() - 1);
}

void arrive_at(Warp& w, uint32_t r, uint32_t lanes) {
  Region& region = w.simt.regions[r];
  region.arrived |= lanes;
  if (region.arrived == region.expected)
    continue_set(w, leave(w.simt, r));
  else
    switch_set(w);
}

void simt_start(Warp& w, uint32_t lanes) {
  SimtState& s = w.simt;
  SimtState fresh;  // but for the memory of the last one
  fresh.sets.swap(s.sets);
  fresh.regions.swap(s.regions);
  fresh.frames.swap(s.frames);
  fresh.stacks.swap(s.stacks);
  fresh.sets.clear();
  fresh.regions.clear();
  fresh.frames.clear();
  fresh.stacks.clear();
  s = std::move(fresh);
  s.regions.push_back({UINT32_MAX, 0, 0, 0, 0, true});
  s.frames.push_back({0, 0, 0, 0, lanes, 0, UINT32_MAX, 0});
  w.regs = w.register_memory.data();
  w.local_frame = 0;
  w.lanes = lanes;
  w.exited = ~lanes;
  w.pc = w.program->functions[0].entry;
  w.wait = lanes ? Wait::kNone : Wait::kDone;
}

uint32_t live_lanes(const Warp& w) { return ~w.exited; }

void switch_set(Warp& w) {
  SimtState& s = w.simt;
  for (size_t k = 0; k < s.sets.size(); ++k) {
    if (s.sets[k].wait != Wait::kNone) continue;
    const ConvergenceSet next = s.sets[k];
    s.sets.erase(s.sets.begin() + static_cast<ptrdiff_t>(k));
    continue_set(w, next);
    merge_equals(w);
    return;
  }
  w.lanes = 0;
  w.wait = live_lanes(w) == 0 ? Wait::kDone : common_reason(s);
  if (w.wait == Wait::kLanes) release_waiting_lanes(w);
}

void block_set(Warp& w, Wait reason) {
  SimtState& s = w.simt;
  if (s.sets.empty()) {
    w.wait = reason;
    return;
  }
  ConvergenceSet set = current_set(w);
  set.wait = reason;
  s.sets.push_back(set);
  switch_set(w);
}

bool yield_set(Warp& w) {
  SimtState& s = w.simt;
  if (!runnable_exists(s)) return false;
  s.sets.push_back(current_set(w));
  switch_set(w);
  return true;
}

void narrow_set(Warp& w, uint32_t lanes) {
  if (lanes == w.lanes) return;
  ConvergenceSet rest = current_set(w);
  rest.lanes = w.lanes & ~lanes;
  w.simt.sets.push_back(rest);
  w.lanes = lanes;
}

void wake(Warp& w, Wait reason, uint32_t lanes) {
  SimtState& s = w.simt;
  if (w.lanes != 0 && w.wait == reason && (w.lanes & lanes)) w.wait = Wait::kNone;
  bool any = false;
  for (ConvergenceSet& set : s.sets) {
    if (set.wait != reason || !(set.lanes & lanes)) continue;
    set.wait = Wait::kNone;
    any = true;
  }
  if (!any) return;
  if (w.lanes == 0)
    switch_set(w);
  else if (w.wait == Wait::kNone)
    merge_equals(w);  // sets that waited for one barrier leave it as one (WARPSYNC.ALL in front of BAR)
}

bool yield_to_all(Warp& w) {
  SimtState& s = w.simt;
  const auto before = static_cast<ptrdiff_t>(s.sets.size());
  release_waiting_lanes(w);
  std::rotate(s.sets.begin(), s.sets.begin() + before, s.sets.end());
  return yield_set(w);
}

bool release_waiting_lanes(Warp& w) {
  SimtState& s = w.simt;
  bool any = false;
  // Innermost regions are the youngest in a chain; one suffices to go on, all of them is simplest and as
  // right.
  for (uint32_t r = 1; r < s.regions.size(); ++r) {
    if (!s.regions[r].open || s.regions[r].arrived == 0) continue;
    s.sets.push_back(leave(s, r));
    any = true;
  }
  if (!any || w.wait == Wait::kNone) return any;
  if (w.lanes != 0) {  // it waited alone
    ConvergenceSet set = current_set(w);
    set.wait = w.wait;
    s.sets.push_back(set);
  }
  switch_set(w);
  return true;
}

void branch(Warp& w, uint32_t taken, uint32_t target) {
  const uint32_t from = w.pc;
  const bool back = target < from, polls = back && w.code[from - 1].aux == kPollsAgain;
  if (taken == w.lanes) {
    w.pc = target;
    if (back) turn_back(w, polls);
    return;
  }
  SimtState& s = w.simt;
  ConvergenceSet rest = current_set(w);
  const uint32_t region = region_of_branch(w);
  rest.lanes = w.lanes & ~taken;
  rest.region = polls ? pass_meeting_point(w, region, rest.lanes) : region;
  s.sets.insert(polls ? s.sets.begin() : s.sets.end(), rest);
  s.region = region;
  w.lanes = taken;
  w.pc = target;
  if (back) turn_back(w, polls);
}

void branch_indexed(Warp& w, uint32_t taken, const uint32_t targets[32]) {
  uint32_t left = taken;
  const uint32_t first = targets[std::countr_zero(left)];
  uint32_t same = 0;
  for (uint32_t m = left; m; m &= m - 1) {
    const unsigned lane = static_cast<unsigned>(std::countr_zero(m));
    if (targets[lane] == first) same |= 1u << lane;
  }
  if (same == w.lanes) {
    branch(w, same, first);
    return;
  }
  SimtState& s = w.simt;
  const ConvergenceSet before = current_set(w);
  const uint32_t region = region_of_branch(w);
  if (w.lanes != taken) {
    ConvergenceSet rest = before;
    rest.lanes = w.lanes & ~taken;
    rest.region = region;
    s.sets.push_back(rest);
  }
  left &= ~same;
  while (left) {
    ConvergenceSet set = before;
    set.pc = targets[std::countr_zero(left)];
    set.lanes = 0;
    set.region = region;
    for (uint32_t m = left; m; m &= m - 1) {
      const unsigned lane = static_cast<unsigned>(std::countr_zero(m));
      if (targets[lane] == set.pc) set.lanes |= 1u << lane;
    }
    left &= ~set.lanes;
    s.sets.push_back(set);
  }
  s.region = region;
  w.lanes = same;
  w.pc = first;
  if (first < before.pc) turn_back(w, false);
}

void split_by(Warp& w, const uint32_t masks[32]) {
  const auto sharing = [&](uint32_t lanes) {
    uint32_t same = 0;
    for (uint32_t m = lanes; m; m &= m - 1) {
      const unsigned lane = static_cast<unsigned>(std::countr_zero(m));
      if (masks[lane] == masks[std::countr_zero(lanes)]) same |= 1u << lane;
    }
    return same;
  };
  const uint32_t first = sharing(w.lanes);
  if (first == w.lanes) return;
  SimtState& s = w.simt;
  ConvergenceSet set = current_set(w);
  s.region = region_of_branch(w);
  // A region of its own, which they leave without meeting, keeps sets that stand at one place apart.
  const auto enclosed = [&](uint32_t lanes) { return open_region(w, UINT32_MAX, lanes, s.frame); };
  const uint32_t region = enclosed(first);
  for (uint32_t left = w.lanes & ~first; left != 0; left &= ~set.lanes) {
    set.lanes = sharing(left);
    set.region = enclosed(set.lanes);
    s.sets.push_back(set);
  }
  s.region = region;
  w.lanes = first;
}

void reconverge(Warp& w) {
  --w.executed;  // not an instruction of the program
  const SimtState& s = w.simt;
  if (s.region == 0) return;
  const uint32_t here = w.pc - 1;
  const auto ends_here = [&] {
    const Region& region = s.regions[s.region];
    return s.region != 0 && region.pc == here && region.frame == s.frame;
  };
  if (!ends_here()) {
    const uint32_t around = region_around(s, here);
    if (around == 0) return;
    break_out(w, around);
  }
  Region& region = w.simt.regions[s.region];
  const bool complete = (region.arrived | w.lanes) == region.expected;
  arrive_at(w, s.region, w.lanes);
  // They have all been here; an outer region may end here too.
  if (complete && !ends_here()) ++w.pc;
}

void exit_lanes(Warp& w, uint32_t lanes) {
  SimtState& s = w.simt;
  w.exited |= lanes;
  w.lanes &= ~lanes;
  if (!s.sets.empty() || s.region != 0 || s.frame != 0) {
    withdraw(w, lanes);
    for (Frame& f : s.frames) f.lanes &= ~lanes;
    for (ConvergenceSet& set : s.sets) {
      if (set.wait != Wait::kLanes) continue;
      set.wait = Wait::kNone;  // looks again whether its mask is complete
    }
  }
  if (w.lanes == 0) switch_set(w);
  after_exit(w, lanes);
}

}  // namespace gpuloom::ptx
