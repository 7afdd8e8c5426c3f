// SPDX-License-Identifier: Apache-2.0
// A zero of 64 bits that must be in registers is CS2R of SRZ (ptxas 12.4 and 13.0 for all targets: CS2R R4,
// SRZ in front of the loop of reduce_f64, of the sums of dgemm_tile).
#include "ptx/machine/rules/rule.h"

namespace gpuloom::ptx {

namespace {

bool match_wide_zero(const Selection& s, uint32_t i) {
  const Instr& in = s.instr(i);
  if (s.class_now(i) != OpClass::mov64 || s.shape(i) != Shape::kMove || in.guard.present()) return false;
  const Place from = s.moved(i);
  return from.present() && from.constant() && s.symbol_of(i) == nullptr && s.constant_bits(from, 8) == 0;
}

void apply_wide_zero(const Selection&, Emitter& out, uint32_t) { out.sequence({OpClass::cs2r}); }

}  // namespace

extern const Rule kWideZero{"wide_zero", match_wide_zero, apply_wide_zero};

}  // namespace gpuloom::ptx
