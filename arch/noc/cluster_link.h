// SPDX-License-Identifier: Apache-2.0
// An SM's ports to the network between the SMs of a cluster: one way out, which requests and answers to
// others' requests share, and one way in.
#pragma once
#include <array>

#include "arch/noc/bandwidth.h"
#include "arch/noc/config.h"

namespace gpuloom::arch {

class ClusterLink {
 public:
  explicit ClusterLink(const NocConfig& config)
      : out_(config.cluster_send_bytes), in_(config.cluster_bytes) {}
  // When the last of `flits` has left, or arrived, that could go from `at` on.
  Cycle send(Cycle at, unsigned flits) { return pass(out_, at, flits * kSectorBytes); }
  Cycle receive(Cycle at, unsigned flits) { return pass(in_, at, flits * kSectorBytes); }
  // The same of what goes to shared memory here and takes `passes` there, one a cycle.
  Cycle receive_write(Cycle at, unsigned flits, unsigned passes) {
    const Cycle last = receive(at, flits);
    for (Cycle k = 0; k < passes && k <= last; ++k) writes_[(last - k) % writes_.size()] = last - k;
    return last;
  }
  bool writes_at(Cycle cycle) const { return cycle != 0 && writes_[cycle % writes_.size()] == cycle; }

 private:
  static Cycle pass(BandwidthCalendar& port, Cycle at, uint32_t bytes) {
    return port.reserve(at, bytes) + port.transfer(bytes);
  }
  BandwidthCalendar out_, in_;
  std::array<Cycle, 1024> writes_{};  // of late, by cycle
};

}  // namespace gpuloom::arch
