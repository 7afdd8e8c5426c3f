// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/functional.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <string>

#include "base/demangle.h"
#include "ptx/exec/describe_wait.h"
#include "ptx/exec/fault.h"

namespace gpuloom::ptx {
namespace {

// Instructions that a warp runs before the next one of its block gets its turn: long enough that its
// registers stay in the first-level cache, short enough that warps that poll each other meet soon.
constexpr uint64_t kWarpSlice = 8192;
// Instructions of a block (or cluster) before another one gets a turn.
constexpr uint64_t kGroupSlice = 1 << 18;
constexpr uint64_t kProgressEvery = 4 << 20;
// Times that suspended waits may run out one after another before this counts as a deadlock.
constexpr unsigned kExpiries = 64;
// Turns of a block's warps before lanes of waiting warps are let go early (half a million instructions a
// warp).
constexpr unsigned kRoundsBeforeRelease = 64;

// Blocks that must run together: a cluster, or one block.
struct Group {
  std::unique_ptr<Cluster> cluster;
  std::vector<std::unique_ptr<Cta>> ctas;
  uint64_t phase_changes = 0;
  unsigned expiries = 0;
  unsigned rounds = 0;
  bool polling = false;  // its last turn ended because all it did was poll memory

  bool done() const {
    return std::all_of(ctas.begin(), ctas.end(), [](const auto& cta) { return cta->live_warps == 0; });
  }
};

// The lanes of the current set that `in` is not predicated off for.
inline uint32_t guarded_lanes(const Warp& w, const Instr& in) {
  if (!in.guard.present()) return w.lanes;
  const uint32_t p = predicate(w, in.guard);
  return w.lanes & (in.guard_negated ? ~p : p);
}

void run_warp_counted(Warp& w, uint64_t budget, uint64_t& threads, FunctionalResult& result) {
  const uint64_t end = w.executed + budget;
  while (w.executed < end && w.wait == Wait::kNone) {
    const uint32_t pc = w.pc;
    const Instr& in = w.code[pc];
    const uint32_t lanes = guarded_lanes(w, in);
    const uint64_t before = w.executed;
    ++w.pc;
    ++w.executed;
    if (lanes != 0) in.fn(w, in, lanes);
    // Lanes that arrive at a meeting point stop there: no PTX instruction, but a machine instruction.
    if (w.executed == before && in.kind != InstrKind::kReconverge) continue;
    const auto active = static_cast<uint64_t>(std::popcount(lanes));
    threads += active;
    ++result.executed[pc];
    result.thread_executed[pc] += active;
  }
}

// Counts like run_warp_counted where the result has room for it.
void run_warp_observed(Warp& w, uint64_t budget, FunctionalResult& result, AccessObserver& observer) {
  std::vector<AsyncOperation> issued;
  const bool count = !result.executed.empty();
  const uint64_t end = w.executed + budget;
  while (w.executed < end && w.wait == Wait::kNone) {
    const uint32_t pc = w.pc;
    const Instr& in = w.code[pc];
    const uint32_t lanes = guarded_lanes(w, in);
    const uint64_t before = w.executed;
    ++w.pc;
    ++w.executed;
    w.access.op = AccessOp::kNone;
    w.async = &issued;
    if (lanes != 0) in.fn(w, in, lanes);
    w.async = nullptr;
    if (w.executed != before || in.kind == InstrKind::kReconverge) {
      const auto active = static_cast<uint64_t>(std::popcount(lanes));
      result.thread_instructions += active;
      if (count) {
        ++result.executed[pc];
        result.thread_executed[pc] += active;
      }
    }
    if (w.access.op != AccessOp::kNone) observer.accessed(w, pc, w.access);
    for (const AsyncOperation& copy : issued) {
      if (copy.kind != AsyncKind::kCopy && copy.kind != AsyncKind::kArriveOnCopies)
        observer.copied(w, pc, copy);
      complete_async(w, copy);
    }
    issued.clear();
  }
}

class Engine {
 public:
  Engine(Launch& launch, const FunctionalOptions& options) : launch_(launch), options_(options) {
    launch.timeless = true;
    total_ = launch.grid.count();
    const Dim3& c = launch.cluster;
    cluster_size_ = static_cast<uint32_t>(c.count());
    groups_total_ = total_ / cluster_size_;
    if (options.per_instruction) {
      result_.executed.assign(launch.program->code.size(), 0);
      result_.thread_executed.assign(launch.program->code.size(), 0);
    }
  }

