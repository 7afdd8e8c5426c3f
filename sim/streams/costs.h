// SPDX-License-Identifier: Apache-2.0
// Simulated time of the host's side, and what copies take of it: the group `host` of a configuration.
#pragma once
#include <cstddef>
#include <cstdint>

#include "arch/host/config.h"

namespace gpuloom {
class Config;
}

namespace gpuloom::host {

using Time = int64_t;  // picoseconds since the program's first call

// Which way a copy goes, and whether the host's side of it is pinned.
enum class Route : uint8_t {
  kToDevice,
  kFromDevice,
  kPageableToDevice,
  kPageableFromDevice,
  kDevice,
  kPeer,
  kHost
};

// Calls that take the host's time.
enum class Call : uint8_t {
  kLaunch,
  kDependentLaunch,
  kGraph,
  kGraphNode,
  kCopy,
  kPageableCopy,
  kDeviceCopy,
  kFill,
  kRecord,
  kWait,
  kSynchronise,
  kCount
};

class Costs {
 public:
  // Reads host.* and dram.bandwidth.
  explicit Costs(const Config& config);
  Time of_copy(Route route, uint64_t bytes) const;
  Time of_peer_copy(uint64_t bytes, bool staged) const;
  // The host's time for one.
  Time of_peer_copy_call() const;
  Time of_fill(uint64_t bytes) const;
  unsigned copy_engines() const { return host_.copy_engines; }
  // What a call takes on the host, beside what it asks for.
  Time of_call(Call call) const;
  // And one that copies pageable memory to the device, for the host's copying; and the link's time for all
  // chunks but the last, which passes meanwhile.
  Time of_staging(uint64_t bytes) const;
  Time of_chunks_before_last(uint64_t bytes) const;
  bool is_inline(uint64_t pageable_bytes) const { return pageable_bytes <= host_.pageable_inline; }
  // What an event with time, and a wait for another stream's, take on the device.
  Time of_event() const;
  // The time that an event tells.
  Time readable(Time at) const { return at - at % event_resolution_; }
  Time of_stream_wait() const;
  // Pieces of work that may stand before the device.
  size_t pending() const { return host_.pending; }
  double dram_bandwidth() const { return dram_bandwidth_; }

 private:
  arch::HostConfig host_;
  arch::LinkConfig link_;
  Time event_resolution_ = 1;
  double dram_bandwidth_ = 0;  // bytes a second
};

}  // namespace gpuloom::host
