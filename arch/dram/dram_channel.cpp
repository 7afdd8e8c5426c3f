// SPDX-License-Identifier: Apache-2.0
#include "arch/dram/dram_channel.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "arch/noc/address_map.h"

namespace gpuloom::arch {
namespace {

// Writes that are collected before the bus turns round for them. Guess: controllers drain write queues in
// batches of this order.
constexpr unsigned kWriteBatch = 16;

double usable(const DramConfig& d) { return 1.0 - (d.timing.tREFI > 0 ? d.timing.tRFC / d.timing.tREFI : 0); }

}  // namespace

DramChannel::DramChannel(const sim::ModuleName& name, const GpuConfig& config)
    : MemoryTarget(name, config.clock_hz),
      config_(config.dram),
      channels_(config.dram.channels),
      bus_(config.dram.bandwidth / config.dram.channels / config.clock_hz * usable(config.dram)),
      banks_(config.dram.banks) {
  const double ghz = config.clock_hz * 1e-9;
  const auto cycles = [&](double ns) { return static_cast<Cycle>(std::llround(ns * ghz)); };
  const DramTiming& t = config_.timing;
  rcd_ = cycles(t.tRCD), rp_ = cycles(t.tRP), cl_ = cycles(t.tCL), ras_ = cycles(t.tRAS),
  ccd_ = cycles(t.tCCD);
  rrd_ = cycles(t.tRRD), faw_ = cycles(t.tFAW), latency_ = cycles(config_.latency),
  turnaround_ = cycles(t.tWTR + t.tRTW);
}

// When the column command of an access can be given. Requests come in the order in which they were sent; with
// frfcfs, one that arrives while accesses to its row are still planned is served with them, as a scheduler
// that looks for open rows first would do.
Cycle DramChannel::column_time(uint64_t address, Cycle at) {
  const uint64_t region = address / (uint64_t{config_.row_bytes} * channels_);
  Bank& bank = banks_[mix_address(region) % config_.banks];
  const uint64_t row = region;
  const size_t known = config_.scheduler == DramScheduler::kFrFcfs ? bank.rows.size() : 1;
  for (size_t i = 0; i < known; ++i) {
    OpenRow& r = bank.rows[i];
    if (r.row != row || (i != 0 && at > r.last_column) || (i == 0 && !bank.open)) continue;
    ++stats.row_hits;
    const Cycle column = std::max(at, i == 0 ? r.last_column + ccd_ : r.last_column);
    r.last_column = std::max(r.last_column, column);
    if (i == 0) bank.free = column + ccd_;
    if (!config_.open_page && i == 0) bank.open = false;
    return column;
  }
  ++stats.row_misses;
  Cycle activate = std::max(at, bank.free);
  if (bank.open)
    activate =
        std::max(activate, bank.activated + ras_) + rp_;  // the row that is open has to be closed first
  activate = std::max(activate, activations_[oldest_activation_] + faw_);
  activate = std::max(activate, activations_[(oldest_activation_ + 3) % 4] + rrd_);
  activations_[oldest_activation_] = activate;
  oldest_activation_ = (oldest_activation_ + 1) % 4;
  bank.activated = activate;
  std::copy_backward(bank.rows.begin(), bank.rows.end() - 1, bank.rows.end());
  bank.rows[0] = {row, activate + rcd_};
  bank.open = config_.open_page;
  bank.free = activate + rcd_ + ccd_;
  return activate + rcd_;
}

void DramChannel::write(const sim::MemoryRequest& request) {
  const unsigned bytes = static_cast<unsigned>(std::popcount(request.sectors)) * kSectorBytes;
  const Cycle column = column_time(request.line, request.time + latency_ / 2);
  bus_.reserve(column, bytes);
  if (++writes_waiting_ == kWriteBatch) {  // the bus turns round and back once a batch
    writes_waiting_ = 0;
    bus_.reserve(column, static_cast<uint32_t>(static_cast<double>(turnaround_ * kWriteBatch * kSectorBytes) /
                                               static_cast<double>(std::max<Cycle>(
                                                   1, bus_.transfer(kWriteBatch * kSectorBytes)))));
  }
  stats.bytes_write += bytes;
  stats.sectors_write += bytes / kSectorBytes;
}

void DramChannel::access(sim::MemoryRequest& request) {
  if (request.op == sim::MemoryOp::kWrite) {
    write(request);
    request.time += latency_ / 2;  // posted: the sender waits for the queue, not for the cells
    return;
  }
  const unsigned bytes = static_cast<unsigned>(std::popcount(request.sectors)) * kSectorBytes;
  const Cycle column = column_time(request.line, request.time + latency_ / 2);
  const Cycle data = bus_.reserve(column + cl_, bytes);
  request.time = data + bus_.transfer(bytes) + (latency_ - latency_ / 2);
  stats.bytes_read += bytes;
  stats.sectors_read += bytes / kSectorBytes;
}

void DramChannel::close_rows() {
  for (Bank& bank : banks_) bank.open = false;
}

}  // namespace gpuloom::arch
