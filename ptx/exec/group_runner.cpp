// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/group_runner.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "base/demangle.h"
#include "ptx/exec/describe_wait.h"
#include "ptx/exec/fault.h"
#include "ptx/exec/restart_cta.h"
#include "ptx/exec/warp_runs.h"

namespace gpuloom::ptx {
namespace {

// Instructions that a warp runs before the next one of its block gets its turn: long enough that its
// registers stay in the first-level cache, short enough that warps that poll each other meet soon.
constexpr uint64_t kWarpSlice = 8192;
// Instructions of a warp's first turn behind a barrier. A GPU's warps leave it together. Programs rely on
// that where they read a result from shared memory and lack the barrier before the next one is written.
constexpr uint64_t kSliceBehindBarrier = 64;
// Instructions of a block (or cluster) before another one gets a turn.
constexpr uint64_t kGroupSlice = 1 << 18;
constexpr uint64_t kProgressEvery = 4 << 20;
// Times that suspended waits may run out one after another before this counts as a deadlock.
constexpr unsigned kExpiries = 64;
// Turns of a block's warps before lanes of waiting warps are let go early (half a million instructions a
// warp).
constexpr unsigned kRoundsBeforeRelease = 64;
// Where other threads take blocks too, turns before this one begins another beside those that it has: they
// may wait for blocks that have not begun, but mostly they are just long.
constexpr unsigned kTurnsBeforeAnother = 16;
// Instructions that blocks before one with a fault may still take to come to theirs.
constexpr uint64_t kPatience = 1 << 26;

}  // namespace

GridWork::GridWork(Launch& l, const FunctionalOptions& o)
    : launch(l),
      options(o),
      cluster_size(static_cast<uint32_t>(l.cluster.count())),
      groups(l.grid.count() / l.cluster.count()),
      end_(groups) {}

bool GridWork::take(uint64_t& group) {
  group = next_.load(std::memory_order_relaxed);
  do {
    if (group >= end()) return false;
  } while (!next_.compare_exchange_weak(group, group + 1, std::memory_order_relaxed));
  return true;
}

uint64_t GridWork::left() const { return end() - std::min(end(), next_.load(std::memory_order_relaxed)); }

// The limit counts all blocks together, and an observer or checks look at one block after another.
bool GridWork::independent() {
  if (independent_ == Answer::kNotAsked) {
    const bool one_by_one = options.cooperative || options.max_warp_instructions != 0 ||
                            options.observer != nullptr || launch.checks != nullptr;
    const bool yes = !one_by_one && options.independent && options.independent();
    independent_ = yes ? Answer::kYes : Answer::kNo;
  }
  return independent_ == Answer::kYes;
}

void GridWork::failed(uint64_t group, std::exception_ptr error) {
  const std::lock_guard guard(lock_);
  if (group >= end()) return;
  end_.store(group, std::memory_order_relaxed);
  error_ = std::move(error);
}

void GridWork::rethrow() const {
  if (error_) std::rethrow_exception(error_);
}

bool GridWork::abandoned(uint64_t group, uint64_t executed_by_it) const {
  if (stopped_.load(std::memory_order_relaxed)) return true;
  const uint64_t first = end();
  return first != groups && (group >= first || executed_by_it > kPatience);
}

struct GroupRunner::Group {
  uint64_t number = 0;
  std::unique_ptr<Cluster> cluster;
  std::vector<std::unique_ptr<Cta>> ctas;
  uint64_t executed = 0;
  uint64_t phase_changes = 0;
  unsigned expiries = 0;
  unsigned rounds = 0;
  uint64_t round_phases = 0;  // phases when the last turn of its warps began
  bool polling = false;       // its last turn ended because all it did was poll memory

