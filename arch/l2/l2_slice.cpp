// SPDX-License-Identifier: Apache-2.0
#include "arch/l2/l2_slice.h"

#include <algorithm>
#include <bit>

#include "arch/noc/crossbar.h"

namespace gpuloom::arch {

L2Slice::L2Slice(const sim::ModuleName& name, const GpuConfig& config)
    : MemoryTarget(name, config.clock_hz),
      memory("memory", config.clock_hz),
      config_(config),
      sets_(config.l2.sets()),
      ways_(config.l2.ways),
      data_(config.l2.bytes_per_cycle * config.l2.clock_hz / config.clock_hz),
      lines_(size_t{config.l2.sets()} * config.l2.ways) {}

void L2Slice::write_back(Line& line, Cycle now) {
  if (line.dirty == 0) return;
  stats.write_backs += static_cast<unsigned>(std::popcount(line.dirty));
  sim::MemoryRequest request;
  request.line = line.line;
  request.time = now;
  request.op = sim::MemoryOp::kWrite;
  request.sectors = line.dirty;
  request.bytes = static_cast<uint16_t>(std::popcount(line.dirty) * kSectorBytes);
  request.full_sectors = true;
  memory.send(request);
  line.dirty = 0;
}

// The set is chosen by higher address bits than the slice, mixed again: both come from one address.
L2Slice::Line& L2Slice::find_or_evict(uint64_t line, Cycle now, bool& here) {
  Line* set = &lines_[(mix_address(line / kLineBytes + 0x51ed27) % sets_) * ways_];
  Line* victim = set;
  for (uint32_t w = 0; w < ways_; ++w) {
    if (set[w].line == line) {
      here = true;
      set[w].used = ++clock_;
      return set[w];
    }
    if (set[w].used < victim->used) victim = &set[w];
  }
  here = false;
  write_back(*victim, now);
  *victim = Line{};
  victim->line = line;
  victim->used = ++clock_;
  return *victim;
}

void L2Slice::count(const sim::MemoryRequest& request, unsigned sectors, unsigned hits) {
  ++stats.requests;
  stats.sectors += sectors;
  switch (request.op) {
    case sim::MemoryOp::kWrite:
      stats.sectors_write += sectors;
      break;
    case sim::MemoryOp::kAtomic:
      stats.sectors_atom += sectors;
      break;
    case sim::MemoryOp::kReduce:
      stats.sectors_red += sectors;
      break;
    default:
      stats.sectors_read += sectors;
      break;
  }
  stats.hit += hits;
  stats.miss += sectors - hits;
  stats.tex += sectors;
  stats.tex_hit += hits;
  stats.tex_miss += sectors - hits;
}

void L2Slice::access(sim::MemoryRequest& request) {
  const unsigned sectors = static_cast<unsigned>(std::popcount(request.sectors));
  const Cycle tag = std::max(request.time, tag_free_);
  tag_free_ = tag + 1;  // tags_per_cycle: one, in core cycles as the clocks are close
  const Cycle start = data_.reserve(tag, sectors * kSectorBytes);
  bool here = false;
  Line& line = find_or_evict(request.line, start, here);
  const uint8_t missing = static_cast<uint8_t>(request.sectors & ~line.valid);
  // A write that covers whole sectors, or bytes of them, needs nothing from memory: the line keeps what it
  // has.
  const bool fetches = request.op != sim::MemoryOp::kWrite && missing != 0;
  request.hit_sectors = static_cast<uint8_t>(request.sectors & line.valid);
  request.hit = missing == 0;
  const bool write = request.op == sim::MemoryOp::kWrite;
  count(request, sectors, write ? sectors : sectors - static_cast<unsigned>(std::popcount(missing)));
  Cycle done = start + config_.l2.hit_latency;
  if (fetches) {
    sim::MemoryRequest fill;
    fill.line = request.line;
    fill.sectors = missing;
    fill.time = done;
    fill.source = request.source;
    stats.fills += static_cast<unsigned>(std::popcount(missing));
    memory.send(fill);
    line.ready = std::max(line.ready, fill.time);
  }
  if (!write) done = std::max(done, line.ready);
  line.valid |= request.sectors;
  if (request.op != sim::MemoryOp::kRead && request.op != sim::MemoryOp::kPrefetch)
    line.dirty |= request.sectors;
  if (request.op == sim::MemoryOp::kAtomic || request.op == sim::MemoryOp::kReduce) {
    // The atomic unit works on a sector a cycle; lanes that hit the same sector follow one another.
    const Cycle unit = std::max(start, atomic_free_);
    atomic_free_ = unit + uint64_t{config_.l2.atomic_interval} * std::max<unsigned>(1, sectors);
    done = std::max(done, unit + config_.l2.hit_latency) + config_.l2.atomic_latency;
  }
  request.time = done;
}

void L2Slice::flush(Cycle now) {
  for (Line& line : lines_) {
    write_back(line, now);
    line = Line{};
  }
}

}  // namespace gpuloom::arch
