// SPDX-License-Identifier: Apache-2.0
// A constant is an immediate of those who read it, unless one of them needs a register: what a store writes,
// but for a zero, which comes from RZ (SASS of byte_histogram), and elements of vectors. So is the address of
// a shared variable where it does not depend on the block's rank in its cluster (SASS for sm_75 to sm_89).
#include <algorithm>

#include "ptx/machine/rules/fold_rule.h"

namespace gpuloom::ptx {

namespace {

bool match_moved_constant(const Selection& s, const Candidate& c) {
  if (c.shape != Shape::kMove || c.result == nullptr) return false;
  const Place from = s.moved(c.i);
  if (!from.present() || !from.constant() || !names_known(s, c.i)) return false;
  return std::none_of(c.result->uses.begin(), c.result->uses.end(), [&](const auto& use) {
    const Instr& user = s.instr(use.first);
    const bool from_rz = user.kind == InstrKind::kStore && user.vec <= 1 && use.second->bytes <= 4 &&
                         s.constant_bits(from, use.second->bytes) == 0;
    return (is_memory(user) && !use.second->address && !from_rz) ||
           (use.second->element != 0xff && use.second->bytes >= 4 && !s.takes_fragments(use.first));
  });
}

void apply_moved_constant(const Selection&, Folder& fold, const Candidate&) { fold.vanish(); }

}  // namespace

extern const FoldRule kMovedConstant{"moved_constant", match_moved_constant, apply_moved_constant};

}  // namespace gpuloom::ptx
