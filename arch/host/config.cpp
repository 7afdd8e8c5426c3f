// SPDX-License-Identifier: Apache-2.0
#include "arch/host/config.h"

#include "base/config/config_view.h"

namespace gpuloom::arch {
LaunchConfig read_launch_config(const ConfigView& view) {
  LaunchConfig l;
  l.overhead_cycles = view.cycles("overhead_cycles");
  l.queued_overhead_cycles = view.cycles("queued_overhead_cycles");
  l.graph_overhead_cycles = view.cycles("graph_overhead_cycles");
  l.dependent_overhead_cycles = view.cycles("dependent_overhead_cycles");
  l.dependent_wait_cycles = view.cycles("dependent_wait_cycles");
  l.graph_dependent_overhead_cycles = view.cycles("graph_dependent_overhead_cycles");
  l.graph_wait_cycles = view.cycles("graph_wait_cycles");
  l.child_call_ns = view.nanoseconds("child_call");
  l.child_cycles = view.cycles("child_cycles");
  l.child_overhead_cycles = view.cycles("child_overhead_cycles");
  l.tail_cycles = view.cycles("tail_cycles");
  l.interval_cycles = view.cycles("interval_cycles");
  l.drain_cycles = view.cycles("drain_cycles");
  l.release_cycles = view.cycles("release_cycles");
  l.flush_cycles = view.cycles("flush_cycles");
  l.fetch_bytes = static_cast<uint32_t>(view.size_bytes("fetch_bytes", 0, 1 << 20));
  l.code_block = static_cast<uint32_t>(view.size_bytes("code_block", 128, 1 << 20));
  l.host_latency_ns = view.nanoseconds("host_latency");
  l.queues = view.count("queues", 1, 1024);
  return l;
}

HostConfig read_host_config(const ConfigView& view) {
  HostConfig h;
  h.copy_engines = view.count("copy_engines", 1, 64);
  h.pcie_bandwidth = view.bandwidth("pcie_bandwidth");
  h.pageable_bandwidth = view.bandwidth("pageable_bandwidth");
  h.pageable_inline = view.size_bytes("pageable_inline", 0, 1 << 20);
  h.pageable_chunk = view.size_bytes("pageable_chunk", 0, 1 << 30);
  h.pageable_cached = view.size_bytes("pageable_cached", 0, 1 << 30);
  h.cached_bandwidth = view.bandwidth("cached_bandwidth");
  h.inline_bandwidth = view.bandwidth("inline_bandwidth");
  h.inline_rate = view.bandwidth("inline_rate");
  h.inline_latency_ns = view.nanoseconds("inline_latency");
  h.fill_inline = view.size_bytes("fill_inline", 0, 1 << 30);
  h.device_copy_bytes = view.bytes_per_cycle("device_copy_bytes");
  h.device_copy_window = view.size_bytes("device_copy_window", 128, 1 << 30);
  h.pcie_latency_ns = view.nanoseconds("pcie_latency");
  h.pcie_return_latency_ns = view.nanoseconds("pcie_return_latency");
  h.pageable_return_latency_ns = view.nanoseconds("pageable_return_latency");
  h.copy_gap_ns = view.nanoseconds("copy_gap");
  h.event_ns = view.nanoseconds("event_time");
  h.event_resolution_ns = view.nanoseconds("event_resolution");
  h.stream_wait_ns = view.nanoseconds("stream_wait");
  h.switch_ns = view.nanoseconds("switch_time");
  h.copy_seen_ns = view.nanoseconds("copy_seen");
  h.command_latency_ns = view.nanoseconds("command_latency");
  h.command_rate = view.bandwidth("command_rate");
  h.last_cache = view.size_bytes("last_cache", 0, uint64_t{1} << 40);
  h.uncached_bandwidth = view.bandwidth("uncached_bandwidth");
  h.inline_bytes = view.size_bytes("inline_bytes", 0, 1 << 20);
  h.device_copy_latency_ns = view.nanoseconds("device_copy_latency");
  h.fill_latency_ns = view.nanoseconds("fill_latency");
  h.copy_lead = view.number("copy_lead", 0, 1);
  h.copy_window = view.number("copy_window", 0.1, 1000);
  for (size_t k = 0; k < kHostCalls.size(); ++k) h.call_ns[k] = view.nanoseconds(kHostCalls[k]);
  h.pending = static_cast<uint32_t>(view.count("pending", 1, 1 << 20));
  return h;
}

LinkConfig read_link_config(const ConfigView& view) {
  LinkConfig l;
  l.links = view.count("links", 0, 1024);
  l.link_bandwidth = view.bandwidth("link_bandwidth");
  l.packet_header = static_cast<uint32_t>(view.size_bytes("packet_header", 1, 1 << 10));
  l.latency_ns = view.nanoseconds("latency");
  l.copy_engines = view.count("copy_engines", 1, 64);
  l.copy_start_ns = view.nanoseconds("copy_start");
  l.pull_start_ns = view.nanoseconds("pull_start");
  l.copy_call_ns = view.nanoseconds("copy_call");
  l.switch_ns = view.nanoseconds("switch_time");
  l.staged_bandwidth = view.bandwidth("staged_bandwidth");
  l.staged_start_ns = view.nanoseconds("staged_start");
  l.staged_chunk = view.size_bytes("staged_chunk");
  l.stream_wait_ns = view.nanoseconds("stream_wait");
  return l;
}

}  // namespace gpuloom::arch
