// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/async_unit.h"

#include <algorithm>
#include <bit>

#include "ptx/exec/cta.h"
#include "ptx/exec/mbarrier.h"
#include "ptx/exec/memory_path.h"

namespace gpuloom::arch {

AsyncUnit::AsyncUnit(const SmConfig& config, const NocConfig& noc, const AsyncPorts& ports)
    : config_(config),
      noc_(noc),
      ports_(ports),
      capture_(config.limits.warps_per_sm),
      turns_(config.limits.warps_per_sm),
      warps_(config.limits.warps_per_sm) {}

void AsyncUnit::start_kernel() {
  maps_.clear();
  fetches_maps_ = false;
  queue_.clear();
  queue_head_ = 0;
}

void AsyncUnit::launch(unsigned warp, const CopyOwner& owner) {
  WarpCopies& w = warps_[warp];
  w.owner = owner;
  w.wait = {};
  w.on_way = 0;
  w.open = w.closed = w.total = w.bulk_open = 0;
  w.sequence = 0;
  w.in_flight.assign(kGroupRing, 0);
  w.bulk_reading.assign(kGroupRing, 0);
  w.bulk_running.assign(kGroupRing, 0);
  w.arrives.clear();
  w.traced.assign(recorder() ? kGroupRing : 0, {});
  capture_[warp].clear();
  turns_[warp].clear();
}

// ---------------------------------------------------------------- accounts

AsyncUnit::Flight AsyncUnit::begin_flight(unsigned warp, uint32_t instruction, uint32_t bytes, Cycle now) {
  return {now, ports_.blocks.waited(warps_[warp].owner.cta, now), instruction, bytes};
}

void AsyncUnit::end_flight(unsigned warp, const Flight& f, traces::CopyKind kind, Cycle now) {
  const CopyOwner& owner = warps_[warp].owner;
  std::vector<AsyncCounts>& counts = ports_.grids[owner.grid].copies;
  auto at = std::find_if(counts.begin(), counts.end(),
                         [&](const AsyncCounts& c) { return c.instruction == f.instruction; });
  if (at == counts.end()) {
    counts.emplace_back();
    at = counts.end() - 1;
    at->instruction = f.instruction;
    at->kind = kind;
  }
  const uint64_t flight = now > f.begin ? now - f.begin : 0;
  ++at->copies;
  at->bytes += f.bytes;
  at->flight += flight;
  at->flight_max = std::max(at->flight_max, flight);
  at->warp_cycles += flight * owner.warp->cta->warps.size();
  at->waited_cycles += ports_.blocks.waited(owner.cta, now) - f.waited;
  if (PipelineRecorder* p = pipeline()) p->copied(f.fill, now);
  if (Recorder* r = recorder())
    r->span(traces::RecordKind::kCopy, warp, f.begin, std::max(now, f.begin), static_cast<uint8_t>(kind),
            f.instruction, f.bytes);
}

// Where a trace is kept: the buffer of shared memory that the copies go to.
void AsyncUnit::record_fill(unsigned warp, const std::vector<ptx::AsyncOperation>& copies,
                            traces::CopyKind kind, Flight& flight, Cycle now) {
  if (pipeline() == nullptr || copies.empty()) return;
  unsigned parity = 0;
  if (copies[0].has_mbarrier) {
    const uint64_t at = copies[0].mbarrier & ((uint64_t{1} << ptx::kSharedRankShift) - 1);
    const ptx::Cta& cta = *warps_[warp].owner.warp->cta;
    if (at + sizeof(uint64_t) <= cta.shared.size())
      parity = ptx::MbarrierWord(ptx::load_as<uint64_t>(&cta.shared[at])).parity();
  }
  flight.fill = pipeline()->issued(warp, copies, kind, warps_[warp].open, parity, now);
}

// A group is complete when its last copy is; copies that join it later make another record of it.
void AsyncUnit::trace_group(WarpCopies& w, unsigned warp, uint32_t group, Cycle now) {
  WarpCopies::GroupTrace& g = w.traced[group % kGroupRing];
  recorder()->span(traces::RecordKind::kGroup, warp, std::min(g.begin, now), now, 0, group, g.bytes);
  g = {};
}

// ---------------------------------------------------------------- cp.async

int32_t AsyncUnit::begin_copy(unsigned warp, unsigned passes, unsigned more, Cycle now) {
  if (free_copies_.empty()) {
    free_copies_.push_back(static_cast<uint32_t>(copies_.size()));
    copies_.emplace_back();
  }
  const uint32_t index = free_copies_.back();
  free_copies_.pop_back();
  Copy& c = copies_[index];
  WarpCopies& w = warps_[warp];
  c.operations.swap(capture_[warp]);
  uint32_t bytes = 0;
  for (const ptx::AsyncOperation& operation : c.operations) bytes += operation.bytes;
  c.flight = begin_flight(warp, c.operations.empty() ? 0 : c.operations[0].instruction, bytes, now);
  record_fill(warp, c.operations, traces::CopyKind::kAsync, c.flight, now);
  if (!w.traced.empty()) {
    WarpCopies::GroupTrace& g = w.traced[w.open % kGroupRing];
    g.begin = std::min(g.begin, now);
    g.bytes += bytes;
  }
  capture_[warp].clear();
  c.warp = static_cast<uint16_t>(warp);
  c.passes = static_cast<uint16_t>(passes);
  c.more = static_cast<uint16_t>(more);
  c.group = w.open;
  c.sequence = w.sequence++;
  ++w.in_flight[w.open % kGroupRing];
  ++w.total;
  ++copies_used_;
  ++w.on_way;
  return static_cast<int32_t>(index);
}

void AsyncUnit::data_arrived(uint32_t copy, Cycle now) {
  const Copy& c = copies_[copy];
  const Cycle in = ports_.traffic.write_shared(c.passes, c.more, now);
  ports_.events.push(in, {EventKind::kCopyArrived, 0, c.warp, copy});
}

void AsyncUnit::copy_done(uint32_t copy, Cycle now) {
  Copy& c = copies_[copy];
  WarpCopies& w = warps_[c.warp];
  const unsigned warp = c.warp;
  run(warp, c.operations, now);
  end_flight(warp, c.flight, traces::CopyKind::kAsync, now);
  if (--w.in_flight[c.group % kGroupRing] == 0 && !w.traced.empty()) trace_group(w, warp, c.group, now);
  --w.total;
  for (Arrive& a : w.arrives)
    if (a.sequence > c.sequence && a.left != 0 && --a.left == 0) run(warp, a.operations, now);
  std::erase_if(w.arrives, [](const Arrive& a) { return a.left == 0; });
  free_copies_.push_back(copy);
  --copies_used_;
  after_completion(warp, now);
}

void AsyncUnit::commit(unsigned warp, Cycle at) {
  ++warps_[warp].open;
  ++warps_[warp].on_way;
  ports_.events.push(at, {EventKind::kGroupClosed, 0, static_cast<uint16_t>(warp), 0});
}

void AsyncUnit::group_closed(unsigned warp, Cycle now) {
  WarpCopies& w = warps_[warp];
  ++w.closed;
  --w.on_way;
  ports_.blocks.copies_changed(warp, now);
}

bool AsyncUnit::groups_done(const WarpCopies& w, uint32_t newest) {
  if (w.closed + newest < w.open) return false;
  const uint32_t first = w.open > kGroupRing ? w.open - kGroupRing + 1 : 0;
  for (uint32_t g = first; g + newest < w.open; ++g)
    if (w.in_flight[g % kGroupRing] != 0) return false;
  return true;
}

bool AsyncUnit::wait_done(unsigned warp) const {
  const WarpCopies& w = warps_[warp];
  if (!w.wait.waits) return true;
  if (w.wait.bulk) return bulk_done(w, w.wait.groups, w.wait.read);
  return w.wait.groups == UINT32_MAX ? w.total == 0 && w.closed == w.open : groups_done(w, w.wait.groups);
}

std::optional<uint32_t> AsyncUnit::awaited_group(unsigned warp) const {
  const uint32_t open = warps_[warp].open, newest = warps_[warp].wait.groups;
  if (warps_[warp].wait.bulk) return {};
  if (newest == UINT32_MAX) return open;
  if (newest >= open) return {};
  return open - 1 - newest;
}

void AsyncUnit::run(unsigned warp, std::vector<ptx::AsyncOperation>& operations, Cycle now) {
  for (const ptx::AsyncOperation& operation : operations) complete(warp, operation, now);
  operations.clear();
}

void AsyncUnit::complete(unsigned warp, const ptx::AsyncOperation& operation, Cycle now) {
  ptx::Warp& w = *warps_[warp].owner.warp;
  w.now = now;
  ptx::complete_async(w, operation);
}

// One copy of the warp is done: barriers may have been completed, and the warp may wait for the copy.
void AsyncUnit::after_completion(unsigned warp, Cycle now) {
  WarpCopies& w = warps_[warp];
  ports_.blocks.barriers_changed(w.owner.cta, now, now);
  --w.on_way;
  ports_.blocks.copies_changed(warp, now);
}

}  // namespace gpuloom::arch
