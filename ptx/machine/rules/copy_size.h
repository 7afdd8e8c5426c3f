// SPDX-License-Identifier: Apache-2.0
// cp.async whose source size stands in a register. LDGSTS has no such operand but a predicate: without it, it
// fills with zeros. So ptxas 13.0 asks whether the size is zero; a size that is chosen between all and
// nothing gives its predicate directly. A size that may be in between moves the address back, and the variant
// .ZFILL fills the rest (SASS of single instructions; of Triton's and Gluon's masked copies: an ISETP for
// each copy under a guard, one for all others of a block).
#pragma once
#include "ptx/machine/rules/rule.h"

namespace gpuloom::ptx {

// Whether a choice is that between a copy and none.
bool chooses_copy(const Selection& s, uint32_t i, const RowFacts& result);
// What i reads, where it copies as much as a register says: the predicate instead of the size, the address.
void add_copy_size(const Selection& s, Emitter& out, uint32_t i, std::vector<uint32_t>& uses);

}  // namespace gpuloom::ptx
