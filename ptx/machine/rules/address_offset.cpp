// SPDX-License-Identifier: Apache-2.0
// What is added to an address is part of the operand: a constant, or the base of shared memory in a uniform
// register.
#include "ptx/machine/rules/fold_rule.h"
#include "ptx/passes/distances.h"

namespace gpuloom::ptx {

namespace {

// Copies to shared memory reach less far than other accesses.
bool copies_reach(const Selection& s, const RowFacts& sum, uint64_t distance) {
  return in_reach_of_copy(static_cast<int64_t>(distance)) ||
         all_uses(sum, [&](uint32_t u, const OperandRef& ref) {
           return s.op_class(u) != OpClass::ldgsts || ref.operand != 1;
         });
}

bool match_address_offset(const Selection& s, const Candidate& c) {
  if ((c.shape != Shape::kAdd64 && c.shape != Shape::kAdd32) || !c.steady || s.has_taken(c.i)) return false;
  const Place by = s.instr(c.i).ops[2];
  const bool constant = by.constant();
  if (constant && c.shape == Shape::kAdd64 && !copies_reach(s, *c.result, s.constant_bits(by, 8)))
    return false;
  return address_only(s, *c.result) && (constant || (c.shape == Shape::kAdd32 && has_uniform_base(s, c.i)));
}

void apply_address_offset(const Selection&, Folder& fold, const Candidate&) { fold.vanish(); }

}  // namespace

extern const FoldRule kAddressOffset{"address_offset", match_address_offset, apply_address_offset};

}  // namespace gpuloom::ptx
