// SPDX-License-Identifier: Apache-2.0
#include "arch/gpc/occupancy.h"

#include <algorithm>

namespace gpuloom::arch {
namespace {

uint32_t round_up(uint32_t value, uint32_t unit) { return unit ? (value + unit - 1) / unit * unit : value; }

uint32_t register_limit(const SmConfig& sm, const KernelResources& k, uint32_t warps, uint32_t& allocated) {
  const LimitsConfig& l = sm.limits;
  allocated = 0;
  if (k.registers_per_thread == 0) return kUnlimited;
  const uint32_t per_warp = round_up(k.registers_per_thread * kWarpSize, l.register_allocation_unit);
  const uint32_t whole = per_warp * round_up(warps, sm.sub_cores);
  allocated = per_warp * warps;
  if (k.registers_per_thread > l.registers_asked_max || whole > l.registers_per_block) return 0;
  const uint32_t warps_per_sub = l.registers_per_sm / sm.sub_cores / per_warp;
  return warps_per_sub * sm.sub_cores / warps;
}

uint32_t round_to_carveout(const LimitsConfig& l, uint32_t bytes) {
  for (uint32_t size : l.shared_carveouts)
    if (size >= bytes) return size;
  return l.shared_carveouts.back();
}

uint32_t shared_limit(const LimitsConfig& l, const KernelResources& k, Occupancy& o) {
  const uint32_t asked = k.shared_static + k.shared_dynamic;
  o.allocated_shared = round_up(asked + l.shared_reserved_per_block, l.shared_allocation_unit);
  const uint32_t most =
      (k.optin && asked > l.shared_per_block ? l.shared_per_block_optin : l.shared_per_block) +
      l.shared_reserved_per_block;
  const uint32_t preferred = k.carveout_percent < 0
                                 ? l.shared_per_sm
                                 : static_cast<uint32_t>(uint64_t{l.shared_per_sm} *
                                                         static_cast<uint32_t>(k.carveout_percent) / 100);
  o.carveout = round_to_carveout(l, std::max(preferred, o.allocated_shared));
  if (o.allocated_shared > most) return 0;
  return o.allocated_shared ? o.carveout / o.allocated_shared : kUnlimited;
}

}  // namespace

Occupancy occupancy(const GpuConfig& config, const KernelResources& k) {
  const LimitsConfig& l = config.sm.limits;
  Occupancy o;
  o.warps_per_block = (k.threads + kWarpSize - 1) / kWarpSize;
  o.limit_blocks = l.blocks_per_sm;
  o.limit_warps = k.threads == 0 || k.threads > l.threads_per_block ? 0 : l.warps_per_sm / o.warps_per_block;
  o.limit_registers =
      o.warps_per_block ? register_limit(config.sm, k, o.warps_per_block, o.allocated_registers) : 0;
  o.limit_shared = shared_limit(l, k, o);
  o.limit_barriers = kUnlimited;
  const IdealOccupancy& ideal = config.sm.ideal.occupancy;
  if (ideal.registers && o.limit_registers != 0) o.limit_registers = kUnlimited;
  if (ideal.shared && o.limit_shared != 0) o.limit_shared = kUnlimited;
  if (l.barriers_per_sm > 0 && k.barriers > 0) o.limit_barriers = l.barriers_per_sm / k.barriers;
  o.blocks = std::min({o.limit_warps, o.limit_registers, o.limit_shared, o.limit_blocks, o.limit_barriers});
  return o;
}

uint32_t max_active_clusters(const GpuConfig& config, const Occupancy& one, uint32_t cluster_blocks) {
  if (cluster_blocks == 0) return 0;
  const uint32_t places = std::min(one.blocks, config.sm.limits.cluster_blocks_per_sm);
  uint32_t clusters = 0;
  for (uint32_t sms : config.gpc.cluster_groups)
    if (sms >= cluster_blocks) clusters += sms * places / cluster_blocks;
  return clusters;
}

uint32_t max_potential_cluster_size(const GpuConfig& config, const Occupancy& one, bool nonportable) {
  const LimitsConfig& l = config.sm.limits;
  uint32_t size = nonportable ? l.cluster_max : l.cluster_portable;
  while (size > 0 && max_active_clusters(config, one, size) == 0) size /= 2;
  return size;
}

BlockChoice max_potential_block_size(const GpuConfig& config, KernelResources kernel, uint32_t most,
                                     const std::function<uint32_t(uint32_t)>& dynamic) {
  const LimitsConfig& l = config.sm.limits;
  const uint32_t largest = most ? std::min(most, l.threads_per_block) : l.threads_per_block;
  BlockChoice best;
  uint32_t best_threads = 0;
  for (uint32_t step = round_up(largest, kWarpSize); step > 0; step -= kWarpSize) {
    kernel.threads = std::min(largest, step);
    if (dynamic) kernel.shared_dynamic = dynamic(kernel.threads);
    const uint32_t blocks = occupancy(config, kernel).blocks, threads = blocks * kernel.threads;
    if (threads <= best_threads) continue;
    best_threads = threads;
    best = {kernel.threads, blocks * config.sm_count()};
  }
  return best;
}

// As the driver chose on 792 launches of an H200 and an H100 (metrics.csv.gz of bench/silicon and of its
// sets, launch__shared_mem_config_size): all of them by this rule, 296 by the smallest that does not limit
// blocks. One block, or two that fill the SM's warps, get no more than they need. Without shared memory of
// its own a kernel's registers do not count.
uint32_t launch_carveout(const GpuConfig& config, const KernelResources& kernel, const Occupancy& o) {
  const LimitsConfig& l = config.sm.limits;
  if (kernel.carveout_percent >= 0) return o.carveout;
  if (o.allocated_shared == 0) return l.shared_carveouts.front();
  if (kernel.shared_static + kernel.shared_dynamic == 0) {
    const uint32_t blocks = std::min(l.blocks_per_sm, l.carveout_room.plain_times * o.limit_warps);
    return round_to_carveout(l, blocks * o.allocated_shared);
  }
  const uint32_t fit = std::max(1u, l.shared_per_sm / o.allocated_shared);
  const uint32_t taken =
      std::clamp(std::min({o.limit_warps, o.limit_registers, o.limit_blocks, o.limit_barriers}), 1u, fit);
  const uint32_t needed = taken * o.allocated_shared;
  if (taken == 1 || (taken == 2 && o.limit_warps == 2)) return round_to_carveout(l, needed);
  const CarveoutRoom& room = l.carveout_room;
  const uint32_t blocks = std::min({taken * room.times, taken + room.more, l.blocks_per_sm});
  return round_to_carveout(l, std::max(needed, std::min(blocks * o.allocated_shared, room.most)));
}

}  // namespace gpuloom::arch
