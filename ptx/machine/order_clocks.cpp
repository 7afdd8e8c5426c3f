// SPDX-License-Identifier: Apache-2.0
// A barrier lets its warp go on for six cycles before it holds it (BAR.SYNC.DEFER_BLOCKING). ptxas puts what
// asks no unit outside the sub-core there, a CS2R too: the last clock of a kernel, behind its barrier, says
// when the warp came to the barrier, not when it left (H200, probes/turns: two cycles behind the clock in
// front of it in each of 32 warps, of which the first waits for 3,100 cycles). Earlier clocks stand in
// uniform registers, and S2UR waits.
#include <numeric>

#include "ptx/machine/graph.h"
#include "ptx/passes/edit.h"
#include "ptx/passes/instr_questions.h"

namespace gpuloom::ptx {

void order_clocks(Graph& g) {
  Program& p = *g.program;
  std::vector<uint32_t> order(p.code.size());
  std::iota(order.begin(), order.end(), 0);
  bool changed = false;
  for (const FunctionCode& function : p.functions) {
    uint32_t i = function.end;
    while (i > function.entry && p.code[i - 1].kind != InstrKind::kReadClock) --i;
    if (i < function.entry + 2) continue;
    const uint32_t clock = i - 1, barrier = i - 2;
    if (!is_block_barrier(class_of(p.code[barrier])) || p.code[barrier].guard.present() ||
        g.flow.block_of[clock] != g.flow.block_of[barrier])
      continue;
    std::swap(order[clock], order[barrier]);
    changed = true;
  }
  if (changed) reorder(p, order);
}

}  // namespace gpuloom::ptx
