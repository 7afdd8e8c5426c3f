// SPDX-License-Identifier: Apache-2.0
// A machine as one of several: what it does between two looks at the others, and what waits for their work.
#include <algorithm>

#include "arch/gpu/machine.h"

namespace gpuloom::arch {

void Machine::connect(std::vector<Machine*> all) {
  all_ = std::move(all);
  std::vector<PeerPort*> ports;
  for (Machine* m : all_) ports.push_back(m->port_.get());
  port_->connect(std::move(ports));
}

Cycle Machine::next_cycle() const {
  const Cycle own = std::min(work_.next_cycle(), copies_.next_cycle());
  return port_ == nullptr ? own : std::min(own, port_->next_cycle());
}

// What copies send and what other GPUs ask for, in order of time.
void Machine::send_until(Cycle cycle) {
  if (port_ == nullptr) return copies_.send_until(cycle);
  for (Cycle asked = port_->next_cycle(); asked < cycle; asked = port_->next_cycle()) {
    copies_.send_until(asked);
    port_->serve_next();
  }
  copies_.send_until(cycle);
}

void Machine::take_answer(const Asker& asker, Cycle at) {
  if (asker.kind == Asker::Kind::kSm) {
    gpu_.sms[asker.sm]->deliver(std::max(at + config_.noc.reply_latency, settled_), asker.event);
    return;
  }
  copies_.answered_by_peer(asker, at);
  take_copies();
}

// What is made ready from the command's arrival on, beside whatever the copy waits for (H200:
// probes/timeline, peers: 64 bytes take 9 us alone and 11 us behind a kernel, to the other GPU 5.2 and 10.9;
// in a stream that waits for another's event 18).
Cycle Machine::preparation(const CopyWork& work) const {
  const LinkConfig& l = config_.link;
  if (work.way != CopyWay::kPull) return 0;
  return static_cast<Cycle>(l.pull_preparation_ns() * 1e-9 * config_.clock_hz);
}

Cycle Machine::stream_wait() const {
  return static_cast<Cycle>(config_.link.stream_wait_ns * 1e-9 * config_.clock_hz);
}

// ---------------------------------------------------------------- work of others

// It takes as long as an event takes from one GPU to another, and no less than the link.
void Machine::wait_elsewhere(Ticket ticket, const WorkOrder& order) {
  for (const WorkOrder::Elsewhere& e : order.after_elsewhere) {
    Machine& other = *all_.at(e.gpu);
    other.elsewhere_.emplace(e.ticket, Waiter{this, ticket});
    if (other.work_.done(e.ticket)) other.tell_elsewhere(e.ticket, other.work_.end_of(e.ticket));
  }
}

void Machine::tell_elsewhere(Ticket ended, Cycle at) {
  const auto [first, last] = elsewhere_.equal_range(ended);
  for (auto w = first; w != last; ++w) {
    Machine& other = *w->second.machine;
    const Cycle then =
        port_->cycle_for(*other.port_, at) + std::max(other.stream_wait(), other.port_->latency());
    other.work_.release(w->second.ticket, then);
    port_->react_from(other.port_->cycle_for(*port_, then));
  }
  elsewhere_.erase(first, last);
}

// ---------------------------------------------------------------- steps

// Where the next window of the grids that are here begins.
Cycle Machine::next_window() const {
  Cycle next = memory_.next_cycle();
  for (const Sm* sm : gpu_.sms) next = std::min(next, sm->next_cycle());
  return next == kNever ? kNever : std::max(next, std::max(now_, settled_));
}

// SMs that wait for another GPU's answer have nothing to do until it comes; those that wait for nothing there
// are stuck, which the engine says.
Cycle Machine::next_step() const {
  if (distributor_.grids().empty()) return next_cycle();
  const Cycle next = next_window();
  return next == kNever && port_->waiting() == 0 ? std::max(now_, settled_) : next;
}

bool Machine::may_run_window() const {
  if (port_ == nullptr) return true;
  const Cycle next = next_window();
  if (next == kNever) return port_->waiting() == 0;
  return bound() == kNever || next + config_.window_cycles(needed().clusters) <= bound();
}

void Machine::reach(Cycle cycle) {
  now_ = std::max(now_, cycle);
  if (work_.running() == 0) now_ = std::max(now_, settled_);
}

Ticket Machine::first_open() {
  while (open_ <= work_.last() && work_.done(open_)) ++open_;
  return open_ <= work_.last() ? open_ : 0;
}

void Machine::step(Cycle bound, Ticket goal) {
  bound_ = bound;
  port_->restart();
  goal_ = goal;
  goal_cycle_ = kNever;
  while (!(goal_ != 0 && work_.done(goal_))) {
    if (!distributor_.grids().empty()) {
      if (!may_run_window()) break;
      run_engine();
      continue;
    }
    const Cycle next = next_cycle();
    if (next >= this->bound()) break;
    pass_between_grids(next);
  }
  bound_ = kNever;
}

}  // namespace gpuloom::arch
