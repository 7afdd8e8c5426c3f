// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/code_caches.h"

#include <algorithm>

namespace gpuloom::arch {

// What the launch brings along is there some time after the first block (once: later it is as far as all
// else). `line` is one of so many bytes.
Cycle CodeBeyond::from_launch(ResidentGrid& grid, uint64_t line, uint32_t bytes, Cycle otherwise) const {
  if ((line + 1) * bytes > config_.preload_bytes || (grid.preloaded[line / 64] >> (line % 64) & 1))
    return otherwise;
  grid.preloaded[line / 64] |= uint64_t{1} << (line % 64);
  return grid.preload_at;
}

Cycle CodeBeyond::fetch(ResidentGrid& grid, uint64_t line, Cycle now) {
  if (!there()) return from_launch(grid, line, config_.l1.line, now + miss_);
  const double turn = std::max(static_cast<double>(now), free_);
  free_ = turn + grid.gpc_sms * config_.l1.line / config_.gpc.bytes_per_cycle;
  const auto begin = static_cast<Cycle>(turn);
  const uint32_t bytes = config_.gpc.cache.line, lines = bytes / config_.l1.line;
  const uint64_t wide = line / lines, tag = wide + grid.grid->line_base / lines;
  Cycle here = tags_.find(tag);
  if (here == kNever) {
    here = from_launch(grid, wide, bytes, begin + miss_);
    tags_.insert(tag, here);
  }
  return std::max(here, begin) + config_.gpc.cache.latency;
}

Cycle InstructionL1::fetch(ResidentGrid& grid, uint64_t line, Cycle now, bool ahead) {
  bring_ahead(now);
  const uint64_t tag = line + grid.grid->line_base;
  Cycle here = tags_.find(tag);
  if (here == kNever && ahead && config_.l1_prefetch_lines != 0) {
    put_ahead(grid, line, now);
    bring_next(grid, line, now, now + config_.l1.latency);
    return kNever;
  }
  const Cycle transfer = static_cast<Cycle>(config_.l1.line / config_.l1_bytes_per_cycle);
  const Cycle start = std::max(now, free_);
  free_ = start + std::max<Cycle>(1, transfer);
  if (here == kNever) {
    here = beyond_.fetch(grid, line, start);
    tags_.insert(tag, here);
  }
  if (config_.l1_prefetch_lines != 0) bring_next(grid, line, start, start + config_.l1.latency);
  return std::max(here, start) + config_.l1.latency;
}

// Lines that have had their turn by now: of the turn that comes now a warp may have need.
void InstructionL1::bring_ahead(Cycle now) {
  size_t gone = 0;
  for (; gone < ahead_.size(); ++gone) {
    const Ahead& a = ahead_[gone];
    const Cycle turn = std::max(a.from, beyond_.free());
    if (turn >= now) break;
    if (a.grid->grid != nullptr && a.grid->grid->line_base == a.base && tags_.find(a.line + a.base) == kNever)
      tags_.insert(a.line + a.base, beyond_.fetch(*a.grid, a.line, turn));
  }
  ahead_.erase(ahead_.begin(), ahead_.begin() + static_cast<std::ptrdiff_t>(gone));
}

// Where too many wait, the oldest is forgotten.
bool InstructionL1::put_ahead(ResidentGrid& grid, uint64_t line, Cycle now) {
  const uint64_t base = grid.grid->line_base;
  for (const Ahead& a : ahead_)
    if (a.line == line && a.base == base) return false;
  if (ahead_.size() == config_.l1_prefetch_lines) ahead_.erase(ahead_.begin());
  ahead_.push_back({&grid, line, base, now});
  return true;
}

// Requests of a line that come while one of it is being answered are one with it.
void InstructionL1::bring_next(ResidentGrid& grid, uint64_t line, Cycle now, Cycle answered) {
  const uint64_t base = grid.grid->line_base;
  Asked& asked = asked_[(line + base) % asked_.size()];
  if (asked.line == line + base && now < asked.answered) return;
  asked = {line + base, answered};
  const uint64_t end = grid.grid->kernel.code_instructions * config_.instruction_bytes / config_.l1.line + 1;
  for (uint64_t next = line + 1; next <= line + config_.l1_prefetch_lines && next < end; ++next)
    if (tags_.find(next + base) == kNever && put_ahead(grid, next, now)) return;
}

Cycle InstructionL0::ask(unsigned grid, uint64_t line, Cycle now, bool ahead) {
  const Cycle turn = std::max(now, port_free_);
  const Cycle answered = l1_.fetch(grids_[grid], line, now, ahead);
  if (answered == kNever) return kNever;
  port_free_ = turn + config_.l0_fill_interval;
  const Cycle ready = std::max(answered, turn + config_.l1.latency);
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
    if (tags_.find(line + stream_.base) == kNever) ask(stream_.grid, line, turn, true);
  }
}

InstructionL0::Needed InstructionL0::need(unsigned grid, uint64_t line, uint64_t last, Cycle now) {
  ask_ahead(now);
  const uint64_t base = base_of(grid), end = std::min(line + config_.l0_prefetch_lines, last) + 1;
  Needed found{tags_.find(line + base), false};
  if (found.ready == kNever) {
    found = {ask(grid, line, now, false), true};
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
