// SPDX-License-Identifier: Apache-2.0
#include "arch/gpu/copy_engine.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gpuloom::arch {
namespace {
constexpr double kNeverDue = 1e300;

bool of_peers(const CopyWork& work) { return work.way == CopyWay::kPush || work.way == CopyWay::kPull; }

// Through the host's memory the target's GPU copies, whose stream it may be, and begins when the source's has
// brought the first chunk (H200: probes/timeline, peers: 1 MiB takes 47 us more than 64 B, each further one
// 27; ten small ones in a stream of the source's GPU take as long each as one in the target's).
double peer_latency(const LinkConfig& l, const CopyWork& work) {
  if (!work.staged) return l.copy_start_ns;
  const double chunk = static_cast<double>(std::min(work.bytes, l.staged_chunk)) / l.staged_bandwidth * 1e9;
  return l.staged_start_ns + chunk + (work.way == CopyWay::kPush ? l.pull_preparation_ns() : 0);
}
}  // namespace

CopyEngines::CopyEngines(const GpuConfig& config, Crossbar& crossbar)
    : config_(config), crossbar_(crossbar), engines_(config.host.copy_engines + config.link.copy_engines) {}

double CopyEngines::rate(const CopyWork& work) const {
  const HostConfig& h = config_.host;
  switch (work.way) {
    case CopyWay::kWithin:
      return h.device_copy_bytes * config_.sm_count();  // beyond what L2 and memory give
    case CopyWay::kFill:
      return config_.dram.bandwidth / config_.clock_hz;
    case CopyWay::kPush:
    case CopyWay::kPull:
      return (work.staged ? config_.link.staged_bandwidth
                          : config_.link.links * config_.link.link_bandwidth) /
             config_.clock_hz;
    case CopyWay::kToDevice:
      return (is_inline(work)         ? h.inline_rate
              : is_with_command(work) ? h.command_rate
                                      : h.pcie_bandwidth) /
             config_.clock_hz;
    default:
      return (work.pageable ? h.pageable_bandwidth : h.pcie_bandwidth) / config_.clock_hz;
  }
}

// Few bytes of pageable memory stand behind the command. More go to the device from a buffer, which the host
// fills before (sim/streams), and come from the device as the host empties it.
bool CopyEngines::is_inline(const CopyWork& work) const {
  return work.pageable && work.way == CopyWay::kToDevice && work.bytes <= config_.host.pageable_inline;
}

// So do few bytes of pinned memory, which are read as the command is.
bool CopyEngines::is_with_command(const CopyWork& work) const {
  return !work.pageable && work.way == CopyWay::kToDevice && work.bytes <= config_.host.inline_bytes;
}

Cycle CopyEngines::latency(const CopyWork& work) const {
  const HostConfig& h = config_.host;
  double ns = of_peers(work)                   ? peer_latency(config_.link, work)
              : is_inline(work)                ? h.inline_latency_ns
              : is_with_command(work)          ? h.command_latency_ns
              : work.way == CopyWay::kToDevice ? h.pcie_latency_ns
              : work.way == CopyWay::kWithin   ? h.device_copy_latency_ns
              : work.way == CopyWay::kFill     ? h.fill_latency_ns
              : work.pageable                  ? h.pageable_return_latency_ns
                                               : h.pcie_return_latency_ns;
  // The host begins to empty the buffer when its first part is there.
  if (work.pageable && work.way == CopyWay::kFromDevice)
    ns += static_cast<double>(std::min(work.bytes, h.pageable_chunk)) / h.pcie_bandwidth * 1e9;
  return static_cast<Cycle>(std::llround(ns * 1e-9 * config_.clock_hz));
}

Cycle CopyEngines::lead(const CopyWork& work) const {
  if (of_peers(work)) return latency(work);  // the way there and back is the link's
  return static_cast<Cycle>(static_cast<double>(latency(work)) * config_.host.copy_lead);
}

// Ways have engines of their own as far as there are some, and copies between GPUs have others.
void CopyEngines::submit(Ticket ticket, CopyWork work, Cycle at) {
  const size_t host = config_.host.copy_engines;
  const size_t way =
      work.way == CopyWay::kFill ? static_cast<size_t>(CopyWay::kWithin) : static_cast<size_t>(work.way);
  const size_t place =
      of_peers(work) ? host + (work.way == CopyWay::kPull ? 1 : 0) % config_.link.copy_engines : way % host;
  Engine& engine = engines_[place];
  engine.copies.push_back({ticket, std::move(work), at});
  if (!engine.running) begin(engine);
}

