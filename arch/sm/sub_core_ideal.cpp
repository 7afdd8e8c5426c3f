// SPDX-License-Identifier: Apache-2.0
// What a sub-core does where a switch of `ideal` is on: waits that do not count, and operations that take no
// time. Function stays as it is: what it waits for itself (results of atomics, barriers) is still waited for.
#include <algorithm>
#include <bit>

#include "arch/sm/sub_core.h"

namespace gpuloom::arch {

// What the instructions that have just been carried out wait for themselves.
void SubCore::take_late_results(unsigned s) {
  ideal_slots_[s].late_results |= slots_[s].late_results;
  slots_[s].late_results = 0;
}

// Of the scoreboards that the warp's next operation waits for, those that count.
unsigned SubCore::ideal_waits(unsigned s, unsigned waits, Cycle now) {
  IdealSlot& i = ideal_slots_[s];
  const bool fence = config_.ideal.fences && slots_[s].next->record->fence_alone;
  if (config_.ideal.dependences || fence || apart(s)) return waits & i.late_results;
  if (i.credit == 0 || (waits & i.late_results) != 0) return waits;
  // A warp that goes on early would have waited here as long as the result still takes: paid when it comes.
  if (i.passed == 0) i.passed_since = now;
  if (now - i.passed_since >= i.credit) return waits;
  i.passed |= static_cast<uint8_t>(waits);
  return 0;
}

void SubCore::scoreboard_clear(unsigned s, unsigned scoreboard, Cycle now) {
  IdealSlot& i = ideal_slots_[s];
  i.late_results &= static_cast<uint8_t>(~(1u << scoreboard));
  if (i.passed == 0) return;
  i.passed &= slots_[s].pending;
  if (i.passed == 0) i.credit -= std::min(i.credit, now - i.passed_since);
}

// Function needs the barrier. What the warp has waited there, its later waits are shorter by.
void SubCore::give_back(unsigned s, Cycle now) {
  if (config_.ideal.barriers && now > slots_[s].since) ideal_slots_[s].credit += now - slots_[s].since;
}

Cycle SubCore::sooner(unsigned s, Cycle at, Cycle now) {
  Cycle& credit = ideal_slots_[s].credit;
  const Cycle back = std::min(credit, at - now - 1);
  credit -= back;
  return at - back;
}

// What the warp does next is what `ideal` gives a 32nd of the time: one lane works for all, or the block has
// not come to its data yet. Never none, or a loop that asks for the time would not end.
bool SubCore::apart(unsigned s) const {
  if (config_.ideal.prologue && !ideal_slots_[s].accessed && !slots_[s].next->memory) return true;
  return config_.ideal.lone_threads && std::popcount(slots_[s].warp->lanes) == 1;
}

// A warp that has time back from a barrier goes on at no cost; a part of a warp takes its part of the turns,
// as it would in a warp of its like: of two halves, every second operation takes time.
bool SubCore::free_part(unsigned s, const OpInfo& op) {
  IdealSlot& i = ideal_slots_[s];
  if (op.costless) return true;
  // What has not taken effect yet is what function needs a fence for.
  if (config_.ideal.fences && op.record->fence_alone) return ports_.late.empty();
  const bool alone = apart(s);
  i.accessed |= op.memory || op.action == Action::kBarrier || op.action == Action::kClusterBarrier;
  if (i.credit == 0 && !alone && !config_.ideal.divergence && !config_.ideal.partial_warps) return false;
  switch (op.action) {
    case Action::kPlain:
    case Action::kMemory:
    case Action::kQueued:
    case Action::kConstantLoad:
    case Action::kBranch:
      break;
    default:
      return false;
  }
  if (i.credit != 0) {  // it would have gone on with this while it waited at the barrier
    i.credit -= std::min<Cycle>(i.credit, op.stall);
    return true;
  }
  const ptx::Warp& warp = *slots_[s].warp;
  const auto lanes = [](uint32_t mask) { return static_cast<unsigned>(std::popcount(mask)); };
  const unsigned live = lanes(ptx::live_lanes(warp));
  const unsigned here = alone ? 1 : config_.ideal.divergence ? lanes(warp.lanes) : live;
  const unsigned all = alone || config_.ideal.partial_warps ? kWarpSize : live;
  if (here == all) return false;
  i.part = static_cast<uint8_t>(i.part + here * kWarpSize / all);
  if (i.part < kWarpSize) return true;
  i.part = static_cast<uint8_t>(i.part - kWarpSize);
  return false;
}

// ideal.shared_loads: a run of loads comes with one where all lanes' addresses are aligned for it.
void SubCore::join_loads(WarpSlot& w) const {
  if (w.kernel->joined.empty() || !w.next->record->in_run) return;
  const ptx::TimeRecord& r = *w.next->record;
  const auto aligned = [&](auto zero) {
    const auto* base = ptx::source<decltype(zero)>(*w.warp, r.run_base);
    for (uint32_t l = w.warp->lanes; l != 0; l &= l - 1)
      if ((base[std::countr_zero(l)] + r.run_displace) % r.run_align != 0) return false;
    return true;
  };
  if (r.wide ? aligned(uint64_t{0}) : aligned(uint32_t{0})) w.next = &w.kernel->joined[w.op];
}

// The operation, and what further ones the cycle takes.
void SubCore::issue_ideal(unsigned slot, Cycle now) {
  issued_ = false;
  for (unsigned picked = slot; picked != policy::kNone;) {
    free_ = false;
    issue<true>(picked, now);
    if ((!free_ && !config_.ideal.issue) || ready_.none()) return;
    const uint32_t candidates = issuable(now);
    if (candidates == 0) return;
    picked = scheduler_->pick(candidates, now);
  }
}

}  // namespace gpuloom::arch
