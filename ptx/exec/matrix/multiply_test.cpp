// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/matrix/multiply.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "ptx/exec/matrix/float_operand.h"
#include "tests/catch2.h"

using namespace gpuloom::ptx;

namespace {

// One cell after the other, with the scalar functions of numeric/block_dot.h.
uint32_t reference_float(const MatrixProduct& p, int row, int column) {
  const auto format = float_format(p.a_type), format_b = float_format(p.b_type);
  const auto code = [&](uint32_t raw, Type type) { return type == Type::kTf32 ? raw >> 13 : raw; };
  const auto value = [&](uint32_t raw, Type type) {
    const auto f = float_format(type);
    const uint32_t c = code(raw, type);
    if (!numeric::is_special(c, f)) {
      const auto u = numeric::unpack(c, f);
      return u.mantissa == 0 ? 0.0
                             : std::ldexp(static_cast<double>(u.mantissa), u.exponent - f.fraction_bits);
    }
    const bool infinite = f.has_infinity && (c & ((1u << f.fraction_bits) - 1)) == 0;
    if (!infinite) return std::numeric_limits<double>::quiet_NaN();
    const bool negative = (c >> (f.fraction_bits + f.exponent_bits) & 1) != 0;
    return negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  };
  const bool half = p.d_type == Type::kF16;
  double special = value(p.c[row * p.n + column], p.c_type);
  for (int k = 0; k < p.k; ++k)
    special += value(p.a[row * p.k + k], p.a_type) * value(p.b[k * p.n + column], p.b_type);
  if (std::isnan(special)) return half ? 0x7fff : 0x7fffffff;
  if (std::isinf(special))
    return (half ? 0x7c00u : 0x7f800000u) | (special < 0 ? half ? 0x8000u : 1u << 31 : 0);
  uint32_t sum = p.c[row * p.n + column];
  auto accumulator = float_format(p.c_type);
  const int block = products_in_block(p.a_type);
  for (int k = 0; k < p.k; k += block) {
    int32_t am[32], ae[32], bm[32], be[32];
    const int count = std::min(block, p.k - k);
    for (int i = 0; i < count; ++i) {
      const auto a = numeric::unpack(code(p.a[row * p.k + k + i], p.a_type), format);
      const auto b = numeric::unpack(code(p.b[(k + i) * p.n + column], p.b_type), format_b);
      am[i] = a.mantissa;
      ae[i] = a.exponent;
      bm[i] = b.mantissa;
      be[i] = b.exponent;
    }
    const auto dot = numeric::dot_block(am, ae, bm, be, count, format.fraction_bits + format_b.fraction_bits,
                                        numeric::unpack(sum, accumulator), accumulator.fraction_bits);
    sum = half ? numeric::dot_to_f16(dot) : numeric::dot_to_f32(dot);
    accumulator = float_format(p.d_type);
  }
  return sum;
}

// Codes of every kind: any bits, near one, subnormal, zero and, in some rounds, infinities and NaN.
uint32_t random_code(std::mt19937& random, Type type, bool specials) {
  const auto f = float_format(type);
  const int unused = type == Type::kTf32 ? 13 : 0;
  const int width = f.exponent_bits + f.fraction_bits;
  const uint32_t sign = (random() & 1u) << width, fraction = random() & ((1u << f.fraction_bits) - 1);
  const uint32_t top = (1u << f.exponent_bits) - 1, bias = top / 2;
  uint32_t exponent = random() & top;
  switch (random() % 8) {
    case 0:
      exponent = 0;
      break;
    case 1:
      return (sign << unused);
    case 2:
      if (specials) return (sign | top << f.fraction_bits | (random() % 2 ? fraction : 0)) << unused;
      break;
    case 3:
    case 4:
    case 5:
      exponent = bias - 3 + random() % 6;
      break;
    default:
      break;
  }
  if (!specials && exponent == top) exponent = top - 1;
  const uint32_t low = type == Type::kTf32 ? random() & 0x1fffu : 0;  // ignored by the hardware
  return (sign | exponent << f.fraction_bits | fraction) << unused | low;
}

struct Case {
  int m, n, k;
  Type a, b, c, d;
};

struct Matrices {
  std::vector<uint32_t> a, b, c, d;
  MatrixProduct p;
  explicit Matrices(const Case& x)
      : a(static_cast<size_t>(x.m * x.k)),
        b(static_cast<size_t>(x.n * x.k)),
        c(static_cast<size_t>(x.m * x.n)),
        d(c) {
    p.m = x.m;
    p.n = x.n;
    p.k = p.b_rows = x.k;
    p.a_type = x.a;
    p.b_type = x.b;
    p.c_type = x.c;
    p.d_type = x.d;
    p.a = a.data();
    p.b = b.data();
    p.c = c.data();
    p.d = d.data();
  }
};

}  // namespace

