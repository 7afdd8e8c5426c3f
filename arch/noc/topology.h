// SPDX-License-Identifier: Apache-2.0
// Where SMs and slices stand: the port to L2 that an SM shares with others of its GPC, and how far slices
// are.
//
// The TPCs of a GPC take its ports in turn. H200 (probes/ports): of a GPC's TPCs the 1st, 4th and 7th share
// one, so that a GPC of 16 SMs has two ports of six SMs and one of four.
//
// A side's ports stand along one line, evenly, and its slices where l2.hash says that those which it numbers
// do. H200 (probes/cold, places): the distances of
// SMs of one port are the same to a cycle; nearest and farthest slice are 53 cycles apart for some ports, 72
// for others, and what is near for one is far for another.
#pragma once
#include <cstdint>
#include <vector>

#include "arch/gpu_config.h"
#include "arch/policy/interface.h"

namespace gpuloom::arch {

class Topology {
 public:
  Topology(const GpuConfig& config, const policy::AddressHash& hash);  // `hash` says where slices stand
  unsigned ports() const { return ports_; }
  unsigned port_of(unsigned sm) const { return port_of_[sm]; }
  unsigned first_port(unsigned gpc) const { return gpc * ports_per_gpc_; }
  // Cycles that a round trip takes longer than the mean one; may be negative.
  int farther(unsigned port, unsigned slice) const { return farther_[port * slices_ + slice]; }

 private:
  unsigned ports_per_gpc_, ports_, slices_;
  std::vector<uint16_t> port_of_;
  std::vector<int16_t> farther_;
};

}  // namespace gpuloom::arch