  bool done() const {
    return std::all_of(ctas.begin(), ctas.end(), [](const auto& cta) { return cta->live_warps == 0; });
  }
  uint64_t phases() const {
    uint64_t sum = 0;
    for (const auto& cta : ctas) sum += cta->phase_changes;
    return sum;
  }
  bool progress_made() const { return phases() != phase_changes; }
  // Lanes of waiting warps pass the meeting points where they wait for lanes that wait for something else.
  bool release_lanes() {
    bool any = false;
    for (auto& cta : ctas)
      for (auto& warp : cta->warps)
        if (warp->wait != Wait::kNone && warp->wait != Wait::kDone && release_waiting_lanes(*warp))
          any = true;
    return any;
  }
};

GroupRunner::GroupRunner(GridWork& work, bool reports)
    : work_(work), reports_(reports && work.options.progress), next_report_(kProgressEvery) {
  if (work.options.per_instruction) {
    result_.executed.assign(work.launch.program->code.size(), 0);
    result_.thread_executed.assign(work.launch.program->code.size(), 0);
  }
}

GroupRunner::~GroupRunner() = default;

FunctionalResult GroupRunner::result() {
  result_.warp_instructions = executed_;
  return std::move(result_);
}

bool GroupRunner::run(uint64_t pause_after) {
  if (work_.options.cooperative)
    while (admit()) {
    }
  while (!work_.all_taken() || !resident_.empty()) {
    if (executed_ >= pause_after) return false;
    admit_more();
    for (size_t k = 0; k < resident_.size();) {
      Group& group = *resident_[k];
      turn(group);
      const bool done = group.done();
      if (done) retire(group);
      if (done || work_.abandoned(group.number, group.executed))
        resident_.erase(resident_.begin() + static_cast<ptrdiff_t>(k));
      else
        ++k;
    }
  }
  return true;
}

// As many used blocks are kept as one group takes: mostly groups run one after another. Checks remember
// blocks by their address.
void GroupRunner::retire(Group& group) {
  result_.blocks += work_.cluster_size;
  work_.blocks_done.fetch_add(work_.cluster_size, std::memory_order_relaxed);
  if (work_.launch.checks != nullptr || !used_.empty()) return;
  used_ = std::move(group.ctas);
  group.ctas.clear();
}

std::unique_ptr<Cta> GroupRunner::used_block() {
  if (used_.empty()) return std::make_unique<Cta>();
  std::unique_ptr<Cta> used = std::move(used_.back());
  used_.pop_back();
  return used;
}

bool GroupRunner::room() const {
  return resident_.empty() ||
         (resident_.size() + 1) * group_bytes_ <= work_.options.resident_bytes / threads_;
}

// The first group; or another one because those that run cannot finish in their turns. Where all of them
// poll memory they probably wait for blocks that have not begun: as many again.
void GroupRunner::admit_more() {
  size_t count = 1;
  if (!resident_.empty()) {
    if (std::all_of(resident_.begin(), resident_.end(), [](const auto& g) { return g->polling; }))
      count = resident_.size();
    else if (threads_ > 1 && ++turns_ % kTurnsBeforeAnother != 0)
      count = 0;
  }
  for (; count != 0 && room() && admit(); --count) {
  }
}

// Linear ids of the blocks of a cluster, by rank.
uint64_t GroupRunner::block_of(uint64_t group, uint32_t rank) const {
  const Dim3 &g = work_.launch.grid, &c = work_.launch.cluster;
  const uint64_t cx = g.x / c.x, cy = g.y / c.y;
  const uint64_t x = group % cx * c.x + rank % c.x;
  const uint64_t y = group / cx % cy * c.y + rank / c.x % c.y;
  const uint64_t z = group / cx / cy * c.z + rank / c.x / c.y;
  return x + g.x * (y + uint64_t(g.y) * z);
}

bool GroupRunner::admit() {
  Launch& launch = work_.launch;
  auto group = std::make_unique<Group>();
  if (!work_.take(group->number)) return false;
  if (work_.cluster_size > 1) group->cluster = std::make_unique<Cluster>();
  for (uint32_t rank = 0; rank < work_.cluster_size; ++rank) {
    const uint64_t id = work_.cluster_size > 1 ? block_of(group->number, rank) : group->number;
    group->ctas.push_back(restart_cta(used_block(), launch, id, group->cluster.get(),
                                      static_cast<uint32_t>(id % std::max(1u, launch.sm_count))));
    for (auto& warp : group->ctas.back()->warps) warp->now_counts_executed = true;
  }
  if (group_bytes_ == 0) {
    const Cta& cta = *group->ctas[0];
    const Warp& w = *cta.warps[0];
    group_bytes_ = work_.cluster_size *
                   (cta.shared.size() +
                    cta.warps.size() * (sizeof(Warp) + w.register_memory.size() + w.local_memory.size()));
  }
  resident_.push_back(std::move(group));
  return true;
}

// Where blocks do not depend on each other, a fault is the launch's only if no earlier block has one.
void GroupRunner::turn(Group& group) {
  try {
    run_group(group);
  } catch (const Interrupted&) {
    throw;
  } catch (...) {
    if (!work_.independent()) throw;
    work_.failed(group.number, std::current_exception());
  }
}

// One slice. Throws Fault when nothing in the group can ever go on.
void GroupRunner::run_group(Group& group) {
  const uint64_t end = executed_ + kGroupSlice;
  group.polling = false;
  while (executed_ < end && !group.done() && !group.polling) {
    wake_suspended(group);
    const uint64_t before = executed_;
    bool runnable = false, all_poll = true;
    const bool behind_barrier = std::exchange(group.round_phases, group.phases()) != group.phases();
    run_round(group, behind_barrier ? kSliceBehindBarrier : kWarpSlice, runnable, all_poll);
    if (executed_ != before) {
      group.expiries = group.progress_made() ? 0 : group.expiries;
      group.executed += executed_ - before;
      work_.executed.fetch_add(executed_ - before, std::memory_order_relaxed);
      after_progress();
      if (work_.abandoned(group.number, group.executed)) return;
    }
    group.polling = runnable && all_poll && !group.progress_made();
    if (!runnable)
      unblock(group);
    else if (!behind_barrier && ++group.rounds % kRoundsBeforeRelease == 0)
      group.release_lanes();  // who runs may be polling for what they do next
  }
}

// Each warp that can run has its slice.
void GroupRunner::run_round(Group& group, uint64_t slice, bool& runnable, bool& all_poll) {
  for (auto& cta : group.ctas) {
    for (auto& warp : cta->warps) {
      Warp& w = *warp;
      if (w.wait == Wait::kSleep) wake(w, Wait::kSleep);  // no time is modelled
      if (w.wait != Wait::kNone) continue;
      runnable = true;
      w.simt.polled = false;
      run_slice(w, slice);
      all_poll = all_poll && w.simt.polled && (w.wait == Wait::kNone || w.wait == Wait::kSleep);
    }
  }
}

void GroupRunner::run_slice(Warp& w, uint64_t slice) {
  const uint64_t before = w.executed;
  w.now = executed_ - before;
  if (work_.options.observer != nullptr)
    run_warp_observed(w, slice, result_, *work_.options.observer);
  else if (work_.options.per_instruction)
    run_warp_counted(w, slice, result_);
  else
    run_warp(w, slice, result_.thread_instructions);
  executed_ += w.executed - before;
}

// Suspended mbarrier waits try again after any phase change of the cluster.
void GroupRunner::wake_suspended(Group& group) {
  const uint64_t now = group.phases();
  if (now == group.phase_changes) return;
  group.phase_changes = now;
  for (auto& cta : group.ctas)
    for (auto& warp : cta->warps) wake(*warp, Wait::kMbarrier);
}

// No warp of the group can run.
void GroupRunner::unblock(Group& group) {
  if (group.done() || group.progress_made()) return;
  if (group.release_lanes()) return;
  bool any = false;
  if (++group.expiries <= kExpiries) {  // time limits of try_wait run out
    for (auto& cta : group.ctas) {
      for (auto& warp : cta->warps) {
        if (warp->wait != Wait::kMbarrier) continue;
        warp->suspend_expired = true;
        wake(*warp, Wait::kMbarrier);
        any = true;
      }
    }
    if (any) return;
  }
  deadlock(group);
}

void GroupRunner::deadlock(const Group& group) const {
  const Launch& launch = work_.launch;
  std::string text = "kernel '" + short_name(launch.program->name) + "' is deadlocked: ";
  FaultInfo info;
  info.kind = FaultKind::kDeadlock;
  info.kernel = launch.program->name;
  bool first = true;
  for (const auto& cta : group.ctas) {
    if (cta->live_warps == 0) continue;
    if (!first) text += "; ";
    first = false;
    text += describe_waits(*cta);
  }
  throw Fault(std::move(info), text, launch.program->module ? launch.program->module->file_name : "");
}

// Where a warp is that could go on.
std::string GroupRunner::somebody_running() const {
  for (const auto& group : resident_)
    for (const auto& cta : group->ctas)
      for (const auto& warp : cta->warps) {
        if (warp->wait != Wait::kNone) continue;
        const std::string source = source_name(*warp->program, warp->pc);
        return ": " + thread_name(*warp, static_cast<unsigned>(std::countr_zero(warp->lanes))) + " is at " +
               place_name(*warp->program, warp->pc) + (source.empty() ? "" : " (" + source + ")");
      }
  return {};
}

void GroupRunner::after_progress() {
  const FunctionalOptions& options = work_.options;
  if (options.max_warp_instructions != 0 && executed_ > options.max_warp_instructions) {
    const std::string& kernel = work_.launch.program->name;
    FaultInfo info;
    info.kind = FaultKind::kLimit;
    info.kernel = kernel;
    throw Fault(std::move(info),
                "kernel '" + short_name(kernel) + "' has executed more than " +
                    std::to_string(options.max_warp_instructions) + " warp instructions, the limit" +
                    somebody_running(),
                "");
  }
  if (!reports_ || executed_ < next_report_) return;
  next_report_ = executed_ + kProgressEvery;
  report();
}

void GroupRunner::report() {
  if (!reports_) return;
  const FunctionalProgress now{work_.executed.load(std::memory_order_relaxed),
                               work_.blocks_done.load(std::memory_order_relaxed),
                               work_.groups * work_.cluster_size};
  if (!work_.options.progress(now)) throw Interrupted{};
}

}  // namespace gpuloom::ptx
