// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/check/checks.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "ptx/exec/check/shadow.h"
#include "ptx/exec/fault.h"
#include "ptx/exec/mbarrier.h"
#include "ptx/exec/memory_path.h"
#include "ptx/exec/tensor_map.h"

namespace gpuloom::ptx {
namespace {

LaneFn plain(const Warp& w, const Instr& in) { return w.program->code[static_cast<size_t>(&in - w.code)].fn; }

void access_observed(Warp& w, const Instr& in, uint32_t lanes) {
  w.access.op = AccessOp::kNone;
  const LaneFn fn = plain(w, in);
  fn(w, in, lanes);
  if (w.access.op != AccessOp::kNone) w.launch->checks->accessed(w, in);
}
void store_observed(Warp& w, const Instr& in, uint32_t lanes) {
  access_observed(w, in, lanes);
  if (w.access.op == AccessOp::kStore) w.launch->checks->compare_lanes(w, in, plain(w, in));
}
void commit_observed(Warp& w, const Instr& in, uint32_t lanes) {
  plain(w, in)(w, in, lanes);
  w.launch->checks->committed(w, in, lanes);
}
void wait_observed(Warp& w, const Instr& in, uint32_t lanes) {
  plain(w, in)(w, in, lanes);
  w.launch->checks->waited(w, in, lanes);
}
void fence_observed(Warp& w, const Instr& in, uint32_t lanes) {
  plain(w, in)(w, in, lanes);
  w.launch->checks->fenced(w, lanes);
}

LaneFn observer(InstrKind kind) {
  switch (kind) {
    case InstrKind::kLoad:
    case InstrKind::kAtomic:
      return access_observed;
    case InstrKind::kStore:
      return store_observed;
    case InstrKind::kAsyncCommit:
      return commit_observed;
    case InstrKind::kAsyncWait:
      return wait_observed;
    case InstrKind::kFence:
      return fence_observed;
    default:
      return nullptr;
  }
}

LaneRange range_of(const Warp& w, unsigned lane, uint64_t address, uint64_t bytes) {
  return {static_cast<uint8_t>(lane), static_cast<uint8_t>(rank_of(w, address)),
          static_cast<uint32_t>(address & kOffsetInShared), static_cast<uint32_t>(bytes)};
}

uint64_t mbarrier_word(const Warp& w, uint64_t address) {
  return RaceState::word(rank_of(w, address), address & kOffsetInShared);
}
uint64_t mbarrier_word(const MbarrierPlace& m) {
  return RaceState::word(m.cta->cluster_rank, m.address & kOffsetInShared);
}

RaceState& races_of(const Warp& w) { return *shadow_of(w).races; }

bool reads(AccessOp op) {
  return op == AccessOp::kLoad || op == AccessOp::kMatrixLoad || op == AccessOp::kAtomic ||
         op == AccessOp::kReduce;
}
bool writes(AccessOp op) {
  return op == AccessOp::kStore || op == AccessOp::kMatrixStore || op == AccessOp::kAtomic ||
         op == AccessOp::kReduce;
}

}  // namespace

Checks::Checks(const CheckOptions& options) : options_(options) {}
Checks::~Checks() = default;

void Checks::begin(const Program& program) {
  findings_.forget_program();
  code_ = program.code;
  for (Instr& in : code_)
    if (const LaneFn fn = observer(in.kind); fn != nullptr && in.fn != nullptr) in.fn = fn;
}

void Checks::block_started(Cta& cta) {
  Cluster& cluster = *cta.cluster;
  const Launch& launch = *cta.launch;
  if (cluster.shadow == nullptr) {
    const auto blocks = static_cast<uint32_t>(&cluster == &cta.alone ? 1 : launch.cluster.count());
    cluster.shadow = std::make_shared<ClusterShadow>();
    cluster.shadow->blocks.resize(blocks);
    if (options_.races) cluster.shadow->races = std::make_unique<RaceState>(launch, blocks, findings_);
  }
  if (options_.init) init_.block_started(cta);
}

// ---------------------------------------------------------------- accesses

void Checks::accessed(Warp& w, const Instr& in) {
  const MemoryAccess& a = w.access;
  if (!reads(a.op) && !writes(a.op)) return;
  if (options_.init) {
    for (unsigned piece = 0; piece < a.pieces; ++piece) {
      for_lanes(a.lanes, [&](unsigned l) {
        const Space space = a.mixed_spaces ? a.space_of[l] : a.space;
        const uint64_t at =
            a.address[l] + (a.pieces > 1 ? static_cast<uint64_t>(a.piece_offset[piece]) : uint64_t{0});
        if (reads(a.op)) init_.read(w, in, l, space, at, a.lane_bytes);
        if (writes(a.op)) init_.written(w, l, space, at, a.lane_bytes);
      });
    }
  }
  if (!options_.races) return;
  const bool atomic = a.op == AccessOp::kAtomic || a.op == AccessOp::kReduce;
  uint8_t flags = a.op == AccessOp::kMatrixLoad ? AccessRecord::kCollective : 0;
  if (atomic || a.ordering != Ordering::kWeak) {
    flags = AccessRecord::kStrong;
    strong(w, a.lanes);
  }
  race(w, in, writes(a.op), flags);
}

void Checks::strong(Warp& w, uint32_t lanes) {
  const MemoryAccess& a = w.access;
  for_lanes(lanes, [&](unsigned l) {
    const Space space = a.mixed_spaces ? a.space_of[l] : a.space;
    if (space != Space::kGlobal && !is_shared(space)) return;
    const uint64_t place = space == Space::kGlobal ? a.address[l] : mbarrier_word(w, a.address[l]);
    races_of(w).strong(w, l, place, reads(a.op), writes(a.op), a.ordering);
  });
}

void Checks::race(Warp& w, const Instr& in, bool write, uint8_t flags) {
  const MemoryAccess& a = w.access;
  std::vector<LaneRange> ranges;
  ranges.reserve(32);
  for (unsigned piece = 0; piece < a.pieces; ++piece) {
    for_lanes(a.lanes, [&](unsigned l) {
      if (!is_shared(a.mixed_spaces ? a.space_of[l] : a.space)) return;
      const uint64_t at =
          a.address[l] + (a.pieces > 1 ? static_cast<uint64_t>(a.piece_offset[piece]) : uint64_t{0});
      ranges.push_back(range_of(w, l, at, a.lane_bytes));
    });
  }
  if (!ranges.empty()) races_of(w).access(w, index_of(w, in), write, flags, ranges);
}

void Checks::touched(Warp& w, const Instr& in, unsigned lane, Space space, uint64_t address, uint64_t bytes,
                     bool write, bool collective) {
  if (options_.init) {
    if (write)
      init_.written(w, lane, space, address, bytes);
    else
      init_.read(w, in, lane, space, address, bytes);
  }
  if (options_.races && is_shared(space))
    races_of(w).access(w, index_of(w, in), write, collective ? AccessRecord::kCollective : 0,
                       {range_of(w, lane, address, bytes)});
}

void Checks::issued(Warp& w, const Instr& in, const AsyncOperation& op) {
  if (op.kind == AsyncKind::kBulkPrefetch) return;
  if (op.kind == AsyncKind::kArriveOnCopies) {
    if (options_.races) races_of(w).arrive_on_copies(w, op.lane, mbarrier_word(w, op.mbarrier));
    return;
  }
  const bool reduces = op.kind == AsyncKind::kReduce || op.kind == AsyncKind::kBulkReduce ||
                       (op.tensor != nullptr && op.fn != nullptr);
  const bool has_source = op.kind != AsyncKind::kStore && op.kind != AsyncKind::kReduce;
  const uint64_t shared_bytes = op.tensor != nullptr ? op.tensor->shared_bytes() : op.bytes;
  if (options_.init) {
    const auto global_side = [&](uint64_t address, uint64_t bytes, bool source) {
      if (op.tensor == nullptr) {
        if (source || reduces) init_.read(w, in, op.lane, Space::kGlobal, address, bytes);
        if (!source) init_.written(w, op.lane, Space::kGlobal, address, bytes);
        return;
      }
      for (const TensorRun& run : op.tensor->runs) {
        if (source || reduces) init_.read(w, in, op.lane, Space::kGlobal, run.address, run.bytes);
        if (!source) init_.written(w, op.lane, Space::kGlobal, run.address, run.bytes);
      }
    };
    if (has_source && op.source_space == Space::kGlobal)
      global_side(op.source, op.source_bytes, true);
    else if (has_source)
      init_.read(w, in, op.lane, Space::kShared, op.source, shared_bytes);
    if (op.target_space == Space::kGlobal) global_side(op.target, op.bytes, false);
  }
  RaceState::Copy copy{&w, op.lane, index_of(w, in), op.bulk_group, reduces, RaceState::kNoMbarrier};
  if (options_.races && has_source && is_shared(op.source_space)) {
    if (op.has_mbarrier) copy.mbarrier = mbarrier_word(w, op.mbarrier);
    races_of(w).copy(copy, false, range_of(w, op.lane, op.source, shared_bytes));
  }
  if (!is_shared(op.target_space)) return;
  const auto deliver = [&](uint64_t target, uint64_t mbarrier) {
    if (options_.init) {
      if (reduces) init_.read(w, in, op.lane, Space::kSharedCluster, target, shared_bytes);
      init_.written(w, op.lane, Space::kSharedCluster, target, shared_bytes);
    }
    if (!options_.races) return;
    if (op.has_mbarrier) copy.mbarrier = mbarrier_word(w, mbarrier);
    races_of(w).copy(copy, true, range_of(w, op.lane, target, shared_bytes));
  };
  if (op.multicast == 0) return deliver(op.target, op.mbarrier);
  for (uint64_t rank = 0; rank < shadow_of(w).blocks.size(); ++rank)
    if (op.multicast >> rank & 1)
      deliver((op.target & kOffsetInShared) | (rank + 1) << kSharedRankShift,
              (op.mbarrier & kOffsetInShared) | (rank + 1) << kSharedRankShift);
}

void Checks::committed(Warp& w, const Instr& in, uint32_t lanes) {
  if (options_.races) races_of(w).commit_copies(w, lanes, (in.aux & 4) != 0);
}

void Checks::waited(Warp& w, const Instr& in, uint32_t lanes) {
  if (!options_.races) return;
  const bool bulk = (in.aux & 4) != 0;
  races_of(w).wait_for_copies(w, lanes, bulk,
                              !bulk && (in.aux & 2) != 0 ? UINT64_MAX : static_cast<uint64_t>(in.imm));
}

void Checks::local_entered(Warp& w, uint32_t lanes, uint32_t begin, uint32_t bytes) {
  if (options_.init) init_.local_entered(w, lanes, begin, bytes);
}

void Checks::local_written(Warp& w, unsigned lane, uint32_t begin, uint32_t bytes) {
  if (options_.init) init_.written(w, lane, Space::kLocal, begin, bytes);
}

// ---------------------------------------------------------------- lanes of one store

void Checks::compare_lanes(Warp& w, const Instr& in, LaneFn store) {
  const MemoryAccess& a = w.access;
  if (!options_.races || a.mixed_spaces || !is_shared(a.space) || a.pieces != 1 || a.lanes == 0 ||
      a.ordering != Ordering::kWeak)
    return;
  struct Entry {
    uint64_t address;
    unsigned lane;
  } entries[32];
  unsigned count = 0;
  for_lanes(a.lanes, [&](unsigned l) { entries[count++] = {a.address[l], l}; });
  std::sort(entries, entries + count, [](const Entry& x, const Entry& y) {
    return x.address != y.address ? x.address < y.address : x.lane < y.lane;
  });
  const uint32_t lanes = a.lanes, bytes = std::min<uint32_t>(a.lane_bytes, 32);
  bool repeated = false;
  for (unsigned k = 0; k + 1 < count; ++k) {
    if (entries[k].address != entries[k + 1].address) continue;
    repeated = true;
    uint8_t first[32], second[32];
    for (const auto& [entry, value] : {std::pair{&entries[k], first}, std::pair{&entries[k + 1], second}}) {
      store(w, in, 1u << entry->lane);
      std::memcpy(
          value,
          host_of(w, in, entry->lane, w.access.space, w.access.address[entry->lane], bytes, AccessOp::kLoad),
          bytes);
    }
    if (std::memcmp(first, second, bytes) == 0) continue;
    const uint32_t pc = index_of(w, in);
    if (!findings_.count(FindingKind::kConflict, *w.program, pc, Findings::kNoOther)) continue;
    const uint64_t offset = entries[k].address & kOffsetInShared;
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(offset));
    const std::string near = shared_name(*w.program, offset);
    findings_.message(w, pc,
                      thread_name(w, entries[k].lane) + " and " + thread_name(w, entries[k + 1].lane) +
                          " write different values to shared address " + text +
                          (near.empty() ? "" : ", " + near) + ", in one instruction");
  }
  if (repeated) store(w, in, lanes);  // as it was
}

