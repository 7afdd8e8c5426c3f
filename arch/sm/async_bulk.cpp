// SPDX-License-Identifier: Apache-2.0
// The asynchronous unit's bulk and tensor copies: what a warp's lanes ask for, line requests, what comes
// back.
#include <algorithm>

#include "arch/sm/async_unit.h"
#include "ptx/exec/tensor_map.h"
#include "ptx/exec/warp.h"

namespace gpuloom::arch {
namespace {

// A row of a box that does not begin with a line is fetched in parts of so many bytes, counted from its
// begin, and each asks for its own sectors. H200, Triton's products with rows of 400 and 528 bytes
// (tma_gemm_edges, devdesc_gemm_bf16_64x128 of bench/silicon/ml): 1.4 times the requests of one a line, 5
// sectors where 4.5 hold 128 bytes, and SMs of a GPC share next to none of them, since each line is asked for
// in unlike parts. Rows of whole lines make one request a line. What is written needs none of that (4.5
// sectors).
constexpr uint64_t kRowPart = 64;

uint64_t line_of(uint64_t address) { return address & ~uint64_t{kLineBytes - 1}; }

// Sectors that [from, to) of one line touches.
uint8_t sectors_of(uint64_t from, uint64_t to) {
  const uint64_t line = line_of(from);
  const unsigned s0 = static_cast<unsigned>((from - line) / kSectorBytes),
                 s1 = static_cast<unsigned>((to - 1 - line) / kSectorBytes);
  return static_cast<uint8_t>(((2u << s1) - 1) & ~((1u << s0) - 1));
}

// Copies to global memory and prefetches, unlike reductions and what an mbarrier counts: a warp does once
// what several of its lanes ask for alike (H200: probes/warp_copies).
bool writes_only(const ptx::AsyncOperation& o) {
  const bool to_global = o.kind == ptx::AsyncKind::kBulkCopy && o.target_space == ptx::Space::kGlobal;
  return to_global || o.kind == ptx::AsyncKind::kBulkPrefetch;
}

bool same_runs(const ptx::TensorTransfer* a, const ptx::TensorTransfer* b) {
  if (a == nullptr || b == nullptr) return a == b;
  const auto same = [](const ptx::TensorRun& x, const ptx::TensorRun& y) {
    return x.address == y.address && x.offset == y.offset && x.bytes == y.bytes;
  };
  return std::equal(a->runs.begin(), a->runs.end(), b->runs.begin(), b->runs.end(), same);
}

bool same_copy(const ptx::AsyncOperation& a, const ptx::AsyncOperation& b) {
  return a.source == b.source && a.target == b.target && a.bytes == b.bytes && a.byte_mask == b.byte_mask &&
         a.policy == b.policy && same_runs(a.tensor.get(), b.tensor.get());
}

void keep_different(std::vector<ptx::AsyncOperation>& copies) {
  size_t kept = 0;
  for (size_t i = 0; i < copies.size(); ++i) {
    const auto end = copies.begin() + static_cast<ptrdiff_t>(kept);
    const auto same = [&](const ptx::AsyncOperation& o) { return same_copy(o, copies[i]); };
    if (std::any_of(copies.begin(), end, same)) continue;
    if (kept != i) copies[kept] = std::move(copies[i]);
    ++kept;
  }
  copies.erase(copies.begin() + static_cast<ptrdiff_t>(kept), copies.end());
}

traces::CopyKind copy_kind(const ptx::AsyncOperation& operation) {
  if (operation.kind == ptx::AsyncKind::kStore || operation.kind == ptx::AsyncKind::kReduce)
    return traces::CopyKind::kRemote;
  return operation.tensor != nullptr ? traces::CopyKind::kTensor : traces::CopyKind::kBulk;
}

}  // namespace

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
    if (PipelineRecorder* p = pipeline(); p != nullptr && operation.kind == ptx::AsyncKind::kArriveOnCopies)
      p->arrives(warp, operation.mbarrier);
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
    ++w.on_way;
    const bool remote = operation.kind == ptx::AsyncKind::kStore || operation.kind == ptx::AsyncKind::kReduce;
    ports_.events.push(at + (remote ? to_other_sm() : 0), {EventKind::kAsyncDone, 0, 0, index});
  }
  capture_[warp].clear();
}

