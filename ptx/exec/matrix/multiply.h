// SPDX-License-Identifier: Apache-2.0
// D = A * B + C on plain matrices of raw element codes; fragments are gathered and scattered by
// fragment_io.h.
#pragma once
#include <cstdint>

#include "ptx/ir/types.h"
#include "ptx/numeric/block_dot.h"

namespace gpuloom::ptx {

// Of one matrix: 16 x 64 (mma.m16n8k64) and, for sparse ones, a B of 128 x 8 are the largest.
constexpr int kMaxElements = 1024;
constexpr int kMaxCells = 256;  // of C and D

// Codes of elements, zero-extended, in row-major order: A is m x k, B is (k or more) x n, C and D are m x n;
// n is a multiple of 8. With b1, an element of A and B is a word of 32 bits of the matrix.
template <class Code>
struct Product {
  int m = 0, n = 0, k = 0;
  // Sparse: the row of B that element [m][k] of A multiplies. Null: the element's own column.
  const uint8_t* b_row = nullptr;
  const Code* a = nullptr;
  const Code* b = nullptr;
  const Code* c = nullptr;
  Code* d = nullptr;
};

struct MatrixProduct : Product<uint32_t> {
  Type a_type = Type::kNone, b_type = Type::kNone, c_type = Type::kNone, d_type = Type::kNone;
  bool saturate = false;  // .satfinite of integers
  bool xor_bits = false;  // b1: .xor.popc, otherwise .and.popc
  int b_rows = 0;         // of B; k where A is dense
  int block = 0;          // floats: products that are added up before rounding; 0: products_in_block
  // Floats: bits behind the point of the largest term that count, and of an f32 result (numeric/block_dot.h).
  int aligned_bits = numeric::kDotFractionBits, result_bits = 23;
};

// The caller has checked the types. Bit-exact with the H200 for f16, bf16 and tf32 (numeric/block_dot.h),
// integers, and with the bits of wgmma fp8; mma of fp8 is put together in warp_multiply.cpp.
void multiply(const MatrixProduct& product);

// The same where A and B, floats, have been taken apart already.
struct FloatOperand;
void multiply_floats(const MatrixProduct& product, const FloatOperand& a, const FloatOperand& b);

// f64: a chain of fused multiply-adds in the order of k, as on the H200. `rounding` is a numeric::Rounding.
void multiply(const Product<uint64_t>& product, uint8_t rounding);

// The products that a tensor core adds up exactly before it rounds (numeric/block_dot.h).
int products_in_block(Type a_type);

}  // namespace gpuloom::ptx
