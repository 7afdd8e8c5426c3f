// SPDX-License-Identifier: Apache-2.0
// The SM's caches of code and constants, which stand behind the small ones of sub-cores and units.
#pragma once
#include "arch/sm/config.h"
#include "arch/sm/grid_context.h"
#include "arch/sm/tag_array.h"

namespace gpuloom::arch {

// Lines of code. What a launch brings along is there some time after its first block.
class InstructionL1 {
 public:
  explicit InstructionL1(const FetchConfig& config) : config_(config) { tags_.configure(config.l1); }
  void invalidate() { tags_.invalidate(); }
  // When a line of the grid's code is in the L0 that asks for it.
  Cycle fetch(ResidentGrid& grid, uint64_t line, Cycle now);

 private:
  const FetchConfig& config_;
  TagArray tags_;
  Cycle free_ = 0;
};

// Lines of the constant bank. A launch brings parameters along, other constants come from L2 at first.
class ConstantL1 {
 public:
  explicit ConstantL1(const SmConfig& config) : config_(config) { tags_.configure(config.constant.l1); }
  void invalidate() { tags_.invalidate(); }
  Cycle line(uint64_t address, uint64_t line_base, bool parameter, Cycle now);

 private:
  const SmConfig& config_;
  TagArray tags_;
};

}  // namespace gpuloom::arch