void AsyncUnit::start_bulk(unsigned warp, const ptx::AsyncOperation& operation, Cycle start, Cycle now) {
  WarpCopies& w = warps_[warp];
  const uint32_t index = new_bulk();
  Bulk& b = bulks_[index];
  b.operation = operation;
  b.warp = static_cast<uint16_t>(warp);
  b.group = w.bulk_open;
  b.ready = start;
  b.flight = begin_flight(warp, operation.instruction, operation.bytes, now);
  if (pipeline() != nullptr) record_fill(warp, {operation}, copy_kind(operation), b.flight, now);
  ++w.on_way;
  ++ports_.stats.bulk_copies;
  ports_.stats.bulk_bytes += operation.bytes;
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
    const double cycles = operation.bytes / noc_.cluster_bytes;
    ports_.events.push(start + to_other_sm() + static_cast<Cycle>(cycles),
                       {EventKind::kAsyncDone, 0, 0, index});
    return;
  }
  b.begin = reads ? operation.source : operation.target;
  b.end = b.begin + operation.bytes;
  b.next = b.begin;
  if (operation.tensor != nullptr) next_run(b);
  if (!b.posted) b.load = ports_.traffic.begin_bulk_load(static_cast<uint16_t>(warp), w.owner.grid, index);
  queue_.push_back(index);
  if (config_.ideal.copies && !b.posted) arrive_at_once(warp, b, start);
}

// ideal.copies: a copy of its own that takes no way does what `b` is for, whose requests nobody waits for.
void AsyncUnit::arrive_at_once(unsigned warp, Bulk& b, Cycle start) {
  Bulk here;
  here.operation = b.operation;
  here.warp = b.warp;
  here.group = b.group;
  here.flight = b.flight;
  here.local_only = true;
  b.traffic_only = true;
  b.operation.bulk_group = false;
  const uint32_t index = new_bulk();  // `b` moves where room is made for it
  bulks_[index] = std::move(here);
  ++warps_[warp].on_way;
  ports_.events.push(start, {EventKind::kAsyncDone, 0, 0, index});
}

// When the map at `address` is here for a copy that begins at `now`.
Cycle AsyncUnit::map_ready(uint64_t address, Cycle now) {
  if (!fetches_maps_) return now;
  const auto known =
      std::find_if(maps_.begin(), maps_.end(), [&](const FetchedMap& m) { return m.address == address; });
  if (known != maps_.end()) return std::max(now, known->ready);
  maps_.push_back({address, now + config_.tma.map_fetch});
  return maps_.back().ready;
}

void AsyncUnit::begin_bulk(unsigned warp, bool tensor, bool looped, Cycle now, Cycle at) {
  const Cycle start = at + config_.tma.start_latency + (tensor ? config_.tma.tensor_latency : 0);
  std::vector<ptx::AsyncOperation>&captured = capture_[warp], &turns = turns_[warp];
  if (!captured.empty()) {
    if (writes_only(captured[0])) keep_different(captured);
    std::reverse(captured.begin(), captured.end());
    turns.swap(captured);
    captured.clear();
  }
  do {
    if (turns.empty()) break;
    const ptx::TensorTransfer* transfer = turns.back().tensor.get();
    start_bulk(warp, turns.back(), transfer == nullptr ? start : map_ready(transfer->map, start), now);
    turns.pop_back();
  } while (!looped);
  if (!running_ && queue_head_ < queue_.size()) {
    running_ = true;
    ports_.events.push(start, {EventKind::kAsyncStart, 0, 0, 0});
  }
}

// Sends the next line of the copy at the head. True: it was the last.
bool AsyncUnit::send_next(Bulk& b, Cycle now) {
  const uint64_t line = line_of(b.next);
  uint64_t to = std::min(b.end, line + kLineBytes);
  const bool fetches_rows = b.operation.tensor != nullptr && !b.posted;
  if (fetches_rows && b.begin % kLineBytes != 0 && b.end > line_of(b.begin) + kLineBytes)
    to = std::min(to, b.next + kRowPart - (b.next - b.begin) % kRowPart);
  const uint8_t sectors = sectors_of(b.next, to);
  ++b.left;
  if (b.operation.kind == ptx::AsyncKind::kBulkPrefetch) {
    b.sent = ports_.traffic.prefetch_line(line, sectors, {}, now);
  } else if (b.posted) {
    const Cycle read = ports_.traffic.write_shared(1, 0, now);
    const bool adds = b.operation.kind == ptx::AsyncKind::kBulkReduce;
    const auto op = adds ? sim::RequestOp::kReduce : sim::RequestOp::kWrite;
    b.sent = ports_.traffic.write_line(op, line, sectors, static_cast<uint16_t>(to - b.next),
                                       warps_[b.warp].owner.grid, read);
  } else {
    ports_.traffic.request_bulk_line(b.load, line, sectors, now);
  }
  b.next = to;
  return b.next >= b.end && !next_run(b);
}

