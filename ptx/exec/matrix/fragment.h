// SPDX-License-Identifier: Apache-2.0
// Where the elements of mma fragments live (PTX ISA 9.7.14.5): lane and position in the lane for row and
// column.
//
// All shapes but m8n8k4 with f16 follow one rule. With g = lane / 4, t = lane % 4, and p elements in a 32-bit
// register (1 for 64-bit elements), element i of a lane sits in register r = i / p:
//   A: row g + 8 * (r odd and M is 16), column t * p + i % p + 4 * p * (r / rows of eight in M)
//   B: row (k) t * p + i % p + 4 * p * r, column g
//   C, D: row g + 8 * (i / 2), column 2 * t + i % 2
#pragma once
#include <cstdint>

namespace gpuloom::ptx {

struct Cell {
  int row, column;
};

// Elements per 32-bit register; 1 for 64-bit elements.
constexpr int packed_elements(int element_bits) { return element_bits >= 32 ? 1 : 32 / element_bits; }

constexpr Cell cell_of_a(int lane, int i, int m, int element_bits) {
  const int p = packed_elements(element_bits), r = i / p, g = lane / 4, t = lane % 4;
  const int halves = m / 8;  // 2 for M of 16
  return {g + 8 * (r % halves), t * p + i % p + 4 * p * (r / halves)};
}
constexpr Cell cell_of_b(int lane, int i, int element_bits) {
  const int p = packed_elements(element_bits), g = lane / 4, t = lane % 4;
  return {t * p + i % p + 4 * p * (i / p), g};
}
constexpr Cell cell_of_c(int lane, int i) { return {lane / 4 + 8 * (i / 2), 2 * (lane % 4) + i % 2}; }

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
