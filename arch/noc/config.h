// SPDX-License-Identifier: Apache-2.0
// The network between SMs and L2, and between SMs of a cluster.
#pragma once
#include <cstdint>

namespace gpuloom {
class ConfigView;
}

namespace gpuloom::arch {

struct CrossbarConfig {
  uint32_t request_latency = 0;    // SM to slice, core cycles, without contention
  uint32_t response_latency = 0;   // slice to SM
  uint32_t far_latency = 0;        // extra, each way, to the other L2 partition
  uint32_t sm_request_bytes = 0;   // bytes a cycle from one SM
  uint32_t sm_response_bytes = 0;  // bytes a cycle to one SM
  uint32_t gpc_request_bytes = 0;  // bytes a cycle from one GPC
  uint32_t gpc_response_bytes = 0;
  uint32_t header_bytes = 0;      // of a packet
  uint32_t sm_to_sm_latency = 0;  // one way, distributed shared memory
  uint32_t sm_to_sm_bytes = 0;    // bytes a cycle into one SM
};

CrossbarConfig read_crossbar_config(const ConfigView& view);

}  // namespace gpuloom::arch
