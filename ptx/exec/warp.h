// SPDX-License-Identifier: Apache-2.0
// Execution state of a warp and its CTA, shared by the functional engine and the timed SM.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "ptx/exec/access.h"
#include "ptx/exec/memory_view.h"
#include "ptx/exec/simt.h"
#include "ptx/ir/kernel.h"

namespace gpuloom::ptx {

struct Cta;
struct Launch;

// Why a warp's current lanes cannot go on. The engine that runs the warp asks `wait` after each instruction.
enum class Wait : uint8_t {
  kNone,
  kBarrier,  // at a CTA barrier; released by Cta
  kLanes,    // at a .sync instruction whose member mask is not complete and no other lanes can run
  kClusterBarrier,
  kSleep,     // nanosleep; until Warp::sleep_ns has passed
  kMbarrier,  // mbarrier.try_wait that may suspend; woken by a phase change or its time limit
  kMemory,    // a deferred atomic or ordered load whose result is pending (timed engine only)
  kAsync,     // cp.async wait (timed engine only)
  kDone,      // all lanes have exited
};

// State of one warp. Hot fields first.
struct Warp {
  uint8_t* regs = nullptr;          // register memory of the current activation
  const uint8_t* consts = nullptr;  // Program::constants
  const Instr* code = nullptr;      // Program::code
  uint32_t pc = 0;                  // of the current convergence set
  uint32_t lanes = 0;               // lanes of the current convergence set
  Wait wait = Wait::kNone;
  uint32_t exited = 0;  // lanes that have ended (lanes beyond the block's threads count as exited)
  Cta* cta = nullptr;
  Launch* launch = nullptr;
  const Program* program = nullptr;
  uint8_t* local = nullptr;  // local memory, interleaved: word w of lane l at ((w * 32) + l) * 4
  uint32_t local_frame = 0;  // byte offset in a lane's local memory of the current activation
  uint32_t index_in_cta = 0;
  uint64_t global_low = 1, global_high = 0;  // allocation hit last
  MemoryAccess access;                       // what the last memory instruction did
  DeferredAtomic* deferred = nullptr;        // where atomics are captured; null: they take effect at issue
  bool deferred_pending = false;             // the last instruction filled *deferred
  uint64_t now = 0;                          // cycle, for clocks; the engine keeps it current
  uint64_t sleep_ns = 0;
  uint32_t condition_code = 0;  // CC.CF, a bit a lane (carry chains, PTX ISA 9.7.2)
  uint64_t executed = 0;        // warp instructions, for progress and limits
  SimtState simt;               // convergence sets other than the current one, call frames
  std::vector<uint8_t> register_memory;
  std::vector<uint8_t> local_memory;
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
// Wait::kNone.
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
