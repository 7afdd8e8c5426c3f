// SPDX-License-Identifier: Apache-2.0
// What a sub-core asks of whoever carries out instructions: function, apart from time.
#pragma once
#include <cstdint>

#include "arch/sm/kernel_context.h"
#include "arch/sm/stats.h"
#include "arch/types.h"
#include "ptx/exec/warp.h"

namespace gpuloom::arch {

// A warp in its program: whoever carries it out keeps this.
struct WarpPosition {
  ptx::Warp* warp = nullptr;
  const KernelContext* kernel = nullptr;                    // that it runs
  const OpInfo* next = nullptr;                             // to issue
  uint32_t op = 0;                                          // its index
  uint32_t resume_pc = UINT32_MAX, resume_op = UINT32_MAX;  // where its straight line goes on
  uint16_t number = 0;                                      // in the SM
  uint8_t sub_core = 0;
  uint8_t cta = 0;           // slot of its block in the SM
  uint8_t grid = 0;          // of those in the SM
  uint8_t late_results = 0;  // scoreboards whose results function itself waits for: atomics of what was
                             // carried out last
};

enum class Located : uint8_t {
  kHere,   // `next` is the operation at its program counter
  kEnded,  // its lanes have exited
  kWaits,  // they wait for others
};

class WarpFunction {
 public:
  virtual ~WarpFunction() = default;
  // Carries out what takes effect when `op` issues and starts its access. True: the warp left the op's
  // straight line.
  virtual bool carry_out(WarpPosition& w, const OpInfo& op, SubCoreStats& stats, Cycle now) = 0;
  // Finds the operation at the warp's program counter, carrying out what no operation stands for.
  virtual Located locate(WarpPosition& w, Cycle now) = 0;
};

}  // namespace gpuloom::arch
