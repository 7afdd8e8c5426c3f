// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/matrix/warp_multiply.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "ptx/exec/matrix/fragment_io.h"
#include "ptx/exec/matrix/multiply.h"
#include "ptx/numeric/fp8.h"
#include "ptx/numeric/half.h"

namespace gpuloom::ptx {
namespace {

int element_bits(Type type) { return static_cast<int>(bits(type)); }

void multiply_doubles(Warp& w, const FragmentLists& lists, const MatrixShape& s, uint8_t rounding) {
  uint64_t a[16 * 16], b[16 * 8], c[16 * 8], d[16 * 8];
  gather_a_words(w, lists.a, {s.m, s.k, 64}, a);
  gather_b_words(w, lists.b, {s.n, s.k, 64}, b);
  gather_c(w, lists.c, s.m, s.n, c);
  Product<uint64_t> p;
  p.m = s.m;
  p.n = s.n;
  p.k = s.k;
  p.a = a;
  p.b = b;
  p.c = c;
  p.d = d;
  multiply(p, rounding);
  scatter_d(w, lists.d, s.m, s.n, d);
}

bool is_fp8(Type type) { return is_float(type) && bits(type) == 8; }

template <const numeric::NarrowFormat& F>
constexpr auto kHalves = [] {
  std::array<uint16_t, 256> halves{};
  for (unsigned code = 0; code < 256; ++code)
    halves[code] = numeric::code_to_half<F>(static_cast<uint8_t>(code));
  return halves;
}();

void widen_fp8(const uint32_t* codes, int count, Type type, uint32_t* out) {
  const auto& halves = type == Type::kE4m3 ? kHalves<numeric::kE4m3> : kHalves<numeric::kE5m2>;
  for (int i = 0; i < count; ++i) out[i] = halves[codes[i] & 255];
}

double accumulator_value(uint32_t code, Type type) {
  return type == Type::kF16 ? numeric::half_to_double(static_cast<uint16_t>(code))
                            : static_cast<double>(std::bit_cast<float>(code));
}

uint32_t rounded_sum(double sum, Type type) {
  if (std::isnan(sum)) return type == Type::kF16 ? numeric::kNaN16 : numeric::kNaN32;
  return type == Type::kF16 ? numeric::double_to_half(sum) : std::bit_cast<uint32_t>(static_cast<float>(sum));
}

// Hopper's mma has no 8-bit floats: its machine code (ptxas 13.0) widens them to f16, multiplies the lower
// two elements of each register, starting from zero, then the upper two (so k modulo 4 decides; of a
// compressed A where it is sparse), and adds C in an addition of its own. Measured: cases mma.* and mma_sp.*
// of tests/conformance/wgmma.
void multiply_fp8(const MatrixProduct& p) {
  uint32_t a_wide[kMaxElements], b_wide[kMaxElements], a[kMaxElements], b[kMaxElements],
      sums[2][kMaxCells] = {};
  uint8_t b_row[kMaxElements];
  widen_fp8(p.a, p.m * p.k, p.a_type, a_wide);
  widen_fp8(p.b, p.b_rows * p.n, p.b_type, b_wide);
  MatrixProduct half = p;
  half.a_type = half.b_type = Type::kF16;
  half.c_type = p.d_type;
  half.k = p.k / 2;
  half.a = a;
  half.c = sums[0];
  half.d = sums[1];
  if (p.b_row != nullptr) {
    half.b = b_wide;
    half.b_row = b_row;
  } else {
    half.b = b;
    half.b_rows = half.k;
  }
  for (int part = 0; part < 2; ++part) {
    const auto from = [part](int i) { return i / 2 * 4 + i % 2 + 2 * part; };
    for (int row = 0; row < p.m; ++row)
      for (int i = 0; i < half.k; ++i) {
        a[row * half.k + i] = a_wide[row * p.k + from(i)];
        if (p.b_row != nullptr) b_row[row * half.k + i] = p.b_row[row * p.k + from(i)];
      }
    for (int i = 0; p.b_row == nullptr && i < half.k; ++i)
      std::memcpy(&b[i * p.n], &b_wide[from(i) * p.n], sizeof(uint32_t) * static_cast<size_t>(p.n));
    multiply(half);
    half.c = sums[1];
    half.d = sums[0];
  }
  for (int i = 0; i < p.m * p.n; ++i)
    p.d[i] =
        rounded_sum(accumulator_value(sums[0][i], p.d_type) + accumulator_value(p.c[i], p.c_type), p.d_type);
}

// A with `a_depth` columns, the others as the shape says.
void multiply_codes(Warp& w, const FragmentLists& lists, const MatrixShape& s, int a_depth, int b_depth,
                    const uint8_t* b_row, const MultiplyOptions& options) {
  uint32_t a[kMaxElements], b[kMaxElements], c[512], d[512];
  const int width = s.a == Type::kB1 ? 32 : element_bits(s.a);
  gather_a(w, lists.a, {s.m, a_depth, width}, a);
  gather_b(w, lists.b, {s.n, b_depth, width}, b);
  gather_c(w, lists.c, s.m, s.n, element_bits(s.c), c);
  MatrixProduct p;
  p.m = s.m;
  p.n = s.n;
  p.k = a_depth;
  p.b_rows = b_depth;
  p.b_row = b_row;
  p.a_type = s.a;
  p.b_type = s.b;
  p.c_type = s.c;
  p.d_type = s.d;
  p.saturate = options.saturate;
  p.xor_bits = options.xor_bits;
  p.a = a;
  p.b = b;
  p.c = c;
  p.d = d;
  if (is_fp8(s.a))
    multiply_fp8(p);
  else
    multiply(p);
  scatter_d(w, lists.d, s.m, s.n, element_bits(s.d), d);
}

// Metadata bits of one row of A.
int metadata_bits(const MatrixShape& s) {
  if (s.a == Type::kTf32) return s.k * 2;         // 4 bits for one of two elements
  return element_bits(s.a) == 4 ? s.k / 2 : s.k;  // 2 bits for each pair, or element, that is there
}

// Column of the full A (row of B) of compressed element `j`, from the metadata of its row.
int full_column(const MatrixShape& s, uint64_t row_metadata, int j) {
  const auto index = [&](int at) { return static_cast<int>(row_metadata >> at & 3); };
  if (s.a == Type::kTf32) return 2 * j + index(4 * j) / 2;  // 0b0100 or 0b1110: the halves of an element
  if (element_bits(s.a) == 4) return j / 4 * 8 + 2 * index(j / 2 * 2) + j % 2;
  return j / 2 * 4 + index(2 * j);
}

}  // namespace

void multiply_fragments(Warp& w, const FragmentLists& lists, const MatrixShape& s,
                        const MultiplyOptions& options) {
  if (s.a == Type::kF64) return multiply_doubles(w, lists, s, options.rounding);
  const int depth = s.a == Type::kB1 ? s.k / 32 : s.k;
  multiply_codes(w, lists, s, depth, depth, nullptr, options);
}

int metadata_lanes(const MatrixShape& s) { return metadata_bits(s) / 16; }

namespace {

// The metadata of one row from the lanes that contribute (PTX ISA 9.7.14.6.2; measured: mma.sp.* cases).
uint64_t metadata_of_row(const uint32_t* metadata, const MatrixShape& s, unsigned selector, int row) {
  const int lanes = metadata_lanes(s);
  const uint32_t* words = metadata + row % 8 * 4 + static_cast<int>(selector) * lanes;
  uint64_t bits_of_row = 0;
  if (element_bits(s.a) >= 16) {
    // Each lane gives 16 bits to row g (its lower half) and to row g + 8.
    for (int i = 0; i < lanes; ++i)
      bits_of_row |= static_cast<uint64_t>(row < 8 ? words[i] & 0xffffu : words[i] >> 16) << (16 * i);
    return bits_of_row;
  }
  // Even lanes give 32 bits to row g, odd ones to row g + 8.
  for (int i = row / 8; i < lanes; i += 2) bits_of_row |= static_cast<uint64_t>(words[i]) << (16 * (i & ~1));
  return bits_of_row;
}

}  // namespace

void sparse_rows(const MatrixShape& s, const uint32_t* metadata, unsigned selector, uint8_t* b_row) {
  const int depth = s.k / 2;
  for (int row = 0; row < 16; ++row) {
    const uint64_t bits_of_row = metadata_of_row(metadata, s, selector, row);
    for (int j = 0; j < depth; ++j)
      b_row[row * depth + j] = static_cast<uint8_t>(full_column(s, bits_of_row, j));
  }
}

void multiply_sparse_fragments(Warp& w, const FragmentLists& lists, const MatrixShape& s,
                               const uint32_t* metadata, unsigned selector, const MultiplyOptions& options) {
  uint8_t b_row[kMaxElements];
  sparse_rows(s, metadata, selector, b_row);
  multiply_codes(w, lists, s, s.k / 2, s.k, b_row, options);
}

}  // namespace gpuloom::ptx
