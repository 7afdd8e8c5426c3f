// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "ptx/numeric/arith32.h"
#include "ptx/numeric/arith64.h"
#include "ptx/numeric/convert.h"
#include "ptx/numeric/test_support.h"
#include "tests/catch2.h"

#ifdef GPULOOM_HAVE_MPFR
#include <mpfr.h>
#endif

namespace gpuloom::ptx::numeric {
namespace {

using testing::Random;

template <typename Float>
Float draw(Random& random) {
  if constexpr (sizeof(Float) == 4) {
    return testing::random_float(random);
  } else {
    return testing::random_double(random);
  }
}

#ifdef GPULOOM_HAVE_MPFR

constexpr mpfr_rnd_t mpfr_mode(Rounding mode) {
  switch (mode) {
    case Rounding::kZero:
      return MPFR_RNDZ;
    case Rounding::kDown:
      return MPFR_RNDD;
    case Rounding::kUp:
      return MPFR_RNDU;
    default:
      return MPFR_RNDN;
  }
}

// MPFR with the precision and exponent range of an IEEE type; `exact` holds operands and wide results.
template <typename Float>
class Oracle {
 public:
  Oracle() {
    mpfr_set_emin(sizeof(Float) == 4 ? -148 : -1073);
    mpfr_set_emax(sizeof(Float) == 4 ? 128 : 1024);
    mpfr_inits2(sizeof(Float) == 4 ? 24 : 53, a_, b_, c_, result_, static_cast<mpfr_ptr>(nullptr));
  }
  ~Oracle() {
    mpfr_clears(a_, b_, c_, result_, static_cast<mpfr_ptr>(nullptr));
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
  }
  Oracle(const Oracle&) = delete;
  Oracle& operator=(const Oracle&) = delete;

  Float add(Float a, Float b, mpfr_rnd_t mode) {
    return load(a, b, 0), done(mpfr_add(result_, a_, b_, mode), mode);
  }
  Float mul(Float a, Float b, mpfr_rnd_t mode) {
    return load(a, b, 0), done(mpfr_mul(result_, a_, b_, mode), mode);
  }
  Float div(Float a, Float b, mpfr_rnd_t mode) {
    return load(a, b, 0), done(mpfr_div(result_, a_, b_, mode), mode);
  }
  Float sqrt(Float a, mpfr_rnd_t mode) { return load(a, 0, 0), done(mpfr_sqrt(result_, a_, mode), mode); }
  Float fma(Float a, Float b, Float c, mpfr_rnd_t mode) {
    return load(a, b, c), done(mpfr_fma(result_, a_, b_, c_, mode), mode);
  }

