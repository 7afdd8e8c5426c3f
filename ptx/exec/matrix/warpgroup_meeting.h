// SPDX-License-Identifier: Apache-2.0
// The four warps of a warpgroup issue wgmma.mma_async together: none goes beyond it before all have come, and
// the matrices in shared memory are read when they have. Measured on the H200
// (bench/silicon/probes/warpgroups): a warp that comes 20,000 cycles late holds the other three back at the
// product; at wgmma.wait_group it does not. So a warp that has waited for a product knows that its
// warpgroup's shared operands are free, and kernels give them back by one thread on the strength of that.
#pragma once
#include <array>
#include <vector>

#include "ptx/exec/cta.h"
#include "ptx/exec/matrix/warpgroup_multiply.h"

namespace gpuloom::ptx {

constexpr uint32_t kWarpgroupWarps = 4;

struct WarpgroupMeetings {
  struct Meeting {
    std::array<WarpgroupMultiply, kWarpgroupWarps> product;
    std::array<const Instr*, kWarpgroupWarps> instr{};
    std::array<uint32_t, kWarpgroupWarps> lanes{};
    uint32_t here = 0;  // warps that have come, a bit each
  };
  std::vector<Meeting> groups;
};

// Brings the warp's share of a product to its warpgroup's meeting; the last one to come carries all of them
// out. Sets Warp::wait where others are missing. Throws Fault.
void meet_and_multiply(Warp& w, const Instr& in, const WarpgroupMultiply& product);
// A warp has ended: its warpgroup no longer waits for it.
void leave_warpgroup(Warp& w);

}  // namespace gpuloom::ptx
