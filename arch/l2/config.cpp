// SPDX-License-Identifier: Apache-2.0
#include "arch/l2/config.h"

#include <string>

#include "arch/policy/reading.h"
#include "arch/types.h"
#include "base/config/config_view.h"
#include "base/config/nearest_sizes.h"

namespace gpuloom::arch {

L2Config read_l2_config(const ConfigView& view, double clock_hz) {
  L2Config c;
  c.clock_hz = clock_hz;
  c.size = view.size_bytes("size", kLineBytes);
  if (view.size_bytes("line") != kLineBytes) view.problem("line", "only 128 B lines are modelled");
  if (view.size_bytes("sector") != kSectorBytes) view.problem("sector", "only 32 B sectors are modelled");
  c.slices = view.count("slices", 1, 1024);
  c.ways = view.count("ways", 1, 64);
  c.way_groups = view.count("way_groups", 1, 64);
  c.hit_latency = view.cycles("hit_latency", 0, 100000);
  c.bytes_per_cycle = view.bytes_per_cycle("bytes_per_cycle");
  c.replacement = read_policy<policy::Replacement>(view, "replacement", "replacement");
  c.hash = read_policy<policy::AddressHash>(view, "hash", "l2_hash");
  c.prefetch = read_policy<policy::Prefetcher>(view, "prefetch", "l2_prefetch");
  c.atomic_interval = view.cycles("atomic_interval", 1, 1000);
  c.atomic_part = view.number("atomic_part", 1, 64);
  c.atomic_sum = view.cycles("atomic_sum", 1, 1000);
  c.atomic_latency = view.cycles("atomic_latency", 0, 100000);
  c.partitions = view.count("partitions", 1, 2);
  c.partition_interleave =
      static_cast<uint32_t>(view.size_bytes("partition_interleave", kLineBytes, 1u << 30));
  c.request_bytes = static_cast<uint32_t>(view.size_bytes("request_bytes", 0, 4096));
  c.partial_extra = static_cast<uint32_t>(view.size_bytes("partial_extra", 0, 4096));
  c.write_extra = static_cast<uint32_t>(view.size_bytes("write_extra", 0, 4096));
  c.slice_interleave = static_cast<uint32_t>(view.size_bytes("slice_interleave", kLineBytes, 1u << 30));
  c.persisting_fraction = view.number("persisting_fraction", 0, 1);
  c.persisting_max = view.size_bytes("persisting_max");
  c.window_max = view.size_bytes("window_max");
  if (c.ways % c.way_groups) view.problem("ways", "must be a multiple of way_groups");
  if (c.slices % c.partitions)
    view.problem("slices", "must be a multiple of partitions", "which is " + std::to_string(c.partitions));
  if (c.size % (uint64_t{c.slices} * c.ways * kLineBytes))
    view.problem("size", "must be a multiple of slices times ways times line",
                 nearest_sizes(c.size, uint64_t{c.slices} * c.ways * kLineBytes));
  view.power_of_two("partition_interleave", c.partition_interleave);
  view.power_of_two("slice_interleave", c.slice_interleave);
  return c;
}

}  // namespace gpuloom::arch
