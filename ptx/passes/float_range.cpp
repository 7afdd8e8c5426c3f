// SPDX-License-Identifier: Apache-2.0
#include "ptx/passes/float_range.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "ptx/isa/table/use_of.h"

namespace gpuloom::ptx {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Infinities of both signs make no number: nothing is known then.
FloatRange sum(const FloatRange& a, const FloatRange& b) {
  const double least = a.least + b.least, most = a.most + b.most;
  return {std::isnan(least) ? -kInfinity : least, std::isnan(most) ? kInfinity : most};
}

FloatRange negated(const FloatRange& a) { return {-a.most, -a.least}; }

}  // namespace

FloatRange FloatRanges::of(Place place, unsigned depth) const {
  if (!place.present() || depth == 0) return {};
  if (place.constant()) {
    const auto value = static_cast<double>(std::bit_cast<float>(constant_(place)));
    return std::isnan(value) ? FloatRange{} : FloatRange{value, value};
  }
  const uint32_t made = maker_(place);
  return made == UINT32_MAX || p_.code[made].guard.present() ? FloatRange{} : made_by(made, depth - 1);
}

FloatRange FloatRanges::made_by(uint32_t i, unsigned depth) const {
  const Instr& in = p_.code[i];
  if (in.kind != InstrKind::kPlain || bits(in.type) != 32) return {};
  const FormUse use = use_of(p_, in);
  const std::string_view name = use.form().instruction->mnemonic;
  if (name == "mov") return of(in.ops[1], depth);
  if (!is_float(in.type)) return {};
  FloatRange range;
  if (name == "ex2") range = {0, kInfinity};
  if (name == "tanh" || name == "sin" || name == "cos") range = {-1, 1};
  if (name == "abs") range = {0, kInfinity};
  if (name == "mul" && in.ops[1].at == in.ops[2].at) range = {0, kInfinity};
  if (name == "neg") range = negated(of(in.ops[1], depth));
  if (name == "add") range = sum(of(in.ops[1], depth), of(in.ops[2], depth));
  if (name == "sub") range = sum(of(in.ops[1], depth), negated(of(in.ops[2], depth)));
  if (use.has(".sat")) range = {std::clamp(range.least, 0.0, 1.0), std::clamp(range.most, 0.0, 1.0)};
  return range;
}

}  // namespace gpuloom::ptx
