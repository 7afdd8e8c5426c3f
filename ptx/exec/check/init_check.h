// SPDX-License-Identifier: Apache-2.0
// Reads of global, shared and local memory that nobody has written.
#pragma once
#include "base/init_map.h"
#include "ptx/exec/check/findings.h"
#include "ptx/exec/cta.h"

namespace gpuloom::ptx {

class InitCheck {
 public:
  explicit InitCheck(Findings& findings) : findings_(findings) {}

  // Host writes mark it, allocation clears it.
  InitMap& global() { return global_; }
  void block_started(Cta& cta);
  void written(Warp& w, unsigned lane, Space space, uint64_t address, uint64_t bytes);
  void read(Warp& w, const Instr& in, unsigned lane, Space space, uint64_t address, uint64_t bytes);
  // What local memory held before is of no call any more.
  void local_entered(Warp& w, uint32_t lanes, uint32_t begin, uint32_t bytes);

 private:
  Findings& findings_;
  InitMap global_{kGlobalBase};
};

}  // namespace gpuloom::ptx
