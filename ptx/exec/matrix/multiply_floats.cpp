// SPDX-License-Identifier: Apache-2.0
// Products of low-precision floats, as numeric/block_dot.h says, in float arithmetic that is exact.
//
// A product of two elements fits an f32's 24 bits, so a[k] * b[k] is exact; times the power of two that makes
// one unit of the block's last counted bit 1, and converted to an integer, it is truncated as the hardware
// truncates it. That holds while the largest exponent lies in [kLeastTop, kMostTop]: no product overflows,
// and what underflows is far below the last bit that counts. Cells beyond, and matrices whose products may
// overflow, are added up one cell at a time.
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "ptx/exec/lane_loop.h"
#include "ptx/exec/matrix/float_operand.h"
#include "ptx/exec/matrix/multiply.h"
#include "ptx/numeric/half.h"

namespace gpuloom::ptx {
namespace {

using numeric::FloatFormat;
using numeric::kDotFractionBits;

// Eight columns of a row at once. By reference: vectors by value would follow an ABI that depends on the
// instruction set.
using Floats = float __attribute__((vector_size(32), may_alias));
using Integers = int32_t __attribute__((vector_size(32), may_alias));
using Unsigned = uint32_t __attribute__((vector_size(32), may_alias));
using Shorts = int16_t __attribute__((vector_size(16), may_alias));
constexpr int kColumns = 8;
inline const Floats& floats(const float* at) { return *reinterpret_cast<const Floats*>(at); }
inline const Shorts& shorts(const int16_t* at) { return *reinterpret_cast<const Shorts*>(at); }

constexpr int kMaxBlock = 32;
constexpr int kLeastTop = -100, kMostTop = 125;
constexpr int kAllZero = kZeroShort / 2;  // a top below it: no term but zeros

// Terms have up to aligned_bits + 2 bits and a sign: so many of them and an accumulator fit 32 bits.
constexpr int kGroup = 8, kMaxGroups = 4, kWholeBlockBits = 23;

// Sums of one block of products, exact, for all cells: the total of `part` counts in units of 2^(top -
// MatrixProduct::aligned_bits).
struct BlockSums {
  alignas(64) int32_t top[kMaxCells];
  alignas(64) int32_t part[kMaxGroups][kMaxCells];
  int groups = 0;
  bool beyond = false;  // some cell's top is: see is_beyond

