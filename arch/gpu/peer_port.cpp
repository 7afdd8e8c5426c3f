// SPDX-License-Identifier: Apache-2.0
#include "arch/gpu/peer_port.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "arch/noc/packet.h"
#include "ptx/exec/memory_view.h"

namespace gpuloom::arch {
namespace {

// Of all devices that share addresses (sim/memory); beyond them are code and constants.
constexpr uint64_t kAddresses = 2ull << 40;

bool returns_data(sim::RequestOp op) { return op == sim::RequestOp::kRead || op == sim::RequestOp::kAtomic; }

unsigned data_bytes(const sim::MemoryRequest& request) {
  return static_cast<unsigned>(std::popcount(request.sectors)) * kSectorBytes;
}

// Without a link copies alone pass here, through the host.
double bytes_per_cycle(const GpuConfig& config) {
  const LinkConfig& l = config.link;
  return (l.present() ? l.links * l.link_bandwidth : config.host.pcie_bandwidth) / config.clock_hz;
}

}  // namespace

PeerPort::PeerPort(const GpuConfig& config, Crossbar& crossbar, unsigned number, HomeFn home, AnswerFn answer)
    : config_(config),
      crossbar_(crossbar),
      number_(number),
      home_(std::move(home)),
      answer_(std::move(answer)),
      latency_(static_cast<Cycle>(std::ceil(config.link.latency_ns * 1e-9 * config.clock_hz))),
      low_(ptx::kGlobalBase),
      high_(low_ + kAddresses),
      out_(bytes_per_cycle(config)),
      in_(bytes_per_cycle(config)) {}

void PeerPort::connect(std::vector<PeerPort*> all) {
  all_ = std::move(all);
  for (const PeerPort* other : all_)
    if (other != this) hears_ = std::min(hears_, other->cycle_for(*this, other->latency_));
}

Cycle PeerPort::cycle_for(const PeerPort& other, Cycle cycle) const {
  if (cycle == kNever || other.config_.clock_hz == config_.clock_hz) return cycle;
  return static_cast<Cycle>(
      std::ceil(static_cast<double>(cycle) / config_.clock_hz * other.config_.clock_hz));
}

// In the other's cycles.
Cycle PeerPort::arrival(PeerPort& to, Cycle left, unsigned bytes) {
  return to.in_.reserve(cycle_for(to, left + latency_), bytes);
}

Cycle PeerPort::ask(sim::MemoryRequest request, const Asker& asker) {
  PeerPort& to = *all_[home_(request.line, number_)];
  const unsigned header = config_.link.packet_header;
  const bool read = request.op == sim::RequestOp::kRead || request.op == sim::RequestOp::kPrefetch;
  const unsigned bytes = header + (read ? 0 : request_bytes(request, 0));
  const Cycle left = out_.reserve(request.time, bytes), at = arrival(to, left, bytes);
  request.unit = sim::MemoryUnit::kCopy;
  request.source = 0;
  if (asker.kind != Asker::Kind::kNobody) ++waiting_;
  to.inbox_.push({at, number_, sent_++, request, asker});
  react_from(to.cycle_for(*this, at));
  return left;
}

void PeerPort::serve_next() {
  Packet packet = inbox_.top();
  inbox_.pop();
  packet.request.time = packet.at;
  crossbar_.transport_for_host(packet.request);
  if (packet.asker.kind == Asker::Kind::kNobody) return;
  PeerPort& asking = *all_[packet.from];
  const unsigned back =
      config_.link.packet_header + (returns_data(packet.request.op) ? data_bytes(packet.request) : 0);
  const Cycle at = arrival(asking, out_.reserve(packet.request.time, back), back);
  --asking.waiting_;
  asking.answer_(packet.asker, at);
}

}  // namespace gpuloom::arch
