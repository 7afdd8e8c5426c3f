// SPDX-License-Identifier: Apache-2.0
// Runs a whole grid without time: what the program does, as fast as possible.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "ptx/exec/cta.h"

namespace gpuloom::ptx {

struct FunctionalProgress {
  uint64_t warp_instructions = 0;
  uint64_t blocks_done = 0, blocks_total = 0;
};

// Told what each memory instruction of the run did, as soon as it has run.
class AccessObserver {
 public:
  virtual ~AccessObserver() = default;
  // `access` is Warp::access of the instruction at `pc`.
  virtual void accessed(const Warp& w, uint32_t pc, const MemoryAccess& access) = 0;
  // A bulk or tensor copy, a remote store, a reduction of these; cp.async is an access.
  virtual void copied(const Warp& w, uint32_t pc, const AsyncOperation& copy) = 0;
};

struct FunctionalOptions {
  uint64_t max_warp_instructions = 0;  // 0: none. Beyond it: Fault of kind kLimit
  bool per_instruction = false;        // fill FunctionalResult::executed and thread_executed
  bool cooperative = false;            // all blocks are resident from the start
  // Threads of the host; 0: as many as it has. More than one run blocks where `independent` says that their
  // order does not count; the result is the same. Empty: it may.
  unsigned threads = 1;
  std::function<bool()> independent;
  AccessObserver* observer = nullptr;
  // Memory for the state of blocks that run at the same time; one block or cluster runs whatever it takes.
  uint64_t resident_bytes = 2ull << 30;
  // Called every few million instructions; false interrupts the run: Error of kind kUsage, or with
  // keep_partial a result that is not complete.
  std::function<bool(const FunctionalProgress&)> progress;
  bool keep_partial = false;
};

struct FunctionalResult {
  uint64_t warp_instructions = 0;
  uint64_t thread_instructions = 0;  // lanes of those, predicated-off ones left out
  uint64_t blocks = 0;
  unsigned threads = 1;                             // of the host that took part
  bool complete = true;                             // false: interrupted
  std::vector<uint64_t> executed, thread_executed;  // as Program::code; empty without per_instruction
};

// Blocks run in order, one after another; where one cannot finish in its time slice (it may wait for another
// one) the next is started and they take turns. Clusters run together. Throws Fault.
FunctionalResult run_functional(Launch& launch, const FunctionalOptions& options = {});

}  // namespace gpuloom::ptx
