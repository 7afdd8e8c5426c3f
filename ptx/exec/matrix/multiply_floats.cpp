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
using WideShorts = int16_t __attribute__((vector_size(32), may_alias));
constexpr int kColumns = 8;
inline const Floats& floats(const float* at) { return *reinterpret_cast<const Floats*>(at); }
inline const Shorts& shorts(const int16_t* at) { return *reinterpret_cast<const Shorts*>(at); }

constexpr int kMaxBlock = 32;
constexpr int kLeastTop = -100, kMostTop = 125;
constexpr int kAllZero = kZeroShort / 2;  // a top below it: no term but zeros

// Terms have up to aligned_bits + 2 bits and a sign: so many of them and an accumulator fit 32 bits.
constexpr int kGroup = 8, kWholeBlockBits = 23;

// Cells of one block whose sums did not fit, or whose top is outside [kLeastTop, kMostTop].
struct Again {
  alignas(64) int32_t cell[kMaxCells];  // all bits or none
  bool any = false;
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

// As many exponents at once as there are cells.
template <int kVectors>
struct ShortsOf {
  using type = Shorts;
};
template <>
struct ShortsOf<2> {
  using type = WideShorts;
};

// The largest exponent of the terms of kVectors * 8 cells. kVectors: 1, or 2 where rows have 16 columns.
template <bool kSparse, int kVectors>
inline void find_tops(const FloatProduct& f, int row, int column, int n, int count, const Block& block,
                      int16_t* tops) {
  using Exponents = typename ShortsOf<kVectors>::type;
  const auto at = [](const int16_t* x) -> const Exponents& { return *reinterpret_cast<const Exponents*>(x); };
  const int16_t* a = &f.a.exponent[row * f.p.k + block.first];
  const int16_t* b = &f.b.exponent[(kSparse ? 0 : block.first * n) + column];
  const uint8_t* b_row = kSparse ? f.p.b_row + row * f.p.k + block.first : nullptr;
  Exponents highest = at(&f.c.exponent[row * n + column]);
#pragma GCC unroll 16
  for (int k = 0; k < count; ++k) {
    const Exponents e = a[k] + at(&b[(kSparse ? b_row[k] : k) * n]);
    highest = e > highest ? e : highest;
  }
  *reinterpret_cast<Exponents*>(tops) = highest;
}

// What becomes of sums in units of 2^(top - aligned_bits), as numeric::dot_to_f32 and dot_to_f16 do. Where
// the top lies between kLeastTop and kMostTop, a unit is not a subnormal.
//
// Truncated to 24 bits: bit L - 25 of a number of L bits decides where it is rounded to, and x >> 24 has its
// first one there. Without it the conversion, to the nearest, is a truncation.
inline Floats truncated(const Unsigned& magnitude) {
  return __builtin_convertvector((Integers)(magnitude & ~(magnitude >> 24)), Floats);
}
// With what goes kept in a last bit, so that rounding to the 11 bits of an f16 afterwards is right.
inline Floats rounded_to_odd(const Unsigned& magnitude) {
  const Unsigned lost = (Unsigned)((magnitude & 0xff) != 0) & 0x100;
  const Unsigned narrow = magnitude < (1u << 24) ? magnitude : (magnitude & ~0xffu) | lost;
  return __builtin_convertvector((Integers)narrow, Floats);
}

// Sums of eight cells on their way.
struct Sums {
  Integers bad;
  Floats scale, unit;
  Unsigned sum, total;

