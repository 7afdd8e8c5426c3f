// SPDX-License-Identifier: Apache-2.0
#include "arch/noc/topology.h"

#include <cmath>

namespace gpuloom::arch {
namespace {

constexpr double kMean = 1.0 / 3;  // of the distance of two places anywhere on the line

}  // namespace

Topology::Topology(const GpuConfig& config, const policy::AddressHash& hash)
    : ports_per_gpc_(config.noc.gpc_ports),
      ports_(config.gpc.count * config.noc.gpc_ports),
      slices_(config.l2.slices),
      farther_(size_t{ports_} * slices_) {
  for (unsigned g = 0; g < config.gpc.count; ++g)
    for (unsigned i = 0; i < config.gpc.sms[g]; ++i)
      port_of_.push_back(static_cast<uint16_t>(first_port(g) + i / config.gpc.sms_per_tpc % ports_per_gpc_));
  const unsigned sides = config.l2.partitions, slices = slices_ / sides;
  const unsigned gpcs = (config.gpc.count + sides - 1) / sides;  // of a side
  for (unsigned port = 0; port < ports_; ++port) {
    // A GPC's place is one behind its number: SM 0 of the H200 is neither at the line's end nor in its
    // middle.
    const unsigned gpc = (port / ports_per_gpc_ + 1) % gpcs;
    const double here =
        policy::middle_of_place(gpc * ports_per_gpc_ + port % ports_per_gpc_, gpcs * ports_per_gpc_);
    for (unsigned s = 0; s < slices_; ++s) {
      const double there = hash.along(s % slices);
      farther_[size_t{port} * slices_ + s] =
          static_cast<int16_t>(std::lround(config.noc.distance_span * (std::abs(here - there) - kMean)));
    }
  }
}

}  // namespace gpuloom::arch
