// SPDX-License-Identifier: Apache-2.0
// What is added to an address is part of the operand: a constant, or the base of shared memory in a uniform
// register.
#include "ptx/machine/rules/fold_rule.h"

namespace gpuloom::ptx {

namespace {

bool match_address_offset(const Selection& s, const Candidate& c) {
  if ((c.shape != Shape::kAdd64 && c.shape != Shape::kAdd32) || !c.steady || s.has_taken(c.i)) return false;
  const bool constant = s.instr(c.i).ops[2].constant();
  return address_only(s, *c.result) && (constant || (c.shape == Shape::kAdd32 && has_uniform_base(s, c.i)));
}

void apply_address_offset(const Selection&, Folder& fold, const Candidate&) { fold.vanish(); }

}  // namespace

extern const FoldRule kAddressOffset{"address_offset", match_address_offset, apply_address_offset};

}  // namespace gpuloom::ptx
