// SPDX-License-Identifier: Apache-2.0
// A memory instruction on its way through the SM: what its sub-core's queue holds of it.
#pragma once
#include <cstdint>

#include "arch/sm/bank_rule.h"
#include "arch/sm/coalescer.h"
#include "arch/sm/config.h"
#include "arch/sm/eviction.h"
#include "arch/sm/remote_rule.h"
#include "ptx/machine/machine_program.h"

namespace gpuloom::arch {

enum class MemoryKind : uint8_t {
  kSimple,    // a fixed time in a shared unit: shuffle, predicated-off access, ...
  kConstant,  // lines: the different words that the lanes ask for
  kShared,
  kPass,          // an access that is off for all lanes, a shuffle: only takes its turn at the data stage
  kRemoteShared,  // shared memory of another block of the cluster
  kLoad,
  kStore,
  kAtomic,
  kCopy,  // cp.async
};

// An instruction in a sub-core's queue.
struct MemoryOp {
  MemoryKind kind = MemoryKind::kSimple;
  ptx::AccessOp access = ptx::AccessOp::kNone;
  Pipe pipe = Pipe::kLsu;
  uint8_t write_scoreboard = ptx::kNoScoreboard, read_scoreboard = ptx::kNoScoreboard;
  uint8_t lane_bytes = 0;
  uint8_t wavefronts = 0;  // passes of shared memory without an access there
  bool local = false, bypass_l1 = false, reduce = false, compare_swap = false;
  bool sums = false;  // an atomic that adds floating-point numbers
  L2Hint l2;
  uint16_t l2_prefetch = 0;
  bool acquire = false, release = false;  // of device scope or wider
  uint16_t warp = 0;
  uint8_t grid = 0;  // of those in the SM
  uint16_t latency = 0, interval = 1;
  BankPasses passes;
  RemotePackets remote;  // of kRemoteShared
  uint32_t source = 0;   // decoded instruction
  int32_t record = -1;   // deferred atomic or asynchronous copy
  Cycle ready = 0;       // earliest cycle at the address unit
  Coalesced lines;
};

}  // namespace gpuloom::arch
