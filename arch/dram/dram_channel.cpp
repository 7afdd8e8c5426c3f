// SPDX-License-Identifier: Apache-2.0
#include "arch/dram/dram_channel.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "arch/policy/mix_address.h"

namespace gpuloom::arch {
namespace {

// What an activation takes of its calendar, in the unit that the calendar counts.
constexpr uint32_t kActivation = 64;

// Cycles from one activation to the next, where many are to be had: four in tFAW, and no two within tRRD.
double activation_interval(const DramTiming& t, double clock_hz) {
  return std::max(1.0, std::max(t.tRRD, t.tFAW / 4) * clock_hz * 1e-9);
}

}  // namespace

DramChannel::DramChannel(const sim::ModuleName& name, const GpuConfig& config, unsigned index)
    : MemoryTarget(name, config.clock_hz),
      config_(config.dram),
      channels_(config.dram.channels),
      bus_(config.dram.bandwidth / config.dram.channels / config.clock_hz),
      banks_(config.dram.banks),
      used_banks_(config.dram.banks),
      activations_(kActivation / activation_interval(config.dram.timing, config.clock_hz)),
      page_(config.dram.page.make<policy::PagePolicy>({index, config.dram.banks, config.clock_hz * 1e-9})) {
  ideal_bandwidth_ = config.sm.ideal.dram_bandwidth;
  const double ghz = config.clock_hz * 1e-9;
  const auto cycles = [&](double ns) { return static_cast<Cycle>(std::llround(ns * ghz)); };
  const DramTiming& t = config_.timing;
  rcd_ = cycles(t.tRCD), rp_ = cycles(t.tRP), cl_ = cycles(t.tCL), ras_ = cycles(t.tRAS),
  ccd_ = cycles(t.tCCD);
  rrd_ = cycles(t.tRRD), faw_ = cycles(t.tFAW), latency_ = cycles(config_.latency),
  turnaround_ = cycles(t.tWTR + t.tRTW);
  refi_ = config_.refresh == DramRefresh::kOneBank ? 0 : cycles(t.tREFI), rfc_ = cycles(t.tRFC);
  each_bank_ = config_.refresh == DramRefresh::kEachBank;
  if (config.sm.ideal.dram_latency) latency_ = rcd_ = rp_ = cl_ = 0;
  // From its place in the queue to the cells, with a full queue in front of it.
  queue_time_ = latency_ / 2 + bus_.transfer(config_.queue_entries * config_.burst);
  const uint32_t together = config_.refresh_together;
  next_refresh_ = refresh_phase_ = refi_ * (index / together) * together / config.dram.channels;
  bytes_per_cycle_ = config.dram.bandwidth / config.dram.channels / config.clock_hz;
  refresh_bytes_ = static_cast<uint32_t>(static_cast<double>(rfc_) * bytes_per_cycle_);
  // Channels come to their first batches one after another, as if some writes had waited.
  waiting_bytes_ = static_cast<uint32_t>(uint64_t{config_.write_batch} * index / config.dram.channels);
  if (config_.read_window > 1) window_.resize(config_.read_window - 1);
}

// A channel gives nothing while all its banks are refreshed: for tRFC of each tREFI. Where banks are
// refreshed one at a time, the controller takes one that nobody waits for (refreshes may be put off by eight
// tREFI: JESD235, JESD250), and nothing waits. Or each bank has its turn: a read of that bank waits, what is
// behind it does not, and writes are taken from the queue as their banks come free.
Cycle DramChannel::after_refresh(Cycle at, const Place& place, bool reads) const {
  if (refi_ == 0 || (each_bank_ && !reads)) return at;
  const Cycle phase =
      each_bank_ ? (refresh_phase_ + refi_ * place.refreshed / banks_.size()) % refi_ : refresh_phase_;
  const Cycle since = (at + refi_ - phase) % refi_;
  return since < rfc_ ? at + rfc_ - since : at;
}

// The bus is taken by refreshes of all banks some time ahead: what waits for it does not use their time.
void DramChannel::plan_refresh(Cycle now) {
  if (refi_ == 0 || each_bank_) return;
  if (next_refresh_ + refi_ < now) next_refresh_ += (now - next_refresh_) / refi_ * refi_;
  for (; next_refresh_ < now + 2 * refi_; next_refresh_ += refi_) bus_.reserve(next_refresh_, refresh_bytes_);
}

// A bank holds a row's worth of each channel's neighbouring addresses, or one line. H200 (probes/loaded):
// lines of one KiB are refreshed together, whatever bank each is in.
DramChannel::Place DramChannel::place_of(uint64_t address) const {
  const auto bank = [&](uint64_t of) { return static_cast<uint32_t>(policy::mix_address(of) % used_banks_); };
  if (config_.interleave == DramInterleave::kLine) {
    const uint64_t line = address / kLineBytes;
    return {line, bank(line), bank(address / config_.row_bytes)};
  }
  const uint64_t row = address / (uint64_t{config_.row_bytes} * channels_);
  const uint32_t of_row = bank(row);
  return {row, of_row, of_row};
}

// When the column command of an access can be given. Requests come in the order in which they were sent; with
// frfcfs, one that arrives while accesses to its row are still planned is served with them, as a scheduler
// that looks for open rows first would do.
Cycle DramChannel::column_time(uint64_t address, Cycle at, bool reads) {
  const Place place = place_of(address);
  Bank& bank = banks_[place.bank];
  const size_t known = config_.scheduler == DramScheduler::kFrFcfs ? bank.rows.size() : 1;
  for (size_t i = 0; i < known; ++i) {
    OpenRow& r = bank.rows[i];
    if (r.row != place.row || (i != 0 && at > r.last_column) || (i == 0 && at >= bank.closes)) continue;
    ++stats.row_hits;
    const Cycle column =
        after_refresh(std::max(at, i == 0 ? r.last_column + ccd_ : r.last_column), place, reads);
    r.last_column = std::max(r.last_column, column);
    if (i == 0) {
      bank.free = column + ccd_;
      bank.closes = page_->open_until({place.bank, place.row, column, true, !reads});
    }
    return column;
  }
  const Cycle column = open_row(place, at, reads);
  bank.closes = page_->open_until({place.bank, place.row, column, false, !reads});
  return column;
}

// Rows are opened for reads in the order in which these come, but for those of a window that the controller
// looks at: one whose bank is ready goes before. With a window of one read, a bank that is not ready keeps
// the next ones waiting. Writes wait anyhow, and are taken as banks are ready.
Cycle DramChannel::in_turn(Cycle activate) const {
  if (!window_.empty()) return std::max(activate, before_window_);
  activate = std::max(activate, for_reads_[oldest_for_reads_] + faw_);
  return std::max(activate, for_reads_[(oldest_for_reads_ + 3) % 4] + rrd_);
}

void DramChannel::take_turn(Cycle activate) {
  if (window_.empty()) {
    for_reads_[oldest_for_reads_] = activate;
    oldest_for_reads_ = (oldest_for_reads_ + 1) % 4;
    return;
  }
  Cycle& oldest = window_[oldest_in_window_];
  before_window_ = std::max(before_window_, oldest);
  oldest = activate;
  oldest_in_window_ = (oldest_in_window_ + 1) % window_.size();
}

Cycle DramChannel::open_row(const Place& place, Cycle at, bool reads) {
  Bank& bank = banks_[place.bank];
  ++stats.row_misses;
  Cycle activate = std::max(at, bank.free);
  if (at < bank.closes)
    activate =
        std::max(activate, bank.activated + ras_) + rp_;  // the row that is open has to be closed first
  else if (bank.closes != 0)
    activate = std::max(activate, std::max(bank.closes, bank.activated + ras_) + rp_);  // it has been closed
  if (reads) activate = in_turn(activate);
  activate = activations_.reserve(activate, kActivation);
  const Cycle refreshed = after_refresh(activate, place, reads);
  if (reads) take_turn(each_bank_ ? activate : refreshed);
  activate = refreshed;
  bank.activated = activate;
  std::copy_backward(bank.rows.begin(), bank.rows.end() - 1, bank.rows.end());
  const Cycle column = after_refresh(activate + rcd_, place, reads);
  bank.rows[0] = {place.row, column};
  bank.free = column + ccd_;
  return column;
}

// Writes are collected, and the bus turns round for a batch of them at once. Reads wait for all of it. A
// controller that writes takes no reads, so the bus stands still while the row of the first write opens, and
// again while reads open the rows that the batch has closed.
void DramChannel::drain(Cycle at) {
  const Cycle first = column_time(writes_.front().line, at, false);
  const Cycle opens = rp_ + rcd_;
  const Cycle idle =
      std::exchange(read_since_, false) ? std::min(first - at, opens) + turnaround_ + opens : 0;
  if (idle != 0) bus_.reserve(at, static_cast<uint32_t>(static_cast<double>(idle) * bytes_per_cycle_));
  drained_ = std::max(drained_, bus_.reserve(first, writes_.front().bytes));
  for (size_t i = 1; i < writes_.size(); ++i)
    drained_ = std::max(drained_, bus_.reserve(column_time(writes_[i].line, at, false), writes_[i].bytes));
  writes_.clear();
  waiting_bytes_ = 0;
}

// Posted: the sender waits for a place in the queue of writes, not for the cells.
Cycle DramChannel::write(sim::MemoryRequest& request) {
  const unsigned bytes = static_cast<unsigned>(std::popcount(request.sectors)) * kSectorBytes;
  stats.bytes_write += bytes;
  stats.sectors_write += bytes / kSectorBytes;
  if (ideal_bandwidth_) return request.time;
  writes_.push_back({request.line, bytes});
  waiting_bytes_ += bytes;
  const Cycle at = request.time + latency_ / 2;
  if (waiting_bytes_ >= config_.write_batch) drain(at);
  request.time = std::max(request.time, drained_ - std::min(drained_, queue_time_));
  return std::max(at, drained_);
}

Cycle DramChannel::read(sim::MemoryRequest& request) {
  read_since_ = true;
  const unsigned bytes = static_cast<unsigned>(std::popcount(request.sectors)) * kSectorBytes;
  stats.bytes_read += bytes;
  stats.sectors_read += bytes / kSectorBytes;
  if (ideal_bandwidth_) {  // a row is opened for it, which no other access delays
    request.time += latency_ + rcd_ + cl_;
    return request.time;
  }
  const Cycle column = column_time(request.line, request.time + latency_ / 2, true);
  const Cycle data = bus_.reserve(column + cl_, bytes);
  request.time = data + bus_.transfer(bytes) + (latency_ - latency_ / 2);
  return data;
}

void DramChannel::access(sim::MemoryRequest& request) {
  plan_refresh(request.time);
  const Cycle data = request.op == sim::RequestOp::kWrite ? write(request) : read(request);
  if (log_) log_->add(data);
}

void DramChannel::log_intervals(uint64_t cycles_each) {
  log_ = std::make_unique<stats::IntervalLog>(std::vector<const stats::Group*>{&stats}, cycles_each);
}

// H200 (probes/aside): what is set aside of L2 slows whatever writes back, and then its reads too; reads
// alone take as long as before. As if what is written back met in fewer banks: 15 of 64 with a quarter of the
// groups of ways set aside (H200, l2_persist_off), 7 with half of them (H100). One form has both.
void DramChannel::set_l2_share(double left) {
  const double banks = config_.banks / (1 + config_.aside_conflicts * (1 - left) / std::sqrt(left));
  used_banks_ = std::clamp<uint32_t>(static_cast<uint32_t>(std::lround(banks)), 1, config_.banks);
}

void DramChannel::close_rows() {
  for (Bank& bank : banks_) bank.closes = 0;
}

}  // namespace gpuloom::arch
