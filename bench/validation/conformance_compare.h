// SPDX-License-Identifier: Apache-2.0
// How a result of one instruction is compared with the silicon's (tests/conformance/README.md, "Comparing").
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace gpuloom::validation {

// A floating-point format, from the top: sign, exponent, fraction.
struct FloatFormat {
  uint8_t bits = 32, exponent = 8, fraction = 23;
  bool has_infinity = true;  // e4m3 has none: only all ones is NaN there
};

// How a 64-bit word of outputs is made of values.
struct ValueLayout {
  bool is_float = false;
  FloatFormat format;
  uint8_t elements = 1;  // packed in the low bits
};
// From a type's name: "f32", "bf16x2", "e4m3x2", "u32", "pred", ...; false where it is unknown.
bool value_layout(std::string_view type, ValueLayout& layout);

struct CompareRule {
  enum class Kind : uint8_t { kBits, kUlp, kClose };
  Kind kind = Kind::kBits;
  double ulp = 0, rel = 0, abs = 0;
  bool any_nan = false;  // NaNs of any payload and sign are equal
};

// Whether `got` is an acceptable result where the silicon gave `expected`. Numeric rules apply to the
// elements of float layouts and need the bits above them equal; for other layouts only equal words do.
bool acceptable(const CompareRule& rule, const ValueLayout& layout, uint64_t got, uint64_t expected);

// "0x3f800000 (1)", "0x3c004000 (1, 2)": the word as its type reads it.
std::string show_word(const ValueLayout& layout, uint64_t word);

}  // namespace gpuloom::validation
