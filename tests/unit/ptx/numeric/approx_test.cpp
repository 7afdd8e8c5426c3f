// SPDX-License-Identifier: Apache-2.0
#include "ptx/numeric/approx.h"

#include <array>
#include <cmath>

#include "ptx/numeric/mufu_row.h"
#include "ptx/numeric/test_support.h"
#include "tests/catch2.h"

namespace gpuloom::ptx::numeric {
namespace {

using testing::Random;

template <typename F>
std::uint64_t checksum(F function, std::uint32_t first, std::uint32_t count) {
  std::uint64_t sum = 14695981039346656037ull;
  for (std::uint32_t i = 0; i < count; ++i)
    sum = (sum ^ bits_of(function(float_of(first + i)))) * 1099511628211ull;
  return sum;
}

// All 2^32 operands of each function were compared with an H200; these sums, taken then, hold the code to it.
TEST_CASE("The approximate functions give an H200's bits for every significand") {
  constexpr std::uint32_t kAll = 1u << 23;
  CHECK(checksum(rcp_approx<true>, 0x3f800000, kAll) == 0xfa72a6c698274964);
  CHECK(checksum(rsqrt_approx<true>, 0x3f800000, 2 * kAll) == 0xbdf1cb386ee78bc2);
  CHECK(checksum(sqrt_approx<true>, 0x3f800000, 2 * kAll) == 0x50712c001bd4eb00);
  CHECK(checksum(ex2_approx<true>, 0xbf800000, kAll) == 0xbf4f30a37a9d5b98);
  CHECK(checksum(lg2_approx<true>, 0x3f000000, kAll) == 0xf8884f097b12e53d);
  CHECK(checksum(sin_approx<true>, 0x40800000, kAll) == 0xdb56c449555a1951);
  CHECK(checksum(cos_approx<true>, 0x40000000, kAll) == 0x0d925790c47a3f92);
  CHECK(checksum(tanh_approx, 0x3e800000, kAll) == 0x0bf2ef9f6a7f5765);
}

TEST_CASE("Some results of an H200") {
  CHECK(bits_of(rcp_approx(float_of(0x0790ddcb))) == 0x776231d4);
  CHECK(bits_of(rcp_approx(float_of(0x00400000))) == 0x7f000000);
  CHECK(bits_of(rsqrt_approx(1.5f)) == 0x3f5105eb);
  CHECK(bits_of(sqrt_approx(float_of(0x4132ab1b))) == 0x4055ddf5);
  CHECK(bits_of(ex2_approx(-2.5f)) == 0x3e3504f2);
  CHECK(bits_of(ex2_approx(-127.0f)) == 0x003fffff);
  CHECK(bits_of(lg2_approx(float_of(0x3f800001))) == 0x3495f600);
  CHECK(bits_of(lg2_approx(0.5f)) == 0xbf7ffffe);
  CHECK(bits_of(sin_approx(1.0f)) == 0x3f576aa3);
  CHECK(bits_of(cos_approx(1.0f)) == 0x3f0a5141);
  CHECK(bits_of(sin_approx(10.0f)) == 0xbf0b44ea);
  CHECK(bits_of(tanh_approx(1.5f)) == 0x3f67b820);
  CHECK(bits_of(div_full(float_of(0xbfc00000), float_of(0x4b7fffff))) == 0xb3c00002);
  CHECK(bits_of(div_approx(1.0f, float_of(0xff7fffff))) == 0x80000000);
  CHECK(ex2_approx_f16(0x8400) == 0x3bff);
  CHECK(ex2_approx_f16(0x4c00) == 0x7c00);
  CHECK(ex2_approx_ftz_bf16(0x3f81) == 0x4000);
  CHECK(tanh_approx_f16(0x3e00) == 0x3b3d);
  CHECK(tanh_approx_bf16(0xbf00) == 0xbeec);
  CHECK(bits_of(rcp_approx_ftz(1.5)) == 0x3fe5555500000000);
  CHECK(bits_of(rsqrt_approx_ftz(-1.0)) == 0x7fffffff00000000);
  CHECK(bits_of(rsqrt_approx(double_of(1))) == 0x6180000000000000);
}

TEST_CASE("Special operands of the approximate functions") {
  const float nan = float_of(0xffc12345);
  CHECK(bits_of(rcp_approx(-0.0f)) == 0xff800000);
  CHECK(bits_of(rcp_approx<true>(float_of(0x807fffff))) == 0xff800000);
  CHECK(bits_of(rcp_approx(-INFINITY)) == kSign32);
  CHECK(bits_of(rsqrt_approx(-0.0f)) == 0xff800000);
  CHECK(bits_of(rsqrt_approx(-1.0f)) == kNaN32);
  CHECK(bits_of(sqrt_approx(-0.0f)) == kSign32);
  CHECK(bits_of(ex2_approx(-INFINITY)) == 0);
  CHECK(bits_of(ex2_approx(128.0f)) == kInf32);
  CHECK(bits_of(ex2_approx(float_of(1))) == bits_of(1.0f));
  CHECK(bits_of(lg2_approx(0.0f)) == 0xff800000);
  CHECK(bits_of(lg2_approx(-1.0f)) == kNaN32);
  CHECK(bits_of(lg2_approx(1.0f)) == 0);
  CHECK(bits_of(sin_approx(-0.0f)) == kSign32);
  CHECK(bits_of(sin_approx(INFINITY)) == kNaN32);
  CHECK(bits_of(cos_approx(0.0f)) == bits_of(1.0f));
  CHECK(bits_of(tanh_approx(-INFINITY)) == bits_of(-1.0f));
  CHECK(bits_of(tanh_approx(float_of(0x807fffff))) == 0x807fffff);
  CHECK(bits_of(div_approx(INFINITY, 0x1.8p126f)) == kNaN32);
  for (const float result :
       {rcp_approx(nan), rsqrt_approx(nan), sqrt_approx<true>(nan), ex2_approx(nan), lg2_approx(nan),
        sin_approx(nan), cos_approx(nan), tanh_approx(nan), div_full(nan, 1.0f)}) {
    CHECK(bits_of(result) == kNaN32);
  }
}

template <class Function>
int rows_that_differ(std::uint64_t seed) {
  Random random(seed);
  int differ = 0;
  for (int n = 0; n < 200000; ++n) {
    alignas(64) std::array<float, mufu::kRow> in{}, out{};
    for (float& x : in) x = testing::random_float(random);
    mufu::row<Function>(in.data(), out.data());
    for (std::size_t k = 0; k < in.size(); ++k)
      differ += bits_of(out[k]) != bits_of(mufu::of<Function>(in[k]));
  }
  return differ;
}

TEST_CASE("The special function unit gives a warp what it gives its lanes one by one") {
  CHECK(rows_that_differ<mufu::Reciprocal>(1) == 0);
  CHECK(rows_that_differ<mufu::ReciprocalRoot>(2) == 0);
  CHECK(rows_that_differ<mufu::Root>(3) == 0);
  CHECK(rows_that_differ<mufu::PowerOfTwo>(4) == 0);
  CHECK(rows_that_differ<mufu::Logarithm>(5) == 0);
  CHECK(rows_that_differ<mufu::SineOfRevolutions<false>>(6) == 0);
  CHECK(rows_that_differ<mufu::SineOfRevolutions<true>>(7) == 0);
  CHECK(rows_that_differ<mufu::HyperbolicTangent>(8) == 0);
}

// The error bounds of the PTX manual, 9.7.3 (f32).
TEST_CASE("The approximate functions keep the manual's error bounds") {
  Random random(60);
  int wrong = 0;
  const auto beyond_ulp = [](float got, double exact, double ulps) {
    const float near = static_cast<float>(exact);
    if (!std::isfinite(near) || std::fabs(near) < 0x1p-126f) return 0;
    const double unit =
        std::fabs(static_cast<double>(std::nextafter(near, INFINITY)) - static_cast<double>(near));
    return std::fabs(static_cast<double>(got) - exact) > ulps * unit ? 1 : 0;
  };
  for (int i = 0; i < 300000; ++i) {
    const float x = std::fabs(testing::random_float(random));
    const float y = testing::random_float(random);
    if (is_nan(x) || is_inf(x) || x == 0.0f) continue;
    const double d = static_cast<double>(x);
    wrong += beyond_ulp(rcp_approx(x), 1 / d, 1);
    wrong += beyond_ulp(rsqrt_approx(x), 1 / std::sqrt(d), 2);
    wrong += beyond_ulp(sqrt_approx(x), std::sqrt(d), 2);
    wrong += beyond_ulp(ex2_approx(x), std::exp2(d), 2 + 0.5);
    wrong += beyond_ulp(ex2_approx(-x), std::exp2(-d), 2 + 0.5);
    const double log_error = std::fabs(static_cast<double>(lg2_approx(x)) - std::log2(d));
    wrong += log_error > (x > 0.5f && x < 2.0f ? 0x1p-22 : 0x1p-21 * std::fabs(std::log2(d)));
    wrong += x < 6.28f && std::fabs(static_cast<double>(sin_approx(x)) - std::sin(d)) > 0x1.6ap-21;
    wrong += x < 6.28f && std::fabs(static_cast<double>(cos_approx(x)) - std::cos(d)) > 0x1.6ap-21;
    wrong += std::fabs(static_cast<double>(tanh_approx(x)) / std::tanh(d) - 1) > 0x1p-11;
    const float m = std::fabs(y);
    if (m > 0x1p-126f && m < 0x1p126f) {
      wrong += beyond_ulp(div_approx(x, y), d / static_cast<double>(y), 2);
      wrong += beyond_ulp(div_full(x, y), d / static_cast<double>(y), 2);
    }
  }
  CHECK(wrong == 0);
}

}  // namespace
}  // namespace gpuloom::ptx::numeric
