// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/async_unit.h"

#include <algorithm>
#include <bit>

#include "arch/sm/sm.h"
#include "ptx/exec/tensor_map.h"

namespace gpuloom::arch {
namespace {

constexpr uint32_t kGroupRing = 64;  // groups that are told apart; older ones count with the one 64 later

// Sectors of the line at `line` that [begin, end) touches, and the bytes of it in them.
uint8_t sectors_of(uint64_t line, uint64_t begin, uint64_t end, uint16_t& bytes) {
  const uint64_t from = std::max(begin, line), to = std::min(end, line + kLineBytes);
  bytes = static_cast<uint16_t>(to - from);
  const unsigned s0 = static_cast<unsigned>((from - line) / kSectorBytes),
                 s1 = static_cast<unsigned>((to - 1 - line) / kSectorBytes);
  return static_cast<uint8_t>(((2u << s1) - 1) & ~((1u << s0) - 1));
}

traces::CopyKind copy_kind(const ptx::AsyncOperation& operation) {
  if (operation.kind == ptx::AsyncKind::kStore || operation.kind == ptx::AsyncKind::kReduce)
    return traces::CopyKind::kRemote;
  return operation.tensor != nullptr ? traces::CopyKind::kTensor : traces::CopyKind::kBulk;
}

}  // namespace

AsyncUnit::AsyncUnit(Sm& sm, const SmConfig& config)
    : sm_(sm), config_(config), capture_(config.limits.warps_per_sm), warps_(config.limits.warps_per_sm) {}

void AsyncUnit::start_kernel() {
  queue_.clear();
  queue_head_ = 0;
  counts_.clear();
}

void AsyncUnit::launch(unsigned warp) {
  WarpCopies& w = warps_[warp];
  w.open = w.total = w.bulk_open = 0;
  w.sequence = 0;
  w.in_flight.assign(kGroupRing, 0);
  w.bulk_reading.assign(kGroupRing, 0);
  w.bulk_running.assign(kGroupRing, 0);
  w.arrives.clear();
  w.traced.assign(sm_.recorder() ? kGroupRing : 0, {});
  capture_[warp].clear();
}

// ---------------------------------------------------------------- accounts

AsyncUnit::Flight AsyncUnit::begin_flight(unsigned warp, uint32_t instruction, uint32_t bytes, Cycle now) {
  return {now, sm_.waited(sm_.warp_slot(warp).cta, now), instruction, bytes};
}

void AsyncUnit::end_flight(unsigned warp, const Flight& f, traces::CopyKind kind, Cycle now) {
  const unsigned cta = sm_.warp_slot(warp).cta;
  auto at = std::find_if(counts_.begin(), counts_.end(),
                         [&](const AsyncCounts& c) { return c.instruction == f.instruction; });
  if (at == counts_.end()) {
    counts_.emplace_back();
    at = counts_.end() - 1;
    at->instruction = f.instruction;
    at->kind = kind;
  }
  const uint64_t flight = now > f.begin ? now - f.begin : 0;
  ++at->copies;
  at->bytes += f.bytes;
  at->flight += flight;
  at->flight_max = std::max(at->flight_max, flight);
  at->warp_cycles += flight * sm_.block(cta).warps.size();
  at->waited_cycles += sm_.waited(cta, now) - f.waited;
  if (Recorder* r = sm_.recorder())
    r->span(traces::RecordKind::kCopy, warp, f.begin, std::max(now, f.begin), static_cast<uint8_t>(kind),
            f.instruction, f.bytes);
}

// A group is complete when its last copy is; copies that join it later make another record of it.
void AsyncUnit::trace_group(WarpCopies& w, unsigned warp, uint32_t group, Cycle now) {
  WarpCopies::GroupTrace& g = w.traced[group % kGroupRing];
  sm_.recorder()->span(traces::RecordKind::kGroup, warp, std::min(g.begin, now), now, 0, group, g.bytes);
  g = {};
}

// ---------------------------------------------------------------- cp.async

int32_t AsyncUnit::begin_copy(unsigned warp, unsigned passes, Cycle now) {
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
  if (!w.traced.empty()) {
    WarpCopies::GroupTrace& g = w.traced[w.open % kGroupRing];
    g.begin = std::min(g.begin, now);
    g.bytes += bytes;
  }
  capture_[warp].clear();
  c.warp = static_cast<uint16_t>(warp);
  c.passes = static_cast<uint16_t>(passes);
  c.group = w.open;
  c.sequence = w.sequence++;
  ++w.in_flight[w.open % kGroupRing];
  ++w.total;
  ++copies_used_;
  ++sm_.warp_slot(warp).copies;
  return static_cast<int32_t>(index);
}

void AsyncUnit::data_arrived(uint32_t copy, Cycle now) {
  const Cycle in = sm_.lsu().write_shared(copies_[copy].passes, now);
  sm_.events().push(in, {EventKind::kCopyArrived, 0, copies_[copy].warp, copy});
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

void AsyncUnit::commit(unsigned warp) { ++warps_[warp].open; }

bool AsyncUnit::groups_done(unsigned warp, uint32_t newest, bool all) const {
  const WarpCopies& w = warps_[warp];
  if (all) return w.total == 0;
  const uint32_t first = w.open > kGroupRing ? w.open - kGroupRing + 1 : 0;
  for (uint32_t g = first; g + newest < w.open; ++g)
    if (w.in_flight[g % kGroupRing] != 0) return false;
  return true;
}

void AsyncUnit::run(unsigned warp, std::vector<ptx::AsyncOperation>& operations, Cycle now) {
  for (const ptx::AsyncOperation& operation : operations) complete(warp, operation, now);
  operations.clear();
}

void AsyncUnit::complete(unsigned warp, const ptx::AsyncOperation& operation, Cycle now) {
  ptx::Warp& w = *sm_.warp_slot(warp).warp;
  w.now = now;
  ptx::complete_async(w, operation);
}

// One copy of the warp is done: barriers may have been completed, and the warp may wait for the copy.
void AsyncUnit::after_completion(unsigned warp, Cycle now) {
  WarpSlot& slot = sm_.warp_slot(warp);
  sm_.tell_all(slot.cta, now, now);
  --slot.copies;
  sm_.sub_core_of(warp).copies_changed(sm_.slot_of(warp), now);
}

// ---------------------------------------------------------------- everything else

uint32_t AsyncUnit::new_bulk() {
  if (free_bulks_.empty()) {
    free_bulks_.push_back(static_cast<uint32_t>(bulks_.size()));
    bulks_.emplace_back();
  }
  const uint32_t index = free_bulks_.back();
  free_bulks_.pop_back();
  bulks_[index] = Bulk{};
  ++bulks_used_;
  return index;
}

void AsyncUnit::begin_other(unsigned warp, Cycle at) {
  WarpCopies& w = warps_[warp];
  for (ptx::AsyncOperation& operation : capture_[warp]) {
    if (operation.kind == ptx::AsyncKind::kArriveOnCopies && w.total != 0) {
      w.arrives.push_back({{operation}, w.sequence, w.total});
      continue;
    }
    const uint32_t index = new_bulk();
    Bulk& b = bulks_[index];
    b.operation = operation;
    b.warp = static_cast<uint16_t>(warp);
    b.local_only = true;
    b.flight = begin_flight(warp, operation.instruction, operation.bytes, at);
    ++sm_.warp_slot(warp).copies;
    const bool remote = operation.kind == ptx::AsyncKind::kStore || operation.kind == ptx::AsyncKind::kReduce;
    sm_.events().push(at + (remote ? sm_.remote_latency() / 2 : 0), {EventKind::kAsyncDone, 0, 0, index});
  }
  capture_[warp].clear();
}

void AsyncUnit::begin_bulk(unsigned warp, bool tensor, Cycle now, Cycle at) {
  WarpCopies& w = warps_[warp];
  const Cycle start = at + config_.tma.start_latency + (tensor ? config_.tma.tensor_latency : 0);
  for (ptx::AsyncOperation& operation : capture_[warp]) {
    const uint32_t index = new_bulk();
    Bulk& b = bulks_[index];
    b.operation = operation;
    b.warp = static_cast<uint16_t>(warp);
    b.group = w.bulk_open;
    b.flight = begin_flight(warp, operation.instruction, operation.bytes, now);
    ++sm_.warp_slot(warp).copies;
    ++sm_.stats.bulk_copies;
    sm_.stats.bulk_bytes += operation.bytes;
    if (operation.bulk_group) {
      ++w.bulk_reading[b.group % kGroupRing];
      ++w.bulk_running[b.group % kGroupRing];
    }
    const bool reads = operation.source_space == ptx::Space::kGlobal;
    const bool fetches = operation.kind == ptx::AsyncKind::kBulkPrefetch;
    b.posted = fetches || (!reads && operation.target_space == ptx::Space::kGlobal);
    // Shared memory to shared memory of the cluster, or nothing inside the tensor.
    const bool nothing =
        operation.bytes == 0 || (operation.tensor != nullptr && operation.tensor->runs.empty());
    if ((!reads && !b.posted) || nothing) {
      b.local_only = true;
      b.posted = false;
      const double cycles = operation.bytes / sm_.cluster_bytes();
      sm_.events().push(start + sm_.remote_latency() / 2 + static_cast<Cycle>(cycles),
                        {EventKind::kAsyncDone, 0, 0, index});
      continue;
    }
    b.begin = reads ? operation.source : operation.target;
    b.end = b.begin + operation.bytes;
    b.next_line = b.begin & ~uint64_t{kLineBytes - 1};
    if (operation.tensor != nullptr) next_run(b);
    if (!b.posted) b.load = sm_.lsu().begin_load(static_cast<uint16_t>(warp), static_cast<int32_t>(index));
    queue_.push_back(index);
  }
  capture_[warp].clear();
  if (!running_ && queue_head_ < queue_.size()) {
    running_ = true;
    sm_.events().push(start, {EventKind::kAsyncStart, 0, 0, 0});
  }
}

// Sends the next line of the copy at the head. True: it was the last.
bool AsyncUnit::send_next(Bulk& b, Cycle now) {
  uint16_t bytes = 0;
  const uint8_t sectors = sectors_of(b.next_line, b.begin, b.end, bytes);
  ++b.left;
  if (b.operation.kind == ptx::AsyncKind::kBulkPrefetch) {
    b.sent = sm_.lsu().prefetch_line(b.next_line, sectors, {}, now);
  } else if (b.posted) {
    const Cycle read = sm_.lsu().write_shared(1, now);
    const bool adds = b.operation.kind == ptx::AsyncKind::kBulkReduce;
    const auto op = adds ? sim::MemoryOp::kReduce : sim::MemoryOp::kWrite;
    b.sent = sm_.lsu().write_line(op, b.next_line, sectors, bytes, read);
  } else {
    sm_.lsu().request_line(b.load, b.next_line, sectors, now);
  }
  b.next_line += kLineBytes;
  return b.next_line >= b.end && !next_run(b);
}

// Goes on with the next run of a tensor copy; runs that lie side by side count as one. False: there is none.
bool AsyncUnit::next_run(Bulk& b) {
  if (b.operation.tensor == nullptr) return false;
  const std::vector<ptx::TensorRun>& runs = b.operation.tensor->runs;
  if (b.next_run == runs.size()) return false;
  b.begin = runs[b.next_run].address;
  b.end = b.begin + runs[b.next_run].bytes;
  while (++b.next_run < runs.size() && runs[b.next_run].address == b.end) b.end += runs[b.next_run].bytes;
  b.next_line = b.begin & ~uint64_t{kLineBytes - 1};
  return true;
}

void AsyncUnit::go_on(Cycle now) {
  if (queue_head_ == queue_.size()) {
    queue_.clear();
    queue_head_ = 0;
    running_ = false;
    return;
  }
  const uint32_t index = queue_[queue_head_];
  Bulk& b = bulks_[index];
  if (b.posted && sm_.lsu().bulk_writes_full()) {
    waits_for_answer_ = true;
    return;
  }
  const Cycle turn = b.posted ? sm_.lsu().next_write(now) : now;
  if (turn > now) {
    sm_.events().push(turn, {EventKind::kAsyncStart, 0, 0, 0});
    return;
  }
  if (send_next(b, now)) {
    ++queue_head_;
    if (b.posted) {  // everything has been read: the sources are free. It is done when it has left the SM
      sm_.events().push(std::max(now, b.sent) + config_.tma.write_latency,
                        {EventKind::kAsyncDone, 0, 0, index});
      complete(b.warp, b.operation, now);
      if (b.operation.bulk_group) --warps_[b.warp].bulk_reading[b.group % kGroupRing];
      sm_.tell_all(sm_.warp_slot(b.warp).cta, now, now);
      sm_.sub_core_of(b.warp).copies_changed(sm_.slot_of(b.warp), now);
    }
  }
  sm_.events().push(now + config_.tma.request_interval, {EventKind::kAsyncStart, 0, 0, 0});
}

void AsyncUnit::write_answered(Cycle now) {
  if (!waits_for_answer_ || sm_.lsu().bulk_writes_full()) return;
  waits_for_answer_ = false;
  sm_.events().push(now + 1, {EventKind::kAsyncStart, 0, 0, 0});
}

void AsyncUnit::bulk_line(uint32_t index, Cycle now) {
  Bulk& b = bulks_[index];
  const Cycle in = sm_.lsu().write_shared(1, now);
  if (--b.left == 0 && b.next_line >= b.end) {
    sm_.lsu().end_bulk_load(b.load);
    sm_.events().push(in, {EventKind::kAsyncDone, 0, 0, index});
  }
}

void AsyncUnit::finish_bulk(uint32_t index, Cycle now) {
  Bulk& b = bulks_[index];
  WarpCopies& w = warps_[b.warp];
  const unsigned warp = b.warp;
  if (!b.posted) {
    complete(warp, b.operation, now);
    if (b.operation.bulk_group) --w.bulk_reading[b.group % kGroupRing];
  }
  if (b.operation.bulk_group) --w.bulk_running[b.group % kGroupRing];
  if (b.operation.kind != ptx::AsyncKind::kArriveOnCopies)
    end_flight(warp, b.flight, copy_kind(b.operation), now);
  free_bulks_.push_back(index);
  --bulks_used_;
  after_completion(warp, now);
}

void AsyncUnit::commit_bulk(unsigned warp) { ++warps_[warp].bulk_open; }

bool AsyncUnit::bulk_done(unsigned warp, uint32_t newest, bool reading_only) const {
  const WarpCopies& w = warps_[warp];
  const std::vector<uint16_t>& counts = reading_only ? w.bulk_reading : w.bulk_running;
  const uint32_t first = w.bulk_open > kGroupRing ? w.bulk_open - kGroupRing + 1 : 0;
  for (uint32_t g = first; g + newest < w.bulk_open; ++g)
    if (counts[g % kGroupRing] != 0) return false;
  return true;
}

// Instr::imm holds the number of groups, Instr::aux how to wait: ptx/isa/async/cp_async.cpp and
// cp_async_bulk.cpp.
CopyWait copy_wait(const ptx::Instr& in) {
  CopyWait wait;
  wait.waits = in.kind == ptx::InstrKind::kAsyncWait;
  wait.bulk = (in.aux & 4) != 0;
  wait.groups = !wait.bulk && (in.aux & 2) != 0 ? UINT32_MAX : static_cast<uint32_t>(in.imm);
  wait.read = wait.bulk && (in.aux & 1) != 0;
  return wait;
}

}  // namespace gpuloom::arch
