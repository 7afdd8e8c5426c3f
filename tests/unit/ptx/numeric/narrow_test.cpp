// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <vector>

#include "ptx/numeric/bfloat.h"
#include "ptx/numeric/fp4.h"
#include "ptx/numeric/fp8.h"
#include "ptx/numeric/half.h"
#include "ptx/numeric/test_support.h"
#include "ptx/numeric/tf32.h"
#include "ptx/numeric/ue8m0.h"
#include "tests/catch2.h"

namespace gpuloom::ptx::numeric {
namespace {

using testing::Random;

// Magnitudes of all finite codes from the definition of the format.
template <const NarrowFormat& F>
std::vector<double> values_of() {
  std::vector<double> values;
  for (std::uint32_t code = 0; code <= F.max_code; ++code) {
    const int field = static_cast<int>(code >> F.fraction_bits);
    const int fraction = static_cast<int>(code & ((1u << F.fraction_bits) - 1));
    const int one = 1 << F.fraction_bits;
    values.push_back(field == 0 ? std::ldexp(fraction, 1 - F.bias - F.fraction_bits)
                                : std::ldexp(one + fraction, field - F.bias - F.fraction_bits));
  }
  return values;
}

template <const NarrowFormat& F>
void check_widening() {
  const std::vector<double> values = values_of<F>();
  for (std::uint32_t code = 0; code <= F.max_code; ++code) {
    REQUIRE(widen<F>(code) == values[code]);
    REQUIRE(bits_of(widen<F>(code | sign_mask(F))) == (bits_of(values[code]) | kSign64));
  }
}

template <const NarrowFormat& F, Rounding R>
int count_wrong(const std::vector<double>& values, double x) {
  const std::uint32_t sign = std::signbit(x) ? sign_mask(F) : 0;
  const std::uint32_t code = testing::search_code(values, x, R);
  const bool open = R == Rounding::kNearestEven || R == Rounding::kNearestAway ||
                    R == (sign != 0 ? Rounding::kDown : Rounding::kUp);
  const std::uint32_t overflow = F.has_inf && open ? F.inf_code : F.max_code;
  const std::uint32_t expected = (code > F.max_code ? overflow : code) | sign;
  const std::uint32_t clamped = (code > F.max_code ? F.max_code : code) | sign;
  int wrong = narrow<F, R, false>(x) != expected;
  wrong += narrow<F, R, true>(x) != clamped;
  return wrong;
}

// Each code, the midpoint to the next, and a hair to either side of both; then anything.
template <const NarrowFormat& F>
void check_narrowing() {
  const std::vector<double> values = values_of<F>();
  Random random(1);
  int wrong = 0;
  const auto check = [&](double x) {
    wrong += count_wrong<F, Rounding::kNearestEven>(values, x);
    wrong += count_wrong<F, Rounding::kZero>(values, x);
    wrong += count_wrong<F, Rounding::kDown>(values, x);
    wrong += count_wrong<F, Rounding::kUp>(values, x);
    wrong += count_wrong<F, Rounding::kNearestAway>(values, x);
  };
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double next = i + 1 < values.size() ? values[i + 1] : 2 * values[i] - values[i - 1];
    for (const double x : {values[i], (values[i] + next) / 2}) {
      for (const double y : {x, std::nextafter(x, 1e300), std::nextafter(x, 0.0)}) {
        check(y);
        check(-y);
      }
    }
  }
  for (int i = 0; i < 20000; ++i) {
    const double x = static_cast<double>(testing::random_float(random));
    if (is_finite(x)) check(x);
  }
  CHECK(wrong == 0);
}

TEST_CASE("Every code of a narrow format widens to its value") {
  check_widening<kF16>();
  check_widening<kBf16>();
  check_widening<kE4m3>();
  check_widening<kE5m2>();
  check_widening<kE2m3>();
  check_widening<kE3m2>();
  check_widening<kE2m1>();
}

TEST_CASE("Narrowing rounds at every code and midpoint of every format in every mode") {
  check_narrowing<kF16>();
  check_narrowing<kBf16>();
  check_narrowing<kE4m3>();
  check_narrowing<kE5m2>();
  check_narrowing<kE2m3>();
  check_narrowing<kE3m2>();
  check_narrowing<kE2m1>();
}

TEST_CASE("The short ways between f32 and f16 or bf16 agree with the long ones") {
  for (std::uint32_t h = 0; h < 0x10000; ++h) {
    const auto code = static_cast<std::uint16_t>(h);
    const bool half_nan = (h & 0x7fff) > 0x7c00;
    const bool bf16_nan = (h & 0x7fff) > 0x7f80;
    REQUIRE(bits_of(half_to_float(code)) ==
            (half_nan ? kNaN32 : bits_of(static_cast<float>(widen<kF16>(code)))));
    REQUIRE(float_to_half(half_to_float(code)) == (half_nan ? kNaN16 : code));
    REQUIRE(float_to_bf16(bf16_to_float(code)) == (bf16_nan ? kNaNBf16 : code));
  }
  Random random(2);
  int wrong = 0;
  for (int i = 0; i < 1000000; ++i) {
    const float x = testing::random_float(random);
    const double d = static_cast<double>(x);
    constexpr Rounding kNear = Rounding::kNearestEven;
    wrong += float_to_half(x) != narrow<kF16, kNear, false>(d);
    wrong += float_to_half<kNear, true>(x) != narrow<kF16, kNear, true>(d);
    wrong += float_to_bf16(x) != narrow<kBf16, kNear, false>(d);
    wrong += float_to_bf16<kNear, true>(x) != narrow<kBf16, kNear, true>(d);
    wrong += float_to_bf16<Rounding::kZero>(x) != narrow<kBf16, Rounding::kZero, false>(d);
    wrong += float_to_bf16<Rounding::kDown>(x) != narrow<kBf16, Rounding::kDown, false>(d);
    wrong += float_to_bf16<Rounding::kUp>(x) != narrow<kBf16, Rounding::kUp, false>(d);
  }
  CHECK(wrong == 0);
}

TEST_CASE("An f64 between an f16 midpoint and the f32 next to it is rounded once") {
  CHECK(double_to_half(1.0 + 0x1p-11 + 0x1p-40) == 0x3c01);  // by way of f32 it would be a tie: 0x3c00
  CHECK(double_to_half(1.0 + 0x1p-11) == 0x3c00);
  CHECK(double_to_bf16(1.0 + 0x1p-8 + 0x1p-50) == 0x3f81);
}

TEST_CASE("A NaN becomes what an H200 makes of it") {
  CHECK(float_to_half(float_of(0xffc12345)) == 0x7fff);
  CHECK(float_to_bf16(float_of(0xff800001)) == 0x7fff);
  CHECK(double_to_half(double_of(0xfff8000012345678)) == 0xfe00);
  CHECK(double_to_bf16(double_of(0x7ff0000000000001)) == 0x7fc0);
  CHECK(bits_of(half_to_float(0xfe12)) == 0x7fffffff);
  CHECK(bits_of(half_to_double(0x7e00)) == 0x7ff8000000000000);
  CHECK(bits_of(bf16_to_float(0x7f81)) == 0x7f810000);
  CHECK(floats_to_codes<kE4m3>(float_of(0x7fc00000), 1.0f) == 0x7f38);
  CHECK(floats_to_e2m1x2(float_of(0xffc00000), -1e9f) == 0x7f);
}

TEST_CASE("Packed conversions put the first operand in the upper element and clamp to the largest number") {
  CHECK(floats_to_codes<kE4m3>(1e9f, -2.0f) == 0x7ec0);
  CHECK(floats_to_codes<kE5m2>(-INFINITY, 0.5f) == 0xfb38);
  CHECK(floats_to_codes<kE4m3, true>(-1.0f, -0.0f) == 0);
  CHECK(halves_to_codes<kE5m2>(0x7c003c00) == 0x7b3c);
  CHECK(codes_to_halves<kE4m3>(0x7e81) == 0x5f009800);
  CHECK(codes_to_halves<kE5m2, true>(0xfd7f) == 0x7fff7fff);
  CHECK(floats_to_codes<kE2m3>(7.5f, -0.125f) == 0x1f21);
  CHECK(floats_to_codes<kE3m2>(28.0f, 0.0625f) == 0x1f01);
  CHECK(codes_to_halves<kE2m3>(0x1f21) == 0x4780b000);
  CHECK(e2m1x2_to_halves(0x7f) == 0x4600c600);
}

TEST_CASE("tf32 keeps ten fraction bits in each of its roundings") {
  CHECK(float_to_tf32<Rounding::kNearestAway>(float_of(0x3f801000)) == 0x3f802000);
  CHECK(float_to_tf32<Rounding::kNearestEven>(float_of(0x3f801000)) == 0x3f800000);
  CHECK(float_to_tf32<Rounding::kNearestEven>(float_of(0x3f803000)) == 0x3f804000);
  CHECK(float_to_tf32<Rounding::kZero>(float_of(0xbf803fff)) == 0xbf802000);
  CHECK(float_to_tf32<Rounding::kNearestAway>(float_of(0x7f7fffff)) == 0x7f800000);
  CHECK(float_to_tf32<Rounding::kNearestAway, true>(float_of(0x7f800000)) == 0x7f7fe000);
  CHECK(float_to_tf32<Rounding::kZero, false, true>(-3.0f) == 0);
  CHECK(float_to_tf32<Rounding::kNearestEven>(float_of(0xffc12345)) == 0x7fffe000);
  CHECK(float_to_tf32<Rounding::kNearestAway, true>(float_of(0xffc12345)) == 0xffc10000);
}

TEST_CASE("ue8m0 takes the exponent, rounded down or up") {
  CHECK(float_to_ue8m0<Rounding::kZero, true>(3.0f) == 128);
  CHECK(float_to_ue8m0<Rounding::kUp, true>(3.0f) == 129);
  CHECK(float_to_ue8m0<Rounding::kUp, true>(-4.0f) == 129);
  CHECK(float_to_ue8m0<Rounding::kUp, true>(0x1p-127f) == 0);
  CHECK(float_to_ue8m0<Rounding::kUp, true>(0x1.8p-127f) == 1);
  CHECK(float_to_ue8m0<Rounding::kUp, true>(0x1.8p127f) == 0xfe);
  CHECK(float_to_ue8m0<Rounding::kUp, false>(0x1.8p127f) == 0xff);
  CHECK(float_to_ue8m0<Rounding::kZero, true>(float_of(kNaN32)) == 0xff);
  CHECK(ue8m0x2_to_bf16x2(0xff00) == 0x7fff0040);
  for (std::uint32_t code = 0; code < 0xff; ++code) {
    const float value = ue8m0_to_float(static_cast<std::uint8_t>(code));
    REQUIRE(value == std::ldexp(1.0f, static_cast<int>(code) - 127));
    REQUIRE(float_to_ue8m0<Rounding::kUp, true>(value) == code);
  }
}

template <const NarrowFormat& F>
int differs_from_double(std::uint32_t bits) {
  const float x = float_of(bits);
  return narrow_float<F>(x) != narrow<F, Rounding::kNearestEven, true>(static_cast<double>(x));
}

TEST_CASE("Narrowing from f32 gives what narrowing from f64 gives") {
  int wrong = 0;
  // All signs and exponents; fractions near every place where a format rounds, and random ones.
  Random random(32);
  for (std::uint32_t top = 0; top < 512; ++top)
    for (std::uint32_t k = 0; k < 400; ++k) {
      const std::uint32_t place = 1u << (k % 23);
      const std::uint32_t fraction =
          k < 300 ? (static_cast<std::uint32_t>(random.next()) & ~(2 * place - 1)) + place + k / 100 - 1
                  : static_cast<std::uint32_t>(random.next());
      const std::uint32_t bits = top << 23 | (fraction & 0x7fffffu);
      wrong += differs_from_double<kE4m3>(bits) + differs_from_double<kE5m2>(bits) +
               differs_from_double<kE2m3>(bits) + differs_from_double<kE3m2>(bits) +
               differs_from_double<kE2m1>(bits);
    }
  CHECK(wrong == 0);
}

}  // namespace
}  // namespace gpuloom::ptx::numeric
