// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/matrix/multiply.h"

#include <bit>
#include <cmath>
#include <limits>

#include "ptx/numeric/arith64.h"
#include "ptx/numeric/block_dot.h"
#include "ptx/numeric/half.h"

namespace gpuloom::ptx {
namespace {

using numeric::DotSum;
using numeric::FloatFormat;
using numeric::Unpacked;

FloatFormat format_of(Type type) {
  switch (type) {
    case Type::kF16:
      return numeric::kFormatF16;
    case Type::kBf16:
      return numeric::kFormatBf16;
    case Type::kTf32:
      return numeric::kFormatTf32;
    case Type::kE4m3:
      return numeric::kFormatE4m3;
    case Type::kE5m2:
      return numeric::kFormatE5m2;
    default:
      return numeric::kFormatF32;
  }
}

// tf32 operands are f32 registers of which the hardware reads the upper 19 bits (measured:
// mma.m16n8k8.f32.tf32.lowbits).
uint32_t operand_code(uint64_t raw, Type type) {
  return type == Type::kTf32 ? static_cast<uint32_t>(raw) >> 13 : static_cast<uint32_t>(raw);
}

// Products in a block: 16 of 16-bit formats, 8 of tf32, 32 of 8-bit ones (measured, see block_dot.h; 8-bit:
// guess from the shape).
int block_of(Type type) { return type == Type::kTf32 ? 8 : bits(type) == 8 ? 32 : 16; }

double to_double(uint32_t code, FloatFormat f) {
  if (!numeric::is_special(code, f)) {
    const Unpacked u = numeric::unpack(code, f);
    return u.mantissa == 0 ? 0.0 : std::ldexp(static_cast<double>(u.mantissa), u.exponent - f.fraction_bits);
  }
  const bool negative = ((code >> (f.fraction_bits + f.exponent_bits)) & 1u) != 0;
  const bool infinite = f.has_infinity && (code & ((1u << f.fraction_bits) - 1)) == 0;
  const double value =
      infinite ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  return negative ? -value : value;
}

// A matrix of floats, unpacked once for all products that it takes part in.
struct FloatMatrix {
  int32_t mantissa[kMaxElements], exponent[kMaxElements];
  uint32_t code[kMaxElements];
  bool special = false;