  FunctionalResult run() {
    try {
      run_all();
    } catch (const Interrupted&) {
      if (!options_.keep_partial)
        throw Error(ErrorKind::kUsage, "kernel '" + short_name(launch_.program->name) + "' was interrupted");
      result_.complete = false;
    }
    result_.warp_instructions = executed_;
    return std::move(result_);
  }

 private:
  struct Interrupted {};

  void run_all() {
    if (options_.cooperative)
      while (next_group_ < groups_total_) admit();
    while (next_group_ < groups_total_ || !resident_.empty()) {
      admit_more();
      for (size_t k = 0; k < resident_.size();) {
        run_group(*resident_[k]);
        if (resident_[k]->done()) {
          result_.blocks += cluster_size_;
          resident_.erase(resident_.begin() + static_cast<ptrdiff_t>(k));
        } else {
          ++k;
        }
      }
    }
  }

  bool room() const {
    return resident_.empty() || (resident_.size() + 1) * group_bytes_ <= options_.resident_bytes;
  }

  // The first group; or another one because those that run cannot finish in their turns. Where all of them
  // poll memory they probably wait for blocks that have not begun: as many again.
  void admit_more() {
    size_t count = 1;
    if (!resident_.empty() &&
        std::all_of(resident_.begin(), resident_.end(), [](const auto& g) { return g->polling; }))
      count = resident_.size();
    for (; count != 0 && next_group_ < groups_total_ && room(); --count) admit();
  }

  // Linear ids of the blocks of a cluster, by rank.
  uint64_t block_of(uint64_t group, uint32_t rank) const {
    const Dim3 &g = launch_.grid, &c = launch_.cluster;
    const uint64_t cx = g.x / c.x, cy = g.y / c.y;
    const uint64_t x = group % cx * c.x + rank % c.x;
    const uint64_t y = group / cx % cy * c.y + rank / c.x % c.y;
    const uint64_t z = group / cx / cy * c.z + rank / c.x / c.y;
    return x + g.x * (y + uint64_t(g.y) * z);
  }

  void admit() {
    auto group = std::make_unique<Group>();
    if (cluster_size_ > 1) group->cluster = std::make_unique<Cluster>();
    for (uint32_t rank = 0; rank < cluster_size_; ++rank) {
      const uint64_t id = cluster_size_ > 1 ? block_of(next_group_, rank) : next_group_;
      group->ctas.push_back(create_cta(launch_, id, group->cluster.get(),
                                       static_cast<uint32_t>(id % std::max(1u, launch_.sm_count))));
      for (auto& warp : group->ctas.back()->warps) warp->now_counts_executed = true;
    }
    if (group_bytes_ == 0) {
      const Cta& cta = *group->ctas[0];
      const Warp& w = *cta.warps[0];
      group_bytes_ = cluster_size_ *
                     (cta.shared.size() +
                      cta.warps.size() * (sizeof(Warp) + w.register_memory.size() + w.local_memory.size()));
    }
    ++next_group_;
    resident_.push_back(std::move(group));
  }

  // One slice. Throws Fault when nothing in the group can ever go on.
  void run_group(Group& group) {
    const uint64_t end = executed_ + kGroupSlice;
    group.polling = false;
    while (executed_ < end && !group.done() && !group.polling) {
      wake_suspended(group);
      const uint64_t before = executed_;
      bool runnable = false, all_poll = true;
      for (auto& cta : group.ctas) {
        for (auto& warp : cta->warps) {
          Warp& w = *warp;
          if (w.wait == Wait::kSleep) wake(w, Wait::kSleep);  // no time is modelled
          if (w.wait != Wait::kNone) continue;
          runnable = true;
          w.simt.polled = false;
          run_slice(w);
          all_poll = all_poll && w.simt.polled && (w.wait == Wait::kNone || w.wait == Wait::kSleep);
        }
      }
      if (executed_ != before) {
        group.expiries = progress_made(group) ? 0 : group.expiries;
        after_progress();
      }
      group.polling = runnable && all_poll && !progress_made(group);
      if (!runnable)
        unblock(group);
      else if (++group.rounds % kRoundsBeforeRelease == 0)
        release_lanes(group);  // who runs may be polling for what they do next
    }
  }

