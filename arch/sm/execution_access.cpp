// SPDX-License-Identifier: Apache-2.0
// What an access of decoded instructions asks of the memory queue: where it goes, lines and passes, counts.
#include <algorithm>
#include <bit>
#include <iterator>

#include "arch/sm/execution.h"
#include "arch/sm/packed_access.h"

namespace gpuloom::arch {
namespace {

using ptx::AccessOp;
using ptx::MemoryAccess;

// Lanes whose address is read: a cp.async of no source bytes only fills with zeros (H200: probes/copies,
// nothing).
uint32_t reading_lanes(const MemoryAccess& a) {
  if (a.op != AccessOp::kAsyncCopy) return a.lanes;
  uint32_t reading = 0;
  for (uint32_t l = a.lanes; l != 0; l &= l - 1)
    if (a.source_bytes[std::countr_zero(l)] != 0) reading |= l & -l;
  return reading;
}

BankPasses without_conflicts(const BankPasses& passes) {
  return {passes.phases, passes.phases, std::min<uint16_t>(passes.most, 1)};
}

}  // namespace

void Execution::count_access(SubCoreStats& c, const MemoryAccess& a) {
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

void Execution::fill_shared(MemoryOp& m, const Issue& issue, const MemoryAccess& a) {
  const OpInfo& op = issue.op;
  const BankGeometry geometry{config_.shared.banks, config_.shared.bank_bytes};
  m.kind = MemoryKind::kShared;
  const uint32_t here = lanes_here(a, issue.warp().cta->cluster_rank);
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
  m.passes = shared_passes(geometry, a, here, m.lane_bytes, op.shared_atomic);
  if (config_.ideal.bank_conflicts) m.passes = without_conflicts(m.passes);
}

// Bytes that come and zeros that are filled in are written one after the other. Of the former those that come
// through the L1 count as passes of shared memory (H200: probes/copies, nothing: four passes for a warp of 16
// bytes a lane without a source, as many again where every second lane has one).
void Execution::fill_copy(MemoryOp& m, const Issue& issue, const MemoryAccess& a) {
  const BankGeometry geometry{config_.shared.banks, config_.shared.bank_bytes};
  uint64_t target[kWarpSize];
  for (unsigned l = 0; l < kWarpSize; ++l) target[l] = a.shared_offset[l];
  const uint32_t reading = reading_lanes(a), zeros = a.lanes & ~reading;
  BankPasses counted, filled;
  m.passes = bank_passes(geometry, target, reading, m.lane_bytes);
  if (config_.ideal.bank_conflicts) m.passes = without_conflicts(m.passes);
  if (a.cache != ptx::CacheOp::kCg) counted = m.passes;
  if (zeros != 0) filled = store_passes(geometry, target, zeros, m.lane_bytes);
  if (config_.ideal.bank_conflicts) filled = without_conflicts(filled);
  m.passes.passes = static_cast<uint16_t>(m.passes.passes + filled.passes);
  SmStats& stats = ports_.stats;
  stats.wavefronts_shared += counted.passes + filled.passes;
  stats.wavefronts_shared_ideal += counted.phases + filled.phases;
  stats.conflicts += counted.conflicts() + filled.conflicts();
  const bool through_l1 = a.cache != ptx::CacheOp::kCg && reading != 0;
  m.record = ports_.async.begin_copy(issue.at.number, m.passes.passes,
                                     through_l1 ? config_.shared.copy_extra : 0, issue.now);
}

// Passes of the L1's data stage for words that are there.
unsigned Execution::data_passes(const uint64_t* address, uint32_t lanes, unsigned lane_bytes) const {
  const BankGeometry geometry{config_.shared.banks, config_.shared.bank_bytes};
  return std::max<unsigned>(1, store_passes(geometry, address, lanes, lane_bytes).passes);
}

// Local memory is interleaved so that lanes with equal offsets share a line. Addresses of our own choosing,
// one range a warp.
uint64_t Execution::local_address(unsigned warp, uint64_t offset, unsigned lane) const {
  const uint64_t base = (uint64_t{1} << 60) | (uint64_t{sm_} << 40) | (uint64_t{warp} << 32);
  return base + (offset / 4 * kWarpSize + lane) * 4 + offset % 4;
}

// 4-byte words of a lane lie in lines of their own.
void Execution::fill_local(MemoryOp& m, const MemoryAccess& a) const {
  m.local = true;
  uint64_t words[kWarpSize];
  m.lines.lines = m.lines.sectors = m.lines.ideal_sectors = m.lines.passes = 0;
  const unsigned bytes = std::min<unsigned>(m.lane_bytes, 4);
  for (unsigned at = 0; at < m.lane_bytes; at += 4) {
    Coalesced part;
    for (unsigned l = 0; l < kWarpSize; ++l) words[l] = local_address(m.warp, a.address[l] + at, l);
    coalesce(words, a.lanes, bytes, a.op == AccessOp::kStore, part);
    m.lines.passes += data_passes(words, a.lanes, bytes);
    for (unsigned i = 0; i < part.lines && m.lines.lines < 2 * kWarpSize; ++i)
      m.lines.line[m.lines.lines++] = part.line[i];
    m.lines.sectors += part.sectors;
    m.lines.ideal_sectors += part.ideal_sectors;
  }
}

// A wmma tile is several machine instructions: each counts its own sectors, and what does not fit one queue
// entry joins an earlier piece's line.
void Execution::fill_pieces(MemoryOp& m, const MemoryAccess& a) const {
  uint64_t address[kWarpSize];
  m.lines.lines = m.lines.sectors = m.lines.ideal_sectors = m.lines.passes = 0;
  for (unsigned k = 0; k < a.pieces; ++k) {
    for (unsigned l = 0; l < kWarpSize; ++l)
      address[l] = a.address[l] + static_cast<uint64_t>(a.piece_offset[k]);
    Coalesced part;
    coalesce(address, a.lanes, a.lane_bytes, a.op != AccessOp::kLoad, part);
    m.lines.passes += data_passes(address, a.lanes, a.lane_bytes);
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

// Lines, passes and, of an atomic, turns of the lanes that read or write `address`.
void Execution::fill_lines(MemoryOp& m, const MemoryAccess& a, const uint64_t* address) const {
  const uint32_t lanes = reading_lanes(a);
  coalesce(address, lanes, m.lane_bytes, a.op != AccessOp::kLoad, m.lines);
  m.lines.passes = data_passes(address, lanes, m.lane_bytes);
  if (a.op == AccessOp::kAtomic || a.op == AccessOp::kReduce)
    count_turns(address, lanes, m.lane_bytes, m.lines);
  m.sums = a.sums;
}

// Lanes whose atomics are instructions of their own, of which this one takes the time.
void Execution::add_apart(MemoryOp& m, const MemoryAccess& a, uint32_t lanes) const {
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const uint32_t lane = rest & -rest;
    Coalesced one;
    coalesce(a.address, lane, m.lane_bytes, true, one);
    count_turns(a.address, lane, m.lane_bytes, one);
    m.lines.line[m.lines.lines++] = one.line[0];
    m.lines.sectors += one.sectors;
    m.lines.ideal_sectors += one.ideal_sectors;
  }
}

void Execution::fill_global(MemoryOp& m, const MemoryAccess& a, bool fenced) const {
  if (a.space == ptx::Space::kLocal && config_.ideal.local_memory) return;  // stays what takes a fixed time
  if (a.space == ptx::Space::kLocal) {
    fill_local(m, a);
  } else if (a.pieces > 1) {
    fill_pieces(m, a);
  } else if (a.op == AccessOp::kAsyncCopy && a.cache == ptx::CacheOp::kCg) {
    coalesce_copy(a.address, a.shared_offset, reading_lanes(a), m.lines);
  } else {
    fill_lines(m, a, a.address);
  }
  if (config_.ideal.coalescing && !m.local && m.lines.sectors > m.lines.ideal_sectors && a.pieces <= 1) {
    uint64_t packed[kWarpSize];
    std::copy(std::begin(a.address), std::end(a.address), packed);
    pack_lanes(packed, reading_lanes(a), m.lane_bytes);
    fill_lines(m, a, packed);
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
  const bool uncached = a.cache == ptx::CacheOp::kCg || a.cache == ptx::CacheOp::kCv;
  m.bypass_l1 = (uncached && !config_.ideal.uncached_loads) || a.ordering != ptx::Ordering::kWeak;
}

void Execution::fill_memory_op(MemoryOp& m, const Issue& issue, const MemoryAccess& a) {
  const OpInfo& op = issue.op;
  PipelineRecorder* pipeline = ports_.recorders.pipeline.get();
  m.access = a.op;
  // A fetch moves texels, whatever its result's registers are.
  const uint8_t registers = op.pipe == Pipe::kTex ? uint8_t{1} : op.lane_bytes;
  m.lane_bytes = std::max({registers, a.lane_bytes, uint8_t{1}});
  switch (a.space) {
    case ptx::Space::kShared:
    case ptx::Space::kSharedCluster:
      if (pipeline != nullptr && (a.op == AccessOp::kLoad || a.op == AccessOp::kMatrixLoad))
        pipeline->used(m.warp, a, op.source, issue.now);
      fill_shared(m, issue, a);
      break;
    case ptx::Space::kGlobal:
    case ptx::Space::kLocal:
      fill_global(m, a, op.fenced);
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
void Execution::fill_constant(MemoryOp& m, const MemoryAccess& a) const {
  m.kind = MemoryKind::kConstant;
  m.lines.lines = 0;
  const uint32_t lanes = config_.ideal.constants ? a.lanes & (0u - a.lanes) : a.lanes;
  for (uint32_t l = lanes; l; l &= l - 1) {
    const uint64_t word = a.address[std::countr_zero(l)] & ~uint64_t{3};
    unsigned i = 0;
    while (i < m.lines.lines && m.lines.line[i].line != word) ++i;
    if (i == m.lines.lines) m.lines.line[m.lines.lines++].line = word;
  }
}

}  // namespace gpuloom::arch
