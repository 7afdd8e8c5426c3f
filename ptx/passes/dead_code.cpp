// SPDX-License-Identifier: Apache-2.0
// Removes instructions without effect other than on rows that nobody reads. Loads go too, as ptxas drops
// them, unless they are ordered. So do exchanges between lanes (ptxas 13.0, sm_90: SHFL, VOTE, REDUX and
// MATCH whose results nobody reads are not in the SASS; those that a branch alone reads stay before it).
#include "ptx/isa/table/op_traits.h"
#include "ptx/isa/table/use_of.h"
#include "ptx/passes/draft.h"
#include "ptx/passes/edit.h"
#include "ptx/passes/flow.h"
#include "ptx/passes/late.h"

namespace gpuloom::ptx {

namespace {

bool has_other_effects(const Program& p, const Instr& in) {
  if (in.kind == InstrKind::kWarpSync) return !is(static_cast<OpClass>(in.op_class), kExchanges);
  if (in.kind != InstrKind::kPlain && in.kind != InstrKind::kLoad) return true;
  return in.kind == InstrKind::kLoad ? arrives_late(p, in) : uses_carry(use_of(p, in));
}

}  // namespace

void remove_dead_code(Draft& d) {
  Program& p = d.program;
  bool again = true;
  while (again) {
    again = false;
    const Flow flow = build_flow(p);
    const Liveness liveness = find_liveness(p, flow);
    Edit edit(p);
    for (uint32_t b = 0; b < flow.blocks.size(); ++b) {
      const uint32_t f = liveness.function_of[b];
      RowSet live = liveness.live_out[b];
      for (uint32_t i = flow.blocks[b].last + 1; i-- > flow.blocks[b].first;) {
        bool needed = false, defines = false;
        for (uint32_t r = p.ref_begin[i]; r < p.ref_begin[i + 1]; ++r) {
          if (!p.refs[r].defines) continue;
          defines = true;
          needed |= live.has(liveness.number(f, p.refs[r].place));
        }
        if (defines && !needed && !has_other_effects(p, p.code[i])) {
          edit.erase[i] = 1;
          again = true;
        } else {
          step_back(p, liveness, f, i, live);
        }
      }
    }
    if (again) apply(p, edit);
  }
}

}  // namespace gpuloom::ptx
