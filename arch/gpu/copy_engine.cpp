// SPDX-License-Identifier: Apache-2.0
#include "arch/gpu/copy_engine.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gpuloom::arch {

CopyEngines::CopyEngines(const GpuConfig& config, Crossbar& crossbar)
    : config_(config), crossbar_(crossbar), engines_(config.host.copy_engines) {}

double CopyEngines::rate(const CopyWork& work) const {
  const HostConfig& h = config_.host;
  const double memory = config_.dram.bandwidth;
  switch (work.way) {
    case CopyWay::kWithin:
      return memory / 2 / config_.clock_hz;  // read and written
    case CopyWay::kFill:
      return memory / config_.clock_hz;
    default:
      return (work.pageable ? h.pageable_bandwidth : h.pcie_bandwidth) / config_.clock_hz;
  }
}

Cycle CopyEngines::latency(const CopyWork& work) const {
  const HostConfig& h = config_.host;
  const double ns = work.way == CopyWay::kToDevice     ? h.pcie_latency_ns
                    : work.way != CopyWay::kFromDevice ? h.device_copy_latency_ns
                    : work.pageable                    ? h.pageable_return_latency_ns
                                                       : h.pcie_return_latency_ns;
  return static_cast<Cycle>(std::llround(ns * 1e-9 * config_.clock_hz));
}

Cycle CopyEngines::lead(const CopyWork& work) const {
  return static_cast<Cycle>(static_cast<double>(latency(work)) * config_.host.copy_lead);
}

// Ways have engines of their own as far as there are some.
void CopyEngines::submit(Ticket ticket, CopyWork work, Cycle at) {
  const size_t way =
      work.way == CopyWay::kFill ? static_cast<size_t>(CopyWay::kWithin) : static_cast<size_t>(work.way);
  Engine& engine = engines_[way % engines_.size()];
  engine.copies.push_back({ticket, std::move(work), at});
  if (!engine.running) begin(engine);
}

// The first line goes after a part of a small copy's time (host.copy_lead), and the end is known the rest of
// it after the last: the way there and back. So many lines are on their way at most as memory, unloaded,
// answers in host.copy_window times its latency: more would only wait in its queues.
void CopyEngines::begin(Engine& e) {
  const Copy& copy = e.copies.front();
  e.running = true;
  e.begin = e.end = std::max(copy.at, e.free);
  e.sent = e.lines = 0;
  e.next = static_cast<double>(e.begin + lead(copy.work));
  e.bytes_per_cycle = rate(copy.work);
  const NocConfig& noc = config_.noc;
  const double unloaded =
      noc.request_latency + noc.reply_latency + config_.l2.hit_latency +
      (config_.dram.latency + config_.dram.timing.tRCD + config_.dram.timing.tCL) * 1e-9 * config_.clock_hz;
  const double lines = config_.host.copy_window * unloaded * e.bytes_per_cycle / kLineBytes;
  e.answers.assign(static_cast<size_t>(std::max(4.0, std::ceil(lines))), 0);
  if (copy.work.carry_out) copy.work.carry_out();
}

Cycle CopyEngines::transport(uint64_t address, uint32_t bytes, bool write, Cycle at) {
  sim::MemoryRequest request;
  request.line = address & ~uint64_t{kLineBytes - 1};
  request.time = at;
  request.op = write ? sim::MemoryOp::kWrite : sim::MemoryOp::kRead;
  request.unit = sim::MemoryUnit::kCopy;
  const uint64_t last = address + bytes - 1;
  for (unsigned s = 0; s < kLineSectors; ++s) {
    const uint64_t sector = request.line + s * kSectorBytes;
    if (sector > last || sector + kSectorBytes <= address) continue;
    request.sectors |= static_cast<uint8_t>(1u << s);
    if (sector >= address && sector + kSectorBytes - 1 <= last)
      request.whole |= static_cast<uint8_t>(1u << s);
  }
  request.bytes = static_cast<uint16_t>(bytes);
  request.full_sectors = request.whole == request.sectors;
  crossbar_.transport_for_host(request);
  return request.time;
}

void CopyEngines::send_line(Engine& e) {
  const CopyWork& work = e.copies.front().work;
  const Cycle at = static_cast<Cycle>(e.next);
  const uint64_t address =
      (work.way == CopyWay::kFromDevice || work.way == CopyWay::kWithin ? work.from : work.to) + e.sent;
  const auto bytes =
      static_cast<uint32_t>(std::min<uint64_t>(work.bytes - e.sent, kLineBytes - address % kLineBytes));
  Cycle answered = at;
  if (work.way == CopyWay::kFromDevice || work.way == CopyWay::kWithin)
    answered = transport(address, bytes, false, answered);
  if (work.way == CopyWay::kWithin) {
    const uint64_t target = work.to + e.sent, left = kLineBytes - target % kLineBytes;
    answered = transport(target, static_cast<uint32_t>(std::min<uint64_t>(bytes, left)), true, answered);
    if (bytes > left)
      answered = transport(target + left, static_cast<uint32_t>(bytes - left), true, answered);
  } else if (work.way != CopyWay::kFromDevice) {
    answered = transport(address, bytes, true, answered);
  }
  const double slot = bytes / e.bytes_per_cycle;
  const Cycle rest = latency(work) - lead(work);
  e.end = std::max({e.end, answered, static_cast<Cycle>(std::llround(e.next + slot)) + rest});
  e.answers[e.lines++ % e.answers.size()] = answered;
  e.next = std::max(e.next + slot, static_cast<double>(e.answers[e.lines % e.answers.size()]));
  e.sent += bytes;
  if (e.sent < work.bytes) return;
  ended_.push_back({e.copies.front().ticket, e.begin, e.end, std::move(e.copies.front().work.ended)});
  const bool link = work.way == CopyWay::kToDevice || work.way == CopyWay::kFromDevice;
  e.free = e.end + (link ? static_cast<Cycle>(config_.host.copy_gap_ns * 1e-9 * config_.clock_hz) : 0);
  e.running = false;
  e.copies.pop_front();
  if (!e.copies.empty()) begin(e);
}

void CopyEngines::send_until(Cycle cycle) {
  for (;;) {
    Engine* first = nullptr;
    for (Engine& e : engines_)
      if (e.running && e.next < static_cast<double>(cycle) && (first == nullptr || e.next < first->next))
        first = &e;
    if (first == nullptr) return;
    send_line(*first);
  }
}

Cycle CopyEngines::next_cycle() const {
  Cycle next = kNever;
  for (const Engine& e : engines_)
    if (e.running) next = std::min(next, static_cast<Cycle>(e.next));
  return next;
}

bool CopyEngines::busy() const {
  return std::any_of(engines_.begin(), engines_.end(), [](const Engine& e) { return e.running; });
}

std::vector<CopyEngines::Ended> CopyEngines::take_ended() { return std::exchange(ended_, {}); }

}  // namespace gpuloom::arch
