// SPDX-License-Identifier: Apache-2.0
#include "arch/gpu/work_queue.h"

#include <algorithm>
#include <string>

#include "base/error.h"

namespace gpuloom::arch {

const WorkQueue::Piece& WorkQueue::piece(Ticket ticket) const {
  if (ticket >= first_) return recent_.at(ticket - first_);
  const auto known = kept_.find(ticket);
  if (known == kept_.end())
    throw Error(ErrorKind::kInternal, "work " + std::to_string(ticket) + " was forgotten and is asked for");
  return known->second;
}

void WorkQueue::forget_all_but(const std::vector<Ticket>& asked_for) {
  std::unordered_map<Ticket, Piece> kept{{0, kept_.at(0)}};
  const auto keep = [&](Ticket ticket) {
    if (done(ticket) && ticket < first_ && !kept_.contains(ticket)) return;  // forgotten before
    if (ticket <= last()) kept.emplace(ticket, piece(ticket));
  };
  for (const Ticket ticket : asked_for) keep(ticket);
  for (const auto& [queue, newest] : newest_) keep(newest);
  for (const auto& [ticket, piece] : kept_)
    if (piece.end == kNever) keep(ticket);
  for (size_t k = 0; k < recent_.size(); ++k)
    if (recent_[k].end == kNever) keep(first_ + k);
  first_ += recent_.size();
  recent_.clear();
  kept_ = std::move(kept);
}

Cycle WorkQueue::between_units(Unit from, Unit to) const {
  if (from == to || from == Unit::kAny || to == Unit::kAny) return 0;
  if (to != Unit::kCompute) return to == Unit::kPeer ? to_peers_ : handing_on_;
  return from == Unit::kToDevice || from == Unit::kFromDevice ? from_copies_ : 0;
}

// What has ended before the work has come holds nothing up (H200: probes/timeline, behind). A wait for
// another stream is handed on once, to what is behind it (arrivals).
Cycle WorkQueue::handed_on(Ticket from, Ticket to, Cycle at, const Waiting& waiting) const {
  if (at <= waiting.arrival) return at;
  const Piece &a = piece(from), &b = piece(to);
  Cycle then = at;
  if (!b.halts) then += std::max(between_units(a.unit, b.unit), between_units(a.source, b.unit));
  if (a.unit != b.unit || b.call) then += a.late;
  return a.halts ? then + waiting.preparation : then;
}

void WorkQueue::place_call(Ticket ticket, const WorkOrder& order) {
  Piece& call = piece(ticket);
  call.unit = Unit::kCompute;
  for (const Ticket t : order.after) {
    const Piece& before = piece(t);
    const bool awaited = call.halts && order.after_elsewhere.empty() && t == order.after.front();
    if (awaited) {
      call.source = before.unit;
      continue;
    }
    if (before.unit != Unit::kAny) call.unit = before.unit;
    if (call.halts && call.source == Unit::kAny) call.source = before.source;
  }
}

Ticket WorkQueue::add(const WorkOrder& order, Cycle arrival, Unit unit, Cycle preparation, bool waits) {
  const Ticket ticket = last() + 1;
  recent_.push_back({.unit = unit, .halts = waits, .call = unit == Unit::kAny});
  if (unit == Unit::kAny) place_call(ticket, order);
  Waiting w;
  w.ready = w.arrival = arrival + preparation;
  w.preparation = preparation;
  const auto behind = [&](Cycle known, Ticket of, std::multimap<Ticket, Ticket>& who) {
    if (known != kNever) {
      w.ready = std::max(w.ready, known);
    } else {
      who.emplace(of, ticket);
      ++w.missing;
    }
  };
  for (const Ticket t : order.after) {
    const Cycle end = piece(t).end;
    behind(end == kNever ? kNever : handed_on(t, ticket, end, w), t, after_end_);
  }
  for (const Ticket t : order.dependent) behind(piece(t).let, t, after_let_);
  if (order.queue) {
    Ticket& before = newest_[*order.queue];
    behind(piece(before).begin, before, after_begin_);
    before = ticket;
  }
  if (order.tail) ++w.missing;
  w.missing += static_cast<uint32_t>(order.after_elsewhere.size());
  waiting_[ticket] = w;
  if (w.missing == 0) ready_.insert({w.ready, ticket});
  return ticket;
}

Ticket WorkQueue::next(Cycle before, Cycle& at) const {
  if (ready_.empty() || ready_.begin()->first >= before) return 0;
  at = ready_.begin()->first;
  return ready_.begin()->second;
}

void WorkQueue::know(Ticket ticket, Cycle at) {
  Waiting& w = waiting_.at(ticket);
  w.ready = std::max(w.ready, at);
  if (--w.missing == 0) ready_.insert({w.ready, ticket});
}

template <class When>
void WorkQueue::tell(std::multimap<Ticket, Ticket>& who, Ticket of, When when) {
  const auto [first, last] = who.equal_range(of);
  for (auto w = first; w != last; ++w) know(w->second, when(w->second));
  who.erase(first, last);
}

void WorkQueue::begun(Ticket ticket, Cycle at) {
  const auto w = waiting_.find(ticket);
  ready_.erase({w->second.ready, ticket});
  waiting_.erase(w);
  piece(ticket).begin = at;
  ++running_;
  tell(after_begin_, ticket, [at](Ticket) { return at; });
}

void WorkQueue::ended(Ticket ticket, Cycle at) {
  piece(ticket).end = at;
  --running_;
  tell(after_end_, ticket, [&](Ticket next) { return handed_on(ticket, next, at, waiting_.at(next)); });
  if (piece(ticket).let == kNever) lets_dependents(ticket, at);
}

void WorkQueue::lets_dependents(Ticket ticket, Cycle at) {
  piece(ticket).let = at;
  tell(after_let_, ticket, [at](Ticket) { return at; });
}

}  // namespace gpuloom::arch
