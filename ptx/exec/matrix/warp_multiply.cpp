// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/matrix/warp_multiply.h"

#include "ptx/exec/matrix/fragment_io.h"
#include "ptx/exec/matrix/multiply.h"

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

void multiply_sparse_fragments(Warp& w, const FragmentLists& lists, const MatrixShape& s,
                               const uint32_t* metadata, unsigned selector, const MultiplyOptions& options) {
  uint8_t b_row[kMaxElements];
  const int depth = s.k / 2;
  for (int row = 0; row < 16; ++row) {
    const uint64_t bits_of_row = metadata_of_row(metadata, s, selector, row);
    for (int j = 0; j < depth; ++j)
      b_row[row * depth + j] = static_cast<uint8_t>(full_column(s, bits_of_row, j));
  }
  multiply_codes(w, lists, s, depth, s.k, b_row, options);
}

}  // namespace gpuloom::ptx