TEST_CASE("Matrix products of floats agree with the dot product of one cell at a time") {
  const Case cases[] = {{16, 8, 16, Type::kF16, Type::kF16, Type::kF32, Type::kF32},
                        {16, 8, 8, Type::kF16, Type::kF16, Type::kF16, Type::kF16},
                        {16, 16, 16, Type::kF16, Type::kF16, Type::kF32, Type::kF16},
                        {8, 32, 16, Type::kF16, Type::kF16, Type::kF16, Type::kF32},
                        {16, 8, 16, Type::kBf16, Type::kBf16, Type::kF32, Type::kF32},
                        {16, 8, 8, Type::kTf32, Type::kTf32, Type::kF32, Type::kF32},
                        {16, 8, 4, Type::kTf32, Type::kTf32, Type::kF32, Type::kF32},
                        {16, 8, 32, Type::kE4m3, Type::kE5m2, Type::kF32, Type::kF32},
                        {16, 8, 32, Type::kE5m2, Type::kE5m2, Type::kF16, Type::kF16},
                        {16, 8, 48, Type::kF16, Type::kF16, Type::kF32, Type::kF32}};
  std::mt19937 random(7);
  for (const Case& x : cases)
    for (int round = 0; round < 60; ++round) {
      Matrices m(x);
      const bool specials = round % 4 == 3;
      for (uint32_t& code : m.a) code = random_code(random, x.a, specials);
      for (uint32_t& code : m.b) code = random_code(random, x.b, specials && round % 8 == 3);
      for (uint32_t& code : m.c) code = random_code(random, x.c, specials);
      multiply(m.p);
      int differ = 0;
      for (int row = 0; row < x.m; ++row)
        for (int column = 0; column < x.n; ++column)
          differ += m.d[static_cast<size_t>(row * x.n + column)] != reference_float(m.p, row, column);
      CAPTURE(static_cast<int>(x.a), static_cast<int>(x.d), x.k, round);
      REQUIRE(differ == 0);
    }
}

TEST_CASE("Matrix products of integers wrap, or saturate where told") {
  std::mt19937 random(11);
  for (const Type type : {Type::kS8, Type::kU8, Type::kS4, Type::kU4})
    for (const bool saturate : {false, true}) {
      Matrices m({16, 8, 64, type, Type::kS8, Type::kS32, Type::kS32});
      m.p.saturate = saturate;
      for (uint32_t& code : m.a) code = random() & (bits(type) == 8 ? 0xffu : 0xfu);
      for (uint32_t& code : m.b) code = random() & 0xffu;
      for (uint32_t& code : m.c)
        code = random() % 2 ? 0x7fffff00u + random() % 256 : 0x80000000u + random() % 256;
      multiply(m.p);
      const unsigned unused = 64 - bits(type);
      for (int cell = 0; cell < 128; ++cell) {
        int64_t sum = static_cast<int32_t>(m.c[static_cast<size_t>(cell)]);
        for (int k = 0; k < 64; ++k) {
          int64_t a = m.a[static_cast<size_t>(cell / 8 * 64 + k)];
          if (is_signed(type)) a = static_cast<int64_t>(static_cast<uint64_t>(a) << unused) >> unused;
          sum += a * static_cast<int8_t>(m.b[static_cast<size_t>(k * 8 + cell % 8)]);
        }
        if (saturate) sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
        REQUIRE(m.d[static_cast<size_t>(cell)] == static_cast<uint32_t>(sum));
      }
    }
}

TEST_CASE("A sparse product picks the rows of B that the elements of A stand for") {
  Matrices m({16, 8, 16, Type::kF16, Type::kF16, Type::kF32, Type::kF32});
  std::vector<uint32_t> compressed(16 * 8), dense(16 * 16);
  std::vector<uint8_t> b_row(16 * 8);
  std::mt19937 random(3);
  for (uint32_t& code : m.b) code = 0x3c00u + random() % 0x400u;
  for (size_t row = 0; row < 16; ++row)
    for (size_t j = 0; j < 8; ++j) {
      const size_t at = j / 2 * 4 + (j % 2 == 0 ? random() % 2 : 2 + random() % 2);
      b_row[row * 8 + j] = static_cast<uint8_t>(at);
      dense[row * 16 + at] = compressed[row * 8 + j] = 0x3800u + random() % 0x800u;
    }
  m.p.a = dense.data();
  multiply(m.p);
  std::vector<uint32_t> d(16 * 8);
  MatrixProduct sparse = m.p;
  sparse.k = 8;
  sparse.a = compressed.data();
  sparse.b_row = b_row.data();
  sparse.d = d.data();
  multiply(sparse);
  CHECK(d == m.d);
}

TEST_CASE("Products of doubles round as told") {
  const uint64_t one = 0x3ff0000000000000;
  std::vector<uint64_t> a(8 * 4, one), b(4 * 8, one), c(64, 0x3ca0000000000000), d(64);  // c is 2^-53
  Product<uint64_t> p;
  p.m = p.n = 8;
  p.k = 4;
  p.a = a.data();
  p.b = b.data();
  p.c = c.data();
  p.d = d.data();
  multiply(p, static_cast<uint8_t>(numeric::Rounding::kZero));
  CHECK(d[0] == 0x4010000000000000);
  multiply(p, static_cast<uint8_t>(numeric::Rounding::kUp));
  CHECK(d[0] > 0x4010000000000000);
}

TEST_CASE("Words of bits are compared with and or xor") {
  Matrices m({8, 8, 4, Type::kB1, Type::kB1, Type::kS32, Type::kS32});
  for (uint32_t& word : m.a) word = 0xf0f0f0f0u;
  for (uint32_t& word : m.b) word = 0xff00ff00u;
  for (uint32_t& word : m.c) word = 5;
  multiply(m.p);
  CHECK(m.d[9] == 5 + 4 * 8);
  m.p.xor_bits = true;
  multiply(m.p);
  CHECK(m.d[9] == 5 + 4 * 16);
}
