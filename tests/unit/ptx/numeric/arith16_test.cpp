// SPDX-License-Identifier: Apache-2.0
#include "ptx/numeric/arith16.h"

#include <bit>
#include <cmath>
#include <vector>

#include "ptx/numeric/half_row.h"
#include "ptx/numeric/test_support.h"
#include "tests/catch2.h"

namespace gpuloom::ptx::numeric {
namespace {

using testing::Random;
__extension__ using Wide = __int128;

// Every f16 is a multiple of 2^-24, every product of two a multiple of 2^-48: exact integers.
Wide half_units(std::uint16_t h) { return static_cast<Wide>(std::ldexp(half_to_double(h), 24)); }

// units * 2^-48 to f64, rounded to odd: what one rounding to f16 needs to know.
double odd_double(Wide units) {
  const bool negative = units < 0;
  Wide m = negative ? -units : units;
  int shift = 0;
  while ((m >> 53) != 0) {
    m = (m >> 1) | (m & 1);
    ++shift;
  }
  const double d = std::ldexp(static_cast<double>(static_cast<std::uint64_t>(m)), shift - 48);
  return negative ? -d : d;
}

bool is_finite_half(std::uint16_t h) { return (h & 0x7c00) != 0x7c00; }

std::uint16_t draw_half(Random& random) {
  const std::uint64_t r = random.next();
  const auto bits = static_cast<std::uint16_t>(r);
  switch ((r >> 32) % 4) {
    case 0:
      return static_cast<std::uint16_t>(bits & 0x83ff);  // subnormal
    case 1:
      return static_cast<std::uint16_t>((bits & 0x87ff) | 0x3800);  // near one
    default:
      return bits;
  }
}

TEST_CASE("f16 addition, multiplication and fma round once") {
  Random random(30);
  int wrong = 0;
  for (int i = 0; i < 1000000; ++i) {
    const std::uint16_t a = draw_half(random);
    const std::uint16_t b = draw_half(random);
    std::uint16_t c = draw_half(random);
    if (i % 3 == 0) c = static_cast<std::uint16_t>(mul_f16(a, b) ^ 0x8000);  // cancels the product
    if (!is_finite_half(a) || !is_finite_half(b) || !is_finite_half(c)) continue;
    const Wide product = half_units(a) * half_units(b);
    const Wide sum = (half_units(a) + half_units(b)) << 24;
    const Wide fused = product + (half_units(c) << 24);
    wrong += sum != 0 && add_f16(a, b) != double_to_half(odd_double(sum));
    wrong += sum != 0 && sub_f16(a, neg_f16(b)) != double_to_half(odd_double(sum));
    wrong += product != 0 && mul_f16(a, b) != double_to_half(odd_double(product));
    wrong += fused != 0 && fma_f16(a, b, c) != double_to_half(odd_double(fused));
  }
  CHECK(wrong == 0);
}

TEST_CASE("bf16 addition, multiplication and fma round once") {
  Random random(31);
  int wrong = 0;
  for (int i = 0; i < 1000000; ++i) {
    // Exponents within 20 of each other, so that every exact result is a 64-bit integer times a power of two.
    const std::uint64_t r = random.next();
    const int base = 1 + static_cast<int>(random.below(200));
    const auto draw = [&](int at) {
      const auto exponent = static_cast<std::uint16_t>(base + static_cast<int>((r >> (at + 8)) % 20));
      return static_cast<std::uint16_t>(((r >> at) & 0x807f) | (exponent << 7));
    };
    const std::uint16_t a = draw(0);
    const std::uint16_t b = draw(13);
    const double sum = bf16_to_double(a) + bf16_to_double(b);
    const double product = bf16_to_double(a) * bf16_to_double(b);
    wrong += sum != 0 && add_bf16(a, b) != double_to_bf16(sum);
    wrong += mul_bf16(a, b) != double_to_bf16(product);
    // An addend of one unit in the product's lowest places decides what looks like a tie.
    const std::uint16_t c = float_to_bf16(static_cast<float>(product * 0x1p-17 * (i % 2 == 0 ? 1 : -1)));
    const std::uint16_t near_sum = fma_bf16(a, b, c);
    const double exact = product + bf16_to_double(c);  // 16 and 8 bits, at most 17 apart: exact
    wrong += near_sum != double_to_bf16(exact);
  }
  CHECK(wrong == 0);
  CHECK(fma_bf16(0x3f81, 0x3f81, 0x0001) == 0x3f82);  // 1.0157 + tiny, no tie
  CHECK(fma_bf16(0x3f88, 0x3f88, 0x8001) == 0x3f90);  // 1.12890625 is a tie; a hair less rounds down
  CHECK(fma_bf16(0x3f88, 0x3f88, 0x0001) == 0x3f91);  // and a hair more up
}

TEST_CASE("f16 special values, clamps and .ftz") {
  using C = Clamp16;
  CHECK(add_f16(0x7c00, 0xfc00) == 0x7fff);
  CHECK(mul_f16(0x7bff, 0x7bff) == 0x7c00);
  CHECK(fma_f16(0x7c00, 0x3c00, 0xfc00) == 0x7fff);
  CHECK(add_f16<false, C::kSat>(0x4000, 0x4000) == 0x3c00);
  CHECK(add_f16<false, C::kSat>(0xfe12, 0x3c00) == 0);
  CHECK(fma_f16<false, C::kRelu>(0xbc00, 0x3c00, 0x0000) == 0);
  CHECK(fma_f16<false, C::kRelu>(0x7e00, 0x3c00, 0x0000) == 0x7fff);
  CHECK(add_f16<true>(0x03ff, 0x8000) == 0);
  CHECK(mul_f16<true>(0x0400, 0x3bff) == 0);       // 2^-14 * (1 - 2^-11) is tiny
  CHECK(mul_f16<true>(0x0401, 0x3bfe) == 0x0400);  // 2^-14 * (1 - 2^-20) is not
  CHECK(fma_f16<true>(0x0400, 0x8c00, 0x0400) == 0x0400);
  CHECK(fma_f16<true>(0x0400, 0x9000, 0x0400) == 0);
  CHECK(neg_f16(0x7c01) == 0x7fff);
  CHECK(abs_f16(0x83ff) == 0x03ff);
}

TEST_CASE("fma.oob gives zero for an out-of-bounds multiplicand and for no other NaN") {
  CHECK(fma_oob_f16(0x7ff7, 0x3c00, 0x4000) == 0);
  CHECK(fma_oob_f16(0x3c00, 0xfff7, 0x7fff) == 0);
  CHECK(fma_oob_f16(0x3c00, 0x3c00, 0x7ff7) == 0x7fff);
  CHECK(fma_oob_f16(0x7ff6, 0x3c00, 0x4000) == 0x7fff);
  CHECK(fma_oob_bf16(0xfff7, 0x3f80, 0x4000) == 0);
  CHECK(fma_oob_bf16(0xffff, 0x3f80, 0x4000) == 0x7fff);
}

TEST_CASE("min and max of 16-bit floats agree with those of f32") {
  for (std::uint32_t i = 0; i < 0x10000; i += 7) {
    for (const std::uint32_t j :
         {0x0000u, 0x8000u, 0x0001u, 0x8001u, 0x3c00u, 0xbc00u, 0x7c00u, 0xfc00u, 0x7e00u, i}) {
      const auto a = static_cast<std::uint16_t>(i);
      const auto b = static_cast<std::uint16_t>(j);
      const float x = half_to_float(a);
      const float y = half_to_float(b);
      REQUIRE(extreme_f16<Extreme::kMin>(a, b) == float_to_half(min(x, y)));
      REQUIRE(extreme_f16<Extreme::kMax, false, true>(a, b) == float_to_half(max<false, true>(x, y)));
      if (is_nan(x) || is_nan(y)) continue;  // the sign of a NaN does not survive the way through f32
      REQUIRE(extreme_f16<Extreme::kMin, false, false, true>(a, b) ==
              float_to_half(min<false, false, true>(x, y)));
      const float u = bf16_to_float(a);
      const float v = bf16_to_float(b);
      REQUIRE(extreme_bf16<Extreme::kMax>(a, b) == float_to_bf16(max(u, v)));
      REQUIRE(extreme_bf16<Extreme::kMin, true, true>(a, b) == float_to_bf16(min<false, true, true>(u, v)));
    }
  }
}

TEST_CASE("Pairs work on both halves of a register") {
  CHECK(pairwise<add_f16<false, Clamp16::kNone>>(0x3c004000u, 0x3c003c00u) == 0x40004200u);
  CHECK(pairwise<neg_bf16>(0x3f80bf80u) == 0xbf803f80u);
  CHECK(pairwise<fma_f16<false, Clamp16::kNone>>(0x40003c00u, 0x40003c00u, 0x3c000000u) == 0x45003c00u);
}

#ifdef GPULOOM_HALF_ROWS
template <auto F, class... Rows>
int differing(std::size_t count, const Rows*... from) {
  std::vector<std::uint16_t> row(count);
  half_row<F>(row.data(), count, from...);
  int wrong = 0;
  for (std::size_t k = 0; k < count; ++k) wrong += row[k] != F(from[k]...);
  return wrong;
}

TEST_CASE("Rows of halves give bit for bit what the functions of one half give") {
  Random random(31);
  constexpr std::size_t kCount = 1 << 20;
  std::vector<std::uint16_t> a(kCount), b(kCount), c(kCount);
  const std::uint16_t special[] = {0,      0x8000, 1,      0x8001, 0x03ff, 0x0400, 0x3c00,
                                   0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7c01, 0xfe00, 0x7fff};
  for (std::size_t k = 0; k < kCount; ++k) {
    a[k] = k % 5 == 0 ? special[random.next() % std::size(special)] : draw_half(random);
    b[k] = k % 7 == 0 ? special[random.next() % std::size(special)] : draw_half(random);
    c[k] = k % 3 == 0 ? static_cast<std::uint16_t>(mul_f16(a[k], b[k]) ^ 0x8000) : draw_half(random);
    if (k % 11 == 0) c[k] = special[random.next() % std::size(special)];
  }
  CHECK(differing<add_f16<false, Clamp16::kNone>>(kCount, a.data(), b.data()) == 0);
  CHECK(differing<sub_f16<false, Clamp16::kNone>>(kCount, a.data(), b.data()) == 0);
  CHECK(differing<mul_f16<false, Clamp16::kNone>>(kCount, a.data(), b.data()) == 0);
  CHECK(differing<fma_f16<false, Clamp16::kNone>>(kCount, a.data(), b.data(), c.data()) == 0);
}
#endif

}  // namespace
}  // namespace gpuloom::ptx::numeric
