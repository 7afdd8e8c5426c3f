// SPDX-License-Identifier: Apache-2.0
#include "bench/validation/conformance_compare.h"

#include <fmt/core.h>

#include <cmath>

namespace gpuloom::validation {
namespace {

struct NamedLayout {
  std::string_view name;
  ValueLayout layout;
};

constexpr FloatFormat kF64{64, 11, 52, true}, kF32{32, 8, 23, true}, kF16{16, 5, 10, true},
    kBf16{16, 8, 7, true}, kE4m3{8, 4, 3, false}, kE5m2{8, 5, 2, true};

constexpr NamedLayout kLayouts[] = {
    {"f64", {true, kF64, 1}},     {"f32", {true, kF32, 1}},     {"tf32", {true, kF32, 1}},
    {"f32x2", {true, kF32, 2}},   {"f16", {true, kF16, 1}},     {"f16x2", {true, kF16, 2}},
    {"bf16", {true, kBf16, 1}},   {"bf16x2", {true, kBf16, 2}}, {"e4m3", {true, kE4m3, 1}},
    {"e4m3x2", {true, kE4m3, 2}}, {"e4m3x4", {true, kE4m3, 4}}, {"e5m2", {true, kE5m2, 1}},
    {"e5m2x2", {true, kE5m2, 2}}, {"e5m2x4", {true, kE5m2, 4}},
};

constexpr std::string_view kPlain[] = {"pred", "b8", "b16", "b32", "b64", "b128",  "u8",    "u16",  "u32",
                                       "u64",  "s8", "s16", "s32", "s64", "u16x2", "s16x2", "u8x4", "s8x4"};

uint64_t mask(unsigned bits) { return bits >= 64 ? ~0ull : (1ull << bits) - 1; }

bool is_nan(const FloatFormat& f, uint64_t v) {
  const uint64_t fraction = v & mask(f.fraction), exponent = (v >> f.fraction) & mask(f.exponent);
  if (exponent != mask(f.exponent)) return false;
  return f.has_infinity ? fraction != 0 : fraction == mask(f.fraction);
}

double value_of(const FloatFormat& f, uint64_t v) {
  if (is_nan(f, v)) return NAN;
  const int bias = (1 << (f.exponent - 1)) - 1;
  const auto field = static_cast<int>((v >> f.fraction) & mask(f.exponent));
  const auto fraction = static_cast<double>(v & mask(f.fraction));
  const double sign = (v >> (f.bits - 1)) & 1 ? -1 : 1;
  if (field == static_cast<int>(mask(f.exponent)) && f.has_infinity) return sign * INFINITY;
  const double magnitude =
      field == 0 ? std::ldexp(fraction, 1 - bias - f.fraction)
                 : std::ldexp(fraction + std::ldexp(1.0, f.fraction), field - bias - f.fraction);
  return sign * magnitude;
}

// Position of a value among all values of the format, so that neighbours differ by one.
int64_t ordinal(const FloatFormat& f, uint64_t v) {
  const auto magnitude = static_cast<int64_t>(v & mask(f.bits - 1u));
  return (v >> (f.bits - 1)) & 1 ? -magnitude : magnitude;
}

bool element_acceptable(const CompareRule& rule, const FloatFormat& f, uint64_t got, uint64_t expected) {
  if (got == expected) return true;
  const bool got_nan = is_nan(f, got), expected_nan = is_nan(f, expected);
  if (got_nan || expected_nan) return got_nan && expected_nan && rule.any_nan;
  if (rule.kind == CompareRule::Kind::kBits) return false;
  if (rule.kind == CompareRule::Kind::kUlp)
    return std::fabs(static_cast<double>(ordinal(f, got)) - static_cast<double>(ordinal(f, expected))) <=
           rule.ulp;
  const double g = value_of(f, got), e = value_of(f, expected);
  if (std::isinf(g) || std::isinf(e)) return g == e;
  const double off = std::fabs(g - e);
  return off <= rule.rel * std::fabs(e) || off <= rule.abs;
}

}  // namespace

bool value_layout(std::string_view type, ValueLayout& layout) {
  for (const NamedLayout& l : kLayouts) {
    if (l.name != type) continue;
    layout = l.layout;
    return true;
  }
  for (const std::string_view plain : kPlain) {
    if (plain != type) continue;
    layout = {};
    return true;
  }
  return false;
}

bool acceptable(const CompareRule& rule, const ValueLayout& layout, uint64_t got, uint64_t expected) {
  if (got == expected) return true;
  if (!layout.is_float) return false;
  const unsigned bits = layout.format.bits;
  const unsigned used = bits * layout.elements;
  if (used < 64 && (got >> used) != (expected >> used)) return false;
  for (unsigned i = 0; i < layout.elements; ++i) {
    const uint64_t g = (got >> (i * bits)) & mask(bits), e = (expected >> (i * bits)) & mask(bits);
    if (!element_acceptable(rule, layout.format, g, e)) return false;
  }
  return true;
}

std::string show_word(const ValueLayout& layout, uint64_t word) {
  std::string text = fmt::format("{:#x}", word);
  if (!layout.is_float) return text;
  for (unsigned i = 0; i < layout.elements; ++i) {
    const uint64_t v = (word >> (i * layout.format.bits)) & mask(layout.format.bits);
    text += fmt::format("{}{:.9g}", i == 0 ? " (" : ", ", value_of(layout.format, v));
  }
  return text + ")";
}

}  // namespace gpuloom::validation
