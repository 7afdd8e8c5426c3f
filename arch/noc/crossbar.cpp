// SPDX-License-Identifier: Apache-2.0
#include "arch/noc/crossbar.h"

#include <bit>

namespace gpuloom::arch {

Crossbar::Crossbar(const sim::ModuleName& name, const GpuConfig& config)
    : Module(name), config_(config), slices_per_partition_(config.l2.slices / config.l2.partitions) {
  for (unsigned s = 0; s < config.l2.slices; ++s)
    ports_.push_back(
        std::make_unique<sim::MemoryInitiator>(("to_slice" + std::to_string(s)).c_str(), config.clock_hz));
  gpc_out_.assign(config.gpc.count, BandwidthCalendar(config.noc.gpc_bytes));
  gpc_in_.assign(config.gpc.count, BandwidthCalendar(config.noc.gpc_bytes));
  sm_in_.assign(config.sm_count(), BandwidthCalendar(config.noc.sm_reply_bytes));
  slice_in_.assign(config.l2.slices, BandwidthCalendar(config.noc.slice_bytes));
  slice_out_.assign(config.l2.slices, BandwidthCalendar(config.noc.slice_bytes));
}

unsigned Crossbar::slice_of(uint64_t line) const {
  const uint64_t page = line / config_.l2.partition_interleave;
  const unsigned partition =
      config_.l2.partitions == 1 ? 0 : static_cast<unsigned>(mix_address(page) % config_.l2.partitions);
  return partition * slices_per_partition_ +
         static_cast<unsigned>(mix_address(line / kLineBytes) % slices_per_partition_);
}

void Crossbar::transport(sim::MemoryRequest& request, unsigned gpc) {
  const NocConfig& noc = config_.noc;
  const unsigned slice = slice_of(request.line);
  // GPCs are split evenly between the partitions' sides.
  const bool far = slice / slices_per_partition_ != gpc * config_.l2.partitions / config_.gpc.count;
  const unsigned data = static_cast<unsigned>(std::popcount(request.sectors)) * kSectorBytes;
  const bool carries = request.op == sim::MemoryOp::kWrite || request.op == sim::MemoryOp::kAtomic ||
                       request.op == sim::MemoryOp::kReduce;
  const bool returns = request.op == sim::MemoryOp::kRead || request.op == sim::MemoryOp::kAtomic;
  const unsigned out = noc.packet_header + (carries ? data : 0),
                 back = noc.packet_header + (returns ? data : 0);
  const Cycle sent = request.time;
  const Cycle through = slice_in_[slice].reserve(gpc_out_[gpc].reserve(sent, out) + noc.request_latency, out);
  const Cycle waited = through - sent - noc.request_latency;
  request.time = through + (far ? noc.far_partition_extra / 2 : 0);
  ports_[slice]->send(request);
  const Cycle done = request.time;
  const Cycle at_gpc = slice_out_[slice].reserve(done, back) + noc.reply_latency +
                       (far ? noc.far_partition_extra - noc.far_partition_extra / 2 : 0);
  request.time = sm_in_[request.source].reserve(gpc_in_[gpc].reserve(at_gpc, back), back);
  ++stats.requests;
  stats.request_bytes += out;
  stats.reply_bytes += back;
  stats.wait_cycles += waited + (request.time - at_gpc);
}

}  // namespace gpuloom::arch
