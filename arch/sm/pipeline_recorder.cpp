// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/pipeline_recorder.h"

#include <algorithm>
#include <bit>

#include "ptx/exec/memory_view.h"

namespace gpuloom::arch {
namespace {

using traces::Fill;
using traces::kNoCycle;

constexpr uint64_t kWithin = (uint64_t{1} << ptx::kSharedRankShift) - 1;  // of a shared address
constexpr size_t kMostRanges = 32;

// Whether it writes shared memory of the block with this rank.
bool fills_block(const ptx::AsyncOperation& copy, unsigned rank) {
  using enum ptx::AsyncKind;
  if (copy.kind != kCopy && copy.kind != kBulkCopy) return false;
  if (copy.target_space == ptx::Space::kGlobal) return false;
  if (copy.multicast != 0) return copy.multicast >> rank & 1;
  const uint64_t to = copy.target >> ptx::kSharedRankShift;
  return to == 0 || to == rank + 1;
}

}  // namespace

void PipelineRecorder::start(Cycle start) {
  start_ = start;
  std::fill(slots_.begin(), slots_.end(), Slot{});
  std::fill(warps_.begin(), warps_.end(), WarpState{});
  fills_.clear();
  left_.clear();
  free_waits_.clear();
  dropped_ = 0;
}

void PipelineRecorder::block_begins(unsigned slot, uint64_t block, unsigned rank) {
  slots_[slot] = Slot{};
  slots_[slot].block = block;
  slots_[slot].rank = rank;
}

void PipelineRecorder::warp_begins(unsigned warp, unsigned slot, unsigned index_in_block) {
  warps_[warp] = WarpState{};
  warps_[warp].slot = slot;
  warps_[warp].index = index_in_block;
}

// The fill that a copy joins: of its mbarrier's phase, or of its group. Null: it begins one.
PipelineRecorder::Open* PipelineRecorder::find(Slot& slot, const ptx::AsyncOperation& copy, uint32_t group,
                                               uint32_t epoch, unsigned parity) {
  for (size_t i = slot.open.size(); i-- > 0;) {
    Open& o = slot.open[i];
    const Fill& f = fills_[o.fill];
    if (copy.has_mbarrier) {
      if (f.barrier != (copy.mbarrier & kWithin)) continue;
      return o.parity == parity ? &o : nullptr;
    }
    if (f.kind == traces::CopyKind::kAsync && f.group == group && o.epoch == epoch) return &o;
  }
  return nullptr;
}

void PipelineRecorder::add_range(std::vector<Range>& ranges, Range range) {
  for (Range& r : ranges)
    if (range.begin <= r.end && r.begin <= range.end) {
      r = {std::min(r.begin, range.begin), std::max(r.end, range.end)};
      return;
    }
  if (ranges.size() < kMostRanges) {
    ranges.push_back(range);
    return;
  }
  // Rows with gaps between them: the nearest takes the gap too.
  const auto gap = [&](const Range& r) {
    return r.end <= range.begin ? range.begin - r.end : r.begin - range.end;
  };
  Range& near = *std::min_element(ranges.begin(), ranges.end(),
                                  [&](const Range& a, const Range& b) { return gap(a) < gap(b); });
  near = {std::min(near.begin, range.begin), std::max(near.end, range.end)};
}

// What is written over has been used for the last time.
void PipelineRecorder::retire_overlapped(Slot& slot, uint32_t fill, const Range& range, Cycle now) {
  std::erase_if(slot.open, [&](const Open& o) {
    if (o.fill == fill) return false;
    const auto meets = [&](const Range& r) { return r.begin < range.end && range.begin < r.end; };
    if (std::none_of(o.ranges.begin(), o.ranges.end(), meets)) return false;
    fills_[o.fill].reused = now - start_;
    return true;
  });
}

PipelineRecorder::Open& PipelineRecorder::begin(unsigned warp, const ptx::AsyncOperation& copy,
                                                traces::CopyKind kind, uint32_t group, unsigned parity,
                                                Cycle now) {
  const WarpState& w = warps_[warp];
  Slot& slot = slots_[w.slot];
  const auto number = static_cast<uint32_t>(fills_.size());
  Fill& f = fills_.emplace_back();
  left_.push_back(0);
  f.block = slot.block;
  f.slot = static_cast<uint16_t>(w.slot);
  f.issued = now - start_;
  f.kind = kind;
  f.group = group;
  f.number = slot.fills++;
  f.warp = static_cast<uint16_t>(warp);
  f.copy_at = copy.instruction;
  f.buffer = static_cast<uint32_t>(copy.target & kWithin);
  if (copy.has_mbarrier) f.barrier = copy.mbarrier & kWithin;
  slot.open.push_back({number, w.epoch, parity, {}});
  // Who has waited for its mbarrier since before waits for it.
  for (WarpState& other : warps_)
    if (copy.has_mbarrier && other.waits && other.slot == w.slot && other.fill == kNone &&
        other.barrier == f.barrier)
      other.fill = number;
  return slot.open.back();
}

uint32_t PipelineRecorder::issued(unsigned warp, const std::vector<ptx::AsyncOperation>& copies,
                                  traces::CopyKind kind, uint32_t group, unsigned parity, Cycle now) {
  const WarpState& w = warps_[warp];
  Slot& slot = slots_[w.slot];
  if (copies.empty() || !fills_block(copies[0], slot.rank)) return 0;
  Open* open = find(slot, copies[0], group, w.epoch, parity);
  if (open == nullptr && fills_.size() >= most_) {
    ++dropped_;
    return 0;
  }
  if (open == nullptr) open = &begin(warp, copies[0], kind, group, parity, now);
  const uint32_t number = open->fill;
  for (const ptx::AsyncOperation& copy : copies) {
    const uint64_t to = copy.target & kWithin;
    const Range range{to, to + copy.bytes};
    retire_overlapped(slot, number, range, now);
    const auto here =
        std::find_if(slot.open.begin(), slot.open.end(), [&](const Open& o) { return o.fill == number; });
    add_range(here->ranges, range);
    fills_[number].buffer = std::min(fills_[number].buffer, static_cast<uint32_t>(to));
    fills_[number].bytes += copy.bytes;
  }
  fills_[number].copies += static_cast<uint32_t>(copies.size());
  ++left_[number];
  return number + 1;
}

void PipelineRecorder::copied(uint32_t fill, Cycle now) {
  if (fill == 0 || fill > fills_.size()) return;
  if (--left_[fill - 1] == 0) fills_[fill - 1].complete = now - start_;
}

void PipelineRecorder::arrives(unsigned warp, uint64_t barrier) {
  WarpState& w = warps_[warp];
  for (Open& o : slots_[w.slot].open) {
    Fill& f = fills_[o.fill];
    if (o.epoch != w.epoch || f.kind != traces::CopyKind::kAsync || f.barrier != kNoCycle) continue;
    f.barrier = barrier & kWithin;
    for (WarpState& other : warps_)
      if (other.waits && other.slot == w.slot && other.fill == kNone && other.barrier == f.barrier)
        other.fill = o.fill;
  }
  ++w.epoch;
}

void PipelineRecorder::begin_wait(unsigned warp, uint32_t fill, uint32_t at, Cycle now) {
  WarpState& w = warps_[warp];
  w.waits = true;
  w.fill = fill;
  w.at = at;
  w.since = now;
}

void PipelineRecorder::waits_for_group(unsigned warp, uint32_t group, uint32_t at, Cycle now) {
  uint32_t fill = kNone;
  for (const Open& o : slots_[warps_[warp].slot].open) {
    const Fill& f = fills_[o.fill];
    if (f.kind == traces::CopyKind::kAsync && f.barrier == kNoCycle && f.group <= group) fill = o.fill;
  }
  warps_[warp].barrier = kNoCycle;
  begin_wait(warp, fill, at, now);
}

void PipelineRecorder::waits_for_barrier(unsigned warp, uint64_t barrier, bool fed, uint32_t at, Cycle now) {
  uint32_t fill = kNone;
  for (const Open& o : slots_[warps_[warp].slot].open)
    if (fills_[o.fill].barrier == barrier && fills_[o.fill].complete == kNoCycle) fill = o.fill;
  warps_[warp].barrier = barrier;
  warps_[warp].fed = fed;
  begin_wait(warp, fill, at, now);
}

void PipelineRecorder::wait_ends(unsigned warp, Cycle now) {
  WarpState& w = warps_[warp];
  if (!w.waits) return;
  w.waits = false;
  if (now <= w.since) return;
  const uint64_t begin = w.since - start_, end = now - start_;
  if (w.fill == kNone) {
    if (w.barrier != kNoCycle && !w.fed && free_waits_.size() < most_)
      free_waits_.push_back({slots_[w.slot].block, begin, end, w.at, static_cast<uint16_t>(warp)});
    return;
  }
  Fill& f = fills_[w.fill];
  if (begin < f.wait_begin) {
    f.wait_begin = begin;
    f.wait_at = w.at;
    f.wait_warp = static_cast<uint16_t>(warp);
  }
  f.wait_end = f.wait_end == kNoCycle ? end : std::max(f.wait_end, end);
  f.waited += end - begin;
  f.waiting_warps |= uint64_t{1} << (w.index % 64);
}

// The first and the last lane stand for all: a warp reads from one buffer.
void PipelineRecorder::used(unsigned warp, const ptx::MemoryAccess& access, uint32_t at, Cycle now) {
  if (access.lanes == 0) return;
  Slot& slot = slots_[warps_[warp].slot];
  const auto use = [&](int lane) {
    const uint64_t address = access.address[lane], to = address >> ptx::kSharedRankShift;
    if (to != 0 && to != slot.rank + 1) return;
    for (const Open& o : slot.open) {
      const uint64_t within = address & kWithin;
      const auto holds = [&](const Range& r) { return within >= r.begin && within < r.end; };
      if (std::none_of(o.ranges.begin(), o.ranges.end(), holds)) continue;
      Fill& f = fills_[o.fill];
      if (f.complete == kNoCycle) continue;  // not what it brings
      if (f.first_use == kNoCycle) {
        f.first_use = now - start_;
        f.use_at = at;
        f.use_warp = static_cast<uint16_t>(warp);
      }
      f.last_use = now - start_;
      return;
    }
  };
  use(std::countr_zero(access.lanes));
  use(31 - std::countl_zero(access.lanes));
}

}  // namespace gpuloom::arch