  int64_t significand(int cell) const {
    int64_t sum = 0;
    for (int g = 0; g < groups; ++g) sum += part[g][cell];
    return sum;
  }
  bool is_beyond(int cell) const {
    return top[cell] > kAllZero && (top[cell] < kLeastTop || top[cell] > kMostTop);
  }
};

struct FloatProduct {
  const MatrixProduct& p;
  const FloatOperand &a, &b;
  FloatOperand c;
  FloatProduct(const MatrixProduct& product, const FloatOperand& left, const FloatOperand& right)
      : p(product), a(left), b(right) {}
};

// Products [first, first + count) of a block.
struct Block {
  int first, count, group;
};

// Eight cells of a row from column `column` on. kCount: products of the block, kWidth: columns of the matrix,
// where they are known, or 0.
template <bool kSparse, int kCount, int kWidth>
inline void sum_columns(const FloatProduct& f, int row, int column, const Block& block, BlockSums& out,
                        Integers& beyond) {
  const MatrixProduct& p = f.p;
  const int n = kWidth != 0 ? kWidth : p.n, cell = row * n + column,
            count = kCount != 0 ? kCount : block.count;
  const int16_t* a_exponent = &f.a.exponent[row * p.k + block.first];
  const float* a_value = &f.a.value[row * p.k + block.first];
  const int16_t* b_exponent = &f.b.exponent[(kSparse ? 0 : block.first * n) + column];
  const float* b_value = &f.b.value[(kSparse ? 0 : block.first * n) + column];
  const uint8_t* b_row = kSparse ? p.b_row + row * p.k + block.first : nullptr;
  Shorts highest = shorts(&f.c.exponent[cell]);
#pragma GCC unroll 16
  for (int k = 0; k < count; ++k) {
    const Shorts e = a_exponent[k] + shorts(&b_exponent[(kSparse ? b_row[k] : k) * n]);
    highest = e > highest ? e : highest;
  }
  const Integers top = __builtin_convertvector(highest, Integers);
  *reinterpret_cast<Integers*>(&out.top[cell]) = top;
  const Integers low = top < kLeastTop ? Integers{} + kLeastTop : top;
  const Integers held = low > kMostTop ? Integers{} + kMostTop : low;
  beyond |= (held != top) & (top > kAllZero);
  const auto scale = (Floats)((p.aligned_bits + 127 - held) << 23);
  // Unsigned: sums of cells beyond may wrap.
  auto sum = (Unsigned) __builtin_convertvector(floats(&f.c.value[cell]) * scale, Integers);
  const auto add = [&](int k) {
    const Floats product = a_value[k] * floats(&b_value[(kSparse ? b_row[k] : k) * n]);
    sum += (Unsigned) __builtin_convertvector(product * scale, Integers);
  };
  for (int k = 0, g = 0; k < count; ++g) {
    if (k + block.group <= count && block.group == kGroup) {
#pragma GCC unroll 8
      for (int i = 0; i < kGroup; ++i) add(k + i);
      k += kGroup;
    } else {
      for (const int stop = k + block.group < count ? k + block.group : count; k < stop; ++k) add(k);
    }
    *reinterpret_cast<Unsigned*>(&out.part[g][cell]) = sum;
    sum = Unsigned{};
  }
}

template <bool kSparse, int kCount, int kWidth>
void sum_cells(const FloatProduct& f, const Block& block, BlockSums& out) {
  Integers beyond{};
  for (int column = 0; column < f.p.n; column += kColumns)
    for (int row = 0; row < f.p.m; ++row)
      sum_columns<kSparse, kCount, kWidth>(f, row, column, block, out, beyond);
  int32_t any = 0;
  for (int i = 0; i < kColumns; ++i) any |= beyond[i];
  out.beyond = any != 0;
}

template <int kCount>
void sum_dense(const FloatProduct& f, const Block& block, BlockSums& out) {
  if (f.p.n == 8) return sum_cells<false, kCount, 8>(f, block, out);
  if (f.p.n == 16) return sum_cells<false, kCount, 16>(f, block, out);
  sum_cells<false, kCount, 0>(f, block, out);
}

void sum_block(const FloatProduct& f, const Block& block, BlockSums& out) {
  if (f.p.b_row != nullptr) return sum_cells<true, 0, 0>(f, block, out);
  switch (block.count) {
    case 8:
      return sum_dense<8>(f, block, out);
    case 16:
      return sum_dense<16>(f, block, out);
    case 32:
      return sum_dense<32>(f, block, out);
    default:
      return sum_cells<false, 0, 0>(f, block, out);
  }
}

// The exact sums as doubles: at most 36 bits at any exponent of the formats.
void to_doubles(const BlockSums& sums, int aligned_bits, int cells, double* out) {
  GPULOOM_LANE_LOOP
  for (int i = 0; i < cells; ++i) out[i] = sums.part[0][i];
  for (int g = 1; g < sums.groups; ++g) {
    GPULOOM_LANE_LOOP
    for (int i = 0; i < cells; ++i) out[i] += sums.part[g][i];
  }
  GPULOOM_LANE_LOOP
  for (int i = 0; i < cells; ++i) {
    const int64_t exponent = sums.top[i] < -900 ? -900 : sums.top[i];  // below: all terms are zero
    out[i] *= std::bit_cast<double>((exponent - aligned_bits + 1023) << 52);
  }
}

constexpr uint64_t kBelowFloat = (uint64_t{1} << 29) - 1;  // bits that a double has and an f32 has not

// Truncation, as numeric::dot_to_f32.
void round_to_f32(const BlockSums& sums, const MatrixProduct& p, int cells, uint32_t* d) {
  alignas(64) double exact[kMaxCells];
  to_doubles(sums, p.aligned_bits, cells, exact);
  const uint64_t unkept = ((kBelowFloat + 1) << (23 - p.result_bits)) - 1;
  constexpr auto kLeast = std::bit_cast<int64_t>(0x1p-126), kBeyond = std::bit_cast<int64_t>(0x1p128);
  int64_t rare = 0;
  GPULOOM_LANE_LOOP
  for (int i = 0; i < cells; ++i) {
    const auto code = std::bit_cast<uint64_t>(exact[i]);
    const auto magnitude = static_cast<int64_t>(code & ~(uint64_t{1} << 63));
    rare |= static_cast<int64_t>(magnitude != 0) &
            (static_cast<int64_t>(magnitude < kLeast) | static_cast<int64_t>(magnitude >= kBeyond));
    d[i] = std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(code & ~unkept)));
  }
  if (rare == 0) return;
  for (int i = 0; i < cells; ++i)
    d[i] = numeric::dot_to_f32({sums.significand(i), sums.top[i] + kDotFractionBits - p.aligned_bits}) &
           ~0u << (23 - p.result_bits);
}

