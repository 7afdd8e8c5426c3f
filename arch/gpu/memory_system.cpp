// SPDX-License-Identifier: Apache-2.0
#include "arch/gpu/memory_system.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <utility>

#include "arch/policy/mix_address.h"
#include "base/demangle.h"
#include "base/error.h"

namespace gpuloom::arch {
namespace {
constexpr auto kReportEvery = std::chrono::milliseconds(50);
constexpr size_t kWaitsShown = 16;
constexpr size_t kFew = 32;  // messages
}  // namespace

MemorySystem::MemorySystem(const GpuConfig& config, Gpu& gpu, WorkDistributor& distributor)
    : config_(config),
      gpu_(gpu),
      distributor_(distributor),
      round_trip_(config.window_cycles(false)),
      boxes_(gpu.sms.size()),
      waiting_(gpu.sms.size()) {}

// Code and launch data are apart from device memory: addresses of our own choosing, a range a kernel.
void MemorySystem::read_code(const Grid& grid) {
  const uint64_t code_bytes = grid.kernel.code_instructions * config_.sm.fetch.instruction_bytes;
  uint64_t name = 1469598103934665603ull;  // FNV-1a
  for (const char c : grid.name()) name = (name ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  const uint64_t code = uint64_t{1} << 61 | (name & 0xffff'ffff) << 24, data = uint64_t{1} << 62;
  const uint64_t block = config_.launch.code_block;
  const auto read = [&](uint64_t first, uint64_t bytes, unsigned gpc) {
    for (uint64_t line = first; line < first + bytes; line += kLineBytes) {
      sim::MemoryRequest request;
      request.line = line;
      request.sectors = 0xf;
      request.time = grid.start;
      request.unit = sim::MemoryUnit::kInstruction;
      gpu_.crossbar->fetch_for_gpc(request, gpc);
    }
  };
  for (unsigned g = 0; g < gpu_.gpcs.size(); ++g) {
    read(data, config_.launch.fetch_bytes, g);
    read(code, (code_bytes + block - 1) / block * block, g);
  }
}

// The set-aside in whole ways. Without one, lines that an instruction asks to keep (evict_last) may take as
// many ways as the largest set-aside has.
void MemorySystem::set_window(const sim::PolicyWindow& window) {
  const double share = window.set_aside_bytes != 0
                           ? static_cast<double>(std::min(window.set_aside_bytes, config_.l2.size)) /
                                 static_cast<double>(config_.l2.size)
                           : config_.l2.persisting_fraction;
  const uint32_t ways = static_cast<uint32_t>(std::lround(share * config_.l2.ways));
  for (auto& slice : gpu_.slices) slice->set_persisting_ways(ways);
  // Whole ways below the set-aside: 30 MiB are 7 ways of 3.75 here (H200, probes/aside: steps above
  // 15, 18.75, 22.5, 26.25, 30 and 33.75 MiB).
  const L2Config& l2 = config_.l2;
  const uint64_t aside = std::min(window.set_aside_bytes, l2.size), way = l2.size / l2.ways;
  const uint64_t taken = aside == 0 ? 0 : (aside - 1) / way, each = l2.ways / l2.way_groups;
  const uint64_t groups = (l2.ways - taken + each - 1) / each;
  const double left = static_cast<double>(groups) / l2.way_groups;
  for (auto& channel : gpu_.channels) channel->set_l2_share(left);
}

// A line of the window always falls into the same class: which ones is a hash of their address. What the
// instruction itself asks for goes first.
void MemorySystem::classify(sim::MemoryRequest& request, const sim::PolicyWindow& w) {
  if (w.bytes == 0) return;
  if (request.evict != sim::EvictHint::kNormal) return;
  if (request.line + kLineBytes <= w.address || request.line >= w.address + w.bytes) return;
  const bool hit = static_cast<double>(policy::mix_address(request.line) >> 40) < w.hit_ratio * (1 << 24);
  if (hit && w.hit_persisting && w.set_aside_bytes != 0) request.evict = sim::EvictHint::kLast;
  if (!hit && w.miss_streaming) request.evict = sim::EvictHint::kFirst;
}

// The set-aside of L2 is the device's: the latest grid's holds.
void MemorySystem::start(const Grid& grid) {
  if (!grid.joined) {
    reported_ = std::chrono::steady_clock::now();
    held_ = sim::kNever;
    rescues_ = 0;
    gpu_.crossbar->start_kernel();
  }
  set_window(grid.limits.window);
  read_code(grid);
  look_at_grids();
}

void MemorySystem::ended() { look_at_grids(); }

void MemorySystem::look_at_grids() {
  clusters_ = windows_ = false;
  for (const Grid* g : distributor_.grids()) {
    clusters_ |= g->cluster_blocks > 1;
    windows_ |= g->limits.window.bytes != 0;
  }
}

sim::Cycle MemorySystem::next_cycle() const { return std::min(held_, commands_->next_cycle()); }

// Whether the next window may run while this one is served: nothing but answers can reach an SM.
bool MemorySystem::overlaps() const {
  return !sampler_ && !clusters_ && !distributor_.done() && commands_->one_grid();
}

// Sorts by cycle without comparing: a list for each cycle of the window, filled SM by SM.
void MemorySystem::collect(Cycle begin, Cycle end, std::vector<OutMessage> Sm::*of) {
  for (auto& list : by_cycle_) list.clear();
  by_cycle_.resize(std::max<size_t>(by_cycle_.size(), end - begin));
  applies_ = false;
  for (Sm* sm : gpu_.sms) {
    std::vector<OutMessage>& box = sm->*of;
    uint32_t i = 0;
    for (; i < box.size(); ++i) {
      const OutMessage& m = box[i];
      if (m.cycle >= end) break;  // an outbox is in order of cycles
      by_cycle_[m.cycle > begin ? m.cycle - begin : 0].push_back({static_cast<uint16_t>(sm->id()), i});
      applies_ |= m.apply != nullptr;
    }
    waiting_[sm->id()] = i;
    boxes_[sm->id()] = box.data();
  }
  in_order_.clear();
  for (const auto& list : by_cycle_) in_order_.insert(in_order_.end(), list.begin(), list.end());
}

// Atomics and ordered accesses change what others see, and ends of blocks bring new ones. Few messages are
// served before another thread has come.
Cycle MemorySystem::gather(Cycle begin, Cycle end) {
  const size_t early = std::exchange(early_, 0);
  for (Sm* sm : gpu_.sms) {
    if (early != 0)
      sm->apart.clear();
    else
      sm->rejoin();
  }
  collect(begin, end, &Sm::outbox);
  if (in_order_.size() + early < kFew || applies_ || !overlaps()) return 0;
  for (const Grid* g : distributor_.grids())
    if (g->limits.max_cycles && end - g->start > g->limits.max_cycles) return 0;
  const Cycle first = early != 0 ? early_first_ : message(in_order_.front()).cycle;
  Cycle next = first + (end - begin);
  for (const Sm* sm : gpu_.sms) {
    const uint32_t left = waiting_[sm->id()];  // of SMs that have run on
    if (left < sm->outbox.size()) next = std::min(next, sm->outbox[left].cycle);
    if (!sm->news.empty()) next = std::min(next, sm->news.front().at);
  }
  return next < end ? 0 : next;
}

void MemorySystem::serve_one(OutMessage& m, unsigned id, Cycle end) {
  Sm& sm = *gpu_.sms[id];
  if (m.apply) ptx::apply_deferred(m.apply_warp, *m.apply, *sm.grid(m.grid).kernel.launch->memory);
  if (windows_)
    if (const GridContext* grid = sm.resident(m.grid).grid) classify(m.request, grid->window);
  if (port_ != nullptr && !m.combined && port_->away(m.request.line)) return send_away(m, id, end);
  if (!m.combined) gpu_.crossbar->transport(m.request, sm.gpc());
  const Cycle at = std::max(m.request.time, end);
  const auto all = static_cast<uint32_t>(std::popcount(m.request.sectors));
  const bool passes = m.posted() && m.warp != kNoWarp;
  if (passes)
    sm.deliver(std::max<Cycle>(m.request.taken, m.cycle + round_trip_),
               {EventKind::kWritePassed, 0, m.warp, all});
  const uint32_t sectors = passes ? 0 : m.held_sectors();
  switch (m.reply) {
    case Reply::kFill:
      sm.deliver(at, {EventKind::kFill, 0, 0, m.request.id});
      break;
    case Reply::kStore:
      sm.deliver(at, {EventKind::kStoreDone, m.grid, m.warp, sectors});
      break;
    case Reply::kAtomic:
      sm.deliver(at, {EventKind::kAtomicDone, uint8_t{!m.request.home}, static_cast<uint16_t>(sectors),
                      m.request.id});
      break;
    case Reply::kNone:
      break;
  }
}

// Through the crossbar to the port. What its answer becomes is known now, when it comes is not.
// A write waits for it at the port: its sectors are none of the SM's any more once they have left (H200:
// probes/timeline, peers: a block's stores take the other GPU's memory 1.5 us longer than its own, though
// 45 KB are on their way there).
void MemorySystem::send_away(const OutMessage& m, unsigned id, Cycle end) {
  Asker asker;
  asker.kind = m.reply == Reply::kNone ? Asker::Kind::kNobody : Asker::Kind::kSm;
  asker.sm = static_cast<uint16_t>(id);
  const bool posted = m.posted();
  const auto all = static_cast<uint16_t>(std::popcount(m.request.sectors));
  const uint16_t sectors = posted ? 0 : m.held_sectors();
  if (m.reply == Reply::kFill) asker.event = {EventKind::kFill, 0, 0, m.request.id};
  if (m.reply == Reply::kStore) asker.event = {EventKind::kStoreDone, m.grid, m.warp, sectors};
  if (m.reply == Reply::kAtomic) asker.event = {EventKind::kAtomicDone, 0, sectors, m.request.id};
  sim::MemoryRequest request = m.request;
  request.time += config_.noc.request_latency;
  const Cycle left = port_->ask(request, asker);
  if (posted)
    gpu_.sms[id]->deliver(std::max(left + config_.noc.reply_latency, end),
                          {EventKind::kWritePassed, 0, m.warp, all});
}

void MemorySystem::prefetch(const Reference& r) {
  const sim::MemoryRequest& request = message(r).request;
  const Crossbar::Ahead ahead = gpu_.crossbar->prefetch(request, gpu_.sms[r.sm]->gpc());
  gpu_.slices[ahead.slice]->prefetch(request, ahead.arrives, ahead.home);
}

// What a message looks at lies in megabytes of calendars and tags: the host is told some messages before.
void MemorySystem::serve_next(size_t i, Cycle end) {
  constexpr size_t kBefore = 8;
  if (i + kBefore < in_order_.size()) prefetch(in_order_[i + kBefore]);
  serve_one(message(in_order_[i]), in_order_[i].sm, end);
}

void MemorySystem::forget_served(Sm& sm) {
  auto& box = sm.outbox;
  const uint32_t served = std::exchange(waiting_[sm.id()], 0);
  if (served) box.erase(box.begin(), box.begin() + static_cast<ptrdiff_t>(served));
}

void MemorySystem::serve(sim::Cycle end) {
  if (commands_->copying()) {
    serve_with_copies(end);
  } else {
    for (size_t i = 0; i < in_order_.size(); ++i) serve_next(i, end);
  }
  held_ = sim::kNever;
  for (Sm* sm : gpu_.sms) {
    forget_served(*sm);
    if (!sm->outbox.empty()) held_ = std::min(held_, sm->outbox.front().cycle);
  }
  distributor_.serve(end);
  commands_->begin_until(end);
  for (const Sm* sm : gpu_.sms)  // of SMs that have run on
    for (const Sm::BlockNews& b : sm->news) held_ = std::min(held_, b.at);
}

// What copies send goes between the SMs' messages in order of time.
void MemorySystem::serve_with_copies(Cycle end) {
  for (size_t i = 0; i < in_order_.size(); ++i) {
    commands_->send_until(message(in_order_[i]).cycle);
    serve_next(i, end);
  }
  commands_->send_until(end);
}

void MemorySystem::serve_overlapped(sim::Cycle end, const std::function<void(size_t)>& release) {
  left_ = waiting_;
  for (const Sm* sm : gpu_.sms)
    if (left_[sm->id()] == 0) release(sm->id());
  for (size_t i = 0; i < in_order_.size(); ++i) {
    serve_next(i, end);
    const unsigned id = in_order_[i].sm;
    if (--left_[id] != 0) continue;
    forget_served(*gpu_.sms[id]);
    release(id);
  }
}

// The same conditions as for the whole window, of which this is decided again.
bool MemorySystem::gather_first(Cycle begin, Cycle middle) {
  if (!overlaps()) return false;
  for (Sm* sm : gpu_.sms)  // those that have not run
    if (!sm->outbox.empty() && sm->outbox.front().cycle < middle) sm->set_apart(middle);
  collect(begin, middle, &Sm::apart);
  if (in_order_.size() < kFew || applies_) return false;
  early_ = in_order_.size();
  early_first_ = message(in_order_.front()).cycle;
  return true;
}

void MemorySystem::serve_first(Cycle end) {
  for (size_t i = 0; i < in_order_.size(); ++i) serve_next(i, end);
}

void MemorySystem::settle(sim::Cycle end) {
  if (sampler_) sampler_->window_ends(end);
  report(end);
  commands_->settle(end);
}

void MemorySystem::check_limit(const Grid& grid, Cycle now) const {
  if (grid.limits.max_cycles == 0 || now - grid.start <= grid.limits.max_cycles) return;
  std::vector<std::string> lines;
  for (Sm* sm : gpu_.sms) sm->describe_waits(lines, kWaitsShown);
  std::string text = "kernel '" + short_name(grid.name()) + "' did not end within " +
                     std::to_string(grid.limits.max_cycles) + " cycles";
  for (const std::string& line : lines) text += "\n  " + line;
  throw Error(ErrorKind::kProgram, text, {}, "raise the limit, or look for a loop that waits for something");
}

void MemorySystem::report(Cycle now) {
  for (const Grid* g : distributor_.grids()) check_limit(*g, now);
  const auto watched = std::find_if(distributor_.grids().begin(), distributor_.grids().end(),
                                    [](const Grid* g) { return bool{g->progress}; });
  if (watched == distributor_.grids().end()) return;
  const auto time = std::chrono::steady_clock::now();
  if (time - reported_ < kReportEvery) return;
  reported_ = time;
  const Grid& grid = **watched;
  Progress p;
  p.cycle = now - grid.start;
  p.blocks_done = grid.finished;
  p.blocks_total = grid.total;
  for (const Sm* sm : gpu_.sms) p.warp_instructions += sm->warp_instructions(grid);
  if (!grid.progress(p)) throw Error(ErrorKind::kUsage, "interrupted");
}

void MemorySystem::stuck(sim::Cycle now) {
  bool any = false;
  for (Sm* sm : gpu_.sms) any |= sm->rescue(now);
  if (any && ++rescues_ < 1000000) return;
  if (distributor_.grids().empty())
    throw Error(ErrorKind::kInternal, "the machine waits for work that was never submitted");
  std::vector<std::string> lines;
  for (Sm* sm : gpu_.sms) sm->describe_waits(lines, kWaitsShown);
  const Grid& grid = *distributor_.grids().front();
  const size_t others = distributor_.grids().size() - 1;
  std::string text = "deadlock in kernel " + short_name(grid.name()) + " at cycle " +
                     std::to_string(now - grid.start) + ": " + std::to_string(grid.total - grid.finished) +
                     " of " + std::to_string(grid.total) + " blocks cannot go on";
  if (others != 0) text += ", nor those of " + std::to_string(others) + " other kernels beside it";
  for (const std::string& line : lines) text += "\n  " + line;
  throw Error(ErrorKind::kProgram, text);
}

}  // namespace gpuloom::arch