// The first line goes after a part of a small copy's time (host.copy_lead), and the end is known the rest of
// it after the last: the way there and back.
void CopyEngines::begin(Engine& e) {
  const Copy& copy = e.copies.front();
  e.running = true;
  e.begin = e.end = std::max(copy.at, e.free);
  e.sent = e.lines = 0;
  e.next = e.link = static_cast<double>(e.begin + lead(copy.work));
  e.bytes_per_cycle = rate(copy.work);
  e.answers.assign(window(copy.work), 0);
  e.parts.assign(of_peers(copy.work) ? e.answers.size() : 0, 0);
  if (copy.work.carry_out) copy.work.carry_out();
}

// Lines on their way at most: of a copy within the device what the threads of all SMs have, else as many as
// memory, unloaded, answers in host.copy_window times its latency. More would only wait in its queues.
size_t CopyEngines::window(const CopyWork& work) const {
  if (work.way == CopyWay::kWithin)
    return std::max<uint64_t>(4, config_.host.device_copy_window * config_.sm_count() / kLineBytes);
  const NocConfig& noc = config_.noc;
  const double unloaded =
      noc.request_latency + noc.reply_latency + config_.l2.hit_latency +
      (config_.dram.latency + config_.dram.timing.tRCD + config_.dram.timing.tCL) * 1e-9 * config_.clock_hz +
      (of_peers(work) ? 2 * static_cast<double>(port_->latency()) : 0);
  const double lines = config_.host.copy_window * unloaded * rate(work) / kLineBytes;
  return static_cast<size_t>(std::max(4.0, std::ceil(lines)));
}

// Copies within the device and fills are kernels' work: they wait for a place on the SMs as a grid's blocks
// do. Small fills do not (H200: probes/timeline, staging: beside a kernel that leaves no place).
bool CopyEngines::needs_sms(const CopyWork& work) const {
  return work.way == CopyWay::kWithin ||
         (work.way == CopyWay::kFill && work.bytes > config_.host.fill_inline);
}

// The SMs of a kernel that copies take their parts in turn, one of each side of L2 after another.
std::optional<uint32_t> CopyEngines::side(const CopyWork& work, uint64_t place) const {
  if (!needs_sms(work)) return std::nullopt;
  const uint64_t sm = place / std::max<uint64_t>(1, config_.host.device_copy_window);
  return static_cast<uint32_t>(sm % config_.l2.partitions);
}

Cycle CopyEngines::transport(const CopyWork& work, const Part& part, bool write, Cycle at) {
  sim::MemoryRequest r = request(part.address, part.bytes, write, at);
  crossbar_.transport_for_host(r, side(work, part.place));
  return r.time;
}

sim::MemoryRequest CopyEngines::request(uint64_t address, uint32_t bytes, bool write, Cycle at) {
  sim::MemoryRequest request;
  request.line = address & ~uint64_t{kLineBytes - 1};
  request.time = at;
  request.op = write ? sim::RequestOp::kWrite : sim::RequestOp::kRead;
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
  return request;
}

// When an engine sends its next line: one more is read, or written, as its place is free, or one that has
// been read is written. Not before the others of its time, so that memory sees all in order.
double CopyEngines::due(const Engine& e) {
  if (!e.running) return kNeverDue;
  double due = e.read.empty() ? kNeverDue : static_cast<double>(e.read.top().at);
  const Cycle place = e.answers[e.lines % e.answers.size()];
  if (e.sent < e.copies.front().work.bytes && place != kNever)
    due = std::min(due, std::max(e.next, static_cast<double>(place)));
  return due;
}

void CopyEngines::send(Engine& e) {
  const double at = due(e);
  if (!e.read.empty() && static_cast<double>(e.read.top().at) <= at)
    write_line(e);
  else
    send_line(e, at);
  if (over(e)) end(e);
}

bool CopyEngines::over(const Engine& e) const {
  return e.sent == e.copies.front().work.bytes && e.read.empty() && e.away == 0;
}

void CopyEngines::send_line(Engine& e, double due) {
  const CopyWork& work = e.copies.front().work;
  const bool between = of_peers(work);  // two memories of devices
  const bool reads = work.way == CopyWay::kFromDevice || work.way == CopyWay::kWithin || between;
  const uint64_t address = (reads ? work.from : work.to) + e.sent;
  const auto bytes =
      static_cast<uint32_t>(std::min<uint64_t>(work.bytes - e.sent, kLineBytes - address % kLineBytes));
  const size_t slot = e.lines++ % e.answers.size();
  if (work.way == CopyWay::kPull) {
    e.sent += bytes;
    e.next = due + bytes / e.bytes_per_cycle;
    e.answers[slot] = kNever;
    return read_of_peer(e, address, {static_cast<Cycle>(due), e.sent - bytes, bytes, slot});
  }
  Line line{transport(work, {address, e.sent, bytes}, !reads, static_cast<Cycle>(due)), e.sent, bytes, slot};
  e.sent += bytes;
  const double took = bytes / e.bytes_per_cycle;
  const Cycle rest = latency(work) - lead(work);
  if (work.way == CopyWay::kFromDevice) return over_link(e, line, took, rest);
  e.next = due + took;
  e.end = std::max(e.end, static_cast<Cycle>(std::llround(e.next)) + rest);
  if (work.way == CopyWay::kWithin || work.way == CopyWay::kPush) {
    e.answers[slot] = kNever;
    e.read.push(line);
  } else {
    answered(e, line);
  }
}

