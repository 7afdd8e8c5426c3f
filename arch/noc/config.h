// SPDX-License-Identifier: Apache-2.0
// The network between SMs and L2, and between the SMs of a cluster: the group `noc`. Cycles are core cycles.
#pragma once
#include <cstdint>

namespace gpuloom {
class ConfigView;
}

namespace gpuloom::arch {

struct NocConfig {
  uint32_t request_latency = 0, reply_latency = 0;  // one way, without contention
  uint32_t far_partition_extra = 0;                 // to the other L2 partition and back, its slice included
  uint32_t distance_span = 0;  // between a side's two ends, there and back; the latencies are means
  uint32_t gpc_ports = 0;      // ports towards L2 that the TPCs of a GPC take in turn
  // Widths, bytes a core cycle.
  double sm_request_bytes = 0, sm_reply_bytes = 0, port_request_bytes = 0, gpc_reply_bytes = 0;
  double slice_bytes = 0, fabric_bytes = 0;
  uint32_t reply_wait = 0;     // for a GPC's port, of answers that hold up nothing else
  uint32_t merge_entries = 0;  // lines that a GPC can merge at a time
  uint32_t merged_reads = 0;   // SMs of a GPC that one read may serve
  uint32_t packet_header = 0;
  uint32_t cluster_latency = 0;                      // round trip between SMs of a cluster
  double cluster_bytes = 0, cluster_send_bytes = 0;  // an SM's ports for it, in and out
  uint32_t sm_writes = 0;  // sectors that an SM writes beyond itself without an answer
};

NocConfig read_noc_config(const ConfigView& view);

}  // namespace gpuloom::arch
