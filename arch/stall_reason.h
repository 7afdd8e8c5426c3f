// SPDX-License-Identifier: Apache-2.0
// Why a warp did not issue in a cycle, in Nsight Compute's words (Kernel Profiling Guide, "Warp Stall
// Reasons").
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace gpuloom::arch {

enum class Stall : uint8_t {
  kSelected,          // it issued
  kNotSelected,       // it could, another warp did
  kWait,              // fixed latency of the previous instruction (stall count)
  kLongScoreboard,    // result of a global, local or texture access
  kShortScoreboard,   // result of the memory input/output queue's other units: shared memory, special
                      // functions, ...
  kBarrier,           // CTA or cluster barrier
  kBranchResolving,   // target of a branch
  kDispatchStall,     // dispatcher held back: register-file ports
  kDrain,             // exited, its stores are still on the way
  kGmma,              // wgmma
  kImcMiss,           // constant cache for fixed-latency instructions
  kLgThrottle,        // queue of global and local accesses is full
  kMathPipeThrottle,  // arithmetic pipe is busy
  kMembar,            // memory fence
  kMioThrottle,       // memory input/output queue is full
  kMisc,
  kNoInstruction,  // instruction cache miss, or jump over cache lines
  kSleeping,       // nanosleep, all threads blocked or yielded
  kTexThrottle,
  kCount
};

constexpr size_t kStallReasons = static_cast<size_t>(Stall::kCount);

// Names as in smsp__average_warps_issue_stalled_{}_per_issue_active.
inline constexpr std::array<const char*, kStallReasons> kStallNames = {"selected",
                                                                       "not_selected",
                                                                       "wait",
                                                                       "long_scoreboard",
                                                                       "short_scoreboard",
                                                                       "barrier",
                                                                       "branch_resolving",
                                                                       "dispatch_stall",
                                                                       "drain",
                                                                       "gmma",
                                                                       "imc_miss",
                                                                       "lg_throttle",
                                                                       "math_pipe_throttle",
                                                                       "membar",
                                                                       "mio_throttle",
                                                                       "misc",
                                                                       "no_instruction",
                                                                       "sleeping",
                                                                       "tex_throttle"};

}  // namespace gpuloom::arch