// ---------------------------------------------------------------- what orders accesses

void Checks::warp_synchronised(Warp& w, uint32_t lanes) {
  if (options_.races) races_of(w).synchronise(w, lanes);
}
void Checks::warps_met(const std::vector<Warp*>& warps) {
  if (options_.races && !warps.empty()) races_of(*warps.front()).meet(warps);
}
void Checks::barrier_arrived(Warp& w, uint32_t lanes, unsigned barrier) {
  if (options_.races) races_of(w).arrive(w, lanes, barrier);
}
void Checks::barrier_released(const Cta& cta, unsigned barrier, const std::vector<BarrierWaiter>& waiters) {
  if (options_.races) cta.cluster->shadow->races->release(cta, barrier, waiters);
}
void Checks::cluster_arrived(Warp& w, uint32_t lanes) {
  if (options_.races) races_of(w).cluster_arrive(w, lanes);
}
void Checks::cluster_waits(Warp& w, uint32_t lanes, bool complete) {
  if (options_.races) races_of(w).cluster_wait(w, lanes, complete);
}
void Checks::cluster_released(Cluster& cluster) {
  if (options_.races && cluster.shadow != nullptr) cluster.shadow->races->cluster_release();
}
void Checks::mbarrier_initialised(Warp& w, const Instr& in, unsigned lane, const MbarrierPlace& m) {
  touched(w, in, lane, Space::kSharedCluster, m.address, sizeof(uint64_t), true);
}
void Checks::mbarrier_used(Warp& w, const Instr& in, unsigned lane, const MbarrierPlace& m) {
  if (options_.races)
    races_of(w).access(w, index_of(w, in), true, AccessRecord::kStrong,
                       {range_of(w, lane, m.address, sizeof(uint64_t))});
}
void Checks::mbarrier_arrived(Warp& w, unsigned lane, const MbarrierPlace& m) {
  if (options_.races) races_of(w).mbarrier_arrive(w, lane, mbarrier_word(m));
}
void Checks::mbarrier_phase(const MbarrierPlace& m) {
  if (options_.races) m.cta->cluster->shadow->races->mbarrier_phase(mbarrier_word(m));
}
void Checks::mbarrier_waited(Warp& w, unsigned lane, const MbarrierPlace& m) {
  if (options_.races) races_of(w).mbarrier_wait(w, lane, mbarrier_word(m));
}
void Checks::fenced(Warp& w, uint32_t lanes) {
  if (options_.races) races_of(w).fence(w, lanes);
}

}  // namespace gpuloom::ptx
