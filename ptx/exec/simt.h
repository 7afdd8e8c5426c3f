// SPDX-License-Identifier: Apache-2.0
// Divergence: convergence sets of a warp, reconvergence points and call frames (independent thread
// scheduling, sm_70 and later).
//
// A convergence set is a group of lanes with one program counter. The current one lives in Warp (pc, lanes,
// regs, local_frame); the others are kept here. A divergent branch opens a region that ends at the branch's
// immediate post-dominator: sets that arrive there wait until all lanes of the region have come or exited,
// then go on as one. A call opens a region that ends at its return address. Forward progress: a set that
// spins (backward branches without arriving anywhere) yields to the others after a bounded number of
// branches, so that lanes that wait for lanes of the same warp get what they wait for.
#pragma once
#include <cstdint>
#include <vector>

namespace gpuloom::ptx {

struct Warp;

struct ConvergenceSet {
  uint32_t lanes = 0;
  uint32_t pc = 0;
  uint32_t region = 0;      // innermost open region, index into regions
  uint32_t frame = 0;       // call frame, index into frames
  uint32_t wait_mask = 0;   // waits at a .sync instruction for these lanes; 0: runnable
  bool at_barrier = false;  // waits at a CTA or cluster barrier
};

struct Region {
  uint32_t pc = 0;        // where lanes meet
  uint32_t expected = 0;  // lanes that will come (exited ones are taken out)
  uint32_t arrived = 0;
  uint32_t parent = 0;
  uint32_t frame = 0;  // call frame that holds at the meeting point
  bool open = false;
};

struct Frame {
  uint32_t regs = 0;      // byte offset of the register memory of this activation
  uint32_t local = 0;     // byte offset in a lane's local memory
  uint32_t function = 0;  // index into Program::functions
  uint32_t parent = 0;
};

struct SimtState {
  std::vector<ConvergenceSet> sets;  // not the current one
  std::vector<Region> regions;
  std::vector<Frame> frames;
  uint32_t region = 0;  // of the current set
  uint32_t frame = 0;   // of the current set
  uint32_t spins = 0;   // backward branches of the current set since it was last switched to
};

}  // namespace gpuloom::ptx
