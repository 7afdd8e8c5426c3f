// SPDX-License-Identifier: Apache-2.0
// Who waits for what, for the message of a deadlock; and the last attempt before it.
#include <bit>

#include "arch/sm/sm.h"
#include "ptx/exec/describe_wait.h"
#include "ptx/exec/fault.h"

namespace gpuloom::arch {
namespace {

const char* what_for(const WarpSlot& w) {
  switch (w.mode) {
    case WarpMode::kScoreboard:
      return "the result of an earlier instruction";
    case WarpMode::kFence:
      return "its earlier stores, at a fence";
    case WarpMode::kCopies:
      return "asynchronous copies";
    case WarpMode::kGrids:
      return "the end of the kernels that its own depends on (griddepcontrol.wait)";
    case WarpMode::kDrain:
      return "its last stores, after its end";
    case WarpMode::kReady:
      return "its turn";
    case WarpMode::kTimed:
      return "a fixed time";
    default:
      break;
  }
  switch (w.warp->wait) {
    case ptx::Wait::kBarrier:
      return "the other warps of its block at a barrier";
    case ptx::Wait::kClusterBarrier:
      return "the other blocks of its cluster at the cluster barrier";
    case ptx::Wait::kLanes:
      return "other lanes of its warp";
    case ptx::Wait::kMbarrier:
      return "an mbarrier phase";
    case ptx::Wait::kSleep:
      return "the end of its sleep";
    case ptx::Wait::kMemory:
      return "memory";
    case ptx::Wait::kAsync:
      return "asynchronous copies";
    default:
      return "nothing that is known";
  }
}

std::string describe_wait(const WarpSlot& w) {
  const ptx::Warp& warp = *w.warp;
  const uint32_t live = ~warp.exited;
  const unsigned lane = live ? static_cast<unsigned>(std::countr_zero(live)) : 0;
  const std::string name =
      "warp " + std::to_string(warp.index_in_cta) + " (" + ptx::thread_name(warp, lane) + ") ";
  // Barriers and lanes: what the program waits for; the rest is the machine's.
  if (w.mode == WarpMode::kBlocked && warp.wait != ptx::Wait::kNone && warp.wait != ptx::Wait::kDone)
    return name + ptx::describe_wait(warp);
  const uint32_t pc = warp.lanes || warp.simt.sets.empty() ? warp.pc : warp.simt.sets.front().pc;
  const std::string source = ptx::source_name(*warp.program, pc ? pc - 1 : 0);
  return name + "waits at " + ptx::place_name(*warp.program, pc ? pc - 1 : 0) +
         (source.empty() ? "" : " (" + source + ")") + " for " + what_for(w);
}

}  // namespace

bool Sm::rescue(Cycle now) {
  bool any = false;
  for (auto& b : blocks_) {
    if (!b.busy || !b.cta) continue;
    for (uint16_t number : b.warps) {
      WarpSlot& w = warp_slot(number);
      if (w.mode != WarpMode::kBlocked || w.warp->cta != b.cta) continue;
      if (ptx::release_waiting_lanes(*w.warp) && w.warp->wait == ptx::Wait::kNone) {
        push(now, {EventKind::kRescue, 0, number, 0});
        any = true;
      }
    }
  }
  return any;
}

void Sm::describe_waits(std::vector<std::string>& lines, size_t limit) const {
  for (const BlockSlot& b : blocks_) {
    if (!b.busy || !b.cta) continue;
    for (uint16_t number : b.warps) {
      if (lines.size() >= limit) return;
      const WarpSlot& w = sub_cores_[number / slots_per_sub_]->slot(number % slots_per_sub_);
      if (w.mode == WarpMode::kEmpty || !w.warp || w.warp->cta != b.cta) continue;
      lines.push_back(describe_wait(w));
    }
  }
}

}  // namespace gpuloom::arch
