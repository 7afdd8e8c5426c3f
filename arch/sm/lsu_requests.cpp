// SPDX-License-Identifier: Apache-2.0
// The load/store unit's requests beyond the SM: what is on its way, who waits for it, what comes back.
#include <algorithm>
#include <bit>

#include "arch/noc/packet.h"
#include "arch/sm/lsu.h"
#include "arch/sm/lsu_latency.h"

namespace gpuloom::arch {
// ---------------------------------------------------------------- pools

uint32_t Lsu::new_request(uint64_t line, uint8_t sectors, int32_t entry) {
  uint32_t index = free_request_;
  if (index == kNil) {
    index = static_cast<uint32_t>(requests_.size());
    requests_.emplace_back();
  } else {
    free_request_ = requests_[index].next_free;
  }
  requests_[index] = {line, sectors, entry, 0, kNil, kNil};
  ++requests_used_;
  return index;
}

void Lsu::wait_for(uint32_t request, uint32_t load) {
  uint32_t index = free_waiter_;
  if (index == kNil) {
    index = static_cast<uint32_t>(waiters_.size());
    waiters_.emplace_back();
  } else {
    free_waiter_ = waiters_[index].next;
  }
  LineRequest& r = requests_[request];
  waiters_[index] = {load, r.waiters};
  r.waiters = index;
  ++loads_[load].remaining;
}

uint32_t Lsu::new_load(uint16_t warp, uint8_t grid) {
  uint32_t index = free_load_;
  if (index == kNil) {
    index = static_cast<uint32_t>(loads_.size());
    loads_.emplace_back();
  } else {
    free_load_ = loads_[index].next_free;
  }
  loads_[index] = Load{};
  loads_[index].warp = warp;
  loads_[index].grid = grid;
  ++loads_used_;
  return index;
}

void Lsu::free_load(uint32_t load) {
  loads_[load].next_free = free_load_;
  free_load_ = load;
  --loads_used_;
}

uint32_t Lsu::begin_bulk_load(uint16_t warp, uint8_t grid, uint32_t bulk) {
  const uint32_t load = new_load(warp, grid);
  loads_[load].bulk = static_cast<int32_t>(bulk);
  return load;
}

// ---------------------------------------------------------------- traffic beyond the SM

// In 16ths of a cycle: ports need not be whole sectors wide.
uint32_t Lsu::port_time(const sim::MemoryRequest& request) const {
  const unsigned total = request_bytes(request, noc_.packet_header);
  return std::max<uint32_t>(16, static_cast<uint32_t>(total * 16 / noc_.sm_request_bytes));
}

Cycle Lsu::send(OutMessage& message, Cycle at, uint32_t port) {
  const Cycle fine = std::max(at << 4, port_fine_);
  port_fine_ = fine + port;
  port_free_ = (port_fine_ + 15) >> 4;
  const Cycle start = (fine + 15) >> 4;
  message.cycle = start;
  message.request.time = start;
  message.request.source = sm_number_;
  if (message.reply != Reply::kNone) ports_.grids[message.grid].used_memory = true;
  ports_.outbox.push_back(message);
  return port_free_;
}

// What a load misses goes with a request of the line that has not left yet. H200 (probes/stores, copy_u8:
// 57,000 requests of L2 where each warp's sector alone would be 92,000).
bool Lsu::join_request(int32_t entry, uint8_t missing, uint32_t waits, uint32_t load, Cycle now) {
  const uint32_t request = l1_.latest_request(entry);
  if (request == kNil || requests_[request].sent <= now) return false;
  auto m = ports_.outbox.rbegin();
  while (m != ports_.outbox.rend() && (m->reply != Reply::kFill || m->request.id != request)) ++m;
  if (m == ports_.outbox.rend()) return false;
  m->request.sectors |= missing;
  requests_[request].sectors |= missing;
  l1_.mark_pending(entry, missing, request);
  if (request != waits) wait_for(request, load);
  return true;
}

void Lsu::request_line(uint32_t load, uint64_t line, uint8_t sectors, Cycle at, const MemoryOp* op) {
  const uint32_t request = new_request(line, sectors, -1);
  wait_for(request, load);
  OutMessage m;
  m.request.line = line;
  m.request.sectors = sectors;
  m.request.id = request;
  m.grid = loads_[load].grid;
  if (op) {
    asked_by(m.request, *op);
    m.request.evict = evict_hint(op->l2, line);
    m.request.prefetch = op->l2_prefetch;
  }
  send(m, at);
}

// Posted: nobody waits for the answer but the kernel's end.
Cycle Lsu::write_line(sim::RequestOp op, uint64_t line, uint8_t sectors, uint16_t bytes, unsigned grid,
                      Cycle at) {
  const unsigned count = static_cast<unsigned>(std::popcount(sectors));
  OutMessage m;
  m.request.line = line;
  m.request.op = op;
  m.request.sectors = sectors;
  // Reductions come as fast as writes do: no slower than two sectors a step (H200: probes/copies, 3.0 cycles
  // of a slice a line, writes 3.6).
  m.request.atomics = static_cast<uint8_t>((count + 1) / 2);
  m.request.bytes = bytes;
  m.request.full_sectors = bytes == count * kSectorBytes;
  m.reply = Reply::kStore;
  m.warp = kNoWarp;
  m.grid = static_cast<uint8_t>(grid);
  ++ports_.grids[grid].stores_in_flight;
  bulk_writes_out_ += count;
  return send(m, at);
}

Cycle Lsu::prefetch_line(uint64_t line, uint8_t sectors, const L2Hint& hint, Cycle at) {
  OutMessage m;
  m.request.line = line;
  m.request.op = sim::RequestOp::kPrefetch;
  m.request.sectors = sectors;
  m.request.evict = evict_hint(hint, line);
  m.reply = Reply::kNone;
  return send(m, at);
}

// H200 (probes/sm, BulkStore): a sector a cycle however many are on their way, so that writes of warps wait
// for answers and those of the copy unit do not.
Cycle Lsu::next_write(Cycle now) const {
  const Cycle buffered = static_cast<Cycle>(config_.tma.write_buffer / noc_.sm_request_bytes);
  return std::max(now, port_free_ > buffered ? port_free_ - buffered : 0);
}

Cycle Lsu::write_shared(unsigned passes, unsigned more, Cycle now) {
  ports_.stats.wavefronts += passes;
  const unsigned cycles = passes * config_.shared.pass_interval + more;
  return data_.take(now, cycles) + cycles;
}

// A release goes when its fence is over; what the same warp sends to the memory partition after it must not
// overtake it: a thread sees its own accesses to a location in program order (PTX ISA 8.10.2).
void Lsu::hold(const MemoryOp& op, Cycle now) {
  Cycle& held = held_until_[op.warp];
  held = std::max(held + 1, now + (op.release ? config_.barrier.fence_release : 0));
  delay(op, held);
}

void Lsu::delay(const MemoryOp& op, Cycle until) {
  uint32_t index = static_cast<uint32_t>(delayed_.size());
  if (free_delayed_.empty()) {
    delayed_.push_back(op);
  } else {
    index = free_delayed_.back();
    free_delayed_.pop_back();
    delayed_[index] = op;
  }
  ports_.events.push(until, {EventKind::kReleased, 0, 0, index});
}

void Lsu::released(uint32_t delayed, Cycle now) {
  const MemoryOp op = delayed_[delayed];
  free_delayed_.push_back(delayed);
  accept_atomic(op, now);
}

// ---------------------------------------------------------------- answers

// A load takes its passes as its lines come.
void Lsu::line_here(Load& load, uint32_t index, Cycle now) {
  const uint16_t passes = load.passes / load.remaining;
  load.passes -= passes;
  const DataStage::Turn turn{index, passes, --load.remaining == 0};
  if (passes == 0 || (!data_.waits() && data_.free() <= now)) {
    line_through(turn, passes == 0 ? now : data_.take(now, passes), now);
    return;
  }
  data_.wait(turn);
  next_ = std::min(next_, now);
}

void Lsu::line_through(const DataStage::Turn& turn, Cycle start, Cycle now) {
  Load& load = loads_[turn.load];
  const Cycle through = turn.passes == 0 ? start : passed(load.warp, start, turn.passes, load.extra);
  if (turn.last) finish(load, turn.load, through, now);
}

// What it waits for is there at `at`, which may be later than now.
void Lsu::finish(Load& load, uint32_t index, Cycle at, Cycle now) {
  const Cycle done = at + load.tail;
  if (load.scoreboard < 6) ports_.events.push(done, {EventKind::kRelease, 0, load.warp, load.scoreboard});
  if (load.copy >= 0 && done > now)  // its bytes take their turn at the data stage then
    ports_.events.push(done, {EventKind::kCopyHere, 0, load.warp, static_cast<uint32_t>(load.copy)});
  else if (load.copy >= 0)
    ports_.clients.copy_here(static_cast<uint32_t>(load.copy), now);
  free_load(index);
}

void Lsu::filled(uint32_t request, Cycle now) {
  LineRequest& r = requests_[request];
  if (r.entry >= 0) {
    if (l1_.replaces(r.entry)) fills_until_ = std::max(fills_until_, now) + 1;
    l1_.fill(r.entry, r.line, r.sectors, request);
  }
  uint32_t waiter = r.waiters;
  while (waiter != kNil) {
    const uint32_t load = waiters_[waiter].load, next = waiters_[waiter].next;
    waiters_[waiter].next = free_waiter_;
    free_waiter_ = waiter;
    waiter = next;
    Load& l = loads_[load];
    if (l.bulk >= 0) {
      --l.remaining;
      ports_.clients.bulk_line_here(static_cast<uint32_t>(l.bulk), now);
    } else {
      line_here(l, load, now);
    }
  }
  r.next_free = free_request_;
  free_request_ = request;
  request_over(now);
}

void Lsu::atomic_answered(uint32_t record, bool far, Cycle now) {
  AtomicRecord& r = ports_.atomics.at(record);
  ports_.writes[r.warp].wrote_far |= far;
  if (r.load) request_over(now);
  if (--r.remaining != 0) return;
  const Cycle done = now + r.tail;
  if (r.scoreboard < 6) ports_.events.push(done, {EventKind::kRelease, 0, r.warp, r.scoreboard});
  ports_.events.push(done, {EventKind::kStoreDone, r.grid, r.warp, 0});
  if (!r.store) store_sent(r.warp, done, now);
  if (r.data.fn != nullptr) ports_.clients.late_answered(r.data, now);
  ports_.atomics.give_back(record);
}

}  // namespace gpuloom::arch
