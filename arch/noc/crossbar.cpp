// SPDX-License-Identifier: Apache-2.0
#include "arch/noc/crossbar.h"

#include <algorithm>
#include <bit>

#include "arch/noc/packet.h"
#include "arch/policy/mix_address.h"

namespace gpuloom::arch {

Crossbar::Crossbar(const sim::ModuleName& name, const GpuConfig& config)
    : Module(name),
      config_(config),
      hash_(config.l2.hash.make<policy::AddressHash>(config.l2.host())),
      topology_(config, *hash_),
      slices_per_partition_(config.l2.slices / config.l2.partitions),
      slice_held_(config.l2.slices),
      joints_(config.noc.merged_reads > 1 ? config.gpc.count * config.noc.merge_entries : 0) {
  for (unsigned s = 0; s < config.l2.slices; ++s)
    ports_.push_back(
        std::make_unique<sim::MemoryInitiator>(("to_slice" + std::to_string(s)).c_str(), config.clock_hz));
  const auto fill = [](std::vector<BandwidthCalendar>& ports, size_t count, double bytes_per_cycle) {
    for (size_t i = 0; i < count; ++i) ports.emplace_back(bytes_per_cycle);
  };
  fill(port_out_, topology_.ports(), config.noc.port_request_bytes);
  fill(gpc_in_, config.gpc.count, config.noc.gpc_reply_bytes);
  fill(sm_in_, config.sm_count(), config.noc.sm_reply_bytes);
  fill(slice_in_, config.l2.slices, config.noc.slice_bytes);
  fill(slice_out_, config.l2.slices, config.noc.slice_bytes);
}

Crossbar::Ahead Crossbar::prefetch(const sim::MemoryRequest& request, unsigned gpc) {
  const policy::L2Place place = place_of(request.line);
  const unsigned slice = slice_for(gpc, place);
  const Cycle arrives = request.time + config_.noc.request_latency;
  const Cycle answered = arrives + config_.l2.hit_latency;
  slice_in_[slice].prefetch(arrives);
  if (!joints_.empty()) __builtin_prefetch(&joints_[joint_of(gpc, request.line)], 1);
  slice_out_[slice].prefetch(answered);
  sm_in_[request.source].prefetch(answered + config_.noc.reply_latency);
  return {slice, arrives, place.partition == side_of(gpc)};
}

void Crossbar::start_kernel() { std::fill(joints_.begin(), joints_.end(), Joint{}); }

// To the slice and through it; request.time becomes the time at which the answer is ready there. Returns how
// long the slice took.
Cycle Crossbar::send(sim::MemoryRequest& request, unsigned gpc, unsigned port, unsigned out) {
  const policy::L2Place at = place_of(request.line);
  request.home = at.partition == side_of(gpc);
  place_ = slice_for(gpc, at);
  request.time = slice_in_[place_].reserve(port_out_[port].reserve(request.time, out) + way_out(port), out);
  const Cycle arrived = request.time;
  ports_[place_]->send(request);
  return request.time - arrived;
}

// How long others may join a read that takes so long in its slice. H200 (probes/merging): where L2 has the
// line, 95, 66, 50 and 10 percent join 0, 40, 64 and 128 cycles later, as if slices differed evenly between
// none and twice the mean; what memory takes comes on top.
Cycle Crossbar::open_for(Cycle in_slice) const {
  const Cycle hit = std::min<Cycle>(in_slice, config_.l2.hit_latency);
  return in_slice - hit + (2 * hit * (policy::mix_address(place_ + 1) & 0xff) >> 8);
}

// From the slice of the last request sent to the GPC: returns when the GPC takes it. A slice answers in
// order: what a GPC cannot take yet, beyond some cycles' worth, holds up the answers for other GPCs (H200:
// probes/ports, beside: 18 SMs of a GPC leave the other GPCs of its side 1.4 of 2.0 sectors a cycle and SM,
// those of the other side lose nothing).
Cycle Crossbar::answer(unsigned gpc, Cycle done, Cycle way, unsigned bytes) {
  Held& held = slice_held_[place_];
  // What was ready before the first that waited is gone.
  const bool queued = done >= held.from && done < held.until;
  const Cycle leaves = slice_out_[place_].reserve(queued ? held.until : done, bytes);
  const Cycle taken = gpc_in_[gpc].reserve(leaves + way, bytes);
  const Cycle waits = taken - (leaves + way);
  if (waits > config_.noc.reply_wait) {
    const Cycle until = leaves + waits - config_.noc.reply_wait;
    if (until > held.until) held = {queued ? held.from : leaves, until};
  }
  return taken;
}

void Crossbar::transport(sim::MemoryRequest& request, unsigned gpc) {
  const NocConfig& noc = config_.noc;
  const bool read = request.op == sim::RequestOp::kRead;
  const bool returns = read || request.op == sim::RequestOp::kAtomic;
  const unsigned out = request_bytes(request, noc.packet_header);
  const unsigned data = static_cast<unsigned>(std::popcount(request.sectors)) * kSectorBytes;
  const unsigned back = noc.packet_header + (returns ? data : 0);
  const Cycle sent = request.time;
  ++stats.requests;
  const unsigned port = topology_.port_of(request.source);
  if (request.op == sim::RequestOp::kPrefetch) {  // nothing comes back
    send(request, gpc, port, out);
    stats.request_bytes += out;
    return;
  }
  // Joins a read of the same sectors that L2 is working on: as long as that takes, not longer (H200:
  // probes/merging: the half of pairs merges that is 64 cycles apart where L2 has the line, 450 where it
  // comes from memory; a part of the sectors does not join).
  Joint* joint = read && !joints_.empty() ? &joints_[joint_of(gpc, request.line)] : nullptr;
  if (joint && joint->line == request.line && sent < joint->closed && joint->sent <= sent &&
      request.sectors == joint->sectors && joint->merged < noc.merged_reads) {
    ++joint->merged;
    ++stats.merged;
    request.time =
        sm_in_[request.source].reserve(std::max(joint->answered, sent + config_.merged_latency()), back);
    return;
  }
  const Cycle in_slice = send(request, gpc, port, out);
  const Cycle done = request.time, way = way_back(port);
  const Cycle at_gpc = answer(gpc, done, way, back);
  request.time = sm_in_[request.source].reserve(at_gpc, back);
  // The latest of a line is the one that others join: one for other sectors takes its place.
  if (joint && (joint->line == request.line || joint->closed <= sent))
    *joint = {request.line, sent, sent + open_for(in_slice), at_gpc, request.sectors, 1};
  stats.request_bytes += out;
  stats.reply_bytes += back;
  stats.wait_cycles += request.time - done - way;
}

void Crossbar::transport_for_host(sim::MemoryRequest& request, std::optional<uint32_t> side) {
  const policy::L2Place at = hash_->place(request.line);
  const uint32_t partition = side.value_or(at.partition);
  place_ = partition * slices_per_partition_ + at.index;
  request.home = partition == at.partition;
  const unsigned out = request_bytes(request, config_.noc.packet_header);
  request.time = slice_in_[place_].reserve(request.time + config_.noc.request_latency, out);
  ports_[place_]->send(request);
  const bool returns = request.op == sim::RequestOp::kRead;
  const unsigned data = static_cast<unsigned>(std::popcount(request.sectors)) * kSectorBytes;
  const unsigned back = config_.noc.packet_header + (returns ? data : 0);
  request.time = slice_out_[place_].reserve(request.time, back) + config_.noc.reply_latency;
}

void Crossbar::fetch_for_gpc(sim::MemoryRequest& request, unsigned gpc) {
  const unsigned port = topology_.first_port(gpc);
  send(request, gpc, port, config_.noc.packet_header);
  request.time += way_back(port);
}

}  // namespace gpuloom::arch
