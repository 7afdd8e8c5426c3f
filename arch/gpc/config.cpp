// SPDX-License-Identifier: Apache-2.0
#include "arch/gpc/config.h"

#include <numeric>

#include "sim/base/config/config_view.h"

namespace gpuloom::arch {

uint32_t GpcConfig::sm_count() const { return std::accumulate(sms.begin(), sms.end(), 0u); }

GpcConfig read_gpc_config(const ConfigView& view) {
  GpcConfig g;
  g.count = view.count("count", 1, 64);
  g.sms_per_tpc = view.count("sms_per_tpc", 1, 8);
  for (int64_t n : view.integers("sms", 1, 64)) g.sms.push_back(static_cast<uint32_t>(n));
  if (g.sms.size() != g.count) view.problem("sms", "must list the SMs of each of the `count` GPCs");
  g.blocks_per_cycle = view.count("blocks_per_cycle", 1, 64);
  g.block_launch_latency = view.cycles("block_launch_latency", 1, 100000);
  return g;
}

}  // namespace gpuloom::arch
