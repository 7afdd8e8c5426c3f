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

uint32_t without_unused(uint32_t raw, Type type) { return type == Type::kTf32 ? raw >> 13 : raw; }

double value_of(uint32_t raw, Type type) {
  const auto f = float_format(type);
  const uint32_t c = without_unused(raw, type);
  if (!numeric::is_special(c, f)) {
    const auto u = numeric::unpack(c, f);
    return u.mantissa == 0 ? 0.0 : std::ldexp(static_cast<double>(u.mantissa), u.exponent - f.fraction_bits);
  }
  const bool infinite = f.has_infinity && (c & ((1u << f.fraction_bits) - 1)) == 0;
  if (!infinite) return std::numeric_limits<double>::quiet_NaN();
  const bool negative = (c >> (f.fraction_bits + f.exponent_bits) & 1) != 0;
  return negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
}

// Unnormalised, as the hardware aligns terms.
int exponent_of(uint32_t raw, Type type) {
  return numeric::unpack(without_unused(raw, type), float_format(type)).exponent;
}

int row_of_b(const MatrixProduct& p, int row, int k) {
  return p.b_row != nullptr ? p.b_row[row * p.k + k] : k;
}

// A block of products and an accumulator, each truncated by itself, in doubles.
numeric::DotSum sum_of_block(const MatrixProduct& p, int row, int column, int first, int count,
                             uint32_t accumulator, Type type) {
  double term[33] = {value_of(accumulator, type)};
  int exponent[33] = {exponent_of(accumulator, type)};
  for (int i = 0; i < count; ++i) {
    const uint32_t a = p.a[row * p.k + first + i], b = p.b[row_of_b(p, row, first + i) * p.n + column];
    term[i + 1] = value_of(a, p.a_type) * value_of(b, p.b_type);
    exponent[i + 1] = exponent_of(a, p.a_type) + exponent_of(b, p.b_type);
  }
  const int top = *std::max_element(exponent, exponent + count + 1);
  if (top <= numeric::kZeroExponent / 2) return {0, 0};
  numeric::DotSum sum{0, top + numeric::kDotFractionBits - p.aligned_bits};
  for (int i = 0; i <= count; ++i)
    sum.significand += static_cast<int64_t>(std::trunc(std::ldexp(term[i], p.aligned_bits - top)));
  return sum;
}

// One cell after the other, with the scalar functions of numeric/block_dot.h for the rounding.
uint32_t reference_float(const MatrixProduct& p, int row, int column) {
  const bool half = p.d_type == Type::kF16;
  double special = value_of(p.c[row * p.n + column], p.c_type);
  for (int k = 0; k < p.k; ++k)
    special +=
        value_of(p.a[row * p.k + k], p.a_type) * value_of(p.b[row_of_b(p, row, k) * p.n + column], p.b_type);
  if (std::isnan(special)) return half ? 0x7fff : 0x7fffffff;
  if (std::isinf(special))
    return (half ? 0x7c00u : 0x7f800000u) | (special < 0 ? half ? 0x8000u : 1u << 31 : 0);
  uint32_t sum = p.c[row * p.n + column];
  Type type = p.c_type;
  const int block = products_in_block(p.a_type);
  for (int k = 0; k < p.k; k += block) {
    if (numeric::is_special(without_unused(sum, type), float_format(type))) return sum;
    const auto dot = sum_of_block(p, row, column, k, std::min(block, p.k - k), sum, type);
    sum = half ? numeric::dot_to_f16(dot) : numeric::dot_to_f32(dot) & ~0u << (23 - p.result_bits);
    type = p.d_type;
  }
  return sum;
}

int differing_cells(const MatrixProduct& p) {
  int differ = 0;
  for (int row = 0; row < p.m; ++row)
    for (int column = 0; column < p.n; ++column)
      differ += p.d[row * p.n + column] != reference_float(p, row, column);
  return differ;
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
      const int differ = differing_cells(m.p);
      CAPTURE(static_cast<int>(x.a), static_cast<int>(x.d), x.k, round);
      REQUIRE(differ == 0);
    }
}

