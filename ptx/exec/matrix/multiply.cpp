// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/matrix/multiply.h"

#include <bit>
#include <cmath>
#include <limits>

#include "ptx/exec/lane_loop.h"
#include "ptx/exec/matrix/float_operand.h"
#include "ptx/numeric/arith64.h"
#include "ptx/numeric/half.h"

namespace gpuloom::ptx {
namespace {

using numeric::DotSum;
using numeric::FloatFormat;
using numeric::kDotFractionBits;

// Eight columns of a row at once.
using Columns = int32_t __attribute__((vector_size(32), may_alias));
using UnsignedColumns = uint32_t __attribute__((vector_size(32), may_alias));
inline const Columns& columns(const int32_t* at) { return *reinterpret_cast<const Columns*>(at); }

constexpr int kMaxCells = 256;
// Terms have up to 27 bits and a sign: eight of them and an accumulator fit 32 bits.
constexpr int kGroup = 8, kMaxGroups = 4;

// Sums of one block of products, exact, for all cells: the total of `part` counts in units of 2^(top -
// MatrixProduct::aligned_bits).
struct BlockSums {
  alignas(32) int32_t top[kMaxCells];
  alignas(32) int32_t part[kMaxGroups][kMaxCells];
  int groups = 0;

  int64_t significand(int cell) const {
    int64_t sum = 0;
    for (int g = 0; g < groups; ++g) sum += part[g][cell];
    return sum;
  }
};

// Everything that the products of a matrix share.
struct FloatProduct {
  const MatrixProduct& p;
  FloatOperand a, b, c;
  explicit FloatProduct(const MatrixProduct& product) : p(product) {
    const int fraction = float_format(p.a_type).fraction_bits + float_format(p.b_type).fraction_bits;
    a.take(p.a, p.m * p.k, p.a_type, p.aligned_bits - fraction);
    b.take(p.b, p.b_rows * p.n, p.b_type, 0);
  }
  void take_accumulator(const uint32_t* codes, Type type) {
    c.take(codes, p.m * p.n, type, p.aligned_bits - float_format(type).fraction_bits);
  }
};

// numeric::dot_block for eight cells of a row from column `column` on; products [first, first + count).
template <bool kSparse>
void sum_columns(const FloatProduct& f, int row, int column, int first, int count, BlockSums& out) {
  const MatrixProduct& p = f.p;
  const int cell = row * p.n + column, begin = row * p.k + first;
  const auto b_at = [&](int k) { return (kSparse ? p.b_row[begin + k] : first + k) * p.n + column; };
  Columns top = columns(&f.c.exponent[cell]);
  for (int k = 0; k < count; ++k) {
    const Columns e = f.a.exponent[begin + k] + columns(&f.b.exponent[b_at(k)]);
    top = e > top ? e : top;
  }
  Columns sum{};
  // By reference: vectors by value would follow an ABI that depends on the instruction set.
  const auto add = [&top, &sum](const Columns& magnitude, const Columns& exponent, const Columns& sign) {
    const Columns apart = top - exponent;
    const Columns down = apart > 31 ? Columns{} + 31 : apart;
    const auto term = (Columns)((UnsignedColumns)magnitude >> (UnsignedColumns)down);
    sum += (term ^ sign) - sign;
  };
  add(columns(&f.c.magnitude[cell]), columns(&f.c.exponent[cell]), columns(&f.c.sign[cell]));
  int group = 0;
  for (int k = 0; k < count; k += kGroup) {
    for (int i = k; i < k + kGroup && i < count; ++i) {
      const int at = b_at(i);
      add(f.a.magnitude[begin + i] * columns(&f.b.magnitude[at]),
          f.a.exponent[begin + i] + columns(&f.b.exponent[at]), f.a.sign[begin + i] ^ columns(&f.b.sign[at]));
    }
    *reinterpret_cast<Columns*>(&out.part[group++][cell]) = sum;
    sum = Columns{};
  }
  *reinterpret_cast<Columns*>(&out.top[cell]) = top;
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
  alignas(32) double exact[kMaxCells];
  to_doubles(sums, p.aligned_bits, cells, exact);
  const uint64_t unkept = ((kBelowFloat + 1) << (23 - p.result_bits)) - 1;
  constexpr auto kLeast = std::bit_cast<uint64_t>(0x1p-126), kBeyond = std::bit_cast<uint64_t>(0x1p128);
  uint64_t rare = 0;
  GPULOOM_LANE_LOOP
  for (int i = 0; i < cells; ++i) {
    const auto code = std::bit_cast<uint64_t>(exact[i]);
    const uint64_t magnitude = code & ~(uint64_t{1} << 63);
    rare |= static_cast<uint64_t>(magnitude != 0) &
            (static_cast<uint64_t>(magnitude < kLeast) | static_cast<uint64_t>(magnitude >= kBeyond));
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
  alignas(32) double exact[kMaxCells];
  to_doubles(sums, p.aligned_bits, cells, exact);
  GPULOOM_LANE_LOOP
  for (int i = 0; i < cells; ++i) {
    const auto code = std::bit_cast<uint64_t>(exact[i]);
    const uint64_t odd = (code & kBelowFloat) != 0 ? kBelowFloat + 1 : 0;
    const auto narrow = static_cast<float>(std::bit_cast<double>((code & ~kBelowFloat) | odd));
    d[i] = numeric::float_to_half(narrow);
  }
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

// With an infinity or a NaN among its operands a cell is one of them; the finite terms do not matter. Cells
// that stay finite are left alone.
void correct_specials(const MatrixProduct& p) {
  const bool half = p.d_type == Type::kF16;
  for (int row = 0; row < p.m; ++row)
    for (int column = 0; column < p.n; ++column) {
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
}

// An accumulator that a block has left infinite stays so.
void keep_infinities(const uint32_t* before, Type type, int cells, uint32_t* d) {
  for (int i = 0; i < cells; ++i)
    if (numeric::is_special(before[i], float_format(type))) d[i] = before[i];
}

void multiply_floats(const MatrixProduct& p) {
  FloatProduct f(p);
  f.take_accumulator(p.c, p.c_type);
  const bool special = f.a.special || f.b.special || f.c.special;
  uint32_t d[kMaxCells] = {};
  const int cells = p.m * p.n, block = p.block != 0 ? p.block : products_in_block(p.a_type);
  for (int k = 0; k < p.k; k += block) {
    uint32_t before[kMaxCells];
    if (k > 0) {
      std::memcpy(before, d, sizeof before);
      f.take_accumulator(before, p.d_type);
    }
    const int count = p.k - k < block ? p.k - k : block;
    BlockSums sums;
    sums.groups = (count + kGroup - 1) / kGroup;
    for (int row = 0; row < p.m; ++row)
      for (int column = 0; column < p.n; column += 8) {
        if (p.b_row != nullptr)
          sum_columns<true>(f, row, column, k, count, sums);
        else
          sum_columns<false>(f, row, column, k, count, sums);
      }
    if (p.d_type == Type::kF16)
      round_to_f16(sums, p, cells, d);
    else
      round_to_f32(sums, p, cells, d);
    if (k > 0 && f.c.special) keep_infinities(before, p.d_type, cells, d);
  }
  std::memcpy(p.d, d, sizeof(uint32_t) * static_cast<size_t>(cells));
  if (special) correct_specials(p);
}

void take_integers(const uint32_t* codes, int count, Type type, int32_t* out) {
  const unsigned unused = 32 - bits(type);
  if (is_signed(type)) {
    for (int i = 0; i < count; ++i) out[i] = static_cast<int32_t>(codes[i] << unused) >> unused;
  } else {
    for (int i = 0; i < count; ++i) out[i] = static_cast<int32_t>(codes[i]);
  }
}

void multiply_integers(const MatrixProduct& p) {
  alignas(32) int32_t a[kMaxElements], b[kMaxElements];
  take_integers(p.a, p.m * p.k, p.a_type, a);
  take_integers(p.b, p.b_rows * p.n, p.b_type, b);
  for (int row = 0; row < p.m; ++row)
    for (int column = 0; column < p.n; column += 8) {
      Columns sum{};
      for (int k = 0; k < p.k; ++k) {
        const int b_row = p.b_row != nullptr ? p.b_row[row * p.k + k] : k;
        sum += a[row * p.k + k] * columns(&b[b_row * p.n + column]);
      }
      for (int i = 0; i < 8; ++i) {
        const int cell = row * p.n + column + i;
        int64_t d = int64_t{sum[i]} + static_cast<int32_t>(p.c[cell]);
        if (p.saturate) d = d > INT32_MAX ? INT32_MAX : d < INT32_MIN ? INT32_MIN : d;
        p.d[cell] = static_cast<uint32_t>(d);
      }
    }
}

void multiply_bits(const MatrixProduct& p) {
  for (int row = 0; row < p.m; ++row)
    for (int column = 0; column < p.n; ++column) {
      uint32_t sum = p.c[row * p.n + column];
      for (int k = 0; k < p.k; ++k) {
        const uint32_t a = p.a[row * p.k + k], b = p.b[k * p.n + column];
        sum += static_cast<uint32_t>(std::popcount(p.xor_bits ? a ^ b : a & b));
      }
      p.d[row * p.n + column] = sum;
    }
}

template <numeric::Rounding R>
void multiply_doubles(const Product<uint64_t>& p) {
  for (int row = 0; row < p.m; ++row)
    for (int column = 0; column < p.n; ++column) {
      double sum = std::bit_cast<double>(p.c[row * p.n + column]);
      for (int k = 0; k < p.k; ++k)
        sum = numeric::fma<R>(std::bit_cast<double>(p.a[row * p.k + k]),
                              std::bit_cast<double>(p.b[k * p.n + column]), sum);
      p.d[row * p.n + column] = std::bit_cast<uint64_t>(sum);
    }
}

}  // namespace

// 16 products of 16-bit formats, 8 of tf32, 32 of 8-bit ones (measured, see block_dot.h; 8-bit: wgmma, also
// with a sparse A; mma has none, see warp_multiply.cpp).
int products_in_block(Type a_type) { return a_type == Type::kTf32 ? 8 : bits(a_type) == 8 ? 32 : 16; }

void multiply(const MatrixProduct& p) {
  if (p.a_type == Type::kB1) return multiply_bits(p);
  if (is_float(p.a_type)) return multiply_floats(p);
  multiply_integers(p);
}

void multiply(const Product<uint64_t>& p, uint8_t rounding) {
  switch (static_cast<numeric::Rounding>(rounding)) {
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

}  // namespace gpuloom::ptx
