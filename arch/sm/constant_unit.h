// SPDX-License-Identifier: Apache-2.0
// Indexed loads from the constant bank (LDC with a register): one address after another, so that words of
// several loads go through in turn.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "arch/sm/config.h"
#include "arch/sm/tag_array.h"
#include "arch/types.h"

namespace gpuloom::arch {

class Sm;
struct MemoryOp;

class ConstantUnit {
 public:
  ConstantUnit(Sm& sm, const SmConfig& config) : sm_(sm), config_(config) {}

  void start_kernel();
  // The unit takes the load and ends it with a release of its scoreboard.
  void accept(const MemoryOp& op, Cycle now);
  // The turn of the next word of a load.
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

  Sm& sm_;
  const SmConfig& config_;
  TagArray lines_;
  Cycle free_ = 0, line_free_ = 0;
  std::vector<Load> loads_;
  std::vector<uint32_t> free_loads_;
};

}  // namespace gpuloom::arch
