// SPDX-License-Identifier: Apache-2.0
// Execution state of a warp and its CTA, shared by the functional engine and the timed SM.
#pragma once
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "ptx/exec/access.h"
#include "ptx/exec/late_accesses.h"
#include "ptx/exec/memory_view.h"
#include "ptx/exec/simt.h"
#include "ptx/ir/program.h"

namespace gpuloom::ptx {

struct Cta;
struct Launch;

// Why a warp's current lanes cannot go on. The engine that runs the warp asks `wait` after each instruction.
enum class Wait : uint8_t {
  kNone,
  kBarrier,  // at a CTA barrier; released by Cta
  kLanes,    // at a .sync instruction whose member mask is not complete and no other lanes can run
  kClusterBarrier,
  kWarpgroup,  // at a wgmma.mma_async that other warps of the warpgroup have not come to
  kSleep,      // nanosleep; until Warp::sleep_ns has passed, then wake(w, Wait::kSleep)
  kMbarrier,   // mbarrier.try_wait that may suspend: wake(w, Wait::kMbarrier) after a phase change (Cta::
               // phase_changes of its cluster) executes it again; with Warp::suspend_expired it gives up
  kMemory,  // a weak access that must not overtake one under way (LateAccesses): wake(w, Wait::kMemory) when
            // one less is under way executes it again
  kAsync,   // cp.async wait (timed engine only)
  kDone,    // all lanes have exited
};

// Memory that begins on a cache line, so that rows do not straddle two.
template <class T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kLine{64};
  LineAllocator() = default;
  template <class U>
  LineAllocator(const LineAllocator<U>&) {}
  T* allocate(size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kLine)); }
  void deallocate(T* p, size_t) { ::operator delete(p, kLine); }
  template <class U>
  bool operator==(const LineAllocator<U>&) const {
    return true;
  }
};
using LineBytes = std::vector<uint8_t, LineAllocator<uint8_t>>;

// How a warp looks at the clock where no time is modelled (Launch::clock_ahead).
struct ClockWatch {
  uint32_t pc = 0, reads = 0;  // where it read last, and how often in a row
  uint64_t at = 0;             // Warp::executed then
};

// State of one warp. Hot fields first.
struct Warp {
  uint8_t* regs = nullptr;          // register memory of the current activation
  const uint8_t* consts = nullptr;  // Program::constants
  const Instr* code = nullptr;      // Program::code
  uint32_t pc = 0;                  // of the current convergence set
  uint32_t lanes = 0;               // lanes of the current convergence set
  Wait wait = Wait::kNone;
  uint32_t exited = 0;    // lanes that have ended (lanes beyond the block's threads count as exited)
  uint64_t executed = 0;  // warp instructions, for progress and limits
  uint64_t global_low = 1, global_high = 0;  // allocation hit last
  uintptr_t global_base = 0;  // host address of a global location = global_base + device address
  uint8_t* shared = nullptr;  // Cta::shared
  uint64_t shared_bytes = 0;
  uint8_t* local = nullptr;  // local memory, interleaved: word w of lane l at ((w * 32) + l) * 4
  uint64_t local_bytes = 0;  // of one lane, as far as local_memory reaches
  uint32_t local_frame = 0;  // byte offset in a lane's local memory of the current activation
  uint32_t index_in_cta = 0;
  Cta* cta = nullptr;
  Launch* launch = nullptr;
  const Program* program = nullptr;
  DeferredAtomic* deferred = nullptr;  // where atomics are captured; null: they take effect at issue
  bool deferred_pending = false;       // the last instruction filled *deferred
  LateAccesses* late = nullptr;        // of its SM, which the engine keeps; null: none take effect late
  bool suspend_expired = false;        // the next try_wait that would suspend again answers false instead
  std::vector<AsyncOperation>* async = nullptr;  // where asynchronous operations are captured; null: they
                                                 // complete at issue
  uint64_t now = 0;                              // cycle, for clocks; the engine keeps it current
  bool now_counts_executed = false;  // no time is modelled: clocks show now + executed, and what is ahead
  ClockWatch clock_watch;
  uint64_t sleep_ns = 0;            // Wait::kSleep: how long; Wait::kMbarrier: time limit of the suspension
  uint32_t condition_code = 0;      // CC.CF, a bit a lane (carry chains, PTX ISA 9.7.2)
  uint32_t cluster_arrived = 0;     // lanes that have arrived in the phase of the cluster barrier that runs
  uint32_t cluster_pending = 0;     // lanes that have arrived and not waited yet
  uint32_t barrier_lanes[16] = {};  // at each named barrier: lanes that are there while others are missing
  MemoryAccess access;              // what the last memory instruction did
  SimtState simt;                   // convergence sets other than the current one, call frames
  LineBytes register_memory;
  LineBytes local_memory;
};

// Rows of operands.
template <class T>
inline T* row(Warp& w, Place p) {
  return reinterpret_cast<T*>(w.regs + p.at);
}
template <class T>
inline const T* source(const Warp& w, Place p) {
  return reinterpret_cast<const T*>(p.at >= 0 ? w.regs + p.at : w.consts + ~p.at);
}
inline uint32_t predicate(const Warp& w, Place p) { return *source<uint32_t>(w, p); }
inline void set_predicate(Warp& w, Place p, uint32_t lanes, uint32_t value) {
  uint32_t& mask = *row<uint32_t>(w, p);
  mask = (mask & ~lanes) | (value & lanes);
}

// Executes the instruction at warp.pc for the current convergence set. Precondition: warp.wait ==
// Wait::kNone. Afterwards pc and lanes may belong to another set; an instruction that has to wait for other
// lanes (kWarpSync) is then executed again later and counted once.
inline void step(Warp& w) {
  const Instr& in = w.code[w.pc];
  uint32_t lanes = w.lanes;
  if (in.guard.present()) {
    const uint32_t p = predicate(w, in.guard);
    lanes &= in.guard_negated ? ~p : p;
  }
  ++w.pc;
  ++w.executed;
  if (lanes != 0) in.fn(w, in, lanes);
}

}  // namespace gpuloom::ptx
