// SPDX-License-Identifier: Apache-2.0
// Indexed loads from the constant bank (LDC with a register): one address after another, so that words of
// several loads go through in turn.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "arch/sm/code_caches.h"
#include "arch/sm/config.h"
#include "arch/sm/event_queue.h"
#include "arch/sm/memory_op.h"
#include "arch/sm/tag_array.h"
#include "arch/types.h"

namespace gpuloom::arch {

class ConstantUnit {
 public:
  ConstantUnit(const ConstantConfig& config, EventQueue& events, ConstantL1& l1)
      : config_(config), events_(events), l1_(l1) {}

  void start_kernel() { lines_.configure(config_.l0); }
  // The unit takes the load, of a grid with that line base, and ends it with a release of its scoreboard.
  void accept(const MemoryOp& op, uint64_t line_base, Cycle now);
  // Event: the turn of the next word of a load.
  void serve(uint32_t load, Cycle now);

 private:
  struct Load {
    std::array<uint64_t, 32> words{};  // addresses
    uint8_t count = 0, served = 0, scoreboard = 0;
    bool waited = false;          // for the line of the next word
    uint64_t line_base = 0;       // of its grid
    uint16_t warp = 0, tail = 0;  // cycles from the last word to the result
  };
  uint32_t free_load();

  const ConstantConfig& config_;
  EventQueue& events_;
  ConstantL1& l1_;
  TagArray lines_;
  Cycle free_ = 0, line_free_ = 0;
  std::vector<Load> loads_;
  std::vector<uint32_t> free_loads_;
};

}  // namespace gpuloom::arch
