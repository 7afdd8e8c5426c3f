// SPDX-License-Identifier: Apache-2.0
#include "arch/host/config.h"

#include "base/config/config_view.h"

namespace gpuloom::arch {
namespace {

constexpr const char* kOneKernel =
    "one kernel runs at a time, and the host's side is not modelled in this version";

}  // namespace

LaunchConfig read_launch_config(const ConfigView& view) {
  LaunchConfig l;
  l.overhead_cycles = view.cycles("overhead_cycles");
  l.drain_cycles = view.cycles("drain_cycles");
  l.release_cycles = view.cycles("release_cycles");
  l.fetch_bytes = static_cast<uint32_t>(view.size_bytes("fetch_bytes", 0, 1 << 20));
  l.code_block = static_cast<uint32_t>(view.size_bytes("code_block", 128, 1 << 20));
  view.nanoseconds("host_latency");
  view.count("queues", 1, 1024);
  for (const char* key : {"host_latency", "queues"}) view.information(key, kOneKernel);
  return l;
}

void check_host_config(const ConfigView& view) {
  view.count("copy_engines", 1, 64);
  for (const char* key : {"pcie_bandwidth", "pageable_bandwidth"}) view.bandwidth(key);
  for (const char* key : {"pcie_latency", "device_copy_latency"}) view.nanoseconds(key);
  for (const char* key :
       {"copy_engines", "pcie_bandwidth", "pageable_bandwidth", "pcie_latency", "device_copy_latency"})
    view.information(key, "copies between host and device take no time in this version");
}

}  // namespace gpuloom::arch
