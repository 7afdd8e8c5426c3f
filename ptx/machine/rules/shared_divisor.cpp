// SPDX-License-Identifier: Apache-2.0
// What a division computes of its divisor alone: once for all divisions of a block, and before the loop in
// which the divisor does not change.
#include "ptx/machine/rules/before_loop.h"

namespace gpuloom::ptx {

namespace {

bool match_shared_divisor(const Selection& s, uint32_t i) {
  const OpClass op = s.class_now(i);
  const uint8_t steps = s.divisor_steps(op);
  return !is_float(s.instr(i).type) && steps != 0 && steps < s.sequence_for(i, op).size() &&
         s.stable(s.instr(i).ops[2]);
}

// The register with the reciprocal.
uint32_t divisor_part(const Selection& s, Emitter& out, uint32_t i) {
  const Place divisor = s.instr(i).ops[2];
  const OpClass op = s.class_now(i);
  const uint8_t steps = s.divisor_steps(op);
  const uint32_t own = s.block_of(i);
  uint32_t at = before_invariant_loop(s, own, divisor);
  const auto key = [&](uint32_t block) { return std::vector<int64_t>{block, divisor.at, steps}; };
  // Of several signed divisions in a loop the first one's part goes in front of it; the others share one
  // inside. Unsigned ones share the first (SASS of hot_and_stream, int_divide).
  const bool is_second = at != own && out.has_made(Made::kReciprocal, key(at));
  if (is_second && is_signed(s.instr(i).type)) at = own;
  const auto [known, is_new] = out.once(Made::kReciprocal, key(at));
  if (!is_new) return known[0];
  const std::vector<uint32_t> divisors = out.source(divisor);
  out.in_block(at, [&](Emitter& there) {
    for (uint8_t k = 0; k < steps; ++k) {
      std::vector<uint32_t> uses = divisors;
      uses.insert(uses.end(), known.begin(), known.end());
      known = {there.make(s.sequence_of(op)[k], std::move(uses), 1)};
    }
  });
  return known[0];
}

void apply_shared_divisor(const Selection& s, Emitter& out, uint32_t i) {
  const OpClass op = s.class_now(i);
  const std::vector<OpClass> sequence = s.sequence_for(i, op);
  const uint32_t reciprocal = divisor_part(s, out, i);
  for (Node& n : out.sequence({sequence.begin() + s.divisor_steps(op), sequence.end()}))
    n.uses.push_back(reciprocal);
}

}  // namespace

extern const Rule kSharedDivisor{"shared_divisor", match_shared_divisor, apply_shared_divisor};

}  // namespace gpuloom::ptx