// Round to nearest even, as numeric::dot_to_f16: by way of an f32 rounded to odd, which loses nothing that
// matters to the second rounding.
void round_to_f16(const BlockSums& sums, const MatrixProduct& p, int cells, uint32_t* d) {
  alignas(64) double exact[kMaxCells];
  to_doubles(sums, p.aligned_bits, cells, exact);
  GPULOOM_LANE_LOOP
  for (int i = 0; i < cells; ++i) {
    const auto code = std::bit_cast<uint64_t>(exact[i]);
    const uint64_t odd = (code & kBelowFloat) != 0 ? kBelowFloat + 1 : 0;
    const auto narrow = static_cast<float>(std::bit_cast<double>((code & ~kBelowFloat) | odd));
    const uint32_t half = numeric::float_to_half(narrow);
    d[i] = (half & 0x7fffu) == 0 ? 0 : half;
  }
}

numeric::Unpacked unpack_finite(uint32_t code, Type type) {
  if (type == Type::kTf32) code >>= 13;
  const FloatFormat f = float_format(type);
  if (numeric::is_special(code, f)) return {0, numeric::kZeroExponent};
  return numeric::unpack(code, f);
}

// A cell by integers, whatever its exponents are.
uint32_t sum_alone(const MatrixProduct& p, const Block& block, int cell, uint32_t accumulator, Type type) {
  int32_t a_mantissa[kMaxBlock], a_exponent[kMaxBlock], b_mantissa[kMaxBlock], b_exponent[kMaxBlock];
  const int row = cell / p.n, column = cell % p.n;
  for (int i = 0; i < block.count; ++i) {
    const int k = block.first + i, b_row = p.b_row != nullptr ? p.b_row[row * p.k + k] : k;
    const numeric::Unpacked a = unpack_finite(p.a[row * p.k + k], p.a_type);
    const numeric::Unpacked b = unpack_finite(p.b[b_row * p.n + column], p.b_type);
    a_mantissa[i] = a.mantissa;
    a_exponent[i] = a.exponent;
    b_mantissa[i] = b.mantissa;
    b_exponent[i] = b.exponent;
  }
  const int fraction = float_format(p.a_type).fraction_bits + float_format(p.b_type).fraction_bits;
  numeric::DotSum sum =
      numeric::dot_block(a_mantissa, a_exponent, b_mantissa, b_exponent, block.count, fraction,
                         unpack_finite(accumulator, type), float_format(type).fraction_bits, p.aligned_bits);
  sum.exponent += kDotFractionBits - p.aligned_bits;
  if (p.d_type == Type::kF16) return numeric::dot_to_f16(sum);
  return numeric::dot_to_f32(sum) & ~0u << (23 - p.result_bits);
}

double to_double(uint32_t code, Type type) {
  const FloatFormat f = float_format(type);
  if (type == Type::kTf32) code >>= 13;
  if (!numeric::is_special(code, f)) {
    const numeric::Unpacked u = numeric::unpack(code, f);
    return u.mantissa == 0 ? 0.0 : std::ldexp(static_cast<double>(u.mantissa), u.exponent - f.fraction_bits);
  }
  const bool negative = ((code >> (f.fraction_bits + f.exponent_bits)) & 1u) != 0;
  const bool infinite = f.has_infinity && (code & ((1u << f.fraction_bits) - 1)) == 0;
  const double value =
      infinite ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  return negative ? -value : value;
}

