// SPDX-License-Identifier: Apache-2.0
// What a warp's texture or surface instruction does to global memory, gathered in Warp::access for the timing
// model lane by lane.
#pragma once
#include <algorithm>
#include <bit>

#include "ptx/exec/warp.h"

namespace gpuloom::ptx {

class TexelAccess {
 public:
  TexelAccess(Warp& w, AccessOp op) : access_(w.access) {
    access_.op = op;
    access_.space = Space::kGlobal;
    access_.mixed_spaces = access_.uniform_address = false;
    access_.lane_bytes = 1;
    access_.lanes = 0;
    access_.pieces = 1;
    access_.cache = CacheOp::kDefault;
    access_.ordering = Ordering::kWeak;
  }
  TexelAccess(const TexelAccess&) = delete;
  TexelAccess& operator=(const TexelAccess&) = delete;
  // Lanes that touch nothing repeat the address of one that does.
  ~TexelAccess() {
    if (access_.lanes == 0) {
      access_.op = AccessOp::kNone;
      return;
    }
    const uint64_t some = access_.address[std::countr_zero(access_.lanes)];
    for (unsigned l = 0; l < 32; ++l)
      if ((access_.lanes >> l & 1) == 0) access_.address[l] = some;
  }

  void touch(unsigned lane, uint64_t address) {
    access_.lanes |= 1u << lane;
    access_.address[lane] = address;
  }
  // The widest lane's bytes count.
  void at_least(unsigned bytes) {
    access_.lane_bytes = std::max(access_.lane_bytes, static_cast<uint8_t>(bytes));
  }

 private:
  MemoryAccess& access_;
};

}  // namespace gpuloom::ptx
