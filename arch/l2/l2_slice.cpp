// SPDX-License-Identifier: Apache-2.0
#include "arch/l2/l2_slice.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>

namespace gpuloom::arch {
namespace {

using sim::EvictHint;
using sim::MemoryUnit;
using sim::RequestOp;

constexpr size_t kHostLine = 64;  // bytes of a line of the host's caches

unsigned count_bits(uint8_t mask) { return static_cast<unsigned>(std::popcount(mask)); }

// The sectors that a write covers whole.
uint8_t covered(const sim::MemoryRequest& request) {
  return static_cast<uint8_t>(request.full_sectors ? request.sectors : request.whole & request.sectors);
}

// A sector that misses is fetched with its neighbour of the same 64 bytes (H200: strided_read_32 reads twice
// the bytes that it asks for, and counts both as missed).
uint8_t promoted(uint8_t sectors, uint16_t prefetch) {
  if (sectors != 0 && prefetch >= kLineBytes) return 0xf;
  return static_cast<uint8_t>(sectors | (sectors & 0b0101) << 1 | (sectors & 0b1010) >> 1);
}

policy::CacheAccess access_of(const sim::MemoryRequest& request, Cycle now) {
  policy::AccessKind kind = policy::AccessKind::kRead;
  if (request.op == RequestOp::kWrite) kind = policy::AccessKind::kWrite;
  if (request.op == RequestOp::kAtomic || request.op == RequestOp::kReduce)
    kind = policy::AccessKind::kAtomic;
  if (request.op == RequestOp::kPrefetch) kind = policy::AccessKind::kPrefetch;
  return {request.line, now, request.pc, request.source, request.warp, kind, request.sectors};
}

bool reads(RequestOp op) { return op == RequestOp::kRead || op == RequestOp::kPrefetch; }

std::unique_ptr<policy::Prefetcher> prefetcher_of(const PolicyChoice& choice, uint32_t slice) {
  if (choice.library.empty() && choice.name == "none") return nullptr;
  return choice.make<policy::Prefetcher>({slice});
}

}  // namespace

L2Slice::L2Slice(const sim::ModuleName& name, const GpuConfig& config, unsigned index)
    : MemoryTarget(name, config.clock_hz),
      memory("memory", config.clock_hz),
      config_(config),
      hash_(config.l2.hash.make<policy::AddressHash>(config.l2.host())),
      replacement_(
          config.l2.replacement.make<policy::Replacement>({"l2", index, config.l2.sets(), config.l2.ways})),
      prefetcher_(prefetcher_of(config.l2.prefetch, index)),
      ways_(config.l2.ways),
      fabric_latency_(
          (config.noc.far_partition_extra - std::min(config.noc.far_partition_extra, config.l2.hit_latency)) /
          2),
      data_(config.l2.bytes_per_cycle * config.l2.clock_hz / config.clock_hz),
      atomics_(config.l2, config.clock_hz),
      fabric_(config.noc.fabric_bytes),
      lines_(size_t{config.l2.sets()} * config.l2.ways) {}

// Returns when memory has taken it: what comes in its place waits for that.
Cycle L2Slice::write_back(Line& line, Cycle now) {
  if (line.dirty == 0) return now;
  if (config_.sm.ideal.l2) {
    line.dirty = 0;
    return now;
  }
  const uint8_t gaps = partial(line, line.dirty);
  if (gaps) fill(line, sim::MemoryRequest{}, gaps, now);  // the rest of a sector comes from memory first
  stats.write_backs += count_bits(line.dirty);
  sim::MemoryRequest request;
  request.line = line.line;
  request.time = now;
  request.op = RequestOp::kWrite;
  request.sectors = line.dirty;
  request.bytes = static_cast<uint16_t>(count_bits(line.dirty) * kSectorBytes);
  request.full_sectors = true;
  memory.send(request);
  line.dirty = 0;
  return request.time;
}

// The lines of one class, oldest first; of equals the first way.
class L2Slice::WayOrder final : public policy::Lines {
 public:
  WayOrder(L2Slice::Line* set, uint32_t ways, size_t rank, L2Slice::Line* oldest)
      : set_(set), ways_(ways), rank_(rank), next_(oldest) {}
  bool next(policy::Lines::Line& line) override {
    if (next_ == nullptr) return false;
    L2Slice::Line& here = *next_;
    line = {static_cast<uint32_t>(next_ - set_), &here.state, here.dirty != 0};
    next_ = nullptr;
    for (uint32_t w = 0; w < ways_; ++w) {
      L2Slice::Line& l = set_[w];
      const bool behind = l.used > here.used || (l.used == here.used && &l > &here);
      if (rank_of(l) == rank_ && behind && (next_ == nullptr || l.used < next_->used)) next_ = &l;
    }
    return true;
  }
  static size_t rank_of(const L2Slice::Line& l) {
    return l.evict == EvictHint::kFirst ? 0 : l.evict == EvictHint::kLast ? 2 : 1;
  }

