// SPDX-License-Identifier: Apache-2.0
// The network from SMs through their GPC to the L2 slices, and back. One way takes a fixed latency plus the
// wait for the ports on the way: SM (modelled in the SM), GPC, slice; slice, GPC, SM.
#pragma once
#include <memory>
#include <vector>

#include "arch/gpu_config.h"
#include "arch/noc/bandwidth.h"
#include "sim/base/stats/stats.h"
#include "sim/kernel/memory_socket.h"
#include "sim/kernel/module.h"

namespace gpuloom::arch {

struct CrossbarStats : stats::Group {
  stats::Counter requests{this, "sim__noc_requests", "request", "Packets from SMs to L2."};
  stats::Counter request_bytes{this, "sim__noc_request_bytes", "byte",
                               "Bytes from SMs to L2, headers included."};
  stats::Counter reply_bytes{this, "sim__noc_reply_bytes", "byte", "Bytes from L2 to SMs, headers included."};
  stats::Counter wait_cycles{this, "sim__noc_wait_cycles", "cycle",
                             "Cycles that packets waited for ports, summed over packets."};
};

class Crossbar : public sim::Module {
 public:
  Crossbar(const sim::ModuleName& name, const GpuConfig& config);
  sim::MemoryInitiator& port(unsigned slice) { return *ports_[slice]; }
  // Carries a request that left its SM at request.time to its slice and the answer back: request.time becomes
  // the arrival at the SM.
  void transport(sim::MemoryRequest& request, unsigned gpc);
  unsigned slice_of(uint64_t line) const;
  CrossbarStats stats;

 private:
  const GpuConfig& config_;
  unsigned slices_per_partition_;
  std::vector<std::unique_ptr<sim::MemoryInitiator>> ports_;
  std::vector<BandwidthCalendar> gpc_out_, gpc_in_, sm_in_, slice_in_, slice_out_;
};

// Spreads line addresses: no power-of-two stride may pile up on a few slices. NVIDIA's function is not known
// (Jin et al., MICRO 2024).
inline uint64_t mix_address(uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdull;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ull;
  return x ^ (x >> 33);
}

}  // namespace gpuloom::arch