// Exponents of a band of `width` from `least` on, the bias being 0; zeros, and subnormals in formats of small
// exponents.
uint32_t code_in_band(std::mt19937& random, Type type, int least, int width) {
  const auto f = float_format(type);
  const int bias = (1 << (f.exponent_bits - 1)) - 1, top = (1 << f.exponent_bits) - 2;
  const uint32_t sign = (random() & 1u) << (f.exponent_bits + f.fraction_bits);
  if (random() % 8 == 0) return sign << (type == Type::kTf32 ? 13 : 0);
  const int exponent =
      std::clamp(least + static_cast<int>(random() % static_cast<unsigned>(width)) + bias, 0, top);
  const uint32_t fraction = random() & ((1u << f.fraction_bits) - 1);
  return (sign | static_cast<uint32_t>(exponent) << f.fraction_bits | fraction)
         << (type == Type::kTf32 ? 13 : 0);
}

TEST_CASE("Matrix products of floats are exact at every magnitude, and where they overflow or vanish") {
  struct Band {
    int a, b, c, width;
  };
  const Band bands[] = {{0, 0, 0, 4},        {-3, -3, 10, 8},      {-20, -20, -30, 30},    {-60, 40, -20, 20},
                        {-126, 20, -100, 8}, {-70, -70, -126, 30}, {-52, -52, -110, 4},    {60, 58, 110, 8},
                        {60, 60, 124, 4},    {100, 100, 100, 20},  {-127, -127, -127, 200}};
  const Case cases[] = {{16, 8, 16, Type::kF16, Type::kF16, Type::kF32, Type::kF32},
                        {16, 16, 16, Type::kF16, Type::kF16, Type::kF16, Type::kF16},
                        {16, 8, 16, Type::kBf16, Type::kBf16, Type::kF32, Type::kF32},
                        {16, 16, 32, Type::kBf16, Type::kBf16, Type::kF32, Type::kF32},
                        {16, 8, 8, Type::kTf32, Type::kTf32, Type::kF32, Type::kF32},
                        {16, 16, 8, Type::kTf32, Type::kTf32, Type::kF32, Type::kF32},
                        {16, 16, 32, Type::kE4m3, Type::kE4m3, Type::kF32, Type::kF32},
                        {16, 16, 32, Type::kE4m3, Type::kE5m2, Type::kF16, Type::kF16},
                        {16, 8, 32, Type::kE5m2, Type::kE4m3, Type::kF32, Type::kF32},
                        {16, 16, 32, Type::kE5m2, Type::kE5m2, Type::kF32, Type::kF32}};
  std::mt19937 random(19);
  for (const Case& x : cases)
    for (const Band& band : bands)
      for (int round = 0; round < 12; ++round) {
        Matrices m(x);
        for (uint32_t& code : m.a) code = code_in_band(random, x.a, band.a, band.width);
        for (uint32_t& code : m.b) code = code_in_band(random, x.b, band.b, band.width);
        for (uint32_t& code : m.c) code = random() % 4 ? code_in_band(random, x.c, band.c, band.width) : 0;
        if (bits(x.a) == 8 && round % 2 != 0) m.p.aligned_bits = m.p.result_bits = 13;  // as wgmma has them
        multiply(m.p);
        CAPTURE(static_cast<int>(x.a), static_cast<int>(x.b), static_cast<int>(x.d), band.a, band.c, round);
        REQUIRE(differing_cells(m.p) == 0);
      }
}

TEST_CASE("Sparse products agree with the dot product of one cell, infinities and NaNs too") {
  std::mt19937 random(23);
  for (const Type type : {Type::kF16, Type::kBf16, Type::kTf32, Type::kE4m3, Type::kE5m2})
    for (int round = 0; round < 40; ++round) {
      Matrices m({16, 8, 32, type, type, Type::kF32, Type::kF32});
      std::vector<uint8_t> b_row(16 * 16);
      for (size_t i = 0; i < b_row.size(); ++i) b_row[i] = static_cast<uint8_t>(i % 16 * 2 + random() % 2);
      m.p.k = 16;
      m.p.b_row = b_row.data();
      const bool specials = round % 2 != 0;
      for (uint32_t& code : m.a) code = random_code(random, type, specials && round % 4 == 1);
      for (uint32_t& code : m.b) code = random_code(random, type, specials && random() % 8 == 0);
      for (uint32_t& code : m.c) code = random_code(random, Type::kF32, specials && random() % 8 == 0);
      multiply(m.p);
      CAPTURE(static_cast<int>(type), round);
      REQUIRE(differing_cells(m.p) == 0);
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
