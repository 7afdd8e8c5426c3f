// SPDX-License-Identifier: Apache-2.0
// mov.b64 {a, b}, c renames halves; so does its inverse, as far as registers can be chosen freely. Of what is
// narrower than a register only pairs of the same half vanish.
#include "ptx/machine/rules/fold_rule.h"
#include "ptx/machine/rules/half_values.h"

namespace gpuloom::ptx {

namespace {

bool match_pack(const Selection& s, const Candidate& c) {
  if (c.shape != Shape::kPack || !can_choose_registers(s, c.i)) return false;
  return !packs_halves(s, c.i) || (c.result != nullptr && pairs_same_half(s, c.i, *c.result));
}

void apply_pack(const Selection&, Folder& fold, const Candidate&) { fold.vanish(); }

}  // namespace

extern const FoldRule kPack{"pack", match_pack, apply_pack};

}  // namespace gpuloom::ptx
