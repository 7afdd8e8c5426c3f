// SPDX-License-Identifier: Apache-2.0
// REDUX leaves its result in a uniform register, from which it is moved (ptxas 13.0, sm_90: SASS of
// lat_redux).
#include "ptx/machine/rules/rule.h"

namespace gpuloom::ptx {

namespace {

bool match_warp_reduction(const Selection& s, uint32_t i) { return s.op_class(i) == OpClass::redux; }

void apply_warp_reduction(const Selection&, Emitter& out, uint32_t) {
  out.sequence({OpClass::redux, OpClass::mov});
  out.before_last().ordered = out.last().ordered;
}

}  // namespace

extern const Rule kWarpReduction{"warp_reduction", match_warp_reduction, apply_warp_reduction};

}  // namespace gpuloom::ptx
