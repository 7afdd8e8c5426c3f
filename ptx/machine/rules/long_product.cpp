// SPDX-License-Identifier: Apache-2.0
// The lower half of a product of 64-bit integers, and a sum with it (ptxas 13.0, sm_90: `mul.lo.s64` and
// `add.s64` or `mad.lo.s64` are IMAD, IMAD.WIDE.U32 with what is added, IMAD, IADD3). A constant of 32 bits
// has no upper half: IMAD or SHF, IMAD.WIDE.U32, IADD3, which takes the other factor too where the constant
// is negative. Where the first factor has zeros above 32 bits IMAD.WIDE.U32 and IMAD are enough
// (bench/silicon/lowering/wide_integers.py).
#include "ptx/machine/rules/long_product.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace gpuloom::ptx {

namespace {

// The instruction's factors, and what it adds to their product.
struct Terms {
  uint32_t product;  // the instruction that has the factors
  Place factors[2], addend;
};

Terms terms_of(const Selection& s, uint32_t i) {
  const Instr& in = s.instr(i);
  if (s.shape(i) == Shape::kMul64) return {i, {in.ops[1], in.ops[2]}, {}};
  if (s.shape(i) == Shape::kMad64) return {i, {in.ops[1], in.ops[2]}, in.ops[3]};
  const uint32_t first = s.maker(in.ops[1]);
  const bool is_first = first != UINT32_MAX && s.folded(first) && is_long_product(s, first);
  const uint32_t product = is_first ? first : s.maker(in.ops[2]);
  const Instr& from = s.instr(product);
  return {product, {from.ops[1], from.ops[2]}, in.ops[is_first ? 2 : 1]};
}

bool has_zeros_above(const Selection& s, Place place) {
  if (place.constant()) return false;
  const uint32_t from = s.maker(place);
  return from != UINT32_MAX && s.shape(from) == Shape::kExtend && !s.extends_sign(from) && s.folded(from);
}

// Whether a constant's upper half is zero or its sign: the part of the product that it would make is none, or
// the other factor.
bool is_short(uint64_t constant) {
  const auto value = static_cast<int64_t>(constant);
  return constant <= std::numeric_limits<uint32_t>::max() ||
         (value < 0 && value >= std::numeric_limits<int32_t>::min());
}

bool match_long_product(const Selection& s, uint32_t i) {
  const Instr& in = s.instr(i);
  if (s.class_now(i) != OpClass::mul64 || in.guard.present()) return false;
  if (s.shape(i) == Shape::kMad64) return !in.ops[3].constant() && is_long_product(s, i);
  return s.shape(i) == Shape::kAdd64 || is_long_product(s, i);
}

// The registers that have a factor's lower and upper half, the same where a pair has both; none of a
// constant.
struct Halves {
  std::vector<uint32_t> lower, upper;
};

Halves halves_of(const Selection& s, Place factor) {
  std::vector<uint32_t> all;
  s.add_source(factor, all);
  if (all.empty()) return {};
  return {{all.front()}, {all.back()}};
}

std::vector<uint32_t> joined(std::vector<uint32_t> values, const std::vector<uint32_t>& more) {
  for (const uint32_t v : more)
    if (std::find(values.begin(), values.end(), v) == values.end()) values.push_back(v);
  return values;
}

// What the upper halves of the factors make: once for all sums that take the product.
uint32_t upper_part(const Selection& s, Emitter& out, const Terms& terms, std::optional<uint64_t> constant,
                    const Halves& first, const Halves& second) {
  const auto [known, is_new] = out.once(Made::kUpperPart, {s.block_of(terms.product), terms.product});
  if (!is_new) return known[0];
  const std::vector<uint32_t> upper = joined(first.upper, second.lower);
  if ((constant && is_short(*constant)) || has_zeros_above(s, terms.factors[1])) {
    known = {out.make(constant && std::has_single_bit(*constant) ? OpClass::shift : OpClass::imad, upper, 1)};
    return known[0];
  }
  std::vector<uint32_t> lower = joined(first.lower, second.upper);
  lower.push_back(out.make(OpClass::imad, upper, 1));
  known = {out.make(OpClass::imad, lower, 1)};
  return known[0];
}

void apply_long_product(const Selection& s, Emitter& out, uint32_t i) {
  const Terms terms = terms_of(s, i);
  const Halves first = halves_of(s, terms.factors[0]), second = halves_of(s, terms.factors[1]);
  std::optional<uint64_t> constant = known_operand(s, terms.factors[1], 8);
  if (!constant) constant = known_operand(s, terms.factors[0], 8);
  std::vector<uint32_t> wide = joined(first.lower, second.lower);
  if (terms.addend.present()) s.add_source(terms.addend, wide);
  if (has_zeros_above(s, terms.factors[0])) {
    std::vector<uint32_t> upper = joined(first.lower, second.upper);
    upper.push_back(out.make(OpClass::imad_wide, wide, 2));
    out.sequence({OpClass::imad});
    out.last().uses = std::move(upper);
    return;
  }
  std::vector<uint32_t> halves;
  halves.push_back(upper_part(s, out, terms, constant, first, second));
  halves.push_back(out.make(OpClass::imad_wide, wide, 2));
  if (constant && static_cast<int64_t>(*constant) < 0)  // the other factor, both halves of it
    for (const Place factor : terms.factors) s.add_source(factor, halves);
  out.sequence({OpClass::iadd});
  out.last().uses = std::move(halves);
}

}  // namespace

extern const Rule kLongProduct{"long_product", match_long_product, apply_long_product};

}  // namespace gpuloom::ptx
