// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/check/race_state.h"

#include <bit>
#include <cstdio>

#include "ptx/exec/fault.h"
#include "ptx/exec/memory_path.h"

namespace gpuloom::ptx {

RaceState::RaceState(const Launch& launch, uint32_t blocks, Findings& findings)
    : launch_(launch), findings_(findings) {
  warps_ = static_cast<uint32_t>((launch.block.count() + 31) / 32);
  threads_.resize(size_t{blocks} * warps_ * 32);
  next_component_ = static_cast<uint32_t>(threads_.size());
  cells_.assign(blocks, std::vector<Cell>((launch.shared_bytes + unit_ - 1) / unit_));
  barriers_.resize(size_t{blocks} * kNamedBarriers);
  cluster_waiting_.assign(size_t{blocks} * warps_, 0);
}

// ---------------------------------------------------------------- asynchronous copies

RaceState::CopyGroups& RaceState::groups_of(uint32_t thread, bool bulk) {
  return groups_[uint64_t{thread} << 1 | (bulk ? 1 : 0)];
}

uint32_t RaceState::open_token(uint32_t thread, bool bulk) {
  CopyGroups& groups = groups_of(thread, bulk);
  if (groups.open == kNoToken) {
    groups.open = static_cast<uint32_t>(tokens_.size());
    tokens_.push_back({thread, 0, 0, 0});
  }
  return groups.open;
}

void RaceState::copy(const Copy& c, bool write, const LaneRange& range) {
  const uint32_t thread = thread_of(*c.warp, c.lane);
  uint32_t token;
  if (c.mbarrier == kNoMbarrier) {
    token = open_token(thread, c.bulk);
  } else {
    const Mbarrier& m = mbarrier_of(c.mbarrier);
    token = static_cast<uint32_t>(tokens_.size());
    tokens_.push_back({thread, 0, m.component, m.phase});
  }
  const AccessRecord now{1u << c.lane, token, c.pc, static_cast<uint16_t>(warp_of(*c.warp)),
                         static_cast<uint8_t>(AccessRecord::kToken | (c.strong ? AccessRecord::kStrong : 0))};
  for_cells(range, [&](Cell& cell, uint32_t offset) {
    test_cell(cell, *c.warp, now, write, range, offset);
    if (write)
      note_write(cell, now);
    else
      note_read(cell, now, thread);
  });
}

void RaceState::commit_copies(const Warp& w, uint32_t lanes, bool bulk) {
  for_lanes(lanes, [&](unsigned l) {
    CopyGroups& groups = groups_of(thread_of(w, l), bulk);
    std::vector<uint32_t> group = std::move(groups.arrived);
    groups.arrived.clear();
    if (groups.open != kNoToken) group.push_back(groups.open);
    groups.open = kNoToken;
    groups.committed.push_back(std::move(group));
  });
}

void RaceState::wait_for_copies(const Warp& w, uint32_t lanes, bool bulk, uint64_t may_stay_open) {
  if (may_stay_open == UINT64_MAX) {  // wait_all
    commit_copies(w, lanes, bulk);
    may_stay_open = 0;
  }
  for_lanes(lanes, [&](unsigned l) {
    const uint32_t thread = thread_of(w, l);
    CopyGroups& groups = groups_of(thread, bulk);
    while (groups.committed.size() > may_stay_open) {
      for (const uint32_t token : groups.committed.front())
        if (tokens_[token].done == 0) tokens_[token].done = threads_[thread].self;
      groups.committed.pop_front();
    }
  });
}

void RaceState::arrive_on_copies(const Warp& w, unsigned lane, uint64_t mbarrier) {
  const Mbarrier& m = mbarrier_of(mbarrier);
  CopyGroups& groups = groups_of(thread_of(w, lane), false);
  const auto follow = [&](uint32_t token) {
    if (tokens_[token].component != 0) return;
    tokens_[token].component = m.component;
    tokens_[token].phase = m.phase;
  };
  for (const auto& group : groups.committed)
    for (const uint32_t token : group) follow(token);
  if (groups.open == kNoToken) return;
  follow(groups.open);
  groups.arrived.push_back(groups.open);
  groups.open = kNoToken;
}

// ---------------------------------------------------------------- accesses

template <class F>
void RaceState::for_cells(const LaneRange& range, F&& f) {
  std::vector<Cell>& cells = cells_[range.rank];
  const uint32_t begin = range.offset / unit_, end = (range.offset + range.bytes + unit_ - 1) / unit_;
  for (uint32_t k = begin; k < end && k < cells.size(); ++k) f(cells[k], std::max(range.offset, k * unit_));
}

// Cells become smaller when the first narrower access comes.
void RaceState::refine(uint32_t unit) {
  const uint32_t parts = unit_ / unit;
  for (std::vector<Cell>& cells : cells_) {
    std::vector<Cell> finer;
    finer.reserve(cells.size() * parts);
    for (const Cell& cell : cells) {
      for (uint32_t k = 0; k < parts; ++k) {
        finer.push_back(cell);
        if (k == 0 || cell.more < 0) continue;
        finer.back().more = static_cast<int32_t>(more_.size());
        std::vector<AccessRecord> copy = more_[static_cast<size_t>(cell.more)];
        more_.push_back(std::move(copy));
      }
    }
    cells = std::move(finer);
  }
  unit_ = unit;
}

void RaceState::access(const Warp& w, uint32_t pc, bool write, uint8_t flags,
                       const std::vector<LaneRange>& ranges) {
  uint32_t low = unit_;
  for (const LaneRange& range : ranges) low |= range.offset | range.bytes;
  if (const uint32_t unit = low & (0u - low); unit < unit_) refine(unit);
  const uint32_t warp = warp_of(w);
  AccessRecord now{0, 0, pc, static_cast<uint16_t>(warp), flags};
  const auto begin = [&](const LaneRange& range) {
    now.lanes = flags & AccessRecord::kCollective ? w.lanes : 1u << range.lane;
    now.clock = threads_[warp * 32 + range.lane].self;
  };
  // All lanes against the past first: lanes of one instruction do not race with each other here.
  for (const LaneRange& range : ranges) {
    begin(range);
    for_cells(range, [&](Cell& cell, uint32_t at) { test_cell(cell, w, now, write, range, at); });
  }
  for (const LaneRange& range : ranges) {
    begin(range);
    for_cells(range, [&](Cell& cell, uint32_t) {
      if (write)
        note_write(cell, now);
      else
        note_read(cell, now, warp * 32 + range.lane);
    });
  }
}

void RaceState::test_cell(Cell& cell, const Warp& w, const AccessRecord& now, bool write,
                          const LaneRange& range, uint32_t offset) {
  test(cell.write, true, w, now, write, range, offset);
  test(cell.strong, true, w, now, write, range, offset);
  if (!write) return;
  test(cell.read, false, w, now, write, range, offset);
  if (cell.more >= 0)
    for (const AccessRecord& r : more_[static_cast<size_t>(cell.more)])
      test(r, false, w, now, write, range, offset);
}

void RaceState::test(const AccessRecord& earlier, bool earlier_writes, const Warp& w, const AccessRecord& now,
                     bool now_writes, const LaneRange& range, uint32_t offset) {
  if (earlier.lanes == 0 || (earlier.flags & now.flags & AccessRecord::kStrong) != 0) return;
  unsigned unordered = 0;
  if (happened(earlier, thread_of(w, range.lane), unordered)) return;
  report(earlier, earlier_writes, unordered, w, now, now_writes, range, offset);
}

void RaceState::note_write(Cell& cell, const AccessRecord& now) {
  const bool is_strong = (now.flags & AccessRecord::kStrong) != 0;
  AccessRecord& old = is_strong ? cell.strong : cell.write;
  if (old.lanes != 0 && old.warp == now.warp && old.pc == now.pc && old.clock == now.clock &&
      old.flags == now.flags)
    old.lanes |= now.lanes;
  else
    old = now;
  if (is_strong) return;
  cell.strong.lanes = cell.read.lanes = 0;
  if (cell.more < 0) return;
  more_[static_cast<size_t>(cell.more)].clear();
  free_more_.push_back(static_cast<uint32_t>(cell.more));
  cell.more = -1;
}

bool RaceState::replaces(AccessRecord& old, const AccessRecord& now, uint32_t thread) const {
  if (old.lanes != 0 && old.warp == now.warp && old.pc == now.pc && old.clock == now.clock &&
      old.flags == now.flags) {
    old.lanes |= now.lanes;
    return true;
  }
  unsigned ignored = 0;
  // What is ordered after the new read is ordered after the old one too; a strong read must not hide a weak
  // one.
  const bool hides = (now.flags & ~old.flags & AccessRecord::kStrong) != 0;
  if (old.lanes != 0 && (hides || !happened(old, thread, ignored))) return false;
  old = now;
  return true;
}

void RaceState::note_read(Cell& cell, const AccessRecord& now, uint32_t thread) {
  if (replaces(cell.read, now, thread)) return;
  if (cell.more < 0) {
    if (free_more_.empty()) {
      free_more_.push_back(static_cast<uint32_t>(more_.size()));
      more_.emplace_back();
    }
    cell.more = static_cast<int32_t>(free_more_.back());
    free_more_.pop_back();
  }
  std::vector<AccessRecord>& list = more_[static_cast<size_t>(cell.more)];
  for (AccessRecord& old : list)
    if (replaces(old, now, thread)) return;
  list.push_back(now);
}

// ---------------------------------------------------------------- reports

void RaceState::report(const AccessRecord& earlier, bool earlier_writes, unsigned other_lane, const Warp& w,
                       const AccessRecord& now, bool now_writes, const LaneRange& range, uint32_t offset) {
  const Program& program = *w.program;
  if (!findings_.count(FindingKind::kRace, program, now.pc, earlier.pc)) return;
  const uint32_t rank = earlier.warp / warps_, index = earlier.warp % warps_ * 32 + other_lane;
  const Cta* other = rank < w.cta->cluster->ctas.size() ? w.cta->cluster->ctas[rank] : nullptr;
  const std::string who =
      other != nullptr ? thread_name(launch_, other->id, index)
                       : "thread " + std::to_string(index) + " of the block of rank " + std::to_string(rank);
  const std::string source = source_name(program, earlier.pc);
  char address[16];
  std::snprintf(address, sizeof address, "0x%x", offset);
  std::string text = "data race: " + thread_name(w, range.lane);
  if (now.flags & AccessRecord::kToken)
    text += now_writes ? ", by an asynchronous copy, writes" : ", by an asynchronous copy, reads";
  else
    text += now_writes ? " writes" : " reads";
  text += " shared address " + std::string(address);
  if (range.rank != w.cta->cluster_rank) text += " of the block of rank " + std::to_string(range.rank);
  if (const std::string near = shared_name(program, offset); !near.empty()) text += ", " + near + ",";
  text += " and " + who + (earlier.flags & AccessRecord::kToken ? ", by an asynchronous copy," : "") +
          (earlier_writes ? " wrote" : " read") + " it at " + place_name(program, earlier.pc) +
          (source.empty() ? "" : " (" + source + ")") + ", with nothing that orders the two";
  findings_.message(w, now.pc, std::move(text));
}

}  // namespace gpuloom::ptx
