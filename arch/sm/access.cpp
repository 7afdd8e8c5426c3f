// SPDX-License-Identifier: Apache-2.0
// Carrying out the decoded instructions behind an operation, and turning the access that they describe into
// an entry of the memory queue.
#include <algorithm>
#include <bit>
#include <cstring>

#include "arch/sm/sm.h"

namespace gpuloom::arch {
namespace {

using ptx::AccessOp;
using ptx::InstrKind;
using ptx::MemoryAccess;

bool may_access(InstrKind kind) {
  switch (kind) {
    case InstrKind::kLoad:
    case InstrKind::kStore:
    case InstrKind::kAtomic:
    case InstrKind::kAsyncCopy:
      return true;
    default:
      return false;
  }
}

// An access of several instructions that one operation carries out (ptxas joins adjacent ones): lowest
// address of each lane.
void join(MemoryAccess& sum, const MemoryAccess& more) {
  for (unsigned l = 0; l < kWarpSize; ++l)
    if (more.lanes >> l & 1)
      sum.address[l] = sum.lanes >> l & 1 ? std::min(sum.address[l], more.address[l]) : more.address[l];
  sum.lanes |= more.lanes;
}

}  // namespace

// The pieces of a wmma tile, each for an operation of its own: the first stays, the others wait for theirs.
void Sm::divide(MemoryAccess& a, unsigned warp, uint32_t pc) {
  const unsigned pieces = a.pieces;
  if (pieces <= 1) return;
  a.pieces = 1;
  const MemoryAccess whole = a;
  const auto place = [&](MemoryAccess& piece, unsigned k) {
    for (uint64_t& address : piece.address) address += static_cast<uint64_t>(whole.piece_offset[k]);
  };
  for (unsigned k = 1; k < pieces; ++k) {
    stash_.push_back({static_cast<uint16_t>(warp), pc, -1, whole});
    place(stash_.back().access, k);
  }
  place(a, 0);
}

bool Sm::carry_out(unsigned sub, unsigned slot, const OpInfo& op, Cycle now) {
  WarpSlot& s = sub_cores_[sub]->slot(slot);
  ptx::Warp& w = *s.warp;
  const unsigned warp = warp_number(sub, slot);
  w.now = now;
  bool moved = false, own = false, joined = false;
  int32_t record = -1;
  MemoryAccess sum;
  const uint64_t before = w.executed;
  while (w.wait == ptx::Wait::kNone && w.pc >= op.exec_first && w.pc < op.exec_end) {
    const uint32_t pc = w.pc;
    const ptx::Instr& in = w.code[pc];
    // Parameter loads that became constant operands access nothing.
    const bool access = may_access(in.kind) && in.op_class != static_cast<uint16_t>(ptx::OpClass::none);
    if (access) w.access.op = AccessOp::kNone;
    if (InstructionCounts* c = counts(pc)) {
      const uint32_t on = in.guard.present() ? w.lanes & (in.guard_negated ? ~ptx::predicate(w, in.guard)
                                                                           : ptx::predicate(w, in.guard))
                                             : w.lanes;
      ++c->executed;
      c->thread_executed += static_cast<unsigned>(std::popcount(on));
    }
    ptx::step(w);
    if (access && w.access.op != AccessOp::kNone) {
      if (pc == op.source || (op.memory && kernel_->own_op[pc] == kNoOp)) {
        if (w.deferred_pending) record = take_deferred(w, warp, op);
        if (op.divided) divide(w.access, warp, pc);
        if (!own && op.exec_end - op.exec_first == 1) {
          own = true;  // the common case: w.access stays in place
        } else if (!own) {
          sum = w.access;
          own = joined = true;
        } else {
          join(sum, w.access);
        }
      } else {
        int32_t early = -1;
        if (w.deferred_pending) early = take_deferred(w, warp, op);
        stash_.push_back({static_cast<uint16_t>(warp), pc, early, w.access});
      }
    }
    if (w.pc != pc + 1) {
      moved = true;
      break;
    }
  }
  warp_instructions_ += w.executed - before;
  if (!moved) {
    s.resume_pc = w.pc;
    s.resume_op = op.last_in_block ? kNoOp : s.op + 1;
  }
  if (w.wait == ptx::Wait::kMbarrier) return moved;
  if (op.frame) {
    start_frame_access(sub, slot, op, now);
    return moved || op.last_in_block;
  }
  if (op.queued) {
    if (op.memory && !own) {  // carried out earlier, or by nobody (predicated off)
      for (size_t i = 0; i < stash_.size(); ++i) {
        if (stash_[i].warp != warp || stash_[i].source != op.source) continue;
        start_access(sub, slot, op, &stash_[i].access, stash_[i].record, now);
        stash_.erase(stash_.begin() + static_cast<ptrdiff_t>(i));
        return moved || op.last_in_block;
      }
    }
    const MemoryAccess* access = own && !op.constant_load ? (joined ? &sum : &w.access) : nullptr;
    start_access(sub, slot, op, access, record, now);
  }
  start_asynchronous(sub, slot, op, now);
  return moved || op.last_in_block;
}

// Saved registers: a word at the same offset of each lane's stack. They lie behind what the program itself
// keeps in local memory.
void Sm::start_frame_access(unsigned sub, unsigned slot, const OpInfo& op, Cycle now) {
  constexpr uint64_t kBehindProgram = uint64_t{1} << 26;
  const ptx::Warp& w = *sub_cores_[sub]->slot(slot).warp;
  MemoryAccess& a = frame_access_;
  a.op = op.op == ptx::OpClass::stl ? AccessOp::kStore : AccessOp::kLoad;
  a.space = ptx::Space::kLocal;
  a.lane_bytes = op.lane_bytes;
  a.lanes = w.lanes;
  const uint64_t at = kBehindProgram + w.simt.frames[w.simt.frame].saved + op.frame_offset;
  std::fill(std::begin(a.address), std::end(a.address), at);
  start_access(sub, slot, op, &a, -1, now);
}

// Copy groups, waits for them, and bulk copies.
void Sm::start_asynchronous(unsigned sub, unsigned slot, const OpInfo& op, Cycle now) {
  WarpSlot& s = sub_cores_[sub]->slot(slot);
  const unsigned warp = warp_number(sub, slot);
  switch (op.action) {
    case Action::kCopyCommit:
      async_->commit(warp);
      break;
    case Action::kBulk:
      async_->begin_bulk(warp, op.op == ptx::OpClass::utma, now, now + op.latency);
      break;
    case Action::kCopyWait:
    case Action::kBulkCommit: {
      const CopyWait wait = copy_wait(s.warp->code[op.source]);
      s.wait_groups = wait.waits ? wait.groups : UINT32_MAX - 1;
      s.wait_bulk = wait.bulk;
      s.wait_read = wait.read;
      if (!wait.waits) async_->commit_bulk(warp);
      break;
    }
    default:
      break;
  }
  // What was captured outside those operations: remote stores, arrivals on copies.
  if (!async_->capture(warp)->empty()) async_->begin_other(warp, now + op.latency);
}

bool Sm::locate(unsigned sub, unsigned slot, Cycle now) {
  WarpSlot& s = sub_cores_[sub]->slot(slot);
  ptx::Warp& w = *s.warp;
  w.now = now;
  if (w.wait == ptx::Wait::kNone && w.pc == s.resume_pc && s.resume_op != kNoOp) {
    s.op = s.resume_op;
    s.next = &kernel_->ops[s.op];
    return true;
  }
  const uint64_t before = w.executed;
  while (w.wait == ptx::Wait::kNone) {
    const uint32_t op = kernel_->entry[w.pc];
    if (op != kNoOp) {
      s.op = op;
      s.next = &kernel_->ops[op];
      break;
    }
    if (InstructionCounts* c = counts(w.pc)) {
      ++c->executed;
      c->thread_executed += static_cast<unsigned>(std::popcount(w.lanes));
    }
    ptx::step(w);
  }
  warp_instructions_ += w.executed - before;
  if (w.wait == ptx::Wait::kNone) return true;
  SubCore& sc = *sub_cores_[sub];
  if (w.wait == ptx::Wait::kDone)
    sc.resume(slot, now);
  else
    sc.block(slot, WarpMode::kBlocked, Stall::kBarrier, now);
  return false;
}

uint32_t Sm::new_atomic() {
  if (free_atomics_.empty()) {
    atomics_.push_back(std::make_unique<AtomicRecord>());
    return static_cast<uint32_t>(atomics_.size() - 1);
  }
  const uint32_t index = free_atomics_.back();
  free_atomics_.pop_back();
  return index;
}

// The warp's scratch record has been filled: it goes on its way, the warp gets another one.
int32_t Sm::take_deferred(ptx::Warp& w, unsigned warp, const OpInfo& op) {
  const uint32_t index = scratch_record_[warp];
  AtomicRecord& r = *atomics_[index];
  w.deferred_pending = false;
  w.late.push_back(&r.data);
  scratch_record_[warp] = new_atomic();
  w.deferred = &atomics_[scratch_record_[warp]]->data;
  r.warp = static_cast<uint16_t>(warp);
  r.scoreboard = op.write_scoreboard;
  r.store = !r.data.has_result;
  return static_cast<int32_t>(index);
}

void Sm::count_access(SubCoreStats& c, const MemoryAccess& a) {
  const bool shared = a.space == ptx::Space::kShared || a.space == ptx::Space::kSharedCluster;
  switch (a.op) {
    case AccessOp::kLoad:
      ++(shared ? c.shared_ld : a.space == ptx::Space::kLocal ? c.local_ld : c.global_ld);
      break;
    case AccessOp::kStore:
      ++(shared ? c.shared_st : a.space == ptx::Space::kLocal ? c.local_st : c.global_st);
      break;
    case AccessOp::kAtomic:
      ++(shared ? c.shared_atom : c.global_atom);
      break;
    case AccessOp::kReduce:
      ++(shared ? c.shared_atom : c.global_red);
      break;
    case AccessOp::kAsyncCopy:
      ++c.ldgsts;
      break;
    case AccessOp::kMatrixLoad:
      ++c.ldsm;
      break;
    case AccessOp::kMatrixStore:
      ++c.shared_st;
      break;
    default:
      break;
  }
}

void Sm::fill_shared(MemoryOp& m, const OpInfo& op, const MemoryAccess& a) {
  const BankGeometry geometry{config_.shared.banks, config_.shared.bank_bytes};
  m.kind = MemoryKind::kShared;
  uint32_t here = a.lanes;  // lanes that stay in this block's shared memory: the others take no pass here, as
                            // the H200's counters say
  if (a.space == ptx::Space::kSharedCluster)
    for (uint32_t l = a.lanes; l; l &= l - 1) {
      const uint64_t rank = a.address[std::countr_zero(l)] >> ptx::kSharedRankShift;
      if (rank != 0 && rank - 1 != warp_slot(m.warp).warp->cta->cluster_rank) here &= ~(l & (0u - l));
    }
  const bool atomic = a.op == AccessOp::kAtomic || a.op == AccessOp::kReduce;
  if (atomic && op.op == ptx::OpClass::atomg)
    m.latency = static_cast<uint16_t>(config_.shared.generic_atomic_latency);
  if (here != a.lanes) {
    m.kind = MemoryKind::kRemoteShared;
    const RemoteKind kind = atomic                    ? RemoteKind::kAtomic
                            : a.op == AccessOp::kLoad ? RemoteKind::kLoad
                                                      : RemoteKind::kStore;
    remote_packets(kind, a.address, a.lanes & ~here, m.lane_bytes, m.remote);
  }
  if (a.op == AccessOp::kMatrixLoad || a.op == AccessOp::kMatrixStore) {
    m.passes = matrix_passes(geometry, a.address, a.rows);
  } else if (op.shared_atomic == SharedAtomic::kPlain || op.shared_atomic == SharedAtomic::kCompareSwap) {
    m.passes = atomic_passes(geometry, a.address, a.lanes, m.lane_bytes);
  } else {
    m.passes = bank_passes(geometry, a.address, here, m.lane_bytes);
    // An atomic takes a pass even if none of its lanes stays here (H200: probes/clusters, counters).
    if (atomic && m.passes.passes == 0) m.passes = {1, 1, 1};
  }
}

// Local memory is interleaved so that lanes with equal offsets share a line. Addresses of our own choosing,
// one range a warp.
uint64_t Sm::local_address(unsigned warp, uint64_t offset, unsigned lane) const {
  const uint64_t base = (uint64_t{1} << 60) | (uint64_t{id_} << 40) | (uint64_t{warp} << 32);
  return base + (offset / 4 * kWarpSize + lane) * 4 + offset % 4;
}

// A wmma tile is several machine instructions: each counts its own sectors, and what does not fit one queue
// entry joins an earlier piece's line.
void Sm::fill_pieces(MemoryOp& m, const MemoryAccess& a) {
  uint64_t address[kWarpSize];
  m.lines.lines = m.lines.sectors = m.lines.ideal_sectors = 0;
  for (unsigned k = 0; k < a.pieces; ++k) {
    for (unsigned l = 0; l < kWarpSize; ++l)
      address[l] = a.address[l] + static_cast<uint64_t>(a.piece_offset[k]);
    Coalesced part;
    coalesce(address, a.lanes, a.lane_bytes, a.op != AccessOp::kLoad, part);
    for (unsigned i = 0; i < part.lines; ++i) {
      if (m.lines.lines < 2 * kWarpSize)
        m.lines.line[m.lines.lines++] = part.line[i];
      else
        m.lines.line[i].sectors |= part.line[i].sectors;
    }
    m.lines.sectors += part.sectors;
    m.lines.ideal_sectors += part.ideal_sectors;
  }
}

void Sm::fill_global(MemoryOp& m, const MemoryAccess& a, unsigned warp, bool fenced) {
  const bool store = a.op == AccessOp::kStore;
  if (a.space == ptx::Space::kLocal) {
    m.local = true;
    MemoryAccess words;  // 4-byte words of a lane lie in lines of their own
    m.lines.lines = m.lines.sectors = m.lines.ideal_sectors = 0;
    for (unsigned at = 0; at < m.lane_bytes; at += 4) {
      Coalesced part;
      for (unsigned l = 0; l < kWarpSize; ++l) words.address[l] = local_address(warp, a.address[l] + at, l);
      coalesce(words.address, a.lanes, std::min<unsigned>(m.lane_bytes, 4), store, part);
      for (unsigned i = 0; i < part.lines && m.lines.lines < 2 * kWarpSize; ++i)
        m.lines.line[m.lines.lines++] = part.line[i];
      m.lines.sectors += part.sectors;
      m.lines.ideal_sectors += part.ideal_sectors;
    }
  } else if (a.pieces > 1) {
    fill_pieces(m, a);
  } else {
    coalesce(a.address, a.lanes, m.lane_bytes, a.op != AccessOp::kLoad, m.lines);
  }
  switch (a.op) {
    case AccessOp::kStore:
      m.kind = MemoryKind::kStore;
      break;
    case AccessOp::kAtomic:
    case AccessOp::kReduce:
      m.kind = MemoryKind::kAtomic;
      break;
    case AccessOp::kAsyncCopy:
      m.kind = MemoryKind::kCopy;
      break;
    default:
      m.kind = MemoryKind::kLoad;
      break;
  }
  m.reduce = a.op == AccessOp::kReduce;
  m.l2 = l2_hint(a);
  m.l2_prefetch = a.l2_prefetch;
  if (a.scope >= ptx::Scope::kGpu && !fenced) {
    m.acquire = a.ordering == ptx::Ordering::kAcquire || a.ordering == ptx::Ordering::kAcqRel;
    m.release = a.ordering == ptx::Ordering::kRelease || a.ordering == ptx::Ordering::kAcqRel;
  }
  m.bypass_l1 =
      a.cache == ptx::CacheOp::kCg || a.cache == ptx::CacheOp::kCv || a.ordering != ptx::Ordering::kWeak;
}

void Sm::fill_memory_op(MemoryOp& m, const OpInfo& op, const MemoryAccess& a, unsigned warp) {
  m.access = a.op;
  // A fetch moves texels, whatever its result's registers are.
  const uint8_t registers = op.pipe == Pipe::kTex ? uint8_t{1} : op.lane_bytes;
  m.lane_bytes = std::max({registers, a.lane_bytes, uint8_t{1}});
  switch (a.space) {
    case ptx::Space::kShared:
    case ptx::Space::kSharedCluster:
      fill_shared(m, op, a);
      break;
    case ptx::Space::kGlobal:
    case ptx::Space::kLocal:
      fill_global(m, a, warp, op.fenced);
      break;
    case ptx::Space::kConst:
      fill_constant(m, a);
      break;
    default:
      m.kind = MemoryKind::kSimple;
      break;  // parameters
  }
}

// An indexed load from the constant bank serves one address after another.
void Sm::fill_constant(MemoryOp& m, const MemoryAccess& a) {
  m.kind = MemoryKind::kConstant;
  m.lines.lines = 0;
  for (uint32_t l = a.lanes; l; l &= l - 1) {
    const uint64_t word = a.address[std::countr_zero(l)] & ~uint64_t{3};
    unsigned i = 0;
    while (i < m.lines.lines && m.lines.line[i].line != word) ++i;
    if (i == m.lines.lines) m.lines.line[m.lines.lines++].line = word;
  }
}

void Sm::start_access(unsigned sub, unsigned slot, const OpInfo& op, const MemoryAccess* access,
                      int32_t record, Cycle now) {
  const unsigned warp = warp_number(sub, slot);
  MemoryOp& m = lsu_->reserve(sub);
  m.kind = MemoryKind::kSimple;
  m.access = AccessOp::kNone;
  m.pipe = op.pipe;
  m.write_scoreboard = op.write_scoreboard;
  m.read_scoreboard = op.read_scoreboard;
  m.local = m.bypass_l1 = m.reduce = m.release = false;
  m.acquire = op.op == ptx::OpClass::ccctl;
  m.compare_swap = op.shared_atomic == SharedAtomic::kCompareSwap;
  m.warp = static_cast<uint16_t>(warp);
  m.latency = op.latency;
  m.interval = op.interval;
  m.source = op.source;
  m.record = record;
  m.passes = {};
  m.lines.lines = m.lines.sectors = 0;
  if (access) {
    count_access(sub_cores_[sub]->stats, *access);
    fill_memory_op(m, op, *access, warp);
    if (m.kind == MemoryKind::kCopy) {
      const BankGeometry geometry{config_.shared.banks, config_.shared.bank_bytes};
      uint64_t target[kWarpSize];
      for (unsigned l = 0; l < kWarpSize; ++l) target[l] = access->shared_offset[l];
      m.passes = bank_passes(geometry, target, access->lanes, m.lane_bytes);
      m.record = async_->begin_copy(warp, m.passes.passes, now);
    }
    if (record >= 0 &&
        m.kind !=
            MemoryKind::kAtomic) {  // an ordered load or store takes effect at the partition, as atomics do
      m.reduce = m.kind == MemoryKind::kStore;
      m.kind = MemoryKind::kAtomic;
    }
  }
  if (m.kind == MemoryKind::kAtomic && m.record < 0) {  // took effect at issue; only its time is left
    m.record = static_cast<int32_t>(new_atomic());
    AtomicRecord& r = *atomics_[static_cast<size_t>(m.record)];
    r.data.fn = nullptr;
    r.warp = static_cast<uint16_t>(warp);
    r.scoreboard = op.write_scoreboard;
    r.store = m.reduce;
  }
  const bool remote_write =
      m.kind == MemoryKind::kRemoteShared && m.access != AccessOp::kLoad && m.access != AccessOp::kMatrixLoad;
  if (m.kind == MemoryKind::kStore || m.kind == MemoryKind::kAtomic || remote_write) {
    ++warp_slot(warp).stores;
    ++warp_slot(warp).unsent;
    warp_slot(warp).wrote = true;
    ++stores_in_flight_;
  }
  // What is off for all lanes passes the shared-memory path all the same (H200: reduce_sequential, cp.async's
  // empty LDS), and so do some operations that access nothing.
  m.wavefronts = op.wavefronts;
  if (access == nullptr && op.shared_access) m.wavefronts = 1;
  blocks_[sub_cores_[sub]->slot(slot).cta].queue_used = true;
  lsu_->commit(sub, now);
}

}  // namespace gpuloom::arch
