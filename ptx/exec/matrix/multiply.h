// SPDX-License-Identifier: Apache-2.0
// D = A * B + C on plain matrices of raw element codes; fragments are gathered and scattered by the
// instructions.
#pragma once
#include <cstdint>

#include "ptx/ir/types.h"

namespace gpuloom::ptx {

constexpr int kMaxElements = 4096;  // of one matrix: 16 x 256 bits (mma.m16n8k256) is the largest

// Codes of elements in row-major order: A is m x k, B is stored by column (n x k), C and D are m x n. Codes
// are zero-extended.
struct MatrixProduct {
  int m = 0, n = 0, k = 0;
  Type a_type = Type::kNone, b_type = Type::kNone, c_type = Type::kNone, d_type = Type::kNone;
  bool saturate = false;  // .satfinite of integers
  bool xor_bits = false;  // b1: .xor.popc, otherwise .and.popc
  uint8_t rounding = 0;   // numeric::Rounding, f64 only
  const uint64_t* a = nullptr;
  const uint64_t* b = nullptr;
  const uint64_t* c = nullptr;
  uint64_t* d = nullptr;
};

// The caller has checked the types. Bit-exact with the H200 for f16, bf16 and tf32 (numeric/block_dot.h), f64
// and integers.
void multiply(const MatrixProduct& product);

}  // namespace gpuloom::ptx
