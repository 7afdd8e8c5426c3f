// SPDX-License-Identifier: Apache-2.0
// The instructions that ptx/passes/groups puts around what acts for lanes whose masks differ: the question
// whether one group is all, and WARPSYNC of each group.
#include "ptx/machine/rules/gather_lanes.h"
#include "ptx/passes/pseudo.h"

namespace gpuloom::ptx {

namespace {

bool match_split_lanes(const Selection& s, uint32_t i) {
  return s.instr(i).fn == skip_split || splits(s.instr(i));
}

void apply_split_lanes(const Selection& s, Emitter& out, uint32_t i) {
  const Instr& in = s.instr(i);
  if (in.fn == skip_split) {
    ask_for_lanes(s, out, i, in.ops[0]);
    out.last().carries = true;
    out.keep_order(out.last());
  } else if (in.aux != 0) {
    out.sequence({OpClass::mov, OpClass::warpsync});
  } else {
    out.sequence({OpClass::warpsync});
  }
}

}  // namespace

extern const Rule kSplitLanes{"split_lanes", match_split_lanes, apply_split_lanes};

}  // namespace gpuloom::ptx
