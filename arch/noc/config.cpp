// SPDX-License-Identifier: Apache-2.0
#include "arch/noc/config.h"

#include <algorithm>

#include "base/config/config_view.h"

namespace gpuloom::arch {

NocConfig read_noc_config(const ConfigView& view) {
  NocConfig n;
  n.request_latency = view.cycles("request_latency", 1, 100000);
  n.reply_latency = view.cycles("reply_latency", 1, 100000);
  n.far_partition_extra = view.cycles("far_partition_extra", 0, 100000);
  n.sm_request_bytes = view.bytes_per_cycle("sm_request_bytes");
  n.sm_reply_bytes = view.bytes_per_cycle("sm_reply_bytes");
  n.distance_span = view.cycles("distance_span", 0, 3 * std::min(n.request_latency, n.reply_latency));
  n.gpc_ports = view.count("gpc_ports", 1, 64);
  n.port_request_bytes = view.bytes_per_cycle("port_request_bytes");
  n.gpc_reply_bytes = view.bytes_per_cycle("gpc_reply_bytes");
  n.reply_wait = view.cycles("reply_wait", 0, 10000000);
  n.fabric_bytes = view.bytes_per_cycle("fabric_bytes");
  n.merge_entries = view.count("merge_entries", 1, 65536);
  n.merged_reads = view.count("merged_reads", 1, 64);
  n.slice_bytes = view.bytes_per_cycle("slice_bytes");
  n.packet_header = static_cast<uint32_t>(view.size_bytes("packet_header", 0, 1024));
  n.cluster_latency = view.cycles("cluster_latency", 2, 100000);
  n.cluster_bytes = view.bytes_per_cycle("cluster_bytes");
  n.cluster_send_bytes = view.bytes_per_cycle("cluster_send_bytes");
  n.sm_writes = view.count("sm_writes", 1, 65536);
  return n;
}

}  // namespace gpuloom::arch
