// SPDX-License-Identifier: Apache-2.0
// The network from SMs through a port of their GPC to the L2 slices of its side, and back. One way takes a
// latency that hangs on the slice's distance, plus the wait for the ports on the way: SM (modelled in the
// SM), the port that some SMs of a GPC share, slice; slice, GPC, SM. A GPC asks once for what several
// of its SMs read at the same time.
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "arch/gpu_config.h"
#include "arch/noc/bandwidth.h"
#include "arch/noc/topology.h"
#include "arch/systemc/memory_socket.h"
#include "arch/systemc/module.h"
#include "base/stats/stats.h"

namespace gpuloom::arch {

struct CrossbarStats : stats::Group {
  stats::Counter requests{this, "sim__noc_requests", "request", "Packets from SMs to L2."};
  stats::Counter merged{this, "sim__noc_merged_requests", "request",
                        "Reads that were answered together with another SM's of the same GPC."};
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
  // The same for the GPC's own cache of instructions and constants: nothing arrives at an SM.
  void fetch_for_gpc(sim::MemoryRequest& request, unsigned gpc);
  // The same for a copy engine, which asks the slice of the address's side and has a way of its own to it.
  // What kernels do for the host asks the slice of their SM's side of L2.
  void transport_for_host(sim::MemoryRequest& request, std::optional<uint32_t> side = std::nullopt);
  void start_kernel();
  // What transport() will look at: the slice, when about the request comes there, and whether that is the
  // address's side. The host's caches may bring the crossbar's part.
  struct Ahead {
    unsigned slice;
    Cycle arrives;
    bool home;
  };
  Ahead prefetch(const sim::MemoryRequest& request, unsigned gpc);
  CrossbarStats stats;

 private:
  // The latest read of a line, on its way for one or more SMs of a GPC.
  struct Joint {
    uint64_t line = UINT64_MAX;
    Cycle sent = 0, closed = 0, answered = 0;
    uint8_t sectors = 0, merged = 0;
  };
  // A slice whose answer a GPC cannot take: when it came to that, and when the slice goes on.
  struct Held {
    Cycle from = 0, until = 0;
  };
  size_t joint_of(unsigned gpc, uint64_t line) const {
    const uint64_t hash = line / kLineBytes * 0x9E3779B97F4A7C15ull >> 32;
    return gpc * config_.noc.merge_entries + hash % config_.noc.merge_entries;
  }
  unsigned side_of(unsigned gpc) const { return gpc * config_.l2.partitions / config_.gpc.count; }
  // A GPC asks the slices of its own side.
  unsigned slice_for(unsigned gpc, policy::L2Place place) const {
    return side_of(gpc) * slices_per_partition_ + place.index;
  }
  // Where the hash puts a line. prefetch() asks, and send() soon after: the latest answers are kept.
  struct KeptPlace {
    uint64_t line = UINT64_MAX;
    policy::L2Place place;
  };
  const policy::L2Place& place_of(uint64_t line) {
    KeptPlace& kept = kept_places_[line / kLineBytes % kept_places_.size()];
    if (kept.line != line) kept = {line, hash_->place(line)};
    return kept.place;
  }
  Cycle send(sim::MemoryRequest& request, unsigned gpc, unsigned port, unsigned out);
  Cycle answer(unsigned gpc, Cycle done, Cycle way, unsigned bytes);
  Cycle open_for(Cycle in_slice) const;
  // From a port to the slice of the last request sent, and from there: half of the distance each.
  Cycle way_out(unsigned port) const {
    return static_cast<Cycle>(int64_t{config_.noc.request_latency} + topology_.farther(port, place_) / 2);
  }
  Cycle way_back(unsigned port) const {
    const int farther = topology_.farther(port, place_);
    return static_cast<Cycle>(int64_t{config_.noc.reply_latency} + farther - farther / 2);
  }

  const GpuConfig& config_;
  std::unique_ptr<policy::AddressHash> hash_;
  Topology topology_;
  std::array<KeptPlace, 64> kept_places_;
  unsigned slices_per_partition_;
  unsigned place_ = 0;  // slice of the last request sent
  std::vector<std::unique_ptr<sim::MemoryInitiator>> ports_;
  std::vector<BandwidthCalendar> port_out_, gpc_in_, sm_in_, slice_in_, slice_out_;
  std::vector<Held> slice_held_;
  std::vector<Joint> joints_;
};

}  // namespace gpuloom::arch