 private:
  L2Slice::Line* set_;
  uint32_t ways_;
  size_t rank_;
  L2Slice::Line* next_;
};

// Of the lines to be evicted first, then of the normal ones, then of those to be evicted last; l2.replacement
// says which. One that is to be evicted last takes the place of its like once those hold their share of the
// set.
L2Slice::Line* L2Slice::victim(Line* set, bool persisting, const policy::CacheAccess& access) {
  std::array<Line*, 3> oldest{};
  uint32_t held = 0;
  for (uint32_t w = 0; w < ways_; ++w) {
    Line& l = set[w];
    if (l.line == UINT64_MAX) return &l;
    const size_t rank = WayOrder::rank_of(l);
    held += rank == 2;
    if (!oldest[rank] || l.used < oldest[rank]->used) oldest[rank] = &l;
  }
  size_t rank = oldest[0] ? 0 : oldest[1] ? 1 : 2;
  if (persisting && oldest[2] && held >= persisting_ways_) rank = 2;
  WayOrder order(set, ways_, rank, oldest[rank]);
  return &set[std::min(replacement_->victim(order, access), ways_ - 1)];
}

void L2Slice::take_place(Line& line, policy::Place place) {
  if (place == policy::Place::kNewest) line.used = ++clock_;
  if (place == policy::Place::kOldest) line.used = 0;
}

void L2Slice::classify(Line& line, EvictHint hint) {
  if (hint == EvictHint::kUnchanged) return;
  if (hint == EvictHint::kLast && persisting_ways_ == 0) hint = EvictHint::kNormal;
  line.evict = hint == EvictHint::kNoAllocate ? EvictHint::kFirst : hint;
}

void L2Slice::prefetch_set(size_t first, Cycle at) const {
  const auto* set = reinterpret_cast<const std::byte*>(&lines_[first]);
  for (size_t at_byte = 0; at_byte < ways_ * sizeof(Line); at_byte += kHostLine)
    __builtin_prefetch(set + at_byte, 1);
  data_.prefetch(at);
}

void L2Slice::prefetch(const sim::MemoryRequest& request, Cycle at, bool home) const {
  const size_t first = first_way(request.line);
  prefetch_set(first, at);
  // What is written here is lost there, from the same set.
  if (peer_ != nullptr && home && !reads(request.op)) peer_->prefetch_set(first, at);
}

L2Slice::Found L2Slice::find_or_evict(const sim::MemoryRequest& request, size_t first, Cycle now) {
  Line* set = &lines_[first];
  // What is to be evicted last is so where it belongs; a copy on the other side is an ordinary line.
  const EvictHint hint =
      request.evict == EvictHint::kLast && !request.home ? EvictHint::kNormal : request.evict;
  const policy::CacheAccess access = access_of(request, now);
  if (const uint32_t way = way_of(request.line, first); way != ways_) {
    take_place(set[way], replacement_->hit(set[way].state, access));
    classify(set[way], hint);
    return {&set[way], true, now};
  }
  Line* line = victim(set, hint == EvictHint::kLast, access);
  const Cycle free = write_back(*line, now);
  *line = Line{};
  line->line = request.line;
  line->used = ++clock_;
  take_place(*line, replacement_->inserted(line->state, access));
  classify(*line, hint);
  return {line, false, free};
}

// The way of its set that holds the line; the number of ways where none does.
uint32_t L2Slice::way_of(uint64_t line, size_t first) const {
  const Line* set = &lines_[first];
  return static_cast<uint32_t>(std::find_if(set, set + ways_, [&](const Line& l) { return l.line == line; }) -
                               set);
}

// The sectors that are here.
uint8_t L2Slice::held(uint64_t line, size_t first) const {
  const uint32_t way = way_of(line, first);
  return way == ways_ ? uint8_t{0} : lines_[first + way].valid;
}

void L2Slice::count(const sim::MemoryRequest& request, unsigned sectors, unsigned hits, unsigned misses) {
  ++stats.requests;
  stats.sectors += sectors;
  switch (request.op) {
    case RequestOp::kWrite:
      stats.sectors_write += sectors;
      break;
    case RequestOp::kAtomic:
      stats.sectors_atom += sectors;
      break;
    case RequestOp::kReduce:
      stats.sectors_red += sectors;
      break;
    default:
      stats.sectors_read += sectors;
      break;
  }
  stats.hit += hits;
  stats.miss += misses;
  if (request.unit == MemoryUnit::kFabric) {
    stats.fabric += sectors;
  } else if (request.unit == MemoryUnit::kInstruction) {
    stats.instruction += sectors;
  } else if (request.unit != MemoryUnit::kCopy) {
    stats.tex += sectors;
    stats.tex_hit += hits;
    stats.tex_miss += misses;
  }
}

// Sectors of which only a part has been written and the rest never read.
uint8_t L2Slice::partial(const Line& line, uint8_t sectors) const {
  uint8_t mask = 0;
  for (unsigned s = 0; s < kLineSectors; ++s)
    if (sectors >> s & 1 && line.written[s] != 0 && line.written[s] < kSectorBytes)
      mask |= static_cast<uint8_t>(1u << s);
  return mask;
}

void L2Slice::mark_written(Line& line, const sim::MemoryRequest& request, uint8_t missing) {
  const uint8_t whole = covered(request);
  const unsigned parts = count_bits(static_cast<uint8_t>(request.sectors & ~whole));
  const unsigned rest = request.bytes - std::min<unsigned>(request.bytes, count_bits(whole) * kSectorBytes);
  const unsigned each = parts ? std::max(1u, rest / parts) : 0;
  for (unsigned s = 0; s < kLineSectors; ++s)
    if (request.sectors >> s & 1 && (missing >> s & 1 || line.written[s] != 0))
      line.written[s] = static_cast<uint8_t>(
          std::min<unsigned>(kSectorBytes, line.written[s] + (whole >> s & 1 ? kSectorBytes : each)));
}

void L2Slice::await(Line& line, uint8_t sectors, Cycle ready) {
  line.valid |= sectors;
  line.ready = std::max(line.ready, ready);
}

void L2Slice::fill(Line& line, const sim::MemoryRequest& request, uint8_t sectors, Cycle now) {
  sim::MemoryRequest fetch;
  fetch.line = line.line;
  fetch.sectors = sectors;
  fetch.time = now;
  fetch.source = request.source;
  stats.fills += count_bits(sectors);
  memory.send(fetch);
  await(line, sectors, fetch.time);
  for (unsigned s = 0; s < kLineSectors; ++s)
    if (sectors >> s & 1) line.written[s] = 0;
}

// On the wrong side of the address: what this side does not hold comes from the other one, which also gets
// every write.
void L2Slice::pass_on(Line& line, sim::MemoryRequest& request, Cycle now) {
  sim::MemoryRequest onward = request;
  onward.unit = MemoryUnit::kFabric;
  onward.home = true;
  const bool read = reads(request.op);
  if (read)
    onward.sectors =
        static_cast<uint8_t>(promoted(request.sectors & ~line.valid, request.prefetch) & ~line.valid);
  // What is read crosses once the other side has it, what is written at once (H200: probes/memory,
  // short_streams).
  const unsigned bytes = count_bits(onward.sectors) * kSectorBytes;
  onward.time = (read ? now : fabric_.reserve(now, bytes)) + fabric_latency_;
  peer_->access(onward);
  request.time = (read ? peer_->fabric_.reserve(onward.time, bytes) : onward.time) + fabric_latency_;
  if (read)
    await(line, onward.sectors, request.time);
  else
    copy_written(line, request, request.time);
}

// Where a line does not belong, what is written whole is there once the other side has it too, and what is
// written in part or changed by an atomic is not (H200: probes/contended, mix: words that are stored to 64
// lines make loads of them 58 cycles longer, whole lines 5; one line that is stored and loaded at once 66).
void L2Slice::copy_written(Line& line, const sim::MemoryRequest& request, Cycle ready) {
  const uint8_t whole = request.op == RequestOp::kWrite ? covered(request) : uint8_t{0};
  line.valid &= static_cast<uint8_t>(~request.sectors);
  if (whole) await(line, whole, ready);
}

// What is written where it belongs is not here any more (H200: probes/sides, kept: after a store of the
// home's SM the other side's loads cross, whether it had the line before or not).
void L2Slice::lose(const sim::MemoryRequest& request, size_t first) {
  if (const uint32_t way = way_of(request.line, first); way != ways_)
    lines_[first + way].valid &= static_cast<uint8_t>(~request.sectors);
}

void L2Slice::access(sim::MemoryRequest& request) {
  const Cycle taken = serve(request);
  request.taken = taken;
  if (log_) log_->add(taken);
}

void L2Slice::log_intervals(uint64_t cycles_each) {
  log_ = std::make_unique<stats::IntervalLog>(std::vector<const stats::Group*>{&stats}, cycles_each);
}

// What a request takes of the slice's data. An atomic that returns what it found gives that up beside what it
// reads and writes for the sum itself. A line that the atomic before this one changed is still at hand (H200:
// probes/ports: all SMs do 53.1 reductions and 39.9 atomics with a result a cycle at random places, 1.77 and
// 2.36 cycles of a slice; H100: 45 and 33.6; to one word both are 1.3 to 1.45 apart).
unsigned L2Slice::data_bytes(const sim::MemoryRequest& request, unsigned sectors, size_t first) {
  // What crosses from the other side passes the data of that one alone (H200: probes/waits, own_sectors: 17
  // MiB that both sides hold in part are read at 2.36 cycles a line and slice, as a line is that one side
  // has).
  const unsigned passes = request.home || !peer_ || !reads(request.op)
                              ? sectors
                              : count_bits(static_cast<uint8_t>(request.sectors & held(request.line, first)));
  const unsigned parts = count_bits(static_cast<uint8_t>(request.sectors & ~covered(request)));
  const unsigned extra =
      request.op == RequestOp::kWrite ? config_.l2.write_extra + parts * config_.l2.partial_extra : 0;
  const unsigned bytes = std::max(passes * kSectorBytes + extra, config_.l2.request_bytes);
  if (!request.home || (request.op != RequestOp::kAtomic && request.op != RequestOp::kReduce)) return bytes;
  const bool at_hand = atomics_.come_to(request.line);
  return bytes + (at_hand || request.op == RequestOp::kReduce ? 0 : sectors * kSectorBytes);
}

Cycle L2Slice::serve(sim::MemoryRequest& request) {
  const unsigned sectors = count_bits(request.sectors);
  const size_t first = first_way(request.line);
  const Cycle start = data_.reserve(request.time, data_bytes(request, sectors, first));
  const bool fetches = request.op != RequestOp::kWrite;
  const Found found = find_or_evict(request, first, start);
  Line& line = *found.line;
  if (config_.sm.ideal.l2) {
    line.valid |= request.sectors;
    line.written.fill(0);
  }
  uint8_t missing = static_cast<uint8_t>(request.sectors & ~line.valid);
  if (fetches) missing |= partial(line, request.sectors);
  request.hit_sectors = static_cast<uint8_t>(request.sectors & ~missing);
  request.hit = missing == 0;
  const uint8_t fetched =
      fetches ? static_cast<uint8_t>((promoted(missing, request.prefetch) & ~line.valid) | missing)
              : uint8_t{0};
  // A write finds what it needs: it brings it. An atomic on the wrong side is looked up at home alone.
  const bool counts_miss = fetches && (request.home || reads(request.op));
  // What is on its way because its neighbour missed counts as found (H200: copy_u8, spmv_csr_warp, conv5x5:
  // as many more are found and missed than asked for as neighbours are fetched along).
  count(request, sectors, counts_miss ? sectors - count_bits(missing) : sectors,
        counts_miss ? count_bits(fetched) : 0);
  Cycle done = found.free + config_.l2.hit_latency;
  if (!request.home && peer_) {
    if (!reads(request.op) || missing) {
      pass_on(line, request, done);
      done = request.time;
    }
    if (reads(request.op)) done = std::max(done, line.ready);
    request.time = done;
    return start;
  }
  if (fetched) fill(line, request, fetched, done);
  if (fetches) done = std::max(done, line.ready);
  if (prefetcher_ && request.unit != MemoryUnit::kInstruction && !config_.sm.ideal.l2)
    look_ahead(request, done);
  if (!reads(request.op)) {
    if (request.op == RequestOp::kWrite) mark_written(line, request, missing);
    line.valid |= request.sectors;
    line.dirty |= request.sectors;
    if (peer_ && request.unit != MemoryUnit::kFabric) peer_->lose(request, first);
  }
  if (request.op == RequestOp::kAtomic || request.op == RequestOp::kReduce) {
    if (config_.sm.ideal.atomics) {
      request.time = done + config_.l2.atomic_latency;
      return start;
    }
    const AtomicUnit::Turns turns = atomics_.take(request, std::max(start, line.ready));
    done = std::max(done, turns.first + config_.l2.hit_latency) + config_.l2.atomic_latency + turns.span;
  }
  request.time = done;
  return start;
}

// What l2.prefetch asks for goes to the slices where it belongs, at once: it takes of memory, not of the
// slices' ways in.
void L2Slice::look_ahead(const sim::MemoryRequest& request, Cycle now) {
  std::array<uint64_t, policy::Prefetcher::kMost> lines;
  const uint32_t count = prefetcher_->fetch(access_of(request, now), request.hit, lines.data());
  const uint32_t each = config_.l2.slices / config_.l2.partitions;
  for (uint32_t i = 0; i < std::min<uint32_t>(count, policy::Prefetcher::kMost); ++i) {
    const uint64_t line = lines[i] / kLineBytes * kLineBytes;
    const policy::L2Place place = hash_->place(line);
    (*slices_)[place.partition * each + place.index]->bring(line, now);
  }
}

void L2Slice::bring(uint64_t address, Cycle now) {
  const size_t first = first_way(address);
  if (way_of(address, first) != ways_) return;
  sim::MemoryRequest request;
  request.line = address;
  request.op = RequestOp::kPrefetch;
  request.sectors = 0xf;
  const Found found = find_or_evict(request, first, now);
  stats.prefetched += kLineSectors;
  fill(*found.line, request, request.sectors, found.free);
  if (log_) log_->add(now);
}

void L2Slice::flush(Cycle now) {
  if (clock_ == 0) return;  // nobody has been here
  for (Line& line : lines_) {
    write_back(line, now);
    line = Line{};
  }
}

}  // namespace gpuloom::arch
