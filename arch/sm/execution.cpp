// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/execution.h"

#include <algorithm>
#include <bit>

#include "ptx/exec/lanes_on.h"

namespace gpuloom::arch {
namespace {

using ptx::AccessOp;
using ptx::MemoryAccess;

// An access of several instructions that one operation carries out (ptxas joins adjacent ones): lowest
// address of each lane.
void join_in(MemoryAccess& sum, const MemoryAccess& more) {
  for (unsigned l = 0; l < kWarpSize; ++l)
    if (more.lanes >> l & 1)
      sum.address[l] = sum.lanes >> l & 1 ? std::min(sum.address[l], more.address[l]) : more.address[l];
  sum.lanes |= more.lanes;
}

}  // namespace

Execution::Execution(const SmConfig& config, unsigned sm, const ExecutionPorts& ports)
    : config_(config),
      sm_(sm),
      ports_(ports),
      scratch_record_(config.limits.warps_per_sm, UINT32_MAX),
      combined_(config.limits.warps_per_sm) {}

void Execution::launch(unsigned number, ptx::Warp& warp, const CopyOwner& owner) {
  if (scratch_record_[number] == UINT32_MAX) scratch_record_[number] = ports_.atomics.take();
  combined_.launch(number);
  warp.late = &ports_.late;
  warp.deferred = &ports_.atomics.at(scratch_record_[number]).data;
  ports_.async.launch(number, owner);
  warp.async = ports_.async.capture(number);
}

// The pieces of a wmma tile, each for an operation of its own: the first stays, the others wait for theirs.
void Execution::divide(MemoryAccess& a, unsigned warp, uint32_t pc) {
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

void Execution::count_executed(unsigned grid, const ptx::Warp& w, uint32_t pc) {
  InstructionCounts* c = ports_.counts.at(grid, pc);
  if (c == nullptr) return;
  ++c->executed;
  const ptx::Instr& in = w.code[pc];
  c->thread_executed += static_cast<unsigned>(std::popcount(ptx::lanes_on(w, in.guard, in.guard_negated)));
}

// The access of an operation that was carried out with an earlier one. False: nobody carried it out
// (predicated off).
bool Execution::start_stashed(const Issue& issue) {
  for (size_t i = 0; i < stash_.size(); ++i) {
    if (stash_[i].warp != issue.at.number || stash_[i].source != issue.op.source) continue;
    start_access(issue, &stash_[i].access, stash_[i].record);
    stash_.erase(stash_.begin() + static_cast<ptrdiff_t>(i));
    return true;
  }
  return false;
}

// Where the warp's straight line goes on: behind the operation, or with what is left of it.
void Execution::go_on(WarpPosition& s, const OpInfo& op, bool moved) {
  const bool left = s.warp->wait == ptx::Wait::kMemory;
  if (moved && !left) return;
  s.resume_pc = s.warp->pc;
  s.resume_op = left ? s.op : op.last_in_block ? kNoOp : s.op + 1;
}

bool Execution::carry_out(WarpPosition& s, const OpInfo& op, SubCoreStats& stats, Cycle now) {
  ptx::Warp& w = *s.warp;
  w.now = now;
  if (!op.alone || w.pc != op.exec_first || w.wait != ptx::Wait::kNone)
    return carry_out_each({s, op, stats, now});
  count_executed(s.grid, w, op.exec_first);
  ptx::step(w);
  const bool moved = w.pc != op.exec_end;
  go_on(s, op, moved);
  if (w.wait == ptx::Wait::kMbarrier || w.wait == ptx::Wait::kMemory) return moved;
  if (op.action != Action::kPlain || !w.async->empty()) start_asynchronous({s, op, stats, now});
  return moved || op.last_in_block;
}

bool Execution::carry_out_each(const Issue& issue) {
  WarpPosition& s = issue.at;
  const OpInfo& op = issue.op;
  ptx::Warp& w = *s.warp;
  const unsigned warp = s.number;
  bool moved = false, own = false, joined = false;
  int32_t record = -1;
  MemoryAccess sum;
  while (w.wait == ptx::Wait::kNone && w.pc >= op.exec_first && w.pc < op.exec_end && !moved) {
    const uint32_t pc = w.pc;
    const bool access = s.kernel->instructions[pc].accesses;
    if (access) w.access.op = AccessOp::kNone;
    count_executed(s.grid, w, pc);
    ptx::step(w);
    moved = w.pc != pc + 1;
    if (w.wait == ptx::Wait::kMemory) break;
    if (!access || w.access.op == AccessOp::kNone) continue;
    if (pc != op.source && !(op.memory && s.kernel->own_op[pc] == kNoOp)) {
      const int32_t early = w.deferred_pending ? take_deferred(issue) : -1;
      stash_.push_back({static_cast<uint16_t>(warp), pc, early, w.access});
      continue;
    }
    if (w.deferred_pending && !read_at_once(w)) record = take_deferred(issue);
    if (op.divided) divide(w.access, warp, pc);
    if (!own && op.exec_end - op.exec_first == 1) {
      own = true;  // the common case: w.access stays in place
    } else if (!own) {
      sum = w.access;
      own = joined = true;
    } else {
      join_in(sum, w.access);
    }
  }
  go_on(s, op, moved);
  if (w.wait == ptx::Wait::kMbarrier || w.wait == ptx::Wait::kMemory) return moved;
  if (op.frame) {
    start_frame_access(issue);
  } else if (!op.queued || !op.memory || own || !start_stashed(issue)) {
    const MemoryAccess* access = own && !op.constant_load ? (joined ? &sum : &w.access) : nullptr;
    if (op.queued) start_access(issue, access, record);
    start_asynchronous(issue);
  }
  return moved || op.last_in_block;
}

// Saved registers: a word at the same offset of each lane's stack. They lie behind what the program itself
// keeps in local memory.
void Execution::start_frame_access(const Issue& issue) {
  constexpr uint64_t kBehindProgram = uint64_t{1} << 26;
  const ptx::Warp& w = issue.warp();
  const OpInfo& op = issue.op;
  MemoryAccess& a = machine_access_;
  a.op = op.op == ptx::OpClass::stl ? AccessOp::kStore : AccessOp::kLoad;
  a.space = ptx::Space::kLocal;
  a.lane_bytes = op.lane_bytes;
  a.lanes = w.lanes;
  const uint64_t at = kBehindProgram + w.simt.frames[w.simt.frame].saved + op.frame_offset;
  std::fill(std::begin(a.address), std::end(a.address), at);
  start_access(issue, &a, -1);
}

// Copy groups, waits for them, and bulk copies.
void Execution::start_asynchronous(const Issue& issue) {
  const OpInfo& op = issue.op;
  const unsigned warp = issue.at.number;
  const Cycle now = issue.now;
  AsyncUnit& async = ports_.async;
  switch (op.action) {
    case Action::kCopyCommit:
      async.commit(warp, now + op.latency);
      break;
    case Action::kBulk:
      async.begin_bulk(warp, op.op == ptx::OpClass::utma, op.looped, now, now + op.latency);
      break;
    case Action::kCopyWait:
    case Action::kBulkCommit: {
      const ptx::CopyWait& wait = op.record->copies;
      async.waits_for(warp, wait);
      if (!wait.waits) async.commit_bulk(warp);
      break;
    }
    default:
      break;
  }
  // What was captured outside those operations: remote stores, arrivals on copies.
  if (!async.capture(warp)->empty()) async.begin_other(warp, now + op.latency);
}

Located Execution::locate(WarpPosition& s, Cycle now) {
  ptx::Warp& w = *s.warp;
  w.now = now;
  if (w.wait == ptx::Wait::kNone && w.pc == s.resume_pc && s.resume_op != kNoOp) {
    s.op = s.resume_op;
    s.next = &s.kernel->ops[s.op];
    return Located::kHere;
  }
  while (w.wait == ptx::Wait::kNone) {
    const uint32_t op = s.kernel->entry[w.pc];
    if (op != kNoOp) {
      s.op = op;
      s.next = &s.kernel->ops[op];
      break;
    }
    if (InstructionCounts* c = ports_.counts.at(s.grid, w.pc)) {
      ++c->executed;
      c->thread_executed += static_cast<unsigned>(std::popcount(w.lanes));
    }
    ptx::step(w);
  }
  if (w.wait == ptx::Wait::kNone) return Located::kHere;
  return w.wait == ptx::Wait::kDone ? Located::kEnded : Located::kWaits;
}

// ideal.uncached_loads: a volatile load is a load as any other, and takes effect when it issues. Not so where
// bytes that it reads are still to be written.
bool Execution::read_at_once(ptx::Warp& w) const {
  MemoryAccess& a = w.access;
  if (!config_.ideal.uncached_loads || a.op != AccessOp::kLoad || a.ordering != ptx::Ordering::kVolatile ||
      a.space != ptx::Space::kGlobal || ports_.late.touch(w, a, a.lanes))
    return false;
  w.deferred_pending = false;
  ptx::apply_deferred(&w, *w.deferred, *w.launch->memory);
  a.ordering = ptx::Ordering::kWeak;
  return true;
}

// The warp's scratch record has been filled: it goes on its way, the warp gets another one.
int32_t Execution::take_deferred(const Issue& issue) {
  ptx::Warp& w = issue.warp();
  const OpInfo& op = issue.op;
  const unsigned warp = issue.at.number;
  const uint32_t index = scratch_record_[warp];
  AtomicRecord& r = ports_.atomics.at(index);
  w.deferred_pending = false;
  ports_.late.add(r.data, w);
  scratch_record_[warp] = ports_.atomics.take();
  w.deferred = &ports_.atomics.at(scratch_record_[warp]).data;
  r.by = &w;
  r.warp = issue.at.number;
  r.grid = issue.at.grid;
  r.scoreboard = op.write_scoreboard;
  if (op.op == ptx::OpClass::red) r.data.has_result = false;  // nobody reads it
  r.store = !r.data.has_result;
  if (r.data.has_result && op.write_scoreboard < 6)
    issue.at.late_results |= static_cast<uint8_t>(1u << op.write_scoreboard);
  return static_cast<int32_t>(index);
}

// One different value after another (H200: probes/sm, match); 64 bits take the unit twice as long.
void Execution::time_match(MemoryOp& m, const Issue& issue) const {
  const OpInfo& op = issue.op;
  const ptx::Warp& w = issue.warp();
  if (!op.record->same.present()) return;  // match.all
  const uint32_t* same = ptx::source<uint32_t>(w, op.record->same);
  unsigned values = 0;
  for (uint32_t l = w.lanes; l != 0; l &= l - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(l));
    values += (same[lane] & ((uint32_t{1} << lane) - 1)) == 0;
  }
  if (values == 0) return;
  const unsigned each = op.record->wide ? 2 : 1;
  m.latency = static_cast<uint16_t>(m.latency + (values - 1) * config_.match.value_latency);
  m.interval = static_cast<uint16_t>(m.interval * values * each);
}

// An operation's place in its sub-core's queue, filled with what does not depend on its access.
MemoryOp& Execution::reserve_op(const Issue& issue, int32_t record) {
  const OpInfo& op = issue.op;
  MemoryOp& m = ports_.queues.reserve(issue.at.sub_core);
  m.kind = MemoryKind::kSimple;
  m.access = AccessOp::kNone;
  m.pipe = op.pipe;
  m.write_scoreboard = op.write_scoreboard;
  m.read_scoreboard = op.read_scoreboard;
  m.local = m.bypass_l1 = m.reduce = m.release = false;
  m.acquire = op.op == ptx::OpClass::ccctl;
  m.compare_swap = op.shared_atomic == SharedAtomic::kCompareSwap;
  m.warp = issue.at.number;
  m.grid = issue.at.grid;
  m.latency = op.latency;
  m.interval = op.interval;
  if (op.op == ptx::OpClass::match) time_match(m, issue);
  m.source = op.source;
  m.record = record;
  m.passes = {};
  m.lines.lines = m.lines.sectors = 0;
  return m;
}

// What leaves the SM to be answered, and what the warp must outlive.
void Execution::count_store(const MemoryOp& m) {
  const bool remote_write =
      m.kind == MemoryKind::kRemoteShared && m.access != AccessOp::kLoad && m.access != AccessOp::kMatrixLoad;
  if (m.kind != MemoryKind::kStore && m.kind != MemoryKind::kAtomic && !remote_write) return;
  ports_.writes[m.warp].issued();
  ++ports_.grids[m.grid].stores_in_flight;
}

// ideal.combined_atomics: leaves the lanes of machine_access_ that go to L2 together. Returns those that go
// apart.
uint32_t Execution::combine(const Issue& issue, int32_t record) {
  MemoryAccess& a = machine_access_;
  if (a.space != ptx::Space::kGlobal || a.mixed_spaces || record < 0) return 0;
  const bool kept = ports_.atomics.at(static_cast<uint32_t>(record)).store;
  const CombinedLanes left =
      kept ? combined_.without_result(issue.at.number, a.address, a.lanes, issue.op.combines)
           : CombinedAtomics::with_result(a.address, a.lanes);
  a.lanes = left.together;
  return left.apart;
}

void Execution::start_access(const Issue& issue, const MemoryAccess* access, int32_t record) {
  const OpInfo& op = issue.op;
  MemoryOp& m = reserve_op(issue, record);
  if (access) {
    uint32_t apart = 0;
    const bool reduces = op.op == ptx::OpClass::red && access->op == AccessOp::kAtomic;
    if (op.aggregated || reduces || op.combines != 0) {
      machine_access_ = *access;
      if (op.aggregated)
        machine_access_.lanes &= 0u - machine_access_.lanes;  // the first lane does it for all
      if (reduces) machine_access_.op = AccessOp::kReduce;    // nobody reads the result
      if (op.combines != 0) apart = combine(issue, record);
      access = &machine_access_;
    }
    count_access(issue.stats, *access);
    fill_memory_op(m, issue, *access);
    if (apart != 0) add_apart(m, *access, apart);
    if (m.kind == MemoryKind::kCopy) fill_copy(m, issue, *access);
    // An ordered load or store takes effect at the partition, as atomics do.
    if (record >= 0 && m.kind != MemoryKind::kAtomic) {
      m.reduce = m.kind == MemoryKind::kStore;
      m.kind = MemoryKind::kAtomic;
    }
  }
  if (m.kind == MemoryKind::kAtomic && m.record < 0) {  // took effect at issue; only its time is left
    const uint32_t taken = ports_.atomics.take();
    m.record = static_cast<int32_t>(taken);
    AtomicRecord& r = ports_.atomics.at(taken);
    r.data.fn = nullptr;
    r.warp = m.warp;
    r.grid = m.grid;
    r.scoreboard = op.write_scoreboard;
    r.store = m.reduce;
  }
  count_store(m);
  // What is off for all lanes passes the shared-memory path all the same (H200: reduce_sequential, cp.async's
  // empty LDS), and so do some operations that access nothing.
  m.wavefronts = op.wavefronts;
  const bool exchange = op.op == ptx::OpClass::shfl || op.op == ptx::OpClass::movm;
  if (exchange || (access == nullptr && op.shared_access)) m.kind = MemoryKind::kPass;
  ports_.queue_used[issue.at.cta] = 1;
  ports_.queues.commit(issue.at.sub_core, issue.now);
}

}  // namespace gpuloom::arch