  void begin(const int16_t* tops, const float* accumulators, int aligned_bits) {
    const Integers top = __builtin_convertvector(shorts(tops), Integers);
    const Integers low = top < kLeastTop ? Integers{} + kLeastTop : top;
    const Integers held = low > kMostTop ? Integers{} + kMostTop : low;
    bad = (held != top) & (top > kAllZero);
    scale = (Floats)((aligned_bits + 127 - held) << 23);
    unit = (Floats)((held - aligned_bits + 127) << 23);
    // Unsigned: sums of cells beyond may wrap.
    sum = (Unsigned) __builtin_convertvector(floats(accumulators) * scale, Integers);
    total = Unsigned{};
  }
  void add(float a, const float* b) {
    const Floats product = a * floats(b);
    sum += (Unsigned) __builtin_convertvector(product * scale, Integers);
  }
  void end_group() {
    const Unsigned both = total + sum;
    bad |= (Integers)((total ^ both) & (sum ^ both)) < 0;
    total = both;
    sum = Unsigned{};
  }
  template <bool kHalf>
  void end(float* out, int32_t* again, Integers& any) const {
    const Unsigned negative = (Unsigned)((Integers)total < 0), magnitude = (total ^ negative) - negative;
    const Floats value = (kHalf ? rounded_to_odd(magnitude) : truncated(magnitude)) * unit;
    *reinterpret_cast<Unsigned*>(out) = (Unsigned)value | (total & 0x80000000u);
    *reinterpret_cast<Integers*>(again) = bad;
    any |= bad;
  }
};

// kVectors * 8 cells of a row from column `column` on. kCount: products of the block, kWidth:
// columns of the matrix, where they are known, or 0.
template <bool kSparse, int kCount, int kWidth, bool kHalf>
inline void sum_columns(const FloatProduct& f, int row, int column, const Block& block, float* out,
                        Again& again, Integers& any) {
  constexpr int kVectors = kWidth == 16 && !kSparse ? 2 : 1;
  const MatrixProduct& p = f.p;
  const int n = kWidth != 0 ? kWidth : p.n, count = kCount != 0 ? kCount : block.count,
            first_cell = row * n + column;
  alignas(32) int16_t tops[kVectors * kColumns];
  find_tops<kSparse, kVectors>(f, row, column, n, count, block, tops);
  const float* a = &f.a.value[row * p.k + block.first];
  const float* b = &f.b.value[(kSparse ? 0 : block.first * n) + column];
  const uint8_t* b_row = kSparse ? p.b_row + row * p.k + block.first : nullptr;

  Sums sums[kVectors];
  for (int v = 0; v < kVectors; ++v)
    sums[v].begin(tops + v * kColumns, &f.c.value[first_cell + v * kColumns], p.aligned_bits);
  const auto add = [&](int k) {
    for (int v = 0; v < kVectors; ++v) sums[v].add(a[k], &b[(kSparse ? b_row[k] : k) * n + v * kColumns]);
  };
  for (int k = 0; k < count;) {
    if (k + block.group <= count && block.group == kGroup) {
#pragma GCC unroll 8
      for (int i = 0; i < kGroup; ++i) add(k + i);
      k += kGroup;
    } else {
      for (const int stop = k + block.group < count ? k + block.group : count; k < stop; ++k) add(k);
    }
    for (Sums& s : sums) s.end_group();
  }
  for (int v = 0; v < kVectors; ++v) {
    const int cell = first_cell + v * kColumns;
    sums[v].template end<kHalf>(&out[cell], &again.cell[cell], any);
  }
}

template <bool kSparse, int kCount, int kWidth, bool kHalf>
void sum_cells(const FloatProduct& f, const Block& block, float* out, Again& again) {
  constexpr int kStep = kWidth == 16 && !kSparse ? 16 : kColumns;
  Integers any{};
  for (int column = 0; column < f.p.n; column += kStep)
    for (int row = 0; row < f.p.m; ++row)
      sum_columns<kSparse, kCount, kWidth, kHalf>(f, row, column, block, out, again, any);
  int32_t some = 0;
  for (int i = 0; i < kColumns; ++i) some |= any[i];
  again.any = some != 0;
}

template <int kCount, bool kHalf>
void sum_dense(const FloatProduct& f, const Block& block, float* out, Again& again) {
  if (f.p.n == 8) return sum_cells<false, kCount, 8, kHalf>(f, block, out, again);
  if (f.p.n == 16) return sum_cells<false, kCount, 16, kHalf>(f, block, out, again);
  sum_cells<false, kCount, 0, kHalf>(f, block, out, again);
}

template <bool kHalf>
void sum_block(const FloatProduct& f, const Block& block, float* out, Again& again) {
  if (f.p.b_row != nullptr) return sum_cells<true, 0, 0, kHalf>(f, block, out, again);
  switch (block.count) {
    case 8:
      return sum_dense<8, kHalf>(f, block, out, again);
    case 16:
      return sum_dense<16, kHalf>(f, block, out, again);
    case 32:
      return sum_dense<32, kHalf>(f, block, out, again);
    default:
      return sum_cells<false, 0, 0, kHalf>(f, block, out, again);
  }
}

// Truncation, as numeric::dot_to_f32.
void sum_to_f32(const FloatProduct& f, const Block& block, int cells, uint32_t* d, Again& again) {
  alignas(64) float sums[kMaxCells];
  sum_block<false>(f, block, sums, again);
  const uint32_t kept = ~0u << (23 - f.p.result_bits);
  GPULOOM_LANE_LOOP
  for (int i = 0; i < cells; ++i) d[i] = std::bit_cast<uint32_t>(sums[i]) & kept;
}

// Round to nearest even, as numeric::dot_to_f16.
void sum_to_f16(const FloatProduct& f, const Block& block, int cells, uint32_t* d, Again& again) {
  alignas(64) float sums[kMaxCells];
  sum_block<true>(f, block, sums, again);
  GPULOOM_LANE_LOOP
  for (int i = 0; i < cells; ++i) {
    const uint32_t half = numeric::float_to_half(sums[i]);
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
  Again again;
  if (p.d_type == Type::kF16)
    sum_to_f16(f, block, cells, d, again);
  else
    sum_to_f32(f, block, cells, d, again);
  for (int i = 0; again.any && i < cells; ++i)
    if (again.cell[i] != 0) d[i] = sum_alone(p, block, i, accumulator[i], type);
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
