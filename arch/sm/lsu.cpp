// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/lsu.h"

#include <algorithm>
#include <bit>

#include "arch/sm/sm.h"

namespace gpuloom::arch {
namespace {

// Cycles from issue to the address unit at the earliest; part of every latency in sm.operations.
constexpr Cycle kFront = 2;
// The shared stage takes no further instruction while the data stage, or the port to the network, is this far
// behind. Guess: the depth of the stage between tags and data is not published; it only decides where waiting
// warps are seen to wait.
constexpr Cycle kBacklog = 16;

// Of an L1 path's latency: what passes before a miss leaves the SM. The rest passes after its answer. Guess:
// half.
unsigned before_miss(unsigned latency) { return latency / 2; }

unsigned minus(unsigned a, unsigned b) { return a > b ? a - b : 0; }

}  // namespace

Lsu::Lsu(Sm& sm, const SmConfig& config)
    : sm_(sm),
      config_(config),
      capacity_(config.memory.queue_entries + config.memory.latch_entries),
      queues_(config.sub_cores) {
  for (Queue& q : queues_) q.ring.resize(capacity_);
}

void Lsu::start_kernel(uint32_t l1_bytes) { l1_.configure(l1_bytes, config_.l1.sets); }

bool Lsu::idle() const {
  for (const Queue& q : queues_)
    if (q.count) return false;
  return loads_used_ == 0;
}

MemoryOp& Lsu::reserve(unsigned sub) {
  Queue& q = queues_[sub];
  return q.ring[(q.head + q.count) % capacity_];
}

void Lsu::commit(unsigned sub, Cycle now) {
  Queue& q = queues_[sub];
  q.ring[(q.head + q.count) % capacity_].ready = now + kFront;
  ++q.count;
  next_ = std::min(next_, std::max(now + kFront, accept_free_));
}

void Lsu::tick(Cycle now) {
  next_ = kNever;
  blocked_ = false;
  const unsigned n = static_cast<unsigned>(queues_.size());
  const unsigned first = turn_;
  bool taken = false;
  for (unsigned i = 0; i < n; ++i) {
    const unsigned sub = (first + i) % n;
    Queue& q = queues_[sub];
    if (q.count == 0) continue;
    MemoryOp& op = q.ring[q.head];
    const Cycle ready = std::max(op.ready, q.address_free);
    if (ready > now || accept_free_ > now || taken) {
      next_ = std::min(next_, std::max({ready, accept_free_, now + 1}));
      continue;
    }
    if (data_free_ > now + kBacklog || port_free_ > now + kBacklog || tag_free_ > now + kBacklog) {
      next_ = std::min(next_, std::max({data_free_, port_free_, tag_free_}) - kBacklog);
      continue;
    }
    if (!accept(op, now)) {
      blocked_ = true;  // an answer calls again
      continue;
    }
    taken = true;
    q.head = (q.head + 1) % capacity_;
    --q.count;
    q.address_free = now + config_.memory.address_interval;
    accept_free_ = now + (op.pipe == Pipe::kLsu ? std::max<Cycle>(config_.memory.issue_interval, op.interval)
                                                : config_.memory.issue_interval);
    turn_ = (sub + 1) % n;
    if (q.count) next_ = std::min(next_, std::max({q.ring[q.head].ready, q.address_free, accept_free_}));
    sm_.sub_core(sub).queue_freed(now);
  }
}

bool Lsu::accept(MemoryOp& op, Cycle now) {
  switch (op.kind) {
    case MemoryKind::kSimple:
      accept_simple(op, now);
      return true;
    case MemoryKind::kShared:
    case MemoryKind::kRemoteShared:
      accept_shared(op, now);
      return true;
    case MemoryKind::kLoad:
    case MemoryKind::kCopy:
      return accept_load(op, now);
    case MemoryKind::kStore:
      return accept_store(op, now);
    case MemoryKind::kAtomic:
      return accept_atomic(op, now);
  }
  return true;
}

// Source registers may be written again once they have been read: a write-after-read scoreboard.
void Lsu::release_operands(const MemoryOp& op, Cycle at) {
  if (op.read_scoreboard < 6) sm_.events().push(at, {EventKind::kRelease, 0, op.warp, op.read_scoreboard});
}

void Lsu::accept_simple(const MemoryOp& op, Cycle now) {
  sm_.count_shared_pass(op.wavefronts);
  Cycle& free = unit_free_[static_cast<size_t>(op.pipe)];
  const Cycle start = std::max(now, free);
  const unsigned replays = minus(op.passes.passes, 1);  // an indexed constant load, address by address
  if (op.pipe != Pipe::kLsu) free = start + op.interval + replays * config_.constant.replay_interval;
  if (op.write_scoreboard < 6)
    sm_.events().push(start + minus(op.latency, kFront) + replays * config_.constant.replay_latency,
                      {EventKind::kRelease, 0, op.warp, op.write_scoreboard});
  release_operands(op, start + config_.registers.read_cycles);
}

// Wider accesses return later: 512 bits a cycle (Huerta et al., table 2).
unsigned Lsu::width_extra(const MemoryOp& op) const {
  if (op.lane_bytes >= 16) return config_.memory.bits128_extra;
  return op.lane_bytes == 8 ? config_.memory.bits64_extra : 0;
}

void Lsu::accept_shared(const MemoryOp& op, Cycle now) {
  SmStats& s = sm_.stats;
  const unsigned passes = op.passes.passes, conflicts = op.passes.conflicts();
  s.conflicts += conflicts;
  s.wavefronts += passes;
  s.wavefronts_shared += passes;
  s.wavefronts_shared_ideal += op.passes.phases;
  const bool atomic = op.access == ptx::AccessOp::kAtomic || op.access == ptx::AccessOp::kReduce;
  const bool load = op.access == ptx::AccessOp::kLoad || op.access == ptx::AccessOp::kMatrixLoad;
  if (atomic) {
    s.conflicts_atom += conflicts;
  } else if (load) {
    s.conflicts_ld += conflicts;
    s.wavefronts_shared_ld += passes;
  } else {
    s.conflicts_st += conflicts;
    s.wavefronts_shared_st += passes;
  }
  if (InstructionCounts* c = sm_.counts(op.source)) {
    ++c->requests;
    c->wavefronts += passes;
    c->ideal_wavefronts += op.passes.phases;
    c->bank_conflicts += conflicts;
  }
  const Cycle start = std::max(now, data_free_);
  // A sub-core takes a pass's result more slowly than the data stage makes it. H200: 23 cycles, and 2 for
  // each further pass, by width or conflict alike (probes/sm, lat_Lds*, lat_Atom*); many warps reach one pass
  // a cycle.
  const unsigned each = op.compare_swap ? config_.shared.atomic_interval : 1;
  data_free_ = start + passes * each;
  Cycle done = start + minus(op.latency, kFront) + minus(passes, 1) * config_.shared.return_interval * each;
  if (op.kind == MemoryKind::kRemoteShared) done += sm_.remote_latency();
  if (op.write_scoreboard < 6)
    sm_.events().push(done, {EventKind::kRelease, 0, op.warp, op.write_scoreboard});
  release_operands(
      op, load ? start + config_.registers.read_cycles : start + minus(op.latency, kFront) + width_extra(op));
}

// ---------------------------------------------------------------- pools

uint32_t Lsu::new_request(uint64_t line, uint8_t sectors, int32_t entry) {
  uint32_t index = free_request_;
  if (index == kNil) {
    index = static_cast<uint32_t>(requests_.size());
    requests_.emplace_back();
  } else {
    free_request_ = requests_[index].next_free;
  }
  requests_[index] = {line, sectors, 0, entry, kNil, kNil};
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
  ++r.merges;
  ++loads_[load].remaining;
}

uint32_t Lsu::begin_load(uint16_t warp, int32_t bulk) {
  uint32_t index = free_load_;
  if (index == kNil) {
    index = static_cast<uint32_t>(loads_.size());
    loads_.emplace_back();
  } else {
    free_load_ = loads_[index].next_free;
  }
  loads_[index] = Load{};
  loads_[index].warp = warp;
  loads_[index].bulk = bulk;
  ++loads_used_;
  return index;
}

// ---------------------------------------------------------------- traffic beyond the SM

Cycle Lsu::send(OutMessage& message, unsigned bytes, Cycle at) {
  const Cycle start = std::max(at, port_free_);
  const unsigned total = sm_.packet_header() + bytes;
  port_free_ =
      start + std::max<Cycle>(1, static_cast<Cycle>((total + sm_.port_bytes() - 1) / sm_.port_bytes()));
  message.cycle = start;
  message.request.time = start;
  message.request.source = static_cast<uint16_t>(sm_.id());
  sm_.outbox.push_back(message);
  return port_free_;
}

void Lsu::request_line(uint32_t load, uint64_t line, uint8_t sectors, Cycle at) {
  const uint32_t request = new_request(line, sectors, -1);
  wait_for(request, load);
  OutMessage m;
  m.request.line = line;
  m.request.sectors = sectors;
  m.request.id = request;
  send(m, 0, at);
}

void Lsu::write_line(uint32_t load, uint64_t line, uint8_t sectors, uint16_t bytes, Cycle at) {
  const uint32_t request = new_request(line, sectors, -1);
  wait_for(request, load);
  OutMessage m;
  m.request.line = line;
  m.request.op = sim::MemoryOp::kWrite;
  m.request.sectors = sectors;
  m.request.bytes = bytes;
  m.request.full_sectors = bytes == std::popcount(sectors) * kSectorBytes;
  m.request.id = request;
  send(m, static_cast<unsigned>(std::popcount(sectors)) * kSectorBytes, at);
}

Cycle Lsu::send_write(uint64_t line, uint8_t sectors, uint16_t bytes, bool full, uint16_t warp, Cycle at) {
  OutMessage m;
  m.request.line = line;
  m.request.op = sim::MemoryOp::kWrite;
  m.request.sectors = sectors;
  m.request.bytes = bytes;
  m.request.full_sectors = full;
  m.reply = Reply::kStore;
  m.warp = warp;
  return send(m, static_cast<unsigned>(std::popcount(sectors)) * kSectorBytes, at);
}

Cycle Lsu::write_shared(unsigned passes, Cycle now) {
  const Cycle start = std::max(now, data_free_);
  data_free_ = start + passes;
  sm_.stats.wavefronts += passes;
  return data_free_;
}

// Whether everything that the access may need beyond L1 is free.
bool Lsu::can_miss(const MemoryOp& op) {
  const uint32_t limit = std::min(config_.l1.mshrs, config_.memory.outstanding_requests);
  return requests_used_ == 0 || requests_used_ + op.lines.lines <= limit;
}

void Lsu::count_load(const MemoryOp& op, unsigned hit) {
  SmStats& s = sm_.stats;
  const unsigned sectors = op.lines.sectors;
  if (op.local) {
    s.sectors_local_ld += sectors;
  } else if (op.kind != MemoryKind::kAtomic && op.pipe != Pipe::kTex) {
    ++s.requests_ld;
    s.sectors_ld += sectors;
    s.sectors_ld_hit += hit;
  }
  s.sectors += sectors;
  s.sectors_hit += hit;
  s.sectors_miss += sectors - hit;
  s.ideal_sectors += op.lines.ideal_sectors;
  if (InstructionCounts* c = sm_.counts(op.source)) {
    ++c->requests;
    c->sectors += sectors;
    c->ideal_sectors += op.lines.ideal_sectors;
  }
}

// When the texture stage, which stands before the tags, begins with a fetch: it takes the row's interval for
// a warp, twice that for texels of 16 bytes (H200, bench/silicon/probes/textures). Other accesses pass at
// once.
Cycle Lsu::after_texture_stage(const MemoryOp& op, Cycle now) {
  if (op.pipe != Pipe::kTex) return now;
  Cycle& free = unit_free_[static_cast<size_t>(Pipe::kTex)];
  const Cycle start = std::max(now, free);
  free = start + op.interval * std::max(1u, op.lane_bytes / 8u);
  return start;
}

bool Lsu::accept_load(const MemoryOp& op, Cycle now) {
  if (!can_miss(op)) return false;
  // The tag stage compares a few lines a cycle, of which it passes on so many sectors (uarch: NVIDIA on
  // Volta's L1).
  const Cycle start = std::max(after_texture_stage(op, now), tag_free_);
  const unsigned tag_cycles =
      std::max({1u, (op.lines.lines + config_.l1.tags_per_cycle - 1) / config_.l1.tags_per_cycle,
                (op.lines.sectors + config_.l1.sectors_per_cycle - 1) / config_.l1.sectors_per_cycle});
  tag_free_ = start + tag_cycles;
  const Cycle data_start = std::max(start, data_free_);
  data_free_ = data_start + std::max(1u, op.lines.lines);
  sm_.stats.wavefronts += std::max(1u, op.lines.lines);
  const unsigned path = minus(op.latency, kFront), front = before_miss(path);
  const unsigned late =
      static_cast<unsigned>(data_start - start) + std::max(minus(op.lines.lines, 1), width_extra(op));
  const uint32_t load = begin_load(op.warp, -1);
  loads_[load].scoreboard = op.write_scoreboard;
  loads_[load].copy = op.kind == MemoryKind::kCopy ? op.record : -1;
  loads_[load].tail = static_cast<uint16_t>(path - front);
  unsigned hit = 0;
  for (unsigned i = 0; i < op.lines.lines; ++i) {
    const LineAccess& a = op.lines.line[i];
    const Cycle out = start + i / config_.l1.tags_per_cycle + front;
    if (op.bypass_l1) {
      request_line(load, a.line, a.sectors, out);
      continue;
    }
    L1Cache::Lookup found = l1_.lookup(a.line, a.sectors);
    hit += static_cast<unsigned>(std::popcount(found.hit));
    for (unsigned s = 0, last = kNil; s < kLineSectors; ++s) {
      if (!(found.pending >> s & 1)) continue;
      const uint32_t request = l1_.pending_request(found.entry, s);
      if (request == last) continue;
      if (requests_[request].merges >=
          config_.l1.mshr_merges) {  // its list is full: fetched once more, past L1
        request_line(load, a.line, static_cast<uint8_t>(1u << s), out);
        continue;
      }
      wait_for(request, load);
      last = request;
    }
    if (found.missing == 0) continue;
    if (found.entry < 0) found.entry = l1_.allocate(a.line);
    const uint32_t request = new_request(a.line, found.missing, found.entry);
    if (found.entry >= 0) l1_.mark_pending(found.entry, found.missing, request);
    wait_for(request, load);
    OutMessage m;
    m.request.line = a.line;
    m.request.sectors = found.missing;
    m.request.id = request;
    send(m, 0, out);
  }
  count_load(op, hit);
  release_operands(op, start + config_.registers.read_cycles + 4);
  if (loads_[load].remaining == 0) finish(loads_[load], load, start + front + late);
  return true;
}

bool Lsu::accept_store(const MemoryOp& op, Cycle now) {
  SmStats& s = sm_.stats;
  const Cycle start = std::max(after_texture_stage(op, now), tag_free_);
  tag_free_ =
      start + std::max(1u, (op.lines.lines + config_.l1.tags_per_cycle - 1) / config_.l1.tags_per_cycle);
  const Cycle data_start = std::max(start, data_free_);
  data_free_ = data_start + std::max(1u, op.lines.lines);
  s.wavefronts += std::max(1u, op.lines.lines);
  unsigned hit = 0;
  Cycle sent = now;
  for (unsigned i = 0; i < op.lines.lines; ++i) {
    const LineAccess& a = op.lines.line[i];
    hit += static_cast<unsigned>(
        std::popcount(l1_.lookup(a.line, a.sectors).hit));  // written through; no line is allocated
    sent = send_write(a.line, a.sectors, a.bytes, a.full, op.warp, data_start + i + before_miss(op.latency));
  }
  const unsigned sectors = op.lines.sectors;
  if (op.local) {
    s.sectors_local_st += sectors;
  } else if (op.pipe != Pipe::kTex) {  // the counters are those of the load-store pipe
    ++s.requests_st;
    s.sectors_st += sectors;
  }
  s.sectors += sectors;
  s.sectors_hit += hit;
  s.sectors_miss += sectors - hit;
  s.ideal_sectors += op.lines.ideal_sectors;
  if (InstructionCounts* c = sm_.counts(op.source)) {
    ++c->requests;
    c->sectors += sectors;
    c->ideal_sectors += op.lines.ideal_sectors;
  }
  // One was counted at issue; each line answers for itself.
  sm_.stores_answered_by(op.warp, op.lines.lines);
  sm_.sub_core_of(op.warp).store_sent(sm_.slot_of(op.warp), sent, now);
  release_operands(op, data_start + minus(op.latency, kFront) + width_extra(op));
  return true;
}

bool Lsu::accept_atomic(const MemoryOp& op, Cycle now) {
  const Cycle start = std::max(now, tag_free_);
  tag_free_ = start + 1;
  const unsigned front = before_miss(minus(op.latency, kFront));
  AtomicRecord& r = sm_.atomic(static_cast<uint32_t>(op.record));
  r.tail = static_cast<uint16_t>(minus(op.latency, kFront) - front);
  r.remaining = static_cast<uint16_t>(std::max(1u, op.lines.lines));
  count_load(op, 0);
  sm_.stats.wavefronts += std::max(1u, op.lines.lines);
  for (unsigned i = 0; i < op.lines.lines; ++i) {
    const LineAccess& a = op.lines.line[i];
    l1_.drop(a.line, a.sectors);  // L2's copy is the one that counts now
    OutMessage m;
    m.request.line = a.line;
    m.request.op = op.access == ptx::AccessOp::kLoad    ? sim::MemoryOp::kRead
                   : op.access == ptx::AccessOp::kStore ? sim::MemoryOp::kWrite
                   : r.store                            ? sim::MemoryOp::kReduce
                                                        : sim::MemoryOp::kAtomic;
    m.request.sectors = a.sectors;
    m.request.bytes = a.bytes;
    m.request.atomics = a.lanes;
    m.request.full_sectors = a.full;
    m.request.id = static_cast<uint32_t>(op.record);
    m.reply = Reply::kAtomic;
    if (i + 1 == op.lines.lines && r.data.fn) {
      m.apply = &r.data;
      m.apply_warp = sm_.warp_slot(op.warp).warp;
    }
    const unsigned bytes = op.access == ptx::AccessOp::kLoad
                               ? 0
                               : static_cast<unsigned>(std::popcount(a.sectors)) * kSectorBytes;
    send(m, bytes, start + i + front);
  }
  release_operands(op, start + minus(op.latency, kFront) + width_extra(op));
  return true;
}

// ---------------------------------------------------------------- answers

void Lsu::finish(Load& load, uint32_t index, Cycle now) {
  const Cycle done = now + load.tail;
  if (load.scoreboard < 6) sm_.events().push(done, {EventKind::kRelease, 0, load.warp, load.scoreboard});
  if (load.copy >= 0) sm_.async().data_arrived(static_cast<uint32_t>(load.copy), now);
  load.next_free = free_load_;
  free_load_ = index;
  --loads_used_;
}

void Lsu::filled(uint32_t request, Cycle now) {
  LineRequest& r = requests_[request];
  if (r.entry >= 0) l1_.fill(r.entry, r.sectors);
  uint32_t waiter = r.waiters;
  while (waiter != kNil) {
    const uint32_t load = waiters_[waiter].load, next = waiters_[waiter].next;
    waiters_[waiter].next = free_waiter_;
    free_waiter_ = waiter;
    waiter = next;
    Load& l = loads_[load];
    --l.remaining;
    if (l.bulk >= 0)
      sm_.async().bulk_line(static_cast<uint32_t>(l.bulk), now);
    else if (l.remaining == 0)
      finish(l, load, now);
  }
  r.next_free = free_request_;
  free_request_ = request;
  --requests_used_;
  if (blocked_) next_ = std::min(next_, now);
}

void Lsu::end_bulk_load(uint32_t load) {
  loads_[load].next_free = free_load_;
  free_load_ = load;
  --loads_used_;
}

void Lsu::atomic_answered(uint32_t record, Cycle now) {
  AtomicRecord& r = sm_.atomic(record);
  if (--r.remaining != 0) return;
  const Cycle done = now + r.tail;
  if (r.scoreboard < 6) sm_.events().push(done, {EventKind::kRelease, 0, r.warp, r.scoreboard});
  sm_.events().push(done, {EventKind::kStoreDone, 0, r.warp, 0});
  sm_.sub_core_of(r.warp).store_sent(sm_.slot_of(r.warp), done, now);
  sm_.free_atomic(record);
}

}  // namespace gpuloom::arch
