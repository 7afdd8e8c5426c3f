// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/code_caches.h"

#include <algorithm>

namespace gpuloom::arch {

Cycle InstructionL1::fetch(ResidentGrid& grid, uint64_t line, Cycle now) {
  const uint64_t tag = line + grid.grid->line_base;
  const Cycle transfer = static_cast<Cycle>(config_.l1.line / config_.l1_bytes_per_cycle);
  const Cycle start = std::max(now, free_);
  free_ = start + std::max<Cycle>(1, transfer);
  Cycle here = tags_.find(tag);
  if (here == kNever) {
    // What the launch brings along is there some time after the first block (once: later it is as far as all
    // else).
    const bool preloaded = (line + 1) * config_.l1.line <= config_.preload_bytes &&
                           !(grid.preloaded[line / 64] >> (line % 64) & 1);
    if (preloaded) grid.preloaded[line / 64] |= uint64_t{1} << (line % 64);
    here = preloaded ? grid.preload_at : start + miss_;
    tags_.insert(tag, here);
  }
  return std::max(here, start) + config_.l1.latency;
}

Cycle InstructionL0::ask(unsigned grid, uint64_t line, Cycle now) {
  const Cycle turn = std::max(now, port_free_);
  port_free_ = turn + config_.l0_fill_interval;
  const Cycle ready = std::max(l1_.fetch(grids_[grid], line, now), turn + config_.l1.latency);
  tags_.insert(line + base_of(grid), ready);
  return ready;
}

// What has had its turn by now: of the turn that comes now a warp may have need.
void InstructionL0::ask_ahead(Cycle now) {
  while (!stream_.empty()) {
    const Cycle turn = std::max(stream_.from, port_free_);
    if (turn >= now) return;
    if (grids_[stream_.grid].grid == nullptr || base_of(stream_.grid) != stream_.base) {
      stream_ = {};  // the grid has ended
      return;
    }
    const uint64_t line = stream_.next++;
    if (tags_.find(line + stream_.base) == kNever) ask(stream_.grid, line, turn);
  }
}

InstructionL0::Needed InstructionL0::need(unsigned grid, uint64_t line, uint64_t last, Cycle now) {
  ask_ahead(now);
  const uint64_t base = base_of(grid), end = std::min(line + config_.l0_prefetch_lines, last) + 1;
  Needed found{tags_.find(line + base), false};
  if (found.ready == kNever) {
    found = {ask(grid, line, now), true};
    stream_ = {line + 1, std::max(line + 1, end), base, grid, now};
  } else if (stream_.empty()) {
    // After a hit only the last of the lines ahead can be missing.
    if (end == line + config_.l0_prefetch_lines + 1 && end > line + 1 && tags_.find(end - 1 + base) == kNever)
      stream_ = {end - 1, end, base, grid, now};
  } else if (stream_.base == base && stream_.grid == grid && stream_.end + 1 == end) {
    stream_.end = end;
  }
  return found;
}

Cycle ConstantL1::find(uint64_t address, uint64_t line_base, bool parameter, Cycle now) {
  const uint64_t line = address / tags_.line_bytes() + line_base;
  Cycle here = tags_.find(line);
  if (here == kNever) {
    here = parameter ? now : now + miss_;
    tags_.insert(line, here);
  }
  return std::max(here, now);
}

Cycle ConstantL1::line(uint64_t address, uint64_t line_base, bool parameter, Cycle now) {
  return find(address, line_base, parameter, now) + config_.constant.l1.latency;
}

// Sub-cores take turns (constant.fill_interval): an H200's go on 0, 32, 64 and 97 cycles after the first
// where all begin with an operand of the same line (probes/starts).
Cycle ConstantL1::fill(uint64_t address, uint64_t line_base, bool parameter, Cycle now) {
  const Cycle turn = std::max(now, fill_free_);
  fill_free_ = turn + config_.constant.fill_interval;
  return find(address, line_base, parameter, turn) + config_.constant.fill_latency;
}

}  // namespace gpuloom::arch