 private:
  void load(Float a, Float b, Float c) {
    mpfr_set_d(a_, static_cast<double>(a), MPFR_RNDN);
    mpfr_set_d(b_, static_cast<double>(b), MPFR_RNDN);
    mpfr_set_d(c_, static_cast<double>(c), MPFR_RNDN);
  }
  Float done(int ternary, mpfr_rnd_t mode) {
    mpfr_subnormalize(result_, ternary, mode);
    return static_cast<Float>(mpfr_get_d(result_, MPFR_RNDN));
  }
  mpfr_t a_, b_, c_, result_;
};

template <typename Float>
bool same(Float a, Float b) {
  return bits_of(a) == bits_of(b) || (is_nan(a) && is_nan(b));
}

template <typename Float, Rounding R>
void check_against_mpfr(int cases) {
  Oracle<Float> oracle;
  Random random(static_cast<std::uint64_t>(R) + 10);
  constexpr mpfr_rnd_t kMode = mpfr_mode(R);
  int wrong = 0;
  for (int i = 0; i < cases; ++i) {
    const Float a = draw<Float>(random);
    const Float b = draw<Float>(random);
    // Every second addend nearly cancels the product.
    const Float c = i % 2 == 0 ? draw<Float>(random) : std::nextafter(-a * b, draw<Float>(random));
    const Float quotient = div<R>(a, b);
    int bad = !same(add<R>(a, b), oracle.add(a, b, kMode));
    bad += !same(sub<R>(a, b), oracle.add(a, -b, kMode));
    bad += !same(mul<R>(a, b), oracle.mul(a, b, kMode));
    bad += !same(quotient, oracle.div(a, b, kMode));
    bad += !same(rcp<R>(b), oracle.div(Float{1}, b, kMode));
    bad += !same(sqrt<R>(a), oracle.sqrt(a, kMode));
    bad += !same(fma<R>(a, b, c), oracle.fma(a, b, c, kMode));
    wrong += bad;
    if (bad != 0) UNSCOPED_INFO(std::hex << bits_of(a) << ' ' << bits_of(b) << ' ' << bits_of(c));
  }
  CHECK(wrong == 0);
}

TEST_CASE("f32 arithmetic is correctly rounded in every mode") {
  check_against_mpfr<float, Rounding::kNearestEven>(400000);
  check_against_mpfr<float, Rounding::kZero>(400000);
  check_against_mpfr<float, Rounding::kDown>(400000);
  check_against_mpfr<float, Rounding::kUp>(400000);
}

TEST_CASE("f64 arithmetic is correctly rounded in every mode") {
  check_against_mpfr<double, Rounding::kNearestEven>(400000);
  check_against_mpfr<double, Rounding::kZero>(400000);
  check_against_mpfr<double, Rounding::kDown>(400000);
  check_against_mpfr<double, Rounding::kUp>(400000);
}

template <Rounding R>
int count_wrong_integers(std::uint64_t bits) {
  mpfr_t exact;
  mpfr_init2(exact, 64);
  int wrong = 0;
  mpfr_set_sj(exact, static_cast<std::int64_t>(bits), MPFR_RNDN);
  wrong += integer_to_float<R>(static_cast<std::int64_t>(bits)) != mpfr_get_flt(exact, mpfr_mode(R));
  wrong += integer_to_double<R>(static_cast<std::int64_t>(bits)) != mpfr_get_d(exact, mpfr_mode(R));
  mpfr_set_uj(exact, bits, MPFR_RNDN);
  wrong += integer_to_float<R>(bits) != mpfr_get_flt(exact, mpfr_mode(R));
  wrong += integer_to_double<R>(bits) != mpfr_get_d(exact, mpfr_mode(R));
  mpfr_set_si(exact, static_cast<std::int32_t>(bits), MPFR_RNDN);
  wrong += integer_to_float<R>(static_cast<std::int32_t>(bits)) != mpfr_get_flt(exact, mpfr_mode(R));
  mpfr_set_ui(exact, static_cast<std::uint32_t>(bits), MPFR_RNDN);
  wrong += integer_to_float<R>(static_cast<std::uint32_t>(bits)) != mpfr_get_flt(exact, mpfr_mode(R));
  mpfr_clear(exact);
  return wrong;
}

TEST_CASE("Integers convert to f32 and f64 correctly rounded in every mode") {
  Random random(20);
  int wrong = 0;
  for (int i = 0; i < 50000; ++i) {
    // Runs of ones and zeros put values next to rounding boundaries.
    std::uint64_t bits = random.next() >> random.below(64);
    if (i % 2 != 0) bits = (bits << 40) | (~std::uint64_t{0} >> (24 + random.below(40)));
    wrong += count_wrong_integers<Rounding::kNearestEven>(bits) + count_wrong_integers<Rounding::kZero>(bits);
    wrong += count_wrong_integers<Rounding::kDown>(bits) + count_wrong_integers<Rounding::kUp>(bits);
  }
  CHECK(wrong == 0);
}

#endif  // GPULOOM_HAVE_MPFR

TEST_CASE("f64 narrows to f32 correctly rounded in every mode") {
  Random random(21);
  int wrong = 0;
  for (int i = 0; i < 300000; ++i) {
    const double x =
        i % 2 == 0 ? testing::random_double(random)
                   : static_cast<double>(testing::random_float(random)) * (1 + 0x1p-24 * random.below(3));
    if (is_nan(x)) continue;
    const float near = static_cast<float>(x);
    const float down = static_cast<double>(near) > x ? std::nextafter(near, -INFINITY) : near;
    const float up = static_cast<double>(near) < x ? std::nextafter(near, INFINITY) : near;
    const auto zero_as = [x](float y) { return y == 0.0f ? std::copysign(0.0f, static_cast<float>(x)) : y; };
    wrong += bits_of(double_to_float(x)) != bits_of(near);
    wrong += bits_of(double_to_float<Rounding::kDown>(x)) != bits_of(zero_as(down));
    wrong += bits_of(double_to_float<Rounding::kUp>(x)) != bits_of(zero_as(up));
    wrong += bits_of(double_to_float<Rounding::kZero>(x)) != bits_of(zero_as(x < 0 ? up : down));
  }
  CHECK(wrong == 0);
}

TEST_CASE("The sign of an exact zero follows the rounding mode") {
  CHECK(bits_of(add<Rounding::kNearestEven>(1.0f, -1.0f)) == 0);
  CHECK(bits_of(add<Rounding::kDown>(1.0f, -1.0f)) == kSign32);
  CHECK(bits_of(add<Rounding::kDown>(0.0f, 0.0f)) == 0);
  CHECK(bits_of(add<Rounding::kUp>(-0.0f, -0.0f)) == kSign32);
  CHECK(bits_of(fma<Rounding::kDown>(2.0f, 3.0f, -6.0f)) == kSign32);
  CHECK(bits_of(fma<Rounding::kDown>(2.0, 3.0, -6.0)) == kSign64);
  CHECK(bits_of(fma<Rounding::kZero>(0.0, -3.0, 0.0)) == 0);
}

TEST_CASE("An f32 NaN result is 0x7fffffff whatever the operands") {
  CHECK(bits_of(add(float_of(0xffc12345), 1.0f)) == kNaN32);
  CHECK(bits_of(add<Rounding::kUp>(INFINITY, -INFINITY)) == kNaN32);
  CHECK(bits_of(mul(0.0f, -INFINITY)) == kNaN32);
  CHECK(bits_of(fma<Rounding::kZero>(1.0f, 1.0f, float_of(0x7f800001))) == kNaN32);
  CHECK(bits_of(sqrt(-1.0f)) == kNaN32);
  CHECK(bits_of(neg(float_of(0x7fc00000))) == kNaN32);
}

TEST_CASE("An f64 NaN keeps its payload, and an invalid operation gives the negative quiet NaN") {
  CHECK(bits_of(add(1.0, double_of(0x7ff0000000000001))) == 0x7ff8000000000001);
  CHECK(bits_of(mul(double_of(0xfff8000012345678), 2.0)) == 0xfff8000012345678);
  CHECK(bits_of(sub<Rounding::kUp>(double_of(kInf64), double_of(kInf64))) == 0xfff8000000000000);
  CHECK(bits_of(div(0.0, 0.0)) == 0xfff8000000000000);
  CHECK(bits_of(div(double_of(0x7ff8000000000000), double_of(0x7ff0000000000001))) == 0x7ff8000000000000);
  CHECK(bits_of(neg(double_of(0x7ff0000000000001))) == 0x7ff8000000000001);
  CHECK(bits_of(abs(double_of(0xfff8000012345678))) == 0xfff8000012345678);
}

TEST_CASE(".ftz flushes operands, and results that are tiny after rounding to 24 bits") {
  constexpr Rounding kNear = Rounding::kNearestEven;
  CHECK(bits_of(add<kNear, true>(float_of(0x80000001), 0.0f)) == 0);
  CHECK(bits_of(mul<kNear, true>(float_of(0x807fffff), 4.0f)) == kSign32);
  // Both would round to the smallest normal number; the first is 2^-126 * (1 - 2^-24), the second 2^-126 * (1
  // - 2^-46).
  CHECK(bits_of(mul<kNear, true>(float_of(0x00800000), float_of(0x3f7fffff))) == 0);
  CHECK(bits_of(mul<kNear, true>(float_of(0x00800001), float_of(0x3f7ffffe))) == 0x00800000);
  CHECK(bits_of(mul<Rounding::kUp, true>(float_of(0x00800000), float_of(0x3f7fffff))) == 0);
  CHECK(bits_of(mul<Rounding::kUp, true>(float_of(0x00800001), float_of(0x3f7ffffe))) == 0x00800000);
  CHECK(bits_of(mul<Rounding::kUp, true>(float_of(0x80800001), float_of(0x3f7ffffe))) == kSign32);
  CHECK(bits_of(mul<Rounding::kZero, true>(float_of(0x00800001), float_of(0x3f7ffffe))) == 0);
  CHECK(bits_of(fma<kNear, true>(float_of(0x20000000), float_of(0x8c800000), float_of(0x00800000))) ==
        0x00800000);
  CHECK(bits_of(fma<Rounding::kDown, true>(float_of(0x20000000), float_of(0x8c800000),
                                           float_of(0x00800000))) == 0);
  CHECK(bits_of(div<Rounding::kUp, true>(float_of(0x00fffffc), float_of(0x3ffffffd))) == 0);
  CHECK(bits_of(double_to_float<kNear, true>(0x1p-126 * (1 - 0x1p-26))) == 0x00800000);
  CHECK(bits_of(double_to_float<kNear, true>(0x1p-126 * (1 - 0x1p-24))) == 0);
}

TEST_CASE(".sat clamps to the unit interval and makes NaN a zero") {
  CHECK(bits_of(add<Rounding::kNearestEven, false, true>(0.75f, 0.75f)) == bits_of(1.0f));
  CHECK(bits_of(mul<Rounding::kZero, false, true>(-1.0f, 0.5f)) == 0);
  CHECK(bits_of(fma<Rounding::kUp, true, true>(INFINITY, 0.0f, 1.0f)) == 0);
  CHECK(bits_of(saturate(-0.0)) == 0);
}

TEST_CASE("min and max order zeros, skip a NaN unless told to keep it, and can take the exclusive sign") {
  const float nan = float_of(0xffc12345);
  CHECK(bits_of(min(0.0f, -0.0f)) == kSign32);
  CHECK(bits_of(max(-0.0f, 0.0f)) == 0);
  CHECK(min(nan, 2.0f) == 2.0f);
  CHECK(max(2.0f, nan) == 2.0f);
  CHECK(bits_of(max(nan, nan)) == kNaN32);
  CHECK(bits_of(min<false, true>(nan, 2.0f)) == kNaN32);
  CHECK(min<false, false, true>(-3.0f, 2.0f) == -2.0f);
  CHECK(max<false, false, true>(-3.0f, -2.0f) == 3.0f);
  CHECK(bits_of(max<true>(float_of(0x00000001), -0.0f)) == 0);
  CHECK(bits_of(min(double_of(0x7ff8000000000000), double_of(0x7fffffffffffffff))) == 0x7fffffffffffffff);
  Random random(22);
  for (int i = 0; i < 100000; ++i) {
    const float a = testing::random_float(random);
    const float b = testing::random_float(random);
    if (is_nan(a) || is_nan(b) || a == b) continue;
    REQUIRE(min(a, b) == std::fmin(a, b));
    REQUIRE(max(a, b) == std::fmax(a, b));
  }
}

TEST_CASE("testp counts zero as normal, as the H200 does") {
  CHECK(testp<FloatTest::kNormal>(0.0f));
  CHECK_FALSE(testp<FloatTest::kNormal>(float_of(1)));
  CHECK_FALSE(testp<FloatTest::kNormal>(INFINITY));
  CHECK(testp<FloatTest::kSubnormal>(float_of(0x807fffff)));
  CHECK_FALSE(testp<FloatTest::kSubnormal>(0.0));
  CHECK(testp<FloatTest::kNumber>(INFINITY));
  CHECK(testp<FloatTest::kNotANumber>(double_of(0x7ff0000000000001)));
}

}  // namespace
}  // namespace gpuloom::ptx::numeric
