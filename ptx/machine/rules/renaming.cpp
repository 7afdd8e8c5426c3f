// SPDX-License-Identifier: Apache-2.0
// The same bits under another name are nothing; but an upper half that a product is added to is moved
// (adds_product).
#include "ptx/machine/narrowing.h"
#include "ptx/machine/rules/fold_rule.h"

namespace gpuloom::ptx {

namespace {

bool match_renaming(const Selection& s, const Candidate& c) {
  return c.shape == Shape::kRename && c.steady && !(takes_upper(s, c.i) && joins_product(s, *c.result));
}

void apply_renaming(const Selection&, Folder& fold, const Candidate&) { fold.vanish(); }

}  // namespace

extern const FoldRule kRenaming{"renaming", match_renaming, apply_renaming};

}  // namespace gpuloom::ptx