bool is_special(uint32_t code, Type type) {
  return numeric::is_special(type == Type::kTf32 ? code >> 13 : code, float_format(type));
}

void correct_cell(const MatrixProduct& p, int row, int column) {
  const bool half = p.d_type == Type::kF16;
  const int cell = row * p.n + column;
  double sum = to_double(p.c[cell], p.c_type);
  for (int k = 0; k < p.k; ++k) {
    const int b_row = p.b_row != nullptr ? p.b_row[row * p.k + k] : k;
    sum += to_double(p.a[row * p.k + k], p.a_type) * to_double(p.b[b_row * p.n + column], p.b_type);
  }
  if (std::isnan(sum)) p.d[cell] = half ? numeric::kNaN16 : numeric::kNaN32;
  if (std::isinf(sum))
    p.d[cell] = (half ? 0x7c00u : 0x7f800000u) | (sum < 0 ? half ? 0x8000u : 0x80000000u : 0);
}

// With an infinity or a NaN among its operands a cell is one of them; the finite terms do not matter. Cells
// that stay finite are left alone.
void correct_specials(const MatrixProduct& p) {
  bool columns[kMaxCells] = {};
  for (int i = 0; i < p.b_rows * p.n; ++i) columns[i % p.n] |= is_special(p.b[i], p.b_type);
  for (int row = 0; row < p.m; ++row) {
    bool all = false;
    for (int k = 0; k < p.k; ++k) all |= is_special(p.a[row * p.k + k], p.a_type);
    for (int column = 0; column < p.n; ++column)
      if (all || columns[column] || is_special(p.c[row * p.n + column], p.c_type))
        correct_cell(p, row, column);
  }
}

// An accumulator that a block has left infinite stays so.
void keep_infinities(const uint32_t* before, Type type, int cells, uint32_t* d) {
  for (int i = 0; i < cells; ++i)
    if (numeric::is_special(before[i], float_format(type))) d[i] = before[i];
}

// One block of all cells.
void multiply_block(FloatProduct& f, const Block& block, const uint32_t* accumulator, Type type,
                    uint32_t* d) {
  const MatrixProduct& p = f.p;
  const int cells = p.m * p.n;
  if (f.a.most + f.b.most > kMostTop) {
    for (int i = 0; i < cells; ++i) d[i] = sum_alone(p, block, i, accumulator[i], type);
    return;
  }
  BlockSums sums;
  sums.groups = (block.count + block.group - 1) / block.group;
  sum_block(f, block, sums);
  if (p.d_type == Type::kF16)
    round_to_f16(sums, p, cells, d);
  else
    round_to_f32(sums, p, cells, d);
  for (int i = 0; sums.beyond && i < cells; ++i)
    if (sums.is_beyond(i)) d[i] = sum_alone(p, block, i, accumulator[i], type);
}

}  // namespace

void multiply_floats(const MatrixProduct& p, const FloatOperand& a, const FloatOperand& b) {
  FloatProduct f(p, a, b);
  const int cells = p.m * p.n, size = p.block != 0 ? p.block : products_in_block(p.a_type);
  uint32_t d[kMaxCells];
  const uint32_t* accumulator = p.c;
  Type type = p.c_type;
  bool special = a.special || b.special;
  for (int k = 0; k < p.k; k += size) {
    f.c.take(accumulator, cells, type);
    if (k == 0) special |= f.c.special;
    const int count = p.k - k < size ? p.k - k : size;
    multiply_block(f, {k, count, p.aligned_bits > kWholeBlockBits ? kGroup : kMaxBlock}, accumulator, type,
                   d);
    if (k > 0 && f.c.special) keep_infinities(accumulator, type, cells, d);
    std::memcpy(p.d, d, sizeof(uint32_t) * static_cast<size_t>(cells));
    accumulator = p.d;
    type = p.d_type;
  }
  if (special) correct_specials(p);
}

}  // namespace gpuloom::ptx
