// SPDX-License-Identifier: Apache-2.0
// Graphics processing clusters: the group `gpc`.
#pragma once
#include <cstdint>
#include <vector>

#include "arch/policy/choice.h"

namespace gpuloom {
class ConfigView;
}

namespace gpuloom::arch {

struct GpcConfig {
  uint32_t count = 0, sms_per_tpc = 0;
  std::vector<uint32_t> sms;  // of each GPC
  // Groups of SMs that a cluster may not leave, in the order of SM numbers: the GPCs, where no configuration
  // says that some TPCs of a GPC take no part in its clusters.
  std::vector<uint32_t> cluster_groups;
  PolicyChoice order;                 // in which SMs get blocks
  PolicyChoice grids;                 // whose blocks come next
  double blocks_per_cycle = 0;        // launches a cycle, all SMs together
  uint32_t block_end_latency = 0;     // from a block's end to the distributor
  double block_end_interval = 0;      // that the end of a block takes of the distributor, cycles
  uint32_t block_interval = 0;        // between the launches of two blocks to one SM
  double warp_interval = 0;           // added for each warp of the block, cycles
  uint32_t tpc_stagger = 0;           // between the first blocks of a TPC's SMs
  uint32_t block_launch_latency = 0;  // distributor to first fetch
  uint32_t sm_count() const;
};

GpcConfig read_gpc_config(const ConfigView& view);

}  // namespace gpuloom::arch
