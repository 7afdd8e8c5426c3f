// SPDX-License-Identifier: Apache-2.0
// selp of the size of a cp.async, all or nothing: the copy has the predicate (copy_size).
#include "ptx/machine/rules/copy_size.h"
#include "ptx/machine/rules/fold_rule.h"

namespace gpuloom::ptx {

namespace {

bool match_size_of_copy(const Selection& s, const Candidate& c) {
  return c.shape == Shape::kSelect && c.steady && chooses_copy(s, c.i, *c.result);
}

void apply_size_of_copy(const Selection&, Folder& fold, const Candidate&) { fold.vanish(); }

}  // namespace

extern const FoldRule kSizeOfCopy{"size_of_copy", match_size_of_copy, apply_size_of_copy};

}  // namespace gpuloom::ptx
