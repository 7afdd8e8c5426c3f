// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace gpuloom {
class ConfigView;
}

namespace gpuloom::arch {

struct WorkDistributorConfig {
  uint32_t launch_latency = 0;      // kernel start to the first block's first instruction
  uint32_t finish_latency = 0;      // last block's end to the kernel's end
  uint32_t block_latency = 0;       // a freed slot to the first instruction of the next block
  uint32_t block_interval = 1;      // cycles between two blocks that are handed out
  uint32_t cluster_max_blocks = 0;  // 0: no clusters
  uint32_t cluster_portable_blocks = 0;
};

WorkDistributorConfig read_work_distributor_config(const ConfigView& view);

}  // namespace gpuloom::arch