// What comes from memory waits for the link in a buffer: a line that memory gives late (refresh) does not
// leave the link idle. `rest` has memory's own time in it.
void CopyEngines::over_link(Engine& e, const Line& line, double took, Cycle rest) {
  const Cycle there = line.at - std::min(line.at, rest);
  e.link = std::max(e.link, static_cast<double>(there)) + took;
  e.answers[line.slot] = static_cast<Cycle>(e.link);
  e.end = std::max({e.end, line.at, static_cast<Cycle>(std::llround(e.link)) + rest});
}

void CopyEngines::write_line(Engine& e) {
  Line line = e.read.top();
  e.read.pop();
  const uint64_t to = e.copies.front().work.to + line.place;
  const auto first = static_cast<uint32_t>(std::min<uint64_t>(line.bytes, kLineBytes - to % kLineBytes));
  const Cycle at = line.at;
  if (e.copies.front().work.way == CopyWay::kPush) {
    write_of_peer(e, to, first, line);
    if (line.bytes > first) write_of_peer(e, to + first, line.bytes - first, line);
    return;
  }
  const CopyWork& work = e.copies.front().work;
  line.at = transport(work, {to, line.place, first}, true, at);
  if (line.bytes > first)
    line.at = std::max(line.at, transport(work, {to + first, line.place, line.bytes - first}, true, at));
  answered(e, line);
}

void CopyEngines::read_of_peer(Engine& e, uint64_t address, const Line& line) {
  ++e.away;
  port_->ask(request(address, line.bytes, false, line.at), asker(e, line));
}

void CopyEngines::write_of_peer(Engine& e, uint64_t address, uint32_t bytes, const Line& line) {
  ++e.away;
  ++e.parts[line.slot];
  port_->ask(request(address, bytes, true, line.at), asker(e, line));
}

Asker CopyEngines::asker(const Engine& e, const Line& line) const {
  Asker asker;
  asker.kind = Asker::Kind::kCopy;
  asker.engine = static_cast<size_t>(&e - engines_.data());
  asker.slot = line.slot;
  asker.place = line.place;
  asker.bytes = line.bytes;
  return asker;
}

// A line that was read comes to be written; of one that was written, all parts have to be.
void CopyEngines::answered_by_peer(const Asker& asker, Cycle at) {
  Engine& e = engines_[asker.engine];
  --e.away;
  const Line line{at, asker.place, asker.bytes, asker.slot};
  if (e.copies.front().work.way == CopyWay::kPull) return e.read.push(line);
  e.end = std::max(e.end, at);
  if (--e.parts[asker.slot] != 0) return;
  answered(e, line);
  if (over(e)) end(e);
}

void CopyEngines::answered(Engine& e, const Line& line) {
  e.answers[line.slot] = line.at;
  e.end = std::max(e.end, line.at);
}

void CopyEngines::end(Engine& e) {
  ended_.push_back({e.copies.front().ticket, e.begin, e.end, std::move(e.copies.front().work.ended)});
  const CopyWay way = e.copies.front().work.way;
  const bool link = way == CopyWay::kToDevice || way == CopyWay::kFromDevice;
  e.free = e.end + (link ? static_cast<Cycle>(config_.host.copy_gap_ns * 1e-9 * config_.clock_hz) : 0);
  e.running = false;
  e.copies.pop_front();
  if (!e.copies.empty()) begin(e);
}

void CopyEngines::send_until(Cycle cycle) {
  for (;;) {
    Engine* first = nullptr;
    double earliest = static_cast<double>(cycle);
    for (Engine& e : engines_) {
      const double at = due(e);
      if (at >= earliest) continue;
      first = &e;
      earliest = at;
    }
    if (first == nullptr) return;
    send(*first);
  }
}

Cycle CopyEngines::next_cycle() const {
  Cycle next = kNever;
  for (const Engine& e : engines_)
    if (const double at = due(e); at < kNeverDue) next = std::min(next, static_cast<Cycle>(at));
  return next;
}

bool CopyEngines::busy() const {
  return std::any_of(engines_.begin(), engines_.end(), [](const Engine& e) { return e.running; });
}

std::vector<CopyEngines::Ended> CopyEngines::take_ended() { return std::exchange(ended_, {}); }

}  // namespace gpuloom::arch
