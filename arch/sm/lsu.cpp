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
  held_until_.assign(config.limits.warps_per_sm, 0);
}

void Lsu::start_kernel(uint32_t l1_bytes) {
  l1_.configure(l1_bytes, config_.l1.sets);
  constants_.configure(config_.constant.l0);
}

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
    case MemoryKind::kConstant:
      accept_constant(op, now);
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
      if (op.release || held_until_[op.warp] > now)
        hold(op, now);
      else
        accept_atomic(op, now);
      return true;
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
  if (op.pipe != Pipe::kLsu) free = start + op.interval;
  if (op.write_scoreboard < 6)
    sm_.events().push(start + minus(op.latency, kFront),
                      {EventKind::kRelease, 0, op.warp, op.write_scoreboard});
  release_operands(op, start + config_.registers.read_cycles);
}

// One word after another; a line that is not in the small cache is fetched before the next word's turn (H200:
// probes/memory, constant).
void Lsu::accept_constant(const MemoryOp& op, Cycle now) {
  const ConstantConfig& c = config_.constant;
  const unsigned words = std::max(1u, op.lines.lines);
  Cycle start = std::max(now, constant_free_);
  Cycle waited = 0;
  for (unsigned i = 0; i < op.lines.lines; ++i) {
    const uint64_t line = op.lines.line[i].line / constants_.line_bytes();
    if (constants_.find(line) != kNever) continue;
    waited =
        std::max(start + waited, sm_.constant_line(op.lines.line[i].line, false, start + waited)) - start;
    constants_.insert(line, 0);
  }
  constant_free_ = start + waited + words * c.replay_interval;
  const Cycle done = start + waited + minus(op.latency, kFront) + (words - 1) * c.replay_latency;
  if (op.write_scoreboard < 6)
    sm_.events().push(std::max(done, now + 1), {EventKind::kRelease, 0, op.warp, op.write_scoreboard});
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
      request_line(load, a.line, a.sectors, out, &op);
      continue;
    }
    L1Cache::Lookup found = l1_.lookup(a.line, a.sectors);
    // A sector that is on its way counts as found, and is not asked for again (H200: reread_l2 counts exactly
    // half of its sectors as hits, those of the second block on each SM).
    hit += static_cast<unsigned>(std::popcount(static_cast<unsigned>(found.hit | found.pending)));
    for (unsigned s = 0, last = kNil; s < kLineSectors; ++s) {
      if (!(found.pending >> s & 1)) continue;
      const uint32_t request = l1_.pending_request(found.entry, s);
      if (request == last) continue;
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
    m.request.evict = evict_hint(op.l2, a.line);
    m.request.prefetch = op.l2_prefetch;
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
    // Written through. The tag is kept, and a store to a tag that is here counts as found whatever its
    // sectors hold (H200: transpose_naive, copy_u8).
    int32_t entry = l1_.lookup(a.line, a.sectors).entry;
    if (entry >= 0)
      hit += static_cast<unsigned>(std::popcount(a.sectors));
    else
      entry = l1_.allocate(a.line);
    if (op.local && entry >= 0) l1_.written(entry, a.sectors);
    sent = send_write(a, op.warp, evict_hint(op.l2, a.line), data_start + i + before_miss(op.latency));
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

void Lsu::accept_atomic(const MemoryOp& op, Cycle now) {
  if (op.acquire) forget_l1();
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
    m.request.evict = evict_hint(op.l2, a.line);
    m.request.sectors = a.sectors;
    m.request.bytes = a.bytes;
    // Lanes whose words fill sectors side by side take a step a sector, others one a lane (H200:
    // probes/memory, red_line 4.9 cycles for 32 words of a line, red_random and red_warp_same one a lane).
    const unsigned covered = static_cast<unsigned>(std::popcount(a.sectors)) * kSectorBytes;
    m.request.atomics = a.full && a.lanes * op.lane_bytes == covered
                            ? static_cast<uint8_t>(std::popcount(a.sectors))
                            : a.lanes;
    m.request.full_sectors = a.full;
    m.request.id = static_cast<uint32_t>(op.record);
    m.reply = Reply::kAtomic;
    if (i + 1 == op.lines.lines && r.data.fn) {
      m.apply = &r.data;
      m.apply_warp = sm_.warp_slot(op.warp).warp;
    }
    const unsigned bytes = op.access == ptx::AccessOp::kLoad ? 0 : a.bytes;
    send(m, bytes, start + i + front);
  }
  release_operands(op, start + minus(op.latency, kFront) + width_extra(op));
}

}  // namespace gpuloom::arch
