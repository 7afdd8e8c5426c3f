// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/warp_runs.h"

#include <bit>

namespace gpuloom::ptx {
namespace {

// The lanes of the current set that `in` is not predicated off for.
inline uint32_t guarded_lanes(const Warp& w, const Instr& in) {
  if (!in.guard.present()) return w.lanes;
  const uint32_t p = predicate(w, in.guard);
  return w.lanes & (in.guard_negated ? ~p : p);
}

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

void run_warp_counted(Warp& w, uint64_t budget, FunctionalResult& result) {
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
    result.thread_instructions += active;
    ++result.executed[pc];
    result.thread_executed[pc] += active;
  }
}

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

}  // namespace gpuloom::ptx
