// SPDX-License-Identifier: Apache-2.0
// What orders accesses: barriers, mbarriers, fences, strong accesses.
#include "ptx/exec/check/race_state.h"
#include "ptx/exec/memory_path.h"
#include "ptx/exec/simt.h"

namespace gpuloom::ptx {

bool RaceState::knows(uint32_t thread, uint32_t other, uint32_t clock) const {
  return thread == other || component(threads_[thread].base, other) >= clock;
}

bool RaceState::happened(const AccessRecord& r, uint32_t thread, unsigned& unordered) const {
  unordered = static_cast<unsigned>(std::countr_zero(r.lanes));
  if (r.flags & AccessRecord::kToken) {
    const Token& t = tokens_[r.clock];
    if (t.done != 0 && knows(thread, t.thread, t.done)) return true;
    return t.component != 0 && component(threads_[thread].base, t.component) > t.phase;
  }
  const uint32_t first = uint32_t{r.warp} * 32;
  const bool collective = (r.flags & AccessRecord::kCollective) != 0;
  for (uint32_t m = r.lanes; m != 0; m &= m - 1) {
    const unsigned lane = static_cast<unsigned>(std::countr_zero(m));
    const bool known = knows(thread, first + lane, r.clock);
    if (known == collective) {
      unordered = lane;
      return collective;
    }
  }
  return !collective;
}

void RaceState::add_lanes(ClockJoin& join, const Warp& w, uint32_t lanes) {
  for_lanes(lanes, [&](unsigned l) { join.add(threads_[thread_of(w, l)].base); });
  for_lanes(lanes, [&](unsigned l) { join.raise(thread_of(w, l), threads_[thread_of(w, l)].self++); });
}

void RaceState::take_over(const Warp& w, uint32_t lanes, const ClockRef& clock) {
  for_lanes(lanes, [&](unsigned l) { threads_[thread_of(w, l)].base = clock; });
}

void RaceState::acquire(uint32_t thread, const ClockRef& clock) {
  ClockRef& base = threads_[thread].base;
  if (clock == nullptr || base == clock) return;
  if (base != memo_base_ || clock != memo_clock_ || memo_result_ == nullptr) {
    ClockJoin join;
    join.add(base);
    join.add(clock);
    memo_base_ = base;
    memo_clock_ = clock;
    memo_result_ = join.sum();
  }
  base = memo_result_;
}

void RaceState::synchronise(const Warp& w, uint32_t lanes) {
  ClockJoin join;
  add_lanes(join, w, lanes);
  take_over(w, lanes, join.sum());
}

void RaceState::meet(const std::vector<Warp*>& warps) {
  ClockJoin join;
  for (const Warp* w : warps) add_lanes(join, *w, live_lanes(*w));
  const ClockRef sum = join.sum();
  for (const Warp* w : warps) take_over(*w, live_lanes(*w), sum);
}

void RaceState::arrive(const Warp& w, uint32_t lanes, unsigned barrier) {
  add_lanes(barriers_[w.cta->cluster_rank * kNamedBarriers + barrier], w, lanes);
}

void RaceState::release(const Cta& cta, unsigned barrier, const std::vector<BarrierWaiter>& waiters) {
  ClockJoin& join = barriers_[cta.cluster_rank * kNamedBarriers + barrier];
  if (join.empty()) return;
  const ClockRef clock = join.sum();
  for (const BarrierWaiter& waiter : waiters) take_over(*waiter.warp, waiter.lanes, clock);
  join.clear();
}

void RaceState::cluster_arrive(const Warp& w, uint32_t lanes) { add_lanes(cluster_arrivals_, w, lanes); }

void RaceState::cluster_wait(const Warp& w, uint32_t lanes, bool complete) {
  if (complete)
    for_lanes(lanes, [&](unsigned l) { acquire(thread_of(w, l), cluster_completed_); });
  else
    cluster_waiting_[warp_of(w)] |= lanes;
}

void RaceState::cluster_release() {
  if (cluster_arrivals_.empty()) return;
  cluster_completed_ = cluster_arrivals_.sum();
  cluster_arrivals_.clear();
  for (uint32_t warp = 0; warp < cluster_waiting_.size(); ++warp) {
    for_lanes(cluster_waiting_[warp], [&](unsigned l) { acquire(warp * 32 + l, cluster_completed_); });
    cluster_waiting_[warp] = 0;
  }
}

RaceState::Mbarrier& RaceState::mbarrier_of(uint64_t word) {
  Mbarrier& m = mbarriers_[word];
  if (m.component == 0) m.component = next_component_++;
  return m;
}

void RaceState::mbarrier_arrive(const Warp& w, unsigned lane, uint64_t mbarrier) {
  add_lanes(mbarrier_of(mbarrier).arrivals, w, 1u << lane);
}

void RaceState::mbarrier_phase(uint64_t mbarrier) {
  Mbarrier& m = mbarrier_of(mbarrier);
  ClockJoin join;
  join.add(m.completed);
  if (!m.arrivals.empty()) join.add(m.arrivals.sum());
  join.raise(m.component, ++m.phase);
  m.completed = join.sum();
  m.arrivals.clear();
}

void RaceState::mbarrier_wait(const Warp& w, unsigned lane, uint64_t mbarrier) {
  acquire(thread_of(w, lane), mbarrier_of(mbarrier).completed);
}

void RaceState::fence(const Warp& w, uint32_t lanes) {
  for_lanes(lanes, [&](unsigned l) {
    const uint32_t thread = thread_of(w, l);
    if (const auto found = pending_.find(thread); found != pending_.end()) {
      acquire(thread, found->second);
      pending_.erase(found);
    }
    fenced_[thread] = threads_[thread];
    ++threads_[thread].self;
  });
}

void RaceState::strong(const Warp& w, unsigned lane, uint64_t place, bool reads, bool writes,
                       Ordering ordering) {
  const uint32_t thread = thread_of(w, lane);
  const bool acquires = ordering == Ordering::kAcquire || ordering == Ordering::kAcqRel;
  const bool releases = ordering == Ordering::kRelease || ordering == Ordering::kAcqRel;
  if (reads && !released_.empty()) {
    if (const auto found = released_.find(place); found != released_.end()) {
      if (acquires) {
        acquire(thread, found->second);
      } else {
        ClockJoin join;
        join.add(pending_[thread]);
        join.add(found->second);
        pending_[thread] = join.sum();
      }
    }
  }
  if (!writes) return;
  ThreadClock clock = threads_[thread];
  if (releases) {
    ++threads_[thread].self;
  } else {
    const auto found = fenced_.find(thread);
    if (found == fenced_.end()) return;
    clock = found->second;
  }
  ClockJoin join;
  join.add(released_[place]);
  join.add(clock.base);
  join.raise(thread, clock.self);
  released_[place] = join.sum();
}

}  // namespace gpuloom::ptx
