// SPDX-License-Identifier: Apache-2.0
// Types that all units share.
#pragma once
#include <cstdint>

namespace gpuloom::arch {

using Cycle = uint64_t;  // of the core clock, unless a name says otherwise
constexpr Cycle kNever = UINT64_MAX;

constexpr unsigned kSectorBytes =
    32;  // granule of traffic between L1, L2 and DRAM on every GPU measured (uarch notes, 3.7)
constexpr unsigned kLineSectors = 4;
constexpr unsigned kLineBytes = kSectorBytes * kLineSectors;
constexpr unsigned kWarpSize = 32;

}  // namespace gpuloom::arch