  void run_slice(Warp& w) {
    const uint64_t before = w.executed;
    w.now = executed_ - before;
    if (options_.observer != nullptr)
      run_warp_observed(w, kWarpSlice, result_, *options_.observer);
    else if (options_.per_instruction)
      run_warp_counted(w, kWarpSlice, result_.thread_instructions, result_);
    else
      run_warp(w, kWarpSlice, result_.thread_instructions);
    executed_ += w.executed - before;
  }

  static uint64_t phases(const Group& group) {
    uint64_t sum = 0;
    for (const auto& cta : group.ctas) sum += cta->phase_changes;
    return sum;
  }

  bool progress_made(const Group& group) const { return phases(group) != group.phase_changes; }

  // Suspended mbarrier waits try again after any phase change of the cluster.
  void wake_suspended(Group& group) {
    const uint64_t now = phases(group);
    if (now == group.phase_changes) return;
    group.phase_changes = now;
    for (auto& cta : group.ctas)
      for (auto& warp : cta->warps) wake(*warp, Wait::kMbarrier);
  }

  // Lanes of waiting warps pass the meeting points where they wait for lanes that wait for something else.
  static bool release_lanes(Group& group) {
    bool any = false;
    for (auto& cta : group.ctas)
      for (auto& warp : cta->warps)
        if (warp->wait != Wait::kNone && warp->wait != Wait::kDone && release_waiting_lanes(*warp))
          any = true;
    return any;
  }

  // No warp of the group can run.
  void unblock(Group& group) {
    if (group.done() || progress_made(group)) return;
    if (release_lanes(group)) return;
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

  [[noreturn]] void deadlock(const Group& group) const {
    std::string text = "kernel '" + short_name(launch_.program->name) + "' is deadlocked: ";
    FaultInfo info;
    info.kind = FaultKind::kDeadlock;
    info.kernel = launch_.program->name;
    bool first = true;
    for (const auto& cta : group.ctas) {
      if (cta->live_warps == 0) continue;
      if (!first) text += "; ";
      first = false;
      text += describe_waits(*cta);
    }
    throw Fault(std::move(info), text, launch_.program->module ? launch_.program->module->file_name : "");
  }

  // Where a warp is that could go on.
  std::string somebody_running() const {
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

  void after_progress() {
    if (options_.max_warp_instructions != 0 && executed_ > options_.max_warp_instructions) {
      FaultInfo info;
      info.kind = FaultKind::kLimit;
      info.kernel = launch_.program->name;
      throw Fault(std::move(info),
                  "kernel '" + short_name(launch_.program->name) + "' has executed more than " +
                      std::to_string(options_.max_warp_instructions) + " warp instructions, the limit" +
                      somebody_running(),
                  "");
    }
    if (!options_.progress || executed_ < next_report_) return;
    next_report_ = executed_ + kProgressEvery;
    if (!options_.progress({executed_, result_.blocks, total_})) throw Interrupted{};
  }

  Launch& launch_;
  const FunctionalOptions& options_;
  FunctionalResult result_;
  std::vector<std::unique_ptr<Group>> resident_;
  uint64_t total_ = 0, groups_total_ = 0, next_group_ = 0;
  uint32_t cluster_size_ = 1;
  uint64_t group_bytes_ = 0;
  uint64_t executed_ = 0, next_report_ = kProgressEvery;
};

}  // namespace

void run_warp(Warp& w, uint64_t budget, uint64_t& thread_instructions) {
  const uint64_t end = w.executed + budget;
  uint64_t threads = 0;
  while (w.executed < end) {
    const Instr& in = w.code[w.pc];
    const uint32_t lanes = guarded_lanes(w, in);
    ++w.pc;
    ++w.executed;
    threads += static_cast<uint64_t>(std::popcount(lanes));
    if (lanes != 0) {
      in.fn(w, in, lanes);
      if (w.wait != Wait::kNone) break;
    }
  }
  thread_instructions += threads;
}

FunctionalResult run_functional(Launch& launch, const FunctionalOptions& options) {
  return Engine(launch, options).run();
}

}  // namespace gpuloom::ptx
