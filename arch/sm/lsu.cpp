// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/lsu.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "arch/sm/lsu_latency.h"

namespace gpuloom::arch {
namespace {

// Turns of lines that have come are settled so far ahead, which saves a call a cycle: less than the backlog,
// so that accesses of warps that come one after another still have their turns.
constexpr Cycle kAhead = 8;
constexpr uint8_t kWholeLine = (1u << kLineSectors) - 1;

}  // namespace

// A pass moves a word of each bank; a narrower data stage takes it in parts (7.5, 6.0: 64 bytes a cycle).
Lsu::Lsu(const SmConfig& config, const NocConfig& noc, unsigned sm, const LsuPorts& ports)
    : config_(config),
      noc_(noc),
      ports_(ports),
      sm_number_(static_cast<uint16_t>(sm)),
      pass_time_(static_cast<unsigned>(std::max(1.0, std::ceil(kLineBytes / config.l1.bytes_per_cycle)))),
      data_(config.ideal.data_passes) {
  held_until_.assign(config.limits.warps_per_sm, 0);
  passes_end_.assign(config.limits.warps_per_sm, 0);
}

void Lsu::start_kernel(uint32_t l1_bytes) {
  writes_out_ = bulk_writes_out_ = 0;
  writes_.configure(config_.l1.write_lines);
  ordered_.configure(0);
  l1_.configure(l1_bytes, config_.l1.sets, config_.l1.replacement, sm_number_);
  tells_accesses_ = ports_.clients.hears(policy::kL1Accesses);
  tells_evictions_ = ports_.clients.hears(policy::kL1Evictions);
}

void Lsu::tick(Cycle now) {
  next_ = kNever;
  blocked_ = false;
  send_writes(now);
  MemoryQueues& queues = ports_.queues;
  const bool was_full = queues.input_full();
  const bool waits = queues.arbitrate(
      now, [&](MemoryOp& op) { accept(op, now); }, [&](const MemoryOp& op) { operands_read(op, now); },
      [&](unsigned sub) { ports_.clients.queue_freed(sub, now); });
  const bool took = drain_input(now);
  if (data_.waits()) {
    data_.serve(now, now + kAhead, took ? 1 : 0,
                [&](const DataStage::Turn& turn, Cycle start) { line_through(turn, start, now); });
    if (data_.waits()) next_ = std::min(next_, std::max(now + 1, data_.free() - kAhead));
  }
  if (waits && was_full && !queues.input_full()) next_ = now + 1;
  if (writes_out_ < noc_.sm_writes)  // else an answer calls again
    next_ = std::min(next_, std::max({write_due(), port_free_, now + 1}));
}

// Whether it took one.
bool Lsu::drain_input(Cycle now) {
  MemoryOp* head = ports_.queues.input();
  if (head == nullptr) return false;
  const Cycle behind = std::max(data_.free(), tag_free_);
  if (behind > now + config_.memory.stage_backlog) {
    next_ = std::min(next_, behind - config_.memory.stage_backlog);
    return false;
  }
  if (!way_is_free(*head, now)) return pass_shared(now);
  if (!accept(*head, now)) {
    blocked_ = true;  // an answer calls again
    return pass_shared(now);
  }
  ports_.queues.pop_input();
  if (ports_.queues.input() != nullptr) next_ = std::min(next_, now + 1);
  return true;
}

// Whether what came before has left the SM, as far as it leaves: all that passes the tags waits for that,
// loads that the L1 has too (H200: probes/stores, queue: behind 48 stores of 8 or 32 lines they return 970
// and 2,700 cycles later; 16 warps have 30 to 50 stores under way, whatever their lines). Accesses to shared
// memory do not.
bool Lsu::way_is_free(const MemoryOp& op, Cycle now) {
  if (op.kind == MemoryKind::kShared) return true;
  const bool store = op.kind == MemoryKind::kStore, atomic = op.kind == MemoryKind::kAtomic;
  if (store ? writes_.overflows() : write_due() <= now || (atomic && writes_out_ >= noc_.sm_writes)) {
    blocked_ = true;  // an answer calls again, or a write that leaves
    return false;
  }
  const Cycle reaches_port = std::max(config_.memory.stage_backlog, before_miss(minus(op.latency, kFront)));
  if (store || port_free_ <= now + reaches_port) return true;
  next_ = std::min(next_, port_free_ - reaches_port);
  return false;
}

// What stands behind an access that must wait waits too, but for accesses to shared memory (H200:
// probes/stores, queue).
bool Lsu::pass_shared(Cycle now) {
  MemoryOp* op = ports_.queues.first_shared();
  if (op == nullptr) return false;
  accept(*op, now);
  ports_.queues.pop_shared();
  next_ = std::min(next_, now + 1);
  return true;
}

bool Lsu::accept(MemoryOp& op, Cycle now) {
  switch (op.kind) {
    case MemoryKind::kSimple:
      accept_simple(op, now);
      return true;
    case MemoryKind::kConstant:
      ports_.constants.accept(op, ports_.grids[op.grid].grid->line_base, now);
      release_operands(op, now + config_.registers.read_cycles);
      return true;
    case MemoryKind::kShared:
      accept_shared(op, now);
      return true;
    case MemoryKind::kPass:
      accept_pass(op, now);
      return true;
    case MemoryKind::kRemoteShared:
      accept_remote(op, now);
      return true;
    case MemoryKind::kLoad:
    case MemoryKind::kCopy:
      return accept_load(op, now);
    case MemoryKind::kStore:
      return accept_store(op, now);
    case MemoryKind::kAtomic:
      if (op.access == ptx::AccessOp::kLoad && !can_miss(op)) return false;
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
  if (op.read_scoreboard < 6) ports_.events.push(at, {EventKind::kRelease, 0, op.warp, op.read_scoreboard});
}

// Of what goes through the tags they have been read when it leaves its sub-core's queue (H200: probes/stores,
// queue: a warp runs on over 30 to 40 stores whose lines wait to leave).
void Lsu::operands_read(const MemoryOp& op, Cycle now) {
  if (op.kind == MemoryKind::kStore || op.kind == MemoryKind::kAtomic)
    release_operands(op, now + minus(op.latency, kFront) + width_extra(op));
  else if (op.kind == MemoryKind::kLoad || op.kind == MemoryKind::kCopy)
    release_operands(op, now + config_.registers.read_cycles + 4);
}

void Lsu::accept_simple(const MemoryOp& op, Cycle now) {
  ports_.stats.shared_pass(op.wavefronts);
  if (op.acquire) {
    forget_l1();
    ports_.fences.turn(now);
  }
  Cycle& free = unit_free_[static_cast<size_t>(op.pipe)];
  const Cycle start = std::max(now, free);
  if (op.pipe != Pipe::kLsu) free = start + op.interval;
  if (op.write_scoreboard < 6)
    ports_.events.push(start + minus(op.latency, kFront),
                       {EventKind::kRelease, 0, op.warp, op.write_scoreboard});
  release_operands(op, start + config_.registers.read_cycles);
}

// Wider accesses return later: 512 bits a cycle (Huerta et al., table 2).
unsigned Lsu::width_extra(const MemoryOp& op) const {
  if (op.lane_bytes >= 16) return config_.memory.bits128_extra;
  return op.lane_bytes == 8 ? config_.memory.bits64_extra : 0;
}

// What comes back takes two cycles for each further 128 bytes, and no more than there are: 16 lanes of 64
// bits, 8 of 128, or all lanes with one address return as one word does (H200: probes/widths).
unsigned Lsu::return_extra(const MemoryOp& op) const {
  if (op.lane_bytes < 8) return 0;
  const unsigned most = op.lane_bytes >= 16 ? 4 : 2, passes = std::clamp<unsigned>(op.lines.passes, 1, most);
  return width_extra(op) * (passes - 1) / (most - 1);
}

// Whether everything that the access may need beyond L1 is free.
bool Lsu::can_miss(const MemoryOp& op) {
  const uint32_t limit = std::min(config_.l1.mshrs, config_.memory.outstanding_requests);
  return requests_used_ == 0 || requests_used_ + op.lines.lines <= limit;
}

void Lsu::count_load(const MemoryOp& op, unsigned hit) {
  SmStats& s = ports_.stats;
  const unsigned sectors = op.lines.sectors;
  if (op.local) {
    s.sectors_local_ld += sectors;
  } else if (op.kind != MemoryKind::kAtomic && op.pipe != Pipe::kTex) {
    ++s.requests_ld;
    s.sectors_ld += sectors;
    s.sectors_ld_hit += hit;
  }
  count_sectors(op, hit);
}

// What loads and stores count alike.
void Lsu::count_sectors(const MemoryOp& op, unsigned hit) {
  SmStats& s = ports_.stats;
  const unsigned sectors = op.lines.sectors;
  s.sectors += sectors;
  s.sectors_hit += hit;
  s.sectors_miss += sectors - hit;
  s.ideal_sectors += op.lines.ideal_sectors;
  if (InstructionCounts* c = ports_.counts.at(op.grid, op.source)) {
    ++c->requests;
    c->sectors += sectors;
    c->ideal_sectors += op.lines.ideal_sectors;
  }
}

// When the texture stage, which stands before the tags, begins with a fetch: it takes the row's interval for
// a warp, twice that for texels of 16 bytes (H200, tests/conformance/textures). Other accesses pass at
// once.
Cycle Lsu::after_texture_stage(const MemoryOp& op, Cycle now) {
  if (op.pipe != Pipe::kTex) return now;
  Cycle& free = unit_free_[static_cast<size_t>(Pipe::kTex)];
  const Cycle start = std::max(now, free);
  free = start + op.interval * std::max(1u, op.lane_bytes / 8u);
  return start;
}

// To L2, whatever level it names, by whole lines; the L1 counts its sectors, but not as a load's, and nothing
// comes back (H200: probes/copies, a load behind it asks L2 again).
void Lsu::accept_prefetch(const MemoryOp& op, Cycle now) {
  const Cycle start = std::max(now, tag_free_);
  tag_free_ = start + std::max(1u, op.lines.lines / config_.l1.tags_per_cycle);
  const unsigned front = before_miss(minus(op.latency, kFront));
  ports_.stats.wavefronts += 1;
  count_sectors(op, 0);
  for (unsigned i = 0; i < op.lines.lines; ++i)
    prefetch_line(op.lines.line[i].line, kWholeLine, op.l2, start + i / config_.l1.tags_per_cycle + front);
}

// Cycles that an access takes of the tag stage, which passes on so many sectors a cycle (uarch: NVIDIA on
// Volta's L1).
unsigned Lsu::tag_stage(const MemoryOp& op) const {
  const L1Config& l1 = config_.l1;
  const unsigned sectors = (op.lines.sectors + l1.sectors_per_cycle - 1) / l1.sectors_per_cycle;
  return std::max(sectors, tag_cycles(op.lines, l1.tag_bank_low, l1.tag_bank_high));
}

// Schedulers that ask for it hear of what their warps find in the L1, and of what leaves it.
void Lsu::tell_access(const MemoryOp& op, const policy::CacheAccess& access, const L1Cache::Lookup& found) {
  ports_.clients.accessed(op.warp, {0, op.source, access.line, access.sectors, found.hit, found.pending,
                                    access.kind == policy::AccessKind::kWrite, access.cycle});
}

void Lsu::tell_eviction(Cycle now) {
  if (l1_.evicted() != L1Cache::kNoLine) ports_.clients.evicted(l1_.evicted(), now);
}

// When the last of an access's passes is through that the data stage began at `start`: a warp has a pass
// every second cycle, and those of other warps fill the gaps. H200 (probes/strides): a load of one warp
// takes 13.1 cycles with one pass, 25.5 with eight and 74.2 with 32, with sixteen warps 8 and 32; shared
// memory alike.
Cycle Lsu::passed(unsigned warp, Cycle start, unsigned passes, unsigned extra) {
  const Cycle begin = std::max(start, passes_end_[warp]), interval = config_.shared.return_interval;
  passes_end_[warp] = begin + passes * interval;
  return begin + std::max<Cycle>(minus(passes, 1) * interval, extra);
}

bool Lsu::accept_load(const MemoryOp& op, Cycle now) {
  if (op.access == ptx::AccessOp::kPrefetch) {
    accept_prefetch(op, now);
    return true;
  }
  if (!can_miss(op)) return false;
  const Cycle start = std::max(after_texture_stage(op, now), tag_free_);
  const unsigned tags = tag_stage(op);
  tag_free_ = start + tags;
  const bool reads = op.lines.lines != 0;  // a cp.async may only fill with zeros
  const unsigned path = minus(op.latency, kFront), front = before_miss(path);
  const uint32_t load = new_load(op.warp, op.grid);
  loads_[load].scoreboard = op.write_scoreboard;
  loads_[load].copy = op.kind == MemoryKind::kCopy ? op.record : -1;
  loads_[load].tail = static_cast<uint16_t>(path - front);
  unsigned hit = 0;
  bool all_here = !op.bypass_l1;
  for (unsigned i = 0; i < op.lines.lines; ++i) {
    const LineAccess& a = op.lines.line[i];
    const Cycle out = start + i / config_.l1.tags_per_cycle + front;
    if (op.bypass_l1) {
      request_line(load, a.line, a.sectors, out, &op);
      continue;
    }
    const policy::CacheAccess access = l1_access(op, a, policy::AccessKind::kRead, start);
    L1Cache::Lookup found = l1_.lookup(access);
    if (config_.ideal.l1) found = {a.sectors, 0, 0, found.entry, found.tagged};
    if (tells_accesses_) tell_access(op, access, found);
    all_here &= found.hit == a.sectors;
    // A sector that is on its way counts as found, and is not asked for again (H200: reread_l2 counts exactly
    // half of its sectors as hits, those of the second block on each SM).
    hit += static_cast<unsigned>(std::popcount(static_cast<unsigned>(found.hit | found.pending)));
    uint32_t last = kNil;
    for (unsigned s = 0; s < kLineSectors; ++s) {
      if (!(found.pending >> s & 1)) continue;
      const uint32_t request = l1_.pending_request(found.entry, s);
      if (request == last) continue;
      wait_for(request, load);
      last = request;
    }
    if (found.missing == 0) continue;
    if (found.entry >= 0 && join_request(found.entry, found.missing, last, load, start)) continue;
    if (found.entry < 0) {
      found.entry = l1_.allocate(access);
      if (tells_evictions_) tell_eviction(start);
    }
    const uint32_t request = new_request(a.line, found.missing, found.entry);
    if (found.entry >= 0) l1_.mark_pending(found.entry, found.missing, request);
    wait_for(request, load);
    OutMessage m;
    m.request.line = a.line;
    m.request.evict = evict_hint(op.l2, a.line);
    m.request.prefetch = op.l2_prefetch;
    m.request.sectors = found.missing;
    asked_by(m.request, op);
    m.grid = op.grid;
    m.request.id = request;
    send(m, out);
    requests_[request].sent = m.cycle;
  }
  // What misses passes as it leaves the tags (H200: probes/strides).
  Load& l = loads_[load];
  const unsigned passes = !reads ? 1 : all_here ? op.lines.passes : std::max(tags, op.lines.passes);
  if (op.kind != MemoryKind::kCopy) ports_.stats.wavefronts += passes;  // theirs count when they come
  if (reads) count_load(op, hit);
  if (config_.ideal.copies && op.kind == MemoryKind::kCopy) {
    l.copy = -1;  // its requests take their way, and nobody waits for them
    ports_.events.push(start + front, {EventKind::kCopyHere, 0, op.warp, static_cast<uint32_t>(op.record)});
  }
  const unsigned extra = return_extra(op);
  if (l.remaining != 0) {
    if (op.kind == MemoryKind::kCopy) return true;  // its bytes take their passes as they are written
    l.passes = static_cast<uint16_t>(passes * pass_time_);
    l.extra = static_cast<uint16_t>(extra);
    return true;
  }
  if (op.kind == MemoryKind::kCopy && reads) {
    finish(l, load, start + tags + front, now);
    return true;
  }
  const Cycle data_start = data_.take(start, passes * pass_time_);
  if (l.remaining == 0) finish(l, load, passed(op.warp, data_start, passes, extra) + front, now);
  return true;
}

// The last message of an atomic carries it out.
void Lsu::applies(OutMessage& m, AtomicRecord& r) {
  if (!r.data.fn) return;
  m.apply = &r.data;
  if (!r.store) m.apply_warp = r.by;
}

// ideal.combined_atomics: all of it goes with what the warp has sent before.
Cycle Lsu::send_combined(const MemoryOp& op, AtomicRecord& r, Cycle at) {
  OutMessage m;
  m.combined = true;
  m.request.id = static_cast<uint32_t>(op.record);
  m.reply = Reply::kAtomic;
  m.grid = op.grid;
  applies(m, r);
  send(m, at, 0);
  return m.cycle;
}

// What an access that takes effect at L2 asks of it there.
sim::RequestOp Lsu::asks_l2(const MemoryOp& op, const AtomicRecord& r) {
  if (op.access == ptx::AccessOp::kLoad) return sim::RequestOp::kRead;
  if (op.access == ptx::AccessOp::kStore) return sim::RequestOp::kWrite;
  return r.store ? sim::RequestOp::kReduce : sim::RequestOp::kAtomic;
}

void Lsu::accept_atomic(const MemoryOp& op, Cycle now) {
  if (op.acquire) forget_l1();
  const Cycle start = std::max(now, tag_free_);
  tag_free_ = start + 1;
  const unsigned front = before_miss(minus(op.latency, kFront)), lines = op.lines.lines;
  AtomicRecord& r = ports_.atomics.at(static_cast<uint32_t>(op.record));
  r.tail = static_cast<uint16_t>(minus(op.latency, kFront) - front);
  r.remaining = static_cast<uint16_t>(std::max(1u, lines));
  r.load = op.access == ptx::AccessOp::kLoad;
  if (r.load) requests_used_ += r.remaining;
  count_load(op, 0);
  ports_.stats.wavefronts += std::max(1u, lines);
  ports_.stats.shared_pass(op.wavefronts);
  // Accesses of a thread that take effect at L2 must not overtake each other (PTX ISA 8.10.2), so they leave
  // in order. Nobody waits for the answer to what has no result (H200: the warps of histogram_global drain
  // for an eighth of the time that their reductions take).
  if (lines == 0) {
    const Cycle sent = send_combined(op, r, start + front);
    if (r.store) store_sent(op.warp, sent + kTaken, now);
  } else if (r.store) {
    ports_.writes[op.warp].leaves_by(lines);
  }
  for (unsigned i = 0; i < lines; ++i) {
    const LineAccess& a = op.lines.line[i];
    l1_.drop(a.line, a.sectors);  // L2's copy is the one that counts now
    OutMessage m;
    m.request.line = a.line;
    m.request.op = asks_l2(op, r);
    m.request.evict = evict_hint(op.l2, a.line);
    m.request.sectors = a.sectors;
    m.request.bytes = a.bytes;
    m.request.atomics = a.turns;
    m.request.sums = op.sums ? a.most : uint8_t{0};
    m.request.full_sectors = a.full;
    m.request.id = static_cast<uint32_t>(op.record);
    asked_by(m.request, op);
    m.reply = Reply::kAtomic;
    m.warp = r.store ? op.warp : kNoWarp;
    m.grid = op.grid;
    if (i + 1 == lines) applies(m, r);
    ordered_.push(m, start + i + front, 0, port_time(m.request));
  }
  next_ = std::min(next_, ordered_.due());
}

}  // namespace gpuloom::arch
