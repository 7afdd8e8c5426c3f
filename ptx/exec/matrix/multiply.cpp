// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/matrix/multiply.h"

#include <bit>
#include <cstring>

#include "ptx/exec/lane_loop.h"
#include "ptx/exec/matrix/float_operand.h"
#include "ptx/numeric/arith64.h"

namespace gpuloom::ptx {
namespace {

// Eight columns of a row at once.
using Floats = float __attribute__((vector_size(32), may_alias));
using Integers = int32_t __attribute__((vector_size(32), may_alias));

void take_integers(const uint32_t* codes, int count, Type type, float* out) {
  const unsigned unused = 32 - bits(type);
  if (is_signed(type)) {
    GPULOOM_LANE_LOOP
    for (int i = 0; i < count; ++i)
      out[i] = static_cast<float>(static_cast<int32_t>(codes[i] << unused) >> unused);
  } else {
    GPULOOM_LANE_LOOP
    for (int i = 0; i < count; ++i) out[i] = static_cast<float>(static_cast<int32_t>(codes[i]));
  }
}

void add_accumulators(const MatrixProduct& p, const int32_t* sums, int cells) {
  if (!p.saturate) {
    GPULOOM_LANE_LOOP
    for (int i = 0; i < cells; ++i) p.d[i] = static_cast<uint32_t>(sums[i]) + p.c[i];
    return;
  }
  GPULOOM_LANE_LOOP
  for (int i = 0; i < cells; ++i) {
    const int64_t d = int64_t{sums[i]} + static_cast<int32_t>(p.c[i]);
    p.d[i] = static_cast<uint32_t>(d > INT32_MAX ? INT32_MAX : d < INT32_MIN ? INT32_MIN : d);
  }
}

// In floats, which every host multiplies as fast as it can, and exact: of kMaxElements, k is 128 at most, and
// 128 products of 16 bits sum up to less than 2^24.
template <bool kSparse>
void multiply_integers(const MatrixProduct& p) {
  alignas(64) float a[kMaxElements], b[kMaxElements];
  alignas(64) int32_t sums[kMaxCells];
  take_integers(p.a, p.m * p.k, p.a_type, a);
  take_integers(p.b, p.b_rows * p.n, p.b_type, b);
  for (int row = 0; row < p.m; ++row)
    for (int column = 0; column < p.n; column += 8) {
      Floats sum{};
      for (int k = row * p.k; k < (row + 1) * p.k; ++k) {
        const int b_row = kSparse ? p.b_row[k] : k - row * p.k;
        sum += a[k] * *reinterpret_cast<const Floats*>(&b[b_row * p.n + column]);
      }
      *reinterpret_cast<Integers*>(&sums[row * p.n + column]) = __builtin_convertvector(sum, Integers);
    }
  add_accumulators(p, sums, p.m * p.n);
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

// Eight columns at a time, as all shapes have a multiple of them: the inner loop vectorises.
template <numeric::Rounding R>
void multiply_doubles(const Product<uint64_t>& p) {
  constexpr int kColumns = 8;
  for (int row = 0; row < p.m; ++row)
    for (int first = 0; first < p.n; first += kColumns) {
      double sums[kColumns];
      std::memcpy(sums, &p.c[row * p.n + first], sizeof sums);
      for (int k = 0; k < p.k; ++k) {
        const double a = std::bit_cast<double>(p.a[row * p.k + k]);
        const uint64_t* b = &p.b[k * p.n + first];
        for (int column = 0; column < kColumns; ++column)
          sums[column] = numeric::fma<R>(a, std::bit_cast<double>(b[column]), sums[column]);
      }
      std::memcpy(&p.d[row * p.n + first], sums, sizeof sums);
    }
}

}  // namespace

// 16 products of 16-bit formats, 8 of tf32, 32 of 8-bit ones (measured, see block_dot.h; 8-bit: wgmma, also
// with a sparse A; mma has none, see warp_multiply.cpp).
int products_in_block(Type a_type) { return a_type == Type::kTf32 ? 8 : bits(a_type) == 8 ? 32 : 16; }

void multiply(const MatrixProduct& p) {
  if (p.a_type == Type::kB1) return multiply_bits(p);
  if (is_float(p.a_type)) {
    FloatOperand a, b;
    a.take(p.a, p.m * p.k, p.a_type);
    b.take(p.b, p.b_rows * p.n, p.b_type);
    return multiply_floats(p, a, b);
  }
  if (p.b_row != nullptr) return multiply_integers<true>(p);
  multiply_integers<false>(p);
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