// Goes on with the next run of a tensor copy; runs that lie side by side count as one. False: there is none.
bool AsyncUnit::next_run(Bulk& b) {
  if (b.operation.tensor == nullptr) return false;
  const std::vector<ptx::TensorRun>& runs = b.operation.tensor->runs;
  if (b.next_run == runs.size()) return false;
  b.begin = runs[b.next_run].address;
  b.end = b.begin + runs[b.next_run].bytes;
  while (++b.next_run < runs.size() && runs[b.next_run].address == b.end) b.end += runs[b.next_run].bytes;
  b.next = b.begin;
  return true;
}

// What it writes is still on its way from an earlier access, which it must not overtake.
bool AsyncUnit::follows_late(const Bulk& b) const {
  const ptx::AsyncOperation& o = b.operation;
  if (!b.posted || b.left != 0 || o.kind == ptx::AsyncKind::kBulkPrefetch || ports_.late.empty())
    return false;
  const ptx::Warp& by = *warps_[b.warp].owner.warp;
  if (o.tensor == nullptr) return ports_.late.touch(by, o.target, o.bytes);
  const auto late = [&](const ptx::TensorRun& run) { return ports_.late.touch(by, run.address, run.bytes); };
  return std::any_of(o.tensor->runs.begin(), o.tensor->runs.end(), late);
}

void AsyncUnit::late_answered(Cycle now) {
  if (!waits_for_late_) return;
  waits_for_late_ = false;
  ports_.events.push(now + 1, {EventKind::kAsyncStart, 0, 0, 0});
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
  if (b.posted && ports_.traffic.bulk_writes_full()) {
    waits_for_answer_ = true;
    return;
  }
  if (follows_late(b)) {
    waits_for_late_ = true;
    return;
  }
  const Cycle turn = std::max(b.ready, b.posted ? ports_.traffic.next_write(now) : now);
  if (turn > now) {
    ports_.events.push(turn, {EventKind::kAsyncStart, 0, 0, 0});
    return;
  }
  if (send_next(b, now)) {
    ++queue_head_;
    if (b.posted) {  // everything has been read: the sources are free. It is done when it has left the SM
      ports_.events.push(std::max(now, b.sent) + config_.tma.write_latency,
                         {EventKind::kAsyncDone, 0, 0, index});
      complete(b.warp, b.operation, now);
      if (b.operation.bulk_group) --warps_[b.warp].bulk_reading[b.group % kGroupRing];
      ports_.blocks.barriers_changed(warps_[b.warp].owner.cta, now, now);
      ports_.blocks.copies_changed(b.warp, now);
    }
  }
  ports_.events.push(now + config_.tma.request_interval, {EventKind::kAsyncStart, 0, 0, 0});
}

void AsyncUnit::write_answered(Cycle now) {
  if (!waits_for_answer_ || ports_.traffic.bulk_writes_full()) return;
  waits_for_answer_ = false;
  ports_.events.push(now + 1, {EventKind::kAsyncStart, 0, 0, 0});
}

void AsyncUnit::bulk_line(uint32_t index, Cycle now) {
  Bulk& b = bulks_[index];
  const Cycle in = ports_.traffic.write_shared(1, 0, now);
  if (--b.left == 0 && b.next >= b.end) {
    ports_.traffic.end_bulk_load(b.load);
    ports_.events.push(in, {EventKind::kAsyncDone, 0, 0, index});
  }
}

void AsyncUnit::finish_bulk(uint32_t index, Cycle now) {
  Bulk& b = bulks_[index];
  WarpCopies& w = warps_[b.warp];
  const unsigned warp = b.warp;
  if (!b.posted && !b.traffic_only) {
    complete(warp, b.operation, now);
    if (b.operation.bulk_group) --w.bulk_reading[b.group % kGroupRing];
  }
  if (b.operation.bulk_group) --w.bulk_running[b.group % kGroupRing];
  if (b.operation.kind != ptx::AsyncKind::kArriveOnCopies && !b.traffic_only)
    end_flight(warp, b.flight, copy_kind(b.operation), now);
  free_bulks_.push_back(index);
  --bulks_used_;
  after_completion(warp, now);
}

void AsyncUnit::commit_bulk(unsigned warp) { ++warps_[warp].bulk_open; }

bool AsyncUnit::bulk_done(const WarpCopies& w, uint32_t newest, bool reading_only) {
  const std::vector<uint16_t>& counts = reading_only ? w.bulk_reading : w.bulk_running;
  const uint32_t first = w.bulk_open > kGroupRing ? w.bulk_open - kGroupRing + 1 : 0;
  for (uint32_t g = first; g + newest < w.bulk_open; ++g)
    if (counts[g % kGroupRing] != 0) return false;
  return true;
}

}  // namespace gpuloom::arch
