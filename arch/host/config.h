// SPDX-License-Identifier: Apache-2.0
// The side towards the host: the groups `launch` and `host`, and how blocks are handed out (`gpc`).
#pragma once
#include <array>
#include <cstdint>

namespace gpuloom {
class ConfigView;
}

namespace gpuloom::arch {

struct LaunchConfig {
  uint32_t overhead_cycles = 0;  // of a kernel, before its first block
  // What is left of it for a launch that has waited at the GPU: behind others in a stream, or in a graph.
  uint32_t queued_overhead_cycles = 0, graph_overhead_cycles = 0;
  // The same of one that begins when the kernel before it lets it (programmatic dependent launch), and from
  // that kernel's end to the first instruction behind griddepcontrol.wait.
  uint32_t dependent_overhead_cycles = 0, dependent_wait_cycles = 0;
  // And both of those in a graph.
  uint32_t graph_dependent_overhead_cycles = 0, graph_wait_cycles = 0;
  // Of a grid that a kernel launches: its thread's time, from there to the front end, and then to the first
  // block; and from the end of all others to one at the tail.
  double child_call_ns = 0;
  uint32_t child_cycles = 0, child_overhead_cycles = 0, tail_cycles = 0;
  uint32_t interval_cycles = 0;  // from one kernel's start to the next
  uint32_t drain_cycles = 0;     // after its last
  uint32_t release_cycles = 0;   // after its last store has been answered, where it stored
  uint32_t flush_cycles = 0;     // after its last block, where it read or wrote memory
  // At a launch each GPC reads the kernel's code, in blocks of so many bytes, and the launch's own data.
  uint32_t fetch_bytes = 0, code_block = 0;
  double host_latency_ns = 0;  // from the call to the front end
  uint32_t queues = 1;         // of hardware, between which streams are divided
};

LaunchConfig read_launch_config(const ConfigView& view);

struct HostConfig {
  uint32_t copy_engines = 1;
  double pcie_bandwidth = 0, pageable_bandwidth = 0;  // bytes a second
  // Pageable memory: up to so many bytes are written behind the command, by the host at one rate, and taken
  // from there by the device at another. More goes through a buffer in chunks, and so many of them come from
  // the host's caches.
  uint64_t pageable_inline = 0, pageable_chunk = 0, pageable_cached = 0;
  double inline_bandwidth = 0, inline_rate = 0, cached_bandwidth = 0;
  // What is larger than the host's last cache is copied at another rate.
  uint64_t last_cache = 0;
  double uncached_bandwidth = 0;
  // Of a copy within the device, of each SM: a cycle, and on their way at most.
  double device_copy_bytes = 0;
  uint64_t device_copy_window = 0;
  // Of a small copy, from its begin to its end: to the device, from it, within it.
  double pcie_latency_ns = 0, pcie_return_latency_ns = 0, pageable_return_latency_ns = 0,
         device_copy_latency_ns = 0, fill_latency_ns = 0, inline_latency_ns = 0;
  double copy_gap_ns = 0;  // from an engine's copy to its next
  double event_ns = 0;     // from an event with time to what comes behind it
  double event_resolution_ns = 0;
  double stream_wait_ns = 0;  // of the front end, for a stream that waits for another's event
  double switch_ns = 0;       // from a unit (kernels, copies of a way) to what comes behind it on another
  double copy_seen_ns = 0;    // from a copy's end to what comes behind it on the kernels' unit
  uint64_t fill_inline = 0;   // fills up to so many take no place on the SMs
  uint64_t inline_bytes = 0;  // copies to the device up to so many come with their command
  double command_latency_ns = 0, command_rate = 0;  // of these
  double copy_lead = 0;                             // of a small copy's time, the part before its first line
  double copy_window = 0;  // lines on their way at most, in those of an unloaded memory's latency
  // What calls take on the host, in the order of `kHostCalls`, and how much work may wait before the device.
  // Streams (sim/streams) act on both.
  std::array<double, 11> call_ns{};
  uint32_t pending = 1;
};

// The link to other GPUs, of which each has so many connections to all others together (NVLink).
struct LinkConfig {
  uint32_t links = 0;          // 0: no other GPU is reached
  double link_bandwidth = 0;   // of each, each way, bytes a second
  uint32_t packet_header = 0;  // bytes beside a packet's data, and of one without
  double latency_ns = 0;       // one way
  uint32_t copy_engines = 1;   // that copy between GPUs
  double copy_start_ns = 0;    // from the begin of such a copy to its first line
  double pull_start_ns = 0;    // from its command to that at least, where the target's GPU copies
  double copy_call_ns = 0;     // the host's time for it
  double switch_ns = 0;        // from work of another unit to such a copy that waits for it
  double stream_wait_ns = 0;   // from an event on one GPU to a stream of another that waits for it
  // Without access to each other's memory, copies go through the host's: a chunk is there before it goes on.
  double staged_bandwidth = 0, staged_start_ns = 0;
  uint64_t staged_chunk = 0;
  // What makes a copy ready beside whatever it waits for, where the target's GPU copies.
  double pull_preparation_ns() const {
    return pull_start_ns > copy_start_ns ? pull_start_ns - copy_start_ns : 0;
  }
  bool present() const { return links != 0; }
};

LinkConfig read_link_config(const ConfigView& view);

inline constexpr std::array<const char*, 11> kHostCalls = {
    "launch_call", "dependent_call", "graph_call",       "graph_node_call",
    "copy_call",   "pageable_call",  "device_copy_call", "fill_call",
    "record_call", "wait_call",      "synchronize_call"};

HostConfig read_host_config(const ConfigView& view);

}  // namespace gpuloom::arch
