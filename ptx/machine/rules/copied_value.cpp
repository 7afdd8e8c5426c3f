// SPDX-License-Identifier: Apache-2.0
// A copy of a register vanishes where the register still holds the value, or where both are one (join_moves).
#include "ptx/machine/rules/fold_rule.h"

namespace gpuloom::ptx {

namespace {

bool match_copied_value(const Selection& s, const Candidate& c) {
  if (c.shape != Shape::kMove) return false;
  const Place from = s.moved(c.i);
  if (!from.present() || from.constant()) return false;
  if (c.result != nullptr && s.stable(from)) return true;
  // What is a part of another register was never written into the one that both share.
  const std::vector<uint32_t> one = {s.value(from)};
  return !s.instr(c.i).guard.present() && s.value(s.instr(c.i).ops[0]) == one[0] && s.sources(c.i) == one;
}

void apply_copied_value(const Selection&, Folder& fold, const Candidate&) { fold.vanish(); }

}  // namespace

extern const FoldRule kCopiedValue{"copied_value", match_copied_value, apply_copied_value};

}  // namespace gpuloom::ptx
