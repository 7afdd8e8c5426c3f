// SPDX-License-Identifier: Apache-2.0
#include "arch/gpu/work_queue.h"

#include <algorithm>

namespace gpuloom::arch {

Cycle WorkQueue::between_units(Unit from, Unit to) const {
  if (from == to || from == Unit::kAny || to == Unit::kAny) return 0;
  if (to != Unit::kCompute) return to == Unit::kPeer ? to_peers_ : handing_on_;
  return from == Unit::kToDevice || from == Unit::kFromDevice ? from_copies_ : 0;
}

// What has ended before the work has come holds nothing up (H200: probes/timeline, behind). A wait for
// another stream is handed on once, to what is behind it (arrivals).
Cycle WorkQueue::handed_on(Ticket from, Ticket to, Cycle at, const Waiting& waiting) const {
  if (at <= waiting.arrival) return at;
  const Unit a = units_[from], b = units_[to];
  Cycle then = at;
  if (!halts_[to]) then += std::max(between_units(a, b), between_units(sources_[from], b));
  if (const auto late = late_.find(from); late != late_.end() && (a != b || calls_[to])) then += late->second;
  return halts_[from] ? then + waiting.preparation : then;
}

void WorkQueue::place_call(Ticket ticket, const WorkOrder& order) {
  Unit unit = Unit::kCompute;
  for (const Ticket t : order.after) {
    const bool awaited = halts_[ticket] && order.after_elsewhere.empty() && t == order.after.front();
    if (awaited) {
      sources_[ticket] = units_.at(t);
      continue;
    }
    if (units_.at(t) != Unit::kAny) unit = units_[t];
    if (halts_[ticket] && sources_[ticket] == Unit::kAny) sources_[ticket] = sources_[t];
  }
  units_[ticket] = unit;
}

Ticket WorkQueue::add(const WorkOrder& order, Cycle arrival, Unit unit, Cycle preparation, bool waits) {
  const Ticket ticket = ends_.size();
  ends_.push_back(kNever);
  begins_.push_back(kNever);
  lets_.push_back(kNever);
  units_.push_back(unit);
  sources_.push_back(Unit::kAny);
  calls_.push_back(unit == Unit::kAny);
  halts_.push_back(waits);
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
    const Cycle end = ends_.at(t);
    behind(end == kNever ? kNever : handed_on(t, ticket, end, w), t, after_end_);
  }
  for (const Ticket t : order.dependent) behind(lets_.at(t), t, after_let_);
  if (order.queue) {
    Ticket& before = newest_[*order.queue];
    behind(begins_[before], before, after_begin_);
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
  begins_[ticket] = at;
  ++running_;
  tell(after_begin_, ticket, [at](Ticket) { return at; });
}

void WorkQueue::ended(Ticket ticket, Cycle at) {
  ends_[ticket] = at;
  --running_;
  tell(after_end_, ticket, [&](Ticket next) { return handed_on(ticket, next, at, waiting_.at(next)); });
  if (lets_[ticket] == kNever) lets_dependents(ticket, at);
}

void WorkQueue::lets_dependents(Ticket ticket, Cycle at) {
  lets_[ticket] = at;
  tell(after_let_, ticket, [at](Ticket) { return at; });
}

}  // namespace gpuloom::arch
