// SPDX-License-Identifier: Apache-2.0
#include "sim/streams/costs.h"

#include "arch/host/config.h"
#include "base/config/config.h"

namespace gpuloom::host {
namespace {

Time picoseconds(double nanoseconds, double bytes, double bandwidth) {
  return static_cast<Time>(nanoseconds * 1e3 + bytes / bandwidth * 1e12);
}

}  // namespace

Costs::Costs(const Config& config) {
  const ConfigView host = config.root().child("host"), dram = config.root().child("dram");
  copy_engines_ = host.count("copy_engines", 1, 64);
  pcie_bandwidth_ = host.bandwidth("pcie_bandwidth");
  pageable_bandwidth_ = host.bandwidth("pageable_bandwidth");
  pcie_latency_ = host.nanoseconds("pcie_latency");
  device_latency_ = host.nanoseconds("device_copy_latency");
  static_assert(arch::kHostCalls.size() == static_cast<size_t>(Call::kCount));
  for (size_t i = 0; i < calls_.size(); ++i)
    calls_[i] = picoseconds(host.nanoseconds(arch::kHostCalls[i]), 0, 1);
  pending_ = host.count("pending", 1, 1 << 20);
  dram_bandwidth_ = dram.bandwidth("bandwidth");
}

Time Costs::of_copy(Route route, uint64_t bytes) const {
  const auto n = static_cast<double>(bytes);
  switch (route) {
    case Route::kToDevice:
    case Route::kFromDevice:
      return picoseconds(pcie_latency_, n, pcie_bandwidth_);
    case Route::kPageableToDevice:
    case Route::kPageableFromDevice:
      return picoseconds(pcie_latency_, n, pageable_bandwidth_);
    case Route::kDevice:
      return picoseconds(device_latency_, 2 * n, dram_bandwidth_);  // read and written
    case Route::kHost:
      break;
  }
  return 0;  // the host's own work is free
}

Time Costs::of_fill(uint64_t bytes) const {
  return picoseconds(device_latency_, static_cast<double>(bytes), dram_bandwidth_);
}

}  // namespace gpuloom::host
