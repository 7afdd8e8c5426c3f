// SPDX-License-Identifier: Apache-2.0
// fence.mbarrier_init is a place that the compiler moves nothing over, and no instruction (ptxas 13.0, sm_90:
// SASS of cluster_ring).
#include "ptx/machine/rules/rule.h"
#include "ptx/passes/instr_questions.h"

namespace gpuloom::ptx {

namespace {

bool match_barrier_init_fence(const Selection& s, uint32_t i) {
  return is_memory_fence(s.op_class(i)) && s.use(i).form().syntax.starts_with("fence.mbarrier_init");
}

void apply_barrier_init_fence(const Selection&, Emitter& out, uint32_t) { out.sequence({OpClass::nop}); }

}  // namespace

extern const Rule kBarrierInitFence{"barrier_init_fence", match_barrier_init_fence, apply_barrier_init_fence};

}  // namespace gpuloom::ptx
