// SPDX-License-Identifier: Apache-2.0
// The matrix that a wmma.load or wmma.store names (PTX ISA 9.7.14.4), and how an instruction keeps it.
#pragma once
#include "ptx/exec/matrix/matrix_shape.h"
#include "ptx/exec/matrix/tile_access.h"

namespace gpuloom::ptx {

enum class WmmaMatrix : uint8_t { kA, kB, kC };  // kC: accumulators, D too

struct WmmaTile {
  WmmaMatrix matrix = WmmaMatrix::kA;
  MatrixShape shape;
  Type type = Type::kNone;
  bool row = true;  // .row

  Tile tile() const {
    const int width = static_cast<int>(bits(type));
    if (matrix == WmmaMatrix::kC) return {{shape.m, shape.n, width}, true, true, row};
    // A word of b1 is an element of 32 bits here.
    const bool is_a = matrix == WmmaMatrix::kA;
    const OperandShape2D operand{is_a ? shape.m : shape.n, type == Type::kB1 ? shape.k / 32 : shape.k,
                                 type == Type::kB1 ? 32 : width};
    return {operand, false, is_a, row == is_a};
  }
  // Fragments of f16 A and B have eight registers whatever the shape; the rest is as large as its elements.
  unsigned registers() const {
    if (matrix != WmmaMatrix::kC && type == Type::kF16) return 8;
    const int outer = matrix == WmmaMatrix::kB ? shape.n : shape.m;
    return registers_for(outer * (matrix == WmmaMatrix::kC ? shape.n : shape.k), type);
  }
  // The leading dimension of a matrix without gaps, in elements.
  int64_t default_stride() const {
    if (matrix == WmmaMatrix::kA) return row ? shape.k : shape.m;
    if (matrix == WmmaMatrix::kB) return row ? shape.n : shape.k;
    return row ? shape.n : shape.m;
  }
};

// The tile of a load or store, packed into Instr::extra.
inline uint32_t pack(const WmmaTile& t) {
  return static_cast<uint32_t>(t.matrix) | static_cast<uint32_t>(t.row) << 2 |
         static_cast<uint32_t>(t.shape.m / 8) << 3 | static_cast<uint32_t>(t.shape.n / 8) << 6 |
         static_cast<uint32_t>(t.shape.k / 4) << 9 | static_cast<uint32_t>(t.type) << 16;
}
inline WmmaTile unpack_tile(uint32_t packed) {
  WmmaTile t;
  t.matrix = static_cast<WmmaMatrix>(packed & 3);
  t.row = (packed >> 2 & 1) != 0;
  t.shape.m = static_cast<int>(packed >> 3 & 7) * 8;
  t.shape.n = static_cast<int>(packed >> 6 & 7) * 8;
  t.shape.k = static_cast<int>(packed >> 9 & 127) * 4;
  t.type = static_cast<Type>(packed >> 16);
  return t;
}

}  // namespace gpuloom::ptx
