// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/sm.h"

#include <algorithm>

namespace gpuloom::arch {

Sm::Sm(const SmConfig& config, const NocConfig& noc, unsigned id, unsigned gpc, double clock_hz)
    : BlockHost(id, gpc),
      config_(config),
      noc_(noc),
      slots_per_sub_(config.warps_per_sub_core()),
      residents_(std::min(config.limits.blocks_per_sm, kMostResident)),
      writes_(config.limits.warps_per_sm),
      queue_used_(config.limits.blocks_per_sm),
      code_(config.fetch),
      constant_l1_(config),
      fences_(config.barrier, noc.far_partition_extra, events_, writes_),
      constants_(config.constant, events_, constant_l1_),
      queues_(config),
      lsu_(config, noc, id,
           {events_, stats, counts_, outbox, residents_, writes_, atomics_, queues_, fences_, constants_,
            link_, *this}),
      async_(config, noc, {events_, stats, residents_, late_, recorders_, lsu_, *this}),
      execution_(
          config, id,
          {stats, counts_, residents_, writes_, atomics_, late_, recorders_, queues_, async_, queue_used_}),
      blocks_(config.limits.blocks_per_sm) {
  const SubCorePorts ports{events_,      stats,   counts_, residents_, writes_, late_,      recorders_, code_,
                           constant_l1_, queues_, lsu_,    fences_,    async_,  execution_, *this};
  for (unsigned i = 0; i < config.sub_cores; ++i)
    sub_cores_.push_back(std::make_unique<SubCore>(config, SubCorePlace{id, i, clock_hz * 1e-9}, ports));
}

void Sm::take_arrivals() {
  if (arrivals_.events.empty()) return;
  for (const auto& [cycle, event] : arrivals_.events) events_.push(cycle, event);
  next_ = std::min(next_, arrivals_.first);
  arrivals_.events.clear();
  arrivals_.first = kNever;
}

// ---------------------------------------------------------------- time

// Up to here nothing can come from outside that is not known yet: an answer, or a block in place of one that
// has ended, takes a window or more.
Cycle Sm::horizon(Cycle window) const {
  Cycle first = kNever - window;
  if (!outbox.empty()) first = std::min(first, outbox.front().cycle);
  if (!apart.empty()) first = std::min(first, apart.front().cycle);
  if (!news.empty()) first = std::min(first, news.front().at);
  return first + window;
}

void Sm::run_window(const sim::Window& w) {
  set_counts(w.thread);
  const Cycle window = w.part == sim::WindowPart::kWhole ? w.end - w.begin : w.length;
  if (w.part != sim::WindowPart::kSecond) take_arrivals();  // meanwhile others come
  Cycle now = std::max(w.begin, next_);
  while (now < w.end || (now < w.limit && now < horizon(window))) {
    if (now >= interval_end_) pass_intervals(now);
    if (events_.next() <= now) events_.run(now, [&](const Event& event) { handle(event, now); });
    if (lsu_.next() <= now) lsu_.tick(now);
    for (auto& sub : sub_cores_) {
      if (sub->next() <= now) sub->tick(now);
    }
    // A later sub-core may have woken warps of an earlier one.
    Cycle next = std::min(lsu_.next(), events_.next());
    for (const auto& sub : sub_cores_) next = std::min(next, sub->next());
    now = std::max(now + 1, next);
  }
  next_ = now;
  if (w.part == sim::WindowPart::kFirst) set_apart(w.end);
}

void Sm::set_apart(Cycle end) {
  const auto later =
      std::find_if(outbox.begin(), outbox.end(), [=](const OutMessage& m) { return m.cycle >= end; });
  if (later == outbox.end()) {
    apart.swap(outbox);
    return;
  }
  apart.assign(outbox.begin(), later);
  outbox.erase(outbox.begin(), later);
}

void Sm::rejoin() {
  if (apart.empty()) return;
  apart.insert(apart.end(), outbox.begin(), outbox.end());
  outbox.swap(apart);
  apart.clear();
}

void Sm::handle(const Event& event, Cycle now) {
  switch (event.kind) {
    case EventKind::kRelease:
      if (recorders_.states) recorders_.states->released(event.a, event.b, now);
      sub_core_of(event.a).release(slot_of(event.a), event.b, now);
      break;
    case EventKind::kFill:
      lsu_.filled(event.b, now);
      break;
    case EventKind::kStoreDone:
      store_answered(event, now);
      break;
    case EventKind::kWritePassed:
      event.a == kNoWarp ? lsu_.bulk_write_answered(event.b) : lsu_.write_passed(event.b);
      break;
    case EventKind::kReleased:
      lsu_.released(event.b, now);
      break;
    case EventKind::kAtomicDone:
      lsu_.write_passed(event.a);
      lsu_.atomic_answered(event.b, event.generation != 0, now);
      break;
    case EventKind::kWakeWarp:
      sub_core_of(event.a).wake_timed(slot_of(event.a), event.generation, now);
      break;
    case EventKind::kRetryWait:
      retry_wait(event.a, now);
      break;
    case EventKind::kCopyHere:
      async_.data_arrived(event.b, now);
      break;
    case EventKind::kGroupClosed:
      async_.group_closed(event.a, now);
      break;
    case EventKind::kCopyArrived:
      async_.copy_done(event.b, now);
      break;
    case EventKind::kFencesDone:
      fences_.go_on(now,
                    [&](unsigned warp, Cycle at) { sub_core_of(warp).fence_over(slot_of(warp), at, now); });
      break;
    case EventKind::kConstantWord:
      constants_.serve(event.b, now);
      break;
    case EventKind::kAsyncStart:
      async_.go_on(now);
      break;
    case EventKind::kAsyncDone:
      async_.finish_bulk(event.b, now);
      break;
    case EventKind::kCtaStart:
      start_block(event.a, now);
      break;
    case EventKind::kRescue:
      sub_core_of(event.a).resume(slot_of(event.a), now);
      break;
    case EventKind::kClusterNotify:
      if (blocks_[event.a].busy && blocks_[event.a].cta) tell_block(event.a, now, now);
      break;
    case EventKind::kGridsEnded:
      grids_ended(event.a, now);
      break;
  }
}

// What was written beyond the SM, here or by a copy.
void Sm::store_answered(const Event& event, Cycle now) {
  --residents_[event.generation].stores_in_flight;
  residents_[event.generation].last_store_answer = now;
  if (event.a == kNoWarp) {
    lsu_.bulk_write_answered(event.b);
    async_.write_answered(now);
    return;
  }
  if (writes_[event.a].answered()) sub_core_of(event.a).stores_answered(slot_of(event.a), now);
}

// ---------------------------------------------------------------- what units ask of each other

ClusterLink& Sm::link_of(unsigned warp, unsigned rank) {
  return *blocks_[warp_slot(warp).cta].cluster->places[rank].sm->link_;
}

bool Sm::hears(uint32_t events) const {
  return std::any_of(sub_cores_.begin(), sub_cores_.end(),
                     [=](const auto& sub) { return sub->hears(events); });
}

void Sm::accessed(unsigned warp, policy::L1Access access) {
  SubCore& sub = sub_core_of(warp);
  if (!sub.hears(policy::kL1Accesses)) return;
  access.slot = slot_of(warp);
  sub.policy().accessed(access);
}

void Sm::evicted(uint64_t line, Cycle now) {
  for (auto& sub : sub_cores_)
    if (sub->hears(policy::kL1Evictions)) sub->policy().evicted(line, now);
}

void Sm::sample_intervals(uint64_t cycles_each) {
  std::vector<const stats::Group*> groups = {&stats};
  for (const auto& sub : sub_cores_) groups.push_back(&sub->stats);
  intervals_ = std::make_unique<IntervalSampler>(
      groups, [this](Cycle now, Unsettled& sums) { unsettled(now, sums); }, cycles_each);
}

void Sm::unsettled(Cycle now, Unsettled& sums) const {
  for (const auto& sub : sub_cores_) sub->unsettled(now, sums);
  if (warps_resident_ == 0) return;
  sums.sm_active += now - std::min(now, active_since_);
  sums.sm_warps += warps_resident_ * (now - std::min(now, warps_since_));
}

void Sm::settle_accounts(Cycle now) {
  for (auto& sub : sub_cores_) sub->settle_accounts(now);
}

}  // namespace gpuloom::arch
