// SPDX-License-Identifier: Apache-2.0
// What has been submitted and has not ended: when each piece may begin. Order alone, without hardware.
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "arch/simulation.h"
#include "arch/types.h"

namespace gpuloom::arch {

// What carries a piece out: work that comes after a piece of another unit begins later, by what it takes to
// hand on (host.switch_time, host.copy_seen). A call stands in the queue of what it comes after in its
// stream; behind nothing, in the kernels'.
enum class Unit : uint8_t { kAny, kCompute, kToDevice, kFromDevice, kPeer };

class WorkQueue {
 public:
  // Cycles from one unit to another: to a copy, to a copy between GPUs, from a copy to kernels.
  explicit WorkQueue(Cycle handing_on = 0, Cycle to_peers = 0, Cycle from_copies = 0)
      : handing_on_(handing_on), to_peers_(to_peers), from_copies_(from_copies) {}
  // A piece arrives at `arrival`. It begins behind the ends of what it comes after. A hardware queue hands on
  // its pieces in order: one begins no earlier than the one before it there.
  Ticket add(const WorkOrder& order, Cycle arrival, Unit unit = Unit::kAny) {
    return add(order, arrival, unit, 0, false);
  }
  // A piece that is made ready for so long from its arrival on, whatever it waits for; but behind a wait for
  // another stream from that wait's end on, for the queue has not come to it before.
  Ticket add_prepared(const WorkOrder& order, Cycle arrival, Unit unit, Cycle preparation) {
    return add(order, arrival, unit, preparation, false);
  }
  // A call, which may be such a wait: for the first that `order` names, if that is not elsewhere. It hands on
  // to what is behind it as what it waits for does.
  Ticket add_call(const WorkOrder& order, Cycle arrival, bool waits) {
    return add(order, arrival, Unit::kAny, 0, waits);
  }
  // Another GPU carries the piece out: what comes behind it hears of its end so much later, but for further
  // ones of its unit.
  void heard_late(Ticket ticket, Cycle by) { piece(ticket).late = by; }
  // The next that may begin before `before`, in order of time and number; 0: none.
  Ticket next(Cycle before, Cycle& at) const;
  // A piece that was added as held, at the tail or after work elsewhere, may begin from then on, as far as
  // others let it.
  void release(Ticket ticket, Cycle at) { know(ticket, at); }
  void begun(Ticket ticket, Cycle at);
  void ended(Ticket ticket, Cycle at);
  // A grid lets those begin that depend on it.
  void lets_dependents(Ticket ticket, Cycle at);
  // Something waits for that, which may come at any time.
  bool dependents_wait() const { return !after_let_.empty(); }
  // It has waited for its unit since begun().
  void served_from(Ticket ticket, Cycle at) { piece(ticket).begin = at; }
  // Pieces that have ended are forgotten, but for those that somebody may still name or ask for. Of the
  // others only done() may be asked; what else is asked of one, or names it, is an Error of kind kInternal.
  void forget_all_but(const std::vector<Ticket>& asked_for);
  size_t known() const { return recent_.size() + kept_.size(); }

  // When the next piece may begin, as far as it is known; kNever: something has to end first.
  Cycle next_cycle() const { return ready_.empty() ? kNever : ready_.begin()->first; }
  Cycle end_of(Ticket ticket) const { return ticket <= last() ? piece(ticket).end : kNever; }
  Cycle begin_of(Ticket ticket) const { return ticket <= last() ? piece(ticket).begin : kNever; }
  bool done(Ticket ticket) const {
    if (ticket < first_ && !kept_.contains(ticket)) return true;
    return end_of(ticket) != kNever;
  }
  size_t running() const { return running_; }
  bool idle() const { return waiting_.empty() && running_ == 0; }
  Ticket last() const { return first_ + recent_.size() - 1; }

 private:
  struct Waiting {
    Cycle arrival = 0;
    Cycle ready = 0;       // as far as is known
    uint32_t missing = 0;  // pieces whose end, or begin, is not known
    Cycle preparation = 0;
  };
  Ticket add(const WorkOrder& order, Cycle arrival, Unit unit, Cycle preparation, bool waits);
  void know(Ticket waiting, Cycle at);
  Cycle handed_on(Ticket from, Ticket to, Cycle at, const Waiting& waiting) const;
  Cycle between_units(Unit from, Unit to) const;
  void place_call(Ticket ticket, const WorkOrder& order);
  // Those that wait for a piece learn when they may begin, as far as that is concerned.
  template <class When>
  void tell(std::multimap<Ticket, Ticket>& who, Ticket of, When when);

  std::map<Ticket, Waiting> waiting_;
  std::set<std::pair<Cycle, Ticket>> ready_;  // of those that wait: all is known
  std::multimap<Ticket, Ticket> after_end_, after_begin_, after_let_;
  std::map<uint32_t, Ticket> newest_;  // by hardware queue
  struct Piece {
    Cycle begin = kNever, end = kNever, let = kNever;
    Cycle late = 0;  // of what comes behind it
    Unit unit = Unit::kAny;
    Unit source = Unit::kAny;  // of what a wait waits for
    bool halts = false;
    bool call = true;  // without a unit of its own
  };
  const Piece& piece(Ticket ticket) const;
  Piece& piece(Ticket ticket) { return const_cast<Piece&>(std::as_const(*this).piece(ticket)); }

  std::unordered_map<Ticket, Piece> kept_{{0, {0, 0, 0}}};  // of those before first_; 0 has always ended
  Ticket first_ = 1;
  std::deque<Piece> recent_;  // from first_ on
  Cycle handing_on_, to_peers_, from_copies_;
  size_t running_ = 0;
};

}  // namespace gpuloom::arch
