// SPDX-License-Identifier: Apache-2.0
#include "arch/gpc/config.h"

#include <numeric>
#include <string>

#include "arch/policy/reading.h"
#include "base/config/config_view.h"

namespace gpuloom::arch {

uint32_t GpcConfig::sm_count() const { return std::accumulate(sms.begin(), sms.end(), 0u); }

GpcConfig read_gpc_config(const ConfigView& view) {
  GpcConfig g;
  g.count = view.count("count", 1, 64);
  g.sms_per_tpc = view.count("sms_per_tpc", 1, 8);
  for (int64_t n : view.integers("sms", 1, 64)) g.sms.push_back(static_cast<uint32_t>(n));
  if (g.sms.size() != g.count && view.sound("gpc.count") && view.sound("gpc.sms"))
    view.problem(
        "sms", "must list the SMs of each of the `count` GPCs",
        "count is " + std::to_string(g.count) + ", and " + std::to_string(g.sms.size()) + " are listed");
  g.cluster_groups = g.sms;
  if (view.has("cluster_groups")) {
    g.cluster_groups.clear();
    for (int64_t n : view.integers("cluster_groups", 1, 64))
      g.cluster_groups.push_back(static_cast<uint32_t>(n));
    size_t next = 0;
    for (uint32_t left : g.sms)
      for (; left > 0 && next < g.cluster_groups.size() && g.cluster_groups[next] <= left; ++next)
        left -= g.cluster_groups[next];
    if (next != g.cluster_groups.size() ||
        std::accumulate(g.cluster_groups.begin(), g.cluster_groups.end(), 0u) != g.sm_count())
      view.problem("cluster_groups", "must divide each GPC of `sms` in order; no group may cross two GPCs",
                   "omit it to use the GPCs themselves");
  }
  g.order = read_policy<policy::BlockOrder>(view, "order", "block_order");
  g.grids = read_policy<policy::GridOrder>(view, "grids", "grid_order");
  g.blocks_per_cycle = view.number("blocks_per_cycle", 0.001, 64);
  g.block_end_latency = view.cycles("block_end_latency", 0, 100000);
  g.block_end_interval = view.number("block_end_interval", 0, 1000);
  g.block_interval = view.cycles("block_interval", 0, 100000);
  g.warp_interval = view.number("warp_interval", 0, 1000);
  g.tpc_stagger = view.cycles("tpc_stagger", 0, 100000);
  g.block_launch_latency = view.cycles("block_launch_latency", 1, 100000);
  return g;
}

}  // namespace gpuloom::arch
