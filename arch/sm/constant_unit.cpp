// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/constant_unit.h"

#include <algorithm>

#include "arch/sm/lsu_latency.h"

namespace gpuloom::arch {

uint32_t ConstantUnit::free_load() {
  if (free_loads_.empty()) {
    loads_.emplace_back();
    return static_cast<uint32_t>(loads_.size() - 1);
  }
  const uint32_t index = free_loads_.back();
  free_loads_.pop_back();
  return index;
}

void ConstantUnit::accept(const MemoryOp& op, uint64_t line_base, Cycle now) {
  const uint32_t index = free_load();
  Load& load = loads_[index];
  load.count = static_cast<uint8_t>(op.lines.lines);
  load.served = 0;
  load.waited = false;
  load.scoreboard = op.write_scoreboard;
  load.warp = op.warp;
  load.line_base = line_base;
  load.tail = static_cast<uint16_t>(minus(op.latency, kFront));
  for (unsigned i = 0; i < load.count; ++i) load.words[i] = op.lines.line[i].line;
  serve(index, now);
}

// A word whose line is not in the small cache asks for it and goes through when it comes, whatever has taken
// the line's place by then (H200, probes/constants: a load of 32 addresses waits for one line after another,
// 70 cycles each; those of other loads overlap, a line each 13 cycles).
void ConstantUnit::serve(uint32_t index, Cycle now) {
  Load& load = loads_[index];
  const uint64_t address = load.words[load.served];
  const uint64_t line = address / lines_.line_bytes() + load.line_base;
  const Cycle turn = std::max(now, free_);
  free_ = turn + config_.replay_interval;
  Cycle here = load.waited ? turn : lines_.find(line);
  if (here == kNever) {
    line_free_ = std::max(turn, line_free_) + config_.line_interval;
    here = l1_.line(address, load.line_base, false, line_free_ - config_.line_interval);
    lines_.insert(line, here);
  }
  load.waited = here > turn;
  if (load.waited) {
    events_.push(here, {EventKind::kConstantWord, 0, 0, index});
  } else if (++load.served < load.count) {
    events_.push(turn + config_.replay_latency, {EventKind::kConstantWord, 0, 0, index});
  } else {
    if (load.scoreboard < 6)
      events_.push(std::max(turn + load.tail, now + 1), {EventKind::kRelease, 0, load.warp, load.scoreboard});
    free_loads_.push_back(index);
  }
}

}  // namespace gpuloom::arch
