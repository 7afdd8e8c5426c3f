// SPDX-License-Identifier: Apache-2.0
// Where the elements of fragments live (PTX ISA 9.7.14.5): lane and position in the lane for row and column.
//
// All shapes of mma but m8n8k4 with f16 follow one rule, and so do ours of wmma, whose fragments PTX leaves
// open. With g = lane / 4, t = lane % 4, p elements in a 32-bit register (1 for 64-bit elements), and
// matrices cut into blocks of eight rows, of eight columns, and of 4 * p along k:
//   A: register kb * (M / 8) + rb holds row 8 * rb + g, from column 4 * p * kb + p * t on
//   B: register nb * (K / 4p) + kb holds column 8 * nb + g, from row 4 * p * kb + p * t on
//   C, D: the pair nb * (M / 8) + rb holds row 8 * rb + g, columns 8 * nb + 2 * t and the next
// Wider wmma matrices are blocks side by side. On sm_90 this is also what its loads fetch (SASS of
// wmma_gemm).
#pragma once
#include <cstdint>

namespace gpuloom::ptx {

// Elements per 32-bit register; 1 for 64-bit elements.
constexpr int packed_elements(int element_bits) { return element_bits >= 32 ? 1 : 32 / element_bits; }

// A matrix of fragments: `outer` is M for A and N for B, `depth` is K.
struct OperandShape2D {
  int outer = 0, depth = 0, element_bits = 0;
  constexpr int words() const { return depth / packed_elements(element_bits); }  // along k
  constexpr int word_blocks() const { return words() / 4; }
  constexpr int registers() const { return outer / 8 * word_blocks(); }
};

// m8n8k4 with f16 (PTX ISA 9.7.14.5.1): four independent products, each by two groups of four lanes: lanes
// 4q..4q+3 and 16 more.
struct QuadCell {
  int product, row, column;
};
constexpr QuadCell quad_cell_of_a(int lane, int i, bool row_major) {
  const int product = (lane % 16) / 4, upper = lane / 16 * 4, t = lane % 4;
  return row_major ? QuadCell{product, t + upper, i} : QuadCell{product, i + upper, t};
}
constexpr QuadCell quad_cell_of_b(int lane, int i, bool row_major) {
  const int product = (lane % 16) / 4, upper = lane / 16 * 4, t = lane % 4;
  return row_major ? QuadCell{product, t, i + upper} : QuadCell{product, i, t + upper};
}
constexpr QuadCell quad_cell_of_c(int lane, int i, bool f32) {
  const int product = (lane % 16) / 4, upper = lane / 16 * 4, t = lane % 4;
  if (!f32) return {product, t + upper, i};
  return {product, (lane & 1) + (i & 2) + upper, (i & 4) + (lane & 2) + (i & 1)};
}

}  // namespace gpuloom::ptx
