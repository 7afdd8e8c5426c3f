// SPDX-License-Identifier: Apache-2.0
// Zeros above 32 bits are RZ; a product that is added needs them in a register (adds_product).
#include "ptx/machine/rules/fold_rule.h"

namespace gpuloom::ptx {

namespace {

bool match_zero_extension(const Selection& s, const Candidate& c) {
  return c.shape == Shape::kExtend && c.steady && !s.extends_sign(c.i) && !joins_product(s, *c.result);
}

void apply_zero_extension(const Selection&, Folder& fold, const Candidate&) { fold.vanish(); }

}  // namespace

extern const FoldRule kZeroExtension{"zero_extension", match_zero_extension, apply_zero_extension};

}  // namespace gpuloom::ptx
