// SPDX-License-Identifier: Apache-2.0
#include "ptx/numeric/convert.h"

#include <cmath>

#include "ptx/numeric/half.h"
#include "ptx/numeric/test_support.h"
#include "tests/catch2.h"

namespace gpuloom::ptx::numeric {
namespace {

using testing::Random;

// By way of 80-bit floats, which hold every f64 and every 64-bit integer.
template <typename Int, Rounding R>
Int expected_integer(double x) {
  long double r = 0;
  if (R == Rounding::kNearestEven) r = std::nearbyint(static_cast<long double>(x));
  if (R == Rounding::kZero) r = std::trunc(static_cast<long double>(x));
  if (R == Rounding::kDown) r = std::floor(static_cast<long double>(x));
  if (R == Rounding::kUp) r = std::ceil(static_cast<long double>(x));
  if (r <= static_cast<long double>(std::numeric_limits<Int>::min())) return std::numeric_limits<Int>::min();
  if (r >= static_cast<long double>(std::numeric_limits<Int>::max())) return std::numeric_limits<Int>::max();
  return static_cast<Int>(r);
}

template <typename Int, Rounding R>
int count_wrong(float x, double y) {
  int wrong = 0;
  if (!is_nan(x)) wrong += to_integer<Int, R>(x) != expected_integer<Int, R>(static_cast<double>(x));
  if (!is_nan(y)) wrong += to_integer<Int, R>(y) != expected_integer<Int, R>(y);
  return wrong;
}

template <typename Int>
int count_wrong_in_all_modes(float x, double y) {
  return count_wrong<Int, Rounding::kNearestEven>(x, y) + count_wrong<Int, Rounding::kZero>(x, y) +
         count_wrong<Int, Rounding::kDown>(x, y) + count_wrong<Int, Rounding::kUp>(x, y);
}

TEST_CASE("Floats convert to integers of every width with clamping in every mode") {
  Random random(40);
  int wrong = 0;
  for (int i = 0; i < 100000; ++i) {
    // Around every power of two up to 2^66, with halves and both signs; and anything.
    const double scale = std::ldexp(1.0, static_cast<int>(random.below(68)));
    const double near = scale + (static_cast<int>(random.below(9)) - 4) * 0.5;
    const double y = i % 4 == 0 ? testing::random_double(random) : (i % 2 == 0 ? near : -near);
    const float x = i % 4 == 0 ? testing::random_float(random) : static_cast<float>(y);
    wrong += count_wrong_in_all_modes<std::int8_t>(x, y) + count_wrong_in_all_modes<std::uint8_t>(x, y);
    wrong += count_wrong_in_all_modes<std::int16_t>(x, y) + count_wrong_in_all_modes<std::uint16_t>(x, y);
    wrong += count_wrong_in_all_modes<std::int32_t>(x, y) + count_wrong_in_all_modes<std::uint32_t>(x, y);
    wrong += count_wrong_in_all_modes<std::int64_t>(x, y) + count_wrong_in_all_modes<std::uint64_t>(x, y);
  }
  CHECK(wrong == 0);
}

TEST_CASE("A NaN converts to the integer that an H200 gives") {
  constexpr Rounding kZero = Rounding::kZero;
  const float f = float_of(0xffc12345);
  const double d = double_of(0x7ff8000000000000);
  CHECK(to_integer<std::uint8_t, kZero>(f) == 0);
  CHECK(to_integer<std::int32_t, kZero>(f) == 0);
  CHECK(to_integer<std::uint32_t, kZero>(f) == 0);
  CHECK(to_integer<std::int64_t, kZero>(f) == INT64_MIN);
  CHECK(to_integer<std::uint64_t, kZero>(f) == 0x8000000000000000u);
  CHECK(to_integer<std::uint16_t, kZero>(d) == 0x8000u);
  CHECK(to_integer<std::int32_t, kZero>(d) == INT32_MIN);
  CHECK(to_integer<std::uint32_t, kZero>(d) == 0x80000000u);
  CHECK(to_integer<std::uint64_t, kZero>(d) == 0x8000000000000000u);
}

TEST_CASE("Wide integers reach f16 with one rounding") {
  CHECK(double_to_half<Rounding::kUp>(integer_to_odd_double(std::uint64_t{2048} + 1)) == 0x6801);
  CHECK(double_to_half<Rounding::kZero>(integer_to_odd_double(std::int64_t{-2049})) == 0xe800);
  CHECK(double_to_half(integer_to_odd_double(std::uint64_t{65519})) == 0x7bff);
  CHECK(double_to_half(integer_to_odd_double(std::uint64_t{65520})) == 0x7c00);
  CHECK(integer_to_float<Rounding::kUp>((std::uint64_t{1} << 63) + 1) == std::nextafter(0x1p63f, INFINITY));
  CHECK(integer_to_double<Rounding::kDown>(INT64_MIN + 1) == -0x1p63);
  CHECK(integer_to_double<Rounding::kUp>(UINT64_MAX) == 0x1p64);
  CHECK(integer_to_double<Rounding::kZero>(UINT64_MAX) == std::nextafter(0x1p64, 0.0));
}

TEST_CASE("Rounding to an integral value keeps the sign of zero") {
  CHECK(bits_of(round_to_integral<Rounding::kNearestEven>(-0.5f)) == kSign32);
  CHECK(round_to_integral<Rounding::kNearestEven>(2.5) == 2.0);
  CHECK(round_to_integral<Rounding::kUp>(2.001f) == 3.0f);
  CHECK(bits_of(round_to_integral<Rounding::kUp>(-0.25)) == kSign64);
  CHECK(round_to_integral<Rounding::kDown>(-0.25f) == -1.0f);
}

TEST_CASE("NaN payloads cross between f32 and f64") {
  CHECK(bits_of(float_to_double(float_of(0x7f800001))) == 0x7ff8000020000000);
  CHECK(bits_of(float_to_double<true>(float_of(0x7f800001))) == 0x7fffffffe0000000);
  CHECK(bits_of(double_to_float(double_of(0xfff8000012345678))) == 0xffc00000);
  CHECK(bits_of(double_to_float<Rounding::kNearestEven, false, true>(double_of(kNaN64))) == 0);
}

TEST_CASE("Integers clamp to narrower or differently signed ones") {
  CHECK(saturate_integer<std::uint8_t>(std::int32_t{-5}) == 0);
  CHECK(saturate_integer<std::uint8_t>(std::int64_t{300}) == 255);
  CHECK(saturate_integer<std::int8_t>(std::uint32_t{128}) == 127);
  CHECK(saturate_integer<std::int8_t>(std::int16_t{-129}) == -128);
  CHECK(saturate_integer<std::int32_t>(std::uint32_t{0x80000000}) == INT32_MAX);
  CHECK(saturate_integer<std::uint64_t>(std::int8_t{-1}) == 0);
  CHECK(saturate_integer<std::int64_t>(UINT64_MAX) == INT64_MAX);
  CHECK(saturate_integer<std::int64_t>(std::int32_t{-7}) == -7);
}

}  // namespace
}  // namespace gpuloom::ptx::numeric
