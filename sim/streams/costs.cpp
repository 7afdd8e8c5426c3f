// SPDX-License-Identifier: Apache-2.0
#include "sim/streams/costs.h"

#include <algorithm>

#include "base/config/config.h"

namespace gpuloom::host {
namespace {

Time picoseconds(double nanoseconds, double bytes, double bandwidth) {
  return static_cast<Time>(nanoseconds * 1e3 + bytes / bandwidth * 1e12);
}

}  // namespace

Costs::Costs(const Config& config) : host_(arch::read_host_config(config.root().child("host"))) {
  link_ = arch::read_link_config(config.root().child("link"));
  static_assert(arch::kHostCalls.size() == static_cast<size_t>(Call::kCount));
  event_resolution_ = std::max<Time>(1, picoseconds(host_.event_resolution_ns, 0, 1));
  dram_bandwidth_ = config.root().child("dram").bandwidth("bandwidth");
}

Time Costs::of_copy(Route route, uint64_t bytes) const {
  const auto n = static_cast<double>(bytes);
  switch (route) {
    case Route::kToDevice:
      return picoseconds(host_.pcie_latency_ns, n, host_.pcie_bandwidth);
    case Route::kFromDevice:
      return picoseconds(host_.pcie_return_latency_ns, n, host_.pcie_bandwidth);
    case Route::kPageableToDevice:
      return picoseconds(host_.pcie_latency_ns, n, host_.pageable_bandwidth);
    case Route::kPageableFromDevice:
      return picoseconds(host_.pageable_return_latency_ns, n, host_.pageable_bandwidth);
    case Route::kDevice:
      return picoseconds(host_.device_copy_latency_ns, 2 * n, dram_bandwidth_);  // read and written
    case Route::kPeer:
      return of_peer_copy(bytes, !link_.present());
    case Route::kHost:
      break;
  }
  return 0;  // the host's own work is free
}

// Through the host where the GPUs have no access to each other.
Time Costs::of_peer_copy(uint64_t bytes, bool staged) const {
  const auto n = static_cast<double>(bytes);
  if (staged) {  // a chunk goes to the host and on behind each other
    const auto chunk = static_cast<double>(std::min(bytes, link_.staged_chunk));
    return picoseconds(link_.staged_start_ns, n + chunk, link_.staged_bandwidth);
  }
  return picoseconds(link_.copy_start_ns + link_.latency_ns, n, link_.links * link_.link_bandwidth);
}

Time Costs::of_peer_copy_call() const { return picoseconds(link_.copy_call_ns, 0, 1); }

Time Costs::of_call(Call call) const { return picoseconds(host_.call_ns[static_cast<size_t>(call)], 0, 1); }

Time Costs::of_staging(uint64_t bytes) const {
  if (is_inline(bytes)) return picoseconds(0, static_cast<double>(bytes), host_.inline_bandwidth);
  if (bytes > host_.last_cache) return picoseconds(0, static_cast<double>(bytes), host_.uncached_bandwidth);
  const uint64_t cached = std::min(bytes, host_.pageable_cached);
  return picoseconds(0, static_cast<double>(cached), host_.cached_bandwidth) +
         picoseconds(0, static_cast<double>(bytes - cached), host_.pageable_bandwidth);
}

Time Costs::of_chunks_before_last(uint64_t bytes) const {
  const uint64_t chunk = std::max<uint64_t>(1, host_.pageable_chunk);
  return picoseconds(0, static_cast<double>((bytes - 1) / chunk * chunk), host_.pcie_bandwidth);
}

Time Costs::of_event() const { return picoseconds(host_.event_ns, 0, 1); }
Time Costs::of_stream_wait() const { return picoseconds(host_.stream_wait_ns, 0, 1); }

Time Costs::of_fill(uint64_t bytes) const {
  return picoseconds(host_.device_copy_latency_ns, static_cast<double>(bytes), dram_bandwidth_);
}

}  // namespace gpuloom::host