  FloatMatrix(const uint64_t* raw, int count, Type type) {
    const FloatFormat f = format_of(type);
    for (int i = 0; i < count; ++i) {
      code[i] = operand_code(raw[i], type);
      special |= numeric::is_special(code[i], f);
      const Unpacked u = numeric::unpack(code[i], f);
      mantissa[i] = u.mantissa;
      exponent[i] = u.exponent;
    }
  }
};

uint64_t canonical_nan(Type type) { return type == Type::kF16 ? numeric::kNaN16 : numeric::kNaN32; }

// With an infinity or a NaN among the operands the sum is one of them; finite terms do not matter.
uint64_t special_result(const MatrixProduct& p, const FloatMatrix& a, const FloatMatrix& b, int row,
                        int column, double sum) {
  const FloatFormat fa = format_of(p.a_type), fb = format_of(p.b_type);
  for (int k = 0; k < p.k; ++k)
    sum += to_double(a.code[row * p.k + k], fa) * to_double(b.code[column * p.k + k], fb);
  if (std::isnan(sum)) return canonical_nan(p.d_type);
  const bool negative = std::signbit(sum);
  if (p.d_type == Type::kF16) return negative ? 0xfc00u : 0x7c00u;
  return negative ? 0xff800000u : 0x7f800000u;
}

uint64_t float_cell(const MatrixProduct& p, const FloatMatrix& a, const FloatMatrix& b, int row, int column) {
  const FloatFormat fc = format_of(p.c_type);
  const int fraction = format_of(p.a_type).fraction_bits, fraction_b = format_of(p.b_type).fraction_bits;
  auto code = static_cast<uint32_t>(p.c[row * p.n + column]);
  if (a.special || b.special || numeric::is_special(code, fc)) {
    double sum = to_double(code, fc);
    for (int k = 0; k < p.k; ++k)
      sum += to_double(a.code[row * p.k + k], format_of(p.a_type)) *
             to_double(b.code[column * p.k + k], format_of(p.b_type));
    if (!std::isfinite(sum)) return special_result(p, a, b, row, column, to_double(code, fc));
  }
  FloatFormat accumulator = fc;
  DotSum sum{0, 0};
  const int block = block_of(p.a_type);
  for (int k = 0; k < p.k; k += block) {
    const int count = p.k - k < block ? p.k - k : block;
    const int at = row * p.k + k, bt = column * p.k + k;
    sum = numeric::dot_block(&a.mantissa[at], &a.exponent[at], &b.mantissa[bt], &b.exponent[bt], count,
                             fraction + fraction_b, numeric::unpack(code, accumulator),
                             accumulator.fraction_bits);
    if (k + block < p.k) {
      code = p.d_type == Type::kF16 ? numeric::dot_to_f16(sum) : numeric::dot_to_f32(sum);
      accumulator = format_of(p.d_type);
    }
  }
  return p.d_type == Type::kF16 ? numeric::dot_to_f16(sum) : numeric::dot_to_f32(sum);
}

void multiply_floats(const MatrixProduct& p) {
  const FloatMatrix a(p.a, p.m * p.k, p.a_type), b(p.b, p.n * p.k, p.b_type);
  for (int row = 0; row < p.m; ++row)
    for (int column = 0; column < p.n; ++column) p.d[row * p.n + column] = float_cell(p, a, b, row, column);
}

template <numeric::Rounding R>
void multiply_doubles(const MatrixProduct& p) {
  for (int row = 0; row < p.m; ++row)
    for (int column = 0; column < p.n; ++column) {
      double sum = std::bit_cast<double>(p.c[row * p.n + column]);
      for (int k = 0; k < p.k; ++k)
        sum = numeric::fma<R>(std::bit_cast<double>(p.a[row * p.k + k]),
                              std::bit_cast<double>(p.b[column * p.k + k]), sum);
      p.d[row * p.n + column] = std::bit_cast<uint64_t>(sum);
    }
}

int64_t integer_code(uint64_t raw, Type type) {
  const unsigned width = bits(type);
  if (!is_signed(type)) return static_cast<int64_t>(raw);
  return static_cast<int64_t>(raw << (64 - width)) >> (64 - width);
}

void multiply_integers(const MatrixProduct& p) {
  int32_t a[kMaxElements], b[kMaxElements];
  for (int i = 0; i < p.m * p.k; ++i) a[i] = static_cast<int32_t>(integer_code(p.a[i], p.a_type));
  for (int i = 0; i < p.n * p.k; ++i) b[i] = static_cast<int32_t>(integer_code(p.b[i], p.b_type));
  for (int row = 0; row < p.m; ++row)
    for (int column = 0; column < p.n; ++column) {
      int64_t sum = static_cast<int32_t>(p.c[row * p.n + column]);
      for (int k = 0; k < p.k; ++k) sum += a[row * p.k + k] * b[column * p.k + k];
      if (p.saturate) sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
      p.d[row * p.n + column] = static_cast<uint32_t>(sum);
    }
}

void multiply_bits(const MatrixProduct& p) {
  for (int row = 0; row < p.m; ++row)
    for (int column = 0; column < p.n; ++column) {
      auto sum = static_cast<uint32_t>(p.c[row * p.n + column]);
      for (int k = 0; k < p.k; ++k) {
        const uint64_t a = p.a[row * p.k + k], b = p.b[column * p.k + k];
        sum += static_cast<uint32_t>(p.xor_bits ? a ^ b : a & b);
      }
      p.d[row * p.n + column] = sum;
    }
}

}  // namespace

void multiply(const MatrixProduct& p) {
  if (p.a_type == Type::kF64) {
    switch (static_cast<numeric::Rounding>(p.rounding)) {
      case numeric::Rounding::kZero:
        return multiply_doubles<numeric::Rounding::kZero>(p);
      case numeric::Rounding::kDown:
        return multiply_doubles<numeric::Rounding::kDown>(p);
      case numeric::Rounding::kUp:
        return multiply_doubles<numeric::Rounding::kUp>(p);
      default:
        return multiply_doubles<numeric::Rounding::kNearestEven>(p);
    }
  }
  if (p.a_type == Type::kB1) return multiply_bits(p);
  if (is_float(p.a_type)) return multiply_floats(p);
  multiply_integers(p);
}

}  // namespace gpuloom::ptx
