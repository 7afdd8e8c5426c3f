// SPDX-License-Identifier: Apache-2.0
// A variable and a distance: part of the addresses that add a register to it, [R + UR + distance] (SASS of a
// CRC by eight tables).
#include "ptx/machine/rules/fold_rule.h"

namespace gpuloom::ptx {

namespace {

bool match_distance_of_base(const Selection& s, const Candidate& c) {
  if (c.shape != Shape::kAdd32 || !c.steady) return false;
  return s.instr(c.i).ops[2].constant() && has_uniform_base(s, c.i) &&
         all_uses(*c.result, [&](uint32_t u, const OperandRef& ref) {
           if (ref.address) return is_memory(s.instr(u));
           const RowFacts* sum =
               s.shape(u) == Shape::kAdd32 && !s.has_taken(u) ? s.single_result(u) : nullptr;
           return sum != nullptr && !s.instr(u).ops[2].constant() && address_only(s, *sum);
         });
}

void apply_distance_of_base(const Selection&, Folder& fold, const Candidate&) { fold.vanish(); }

}  // namespace

extern const FoldRule kDistanceOfBase{"distance_of_base", match_distance_of_base, apply_distance_of_base};

}  // namespace gpuloom::ptx
