// SPDX-License-Identifier: Apache-2.0
#include "arch/noc/topology.h"

#include <array>
#include <cmath>

namespace gpuloom::arch {
namespace {

// Of `count` places along a line of length 1, the middle of the one at `index`.
double along(unsigned index, unsigned count) { return (index + 0.5) / count; }

// Slices are numbered along the ring of l2.hash. Their distances repeat after six, as if they belonged to six
// units in turn, which stand in this order along the line. H200 (probes/memory, slices near): 343, 348, 362,
// 363, 375 and 385 cycles to slices of the near side, eight times. So the two slices of a KiB are not equally
// far, and a copy of 2 KiB waits for a far one (lat_bulk_2048).
constexpr std::array<unsigned, 6> kUnits = {1, 0, 2, 5, 3, 4};

double place_of(unsigned slice, unsigned slices) {
  constexpr unsigned kTurn = kUnits.size();
  return (kUnits[slice % kTurn] + along(slice / kTurn, (slices + kTurn - 1) / kTurn)) / kTurn;
}

constexpr double kMean = 1.0 / 3;  // of the distance of two places anywhere on the line

}  // namespace

Topology::Topology(const GpuConfig& config)
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
    const double here = along(gpc * ports_per_gpc_ + port % ports_per_gpc_, gpcs * ports_per_gpc_);
    for (unsigned s = 0; s < slices_; ++s) {
      const double there = place_of(s % slices, slices);
      farther_[size_t{port} * slices_ + s] =
          static_cast<int16_t>(std::lround(config.noc.distance_span * (std::abs(here - there) - kMean)));
    }
  }
}

}  // namespace gpuloom::arch
