// SPDX-License-Identifier: Apache-2.0
// Values of the special registers (PTX ISA 10).
#include <algorithm>
#include <bit>

#include "ptx/exec/cta.h"

namespace gpuloom::ptx {
namespace {

using S = SpecialRegister;

// The physical warp slots of an SM, which %nwarpid tells (PTX ISA 10.5); all targets since sm_70 but sm_75
// and sm_86-sm_89 have 64. Programs may not rely on it.
constexpr uint32_t kWarpSlots = 64;

uint32_t lane_value(S reg, unsigned lane) {
  const uint32_t bit = 1u << lane;
  switch (reg) {
    case S::laneid:
      return lane;
    case S::lanemask_eq:
      return bit;
    case S::lanemask_le:
      return bit | (bit - 1);
    case S::lanemask_lt:
      return bit - 1;
    case S::lanemask_ge:
      return ~(bit - 1);
    case S::lanemask_gt:
      return ~(bit | (bit - 1));
    default:
      return 0;
  }
}

// Places of the warp's threads in the block, counted up from the first: a block has many warps, and divisions
// are slow.
void fill_places(const Warp& w, S reg, uint32_t* out) {
  const Dim3& block = w.launch->block;
  const uint32_t first = w.index_in_cta * 32;
  uint32_t at[3] = {first % block.x, first / block.x % block.y, first / block.x / block.y};
  if (at[0] + 32 <= block.x) {  // a row of the block, or a part of one
    const uint32_t step = reg == S::tid_x ? 1 : 0;
    const uint32_t begin = at[reg == S::tid_x ? 0 : reg == S::tid_y ? 1 : 2];
    for (unsigned lane = 0; lane < 32; ++lane) out[lane] = begin + lane * step;
    return;
  }
  const uint32_t& wanted = at[reg == S::tid_x ? 0 : reg == S::tid_y ? 1 : 2];
  for (unsigned lane = 0; lane < 32; ++lane) {
    out[lane] = wanted;
    if (++at[0] < block.x) continue;
    at[0] = 0;
    if (++at[1] < block.y) continue;
    at[1] = 0;
    ++at[2];
  }
}

void fill_lanes(const Warp& w, S reg, uint32_t* out) {
  if (reg == S::tid_x || reg == S::tid_y || reg == S::tid_z) return fill_places(w, reg, out);
  for (unsigned lane = 0; lane < 32; ++lane) out[lane] = lane_value(reg, lane);
}

uint64_t cluster_value(const Warp& w, S reg) {
  const Launch& launch = *w.launch;
  const Dim3 &grid = launch.grid, &size = launch.cluster;
  const uint32_t* id = w.cta->id;
  switch (reg) {
    case S::is_explicit_cluster:
      return launch.explicit_cluster ? ~0u : 0u;
    case S::clusterid_x:
      return id[0] / size.x;
    case S::clusterid_y:
      return id[1] / size.y;
    case S::clusterid_z:
      return id[2] / size.z;
    case S::nclusterid_x:
      return (grid.x + size.x - 1) / size.x;
    case S::nclusterid_y:
      return (grid.y + size.y - 1) / size.y;
    case S::nclusterid_z:
      return (grid.z + size.z - 1) / size.z;
    case S::cluster_ctaid_x:
      return id[0] % size.x;
    case S::cluster_ctaid_y:
      return id[1] % size.y;
    case S::cluster_ctaid_z:
      return id[2] % size.z;
    case S::cluster_nctaid_x:
      return size.x;
    case S::cluster_nctaid_y:
      return size.y;
    case S::cluster_nctaid_z:
      return size.z;
    case S::cluster_ctarank:
      return w.cta->cluster_rank;
    case S::cluster_nctarank:
      return size.count();
    default:
      return 0;
  }
}

uint64_t warp_value(const Warp& w, S reg) {
  const Launch& launch = *w.launch;
  if (reg >= S::envreg0 && static_cast<unsigned>(reg) < static_cast<unsigned>(S::envreg0) + 32)
    return launch.envreg[static_cast<unsigned>(reg) - static_cast<unsigned>(S::envreg0)];
  switch (reg) {
    case S::ntid_x:
      return launch.block.x;
    case S::ntid_y:
      return launch.block.y;
    case S::ntid_z:
      return launch.block.z;
    case S::warpid:
      return w.index_in_cta;
    case S::nwarpid:
      return kWarpSlots;
    case S::ctaid_x:
      return w.cta->id[0];
    case S::ctaid_y:
      return w.cta->id[1];
    case S::ctaid_z:
      return w.cta->id[2];
    case S::nctaid_x:
      return launch.grid.x;
    case S::nctaid_y:
      return launch.grid.y;
    case S::nctaid_z:
      return launch.grid.z;
    case S::smid:
      return w.cta->sm;
    case S::nsmid:
      return launch.sm_count;
    case S::gridid:
      return launch.grid_id;
    case S::total_smem_size:
    case S::aggr_smem_size:
      return launch.shared_bytes;
    case S::dynamic_smem_size:
      return launch.dynamic_shared_bytes;
    default:
      return cluster_value(w, reg);
  }
}

// Without time the clock counts instructions, and a wait of milliseconds would be millions of them in each
// block. A loop that waits reads the clock every few instructions, at one place. After so many reads in a row
// each next one adds twice as much as the last, up to a millisecond or so.
uint64_t timeless_clock(Warp& w) {
  constexpr uint64_t kShortLoop = 64;
  constexpr uint32_t kReadsOfAWait = 1024, kDoublings = 20;
  ClockWatch& watch = w.clock_watch;
  const bool again = watch.pc == w.pc && w.executed - watch.at <= kShortLoop;
  watch = {w.pc, again ? watch.reads + 1 : 0, w.executed};
  if (watch.reads > kReadsOfAWait)
    w.launch->clock_ahead += uint64_t{1} << std::min(watch.reads - kReadsOfAWait, kDoublings);
  return w.now + w.executed + w.launch->clock_ahead;
}

}  // namespace

uint64_t read_dynamic(Warp& w, SpecialRegister reg) {
  const uint64_t cycles = w.now_counts_executed ? timeless_clock(w) : w.now;
  // Nanoseconds without overflow: whole seconds apart.
  const uint64_t hz = w.launch->clock_hz ? w.launch->clock_hz : 1'000'000'000;
  const uint64_t ns = cycles / hz * 1'000'000'000 + cycles % hz * 1'000'000'000 / hz;
  switch (reg) {
    case S::clock:
      return static_cast<uint32_t>(cycles);
    case S::clock_hi:
      return cycles >> 32;
    case S::clock64:
      return cycles;
    case S::globaltimer:
      return ns;
    case S::globaltimer_lo:
      return static_cast<uint32_t>(ns);
    case S::globaltimer_hi:
      return ns >> 32;
    default:
      return 0;  // performance counters count nothing
  }
}

void fill_specials(Warp& w, const FunctionCode& code) {
  for (const SpecialRow& special : code.specials) {
    const SpecialInfo& facts = info(special.reg);
    if (facts.kind == SpecialKind::kDynamic) continue;
    uint8_t* at = w.regs + special.place.at;
    const bool by_lane = facts.kind == SpecialKind::kLane;
    const uint64_t common = by_lane ? 0 : warp_value(w, special.reg);
    if (facts.type == Type::kPred) {
      *reinterpret_cast<uint32_t*>(at) = static_cast<uint32_t>(common);
      continue;
    }
    if (by_lane)
      fill_lanes(w, special.reg, reinterpret_cast<uint32_t*>(at));
    else if (bits(facts.type) == 64)
      std::fill_n(reinterpret_cast<uint64_t*>(at), 32, common);
    else
      std::fill_n(reinterpret_cast<uint32_t*>(at), 32, static_cast<uint32_t>(common));
  }
}

}  // namespace gpuloom::ptx
