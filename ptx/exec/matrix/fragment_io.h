// SPDX-License-Identifier: Apache-2.0
// Element codes between the registers of a warp and plain matrices (multiply.h), as fragment.h lays them out.
#pragma once
#include <cstdint>
#include <cstring>

#include "ptx/exec/matrix/fragment.h"
#include "ptx/exec/warp.h"

namespace gpuloom::ptx {

// Row of register `index` of a list operand (Instr::ops[operand] is an index into Program::extra).
inline Place list_place(const Warp& w, Place list, unsigned index) {
  return w.program->extra[static_cast<uint32_t>(list.at) + index];
}
template <class Code>
const Code* list_source(const Warp& w, Place list, int index) {
  return source<Code>(w, list_place(w, list, static_cast<unsigned>(index)));
}
template <class Code>
Code* list_row(Warp& w, Place list, int index) {
  return row<Code>(w, list_place(w, list, static_cast<unsigned>(index)));
}

// Raw element i of a lane: elements of `element_bits` (16 or 32) packed into 32-bit registers.
inline uint32_t read_element(const Warp& w, Place list, int lane, int i, int element_bits) {
  const int p = 32 / element_bits;
  const uint32_t word = list_source<uint32_t>(w, list, i / p)[lane];
  return p == 1 ? word : (word >> (element_bits * (i % p))) & ((1u << element_bits) - 1u);
}
inline void write_element(Warp& w, Place list, int lane, int i, int element_bits, uint32_t value) {
  const int p = 32 / element_bits, shift = element_bits * (i % p);
  uint32_t& word = list_row<uint32_t>(w, list, i / p)[lane];
  const uint32_t mask = (p == 1 ? ~0u : (1u << element_bits) - 1u) << shift;
  word = (word & ~mask) | (value << shift & mask);
}

// Words of 32 bits (or f64 elements) of A: [row][word along k].
template <class Code>
void gather_a_words(const Warp& w, Place list, const OperandShape2D& s, Code* out) {
  const int blocks = s.outer / 8, words = s.words();
  for (int kb = 0; kb < s.word_blocks(); ++kb)
    for (int rb = 0; rb < blocks; ++rb) {
      const Code* from = list_source<Code>(w, list, kb * blocks + rb);
      for (int g = 0; g < 8; ++g)
        std::memcpy(&out[(rb * 8 + g) * words + kb * 4], &from[g * 4], 4 * sizeof(Code));
    }
}

// Rows g of four words each to rows t of eight.
template <class Code>
void transpose_8x4(const Code* from, Code* out, int step) {
  if constexpr (sizeof(Code) == 4) {
    using Eight = uint32_t __attribute__((vector_size(32)));
    Eight rows[4];
    std::memcpy(rows, from, sizeof rows);
    // Columns 0 and 1, then 2 and 3, of each half.
    const auto first = [](Eight x, Eight y) {
      return __builtin_shufflevector(x, y, 0, 4, 8, 12, 1, 5, 9, 13);
    };
    const auto last = [](Eight x, Eight y) {
      return __builtin_shufflevector(x, y, 2, 6, 10, 14, 3, 7, 11, 15);
    };
    const auto upper = [](Eight x, Eight y) {
      return __builtin_shufflevector(x, y, 0, 1, 2, 3, 8, 9, 10, 11);
    };
    const auto lower = [](Eight x, Eight y) {
      return __builtin_shufflevector(x, y, 4, 5, 6, 7, 12, 13, 14, 15);
    };
    const Eight a = first(rows[0], rows[1]), b = first(rows[2], rows[3]);
    const Eight c = last(rows[0], rows[1]), d = last(rows[2], rows[3]);
    const Eight columns[4] = {upper(a, b), lower(a, b), upper(c, d), lower(c, d)};
    for (int t = 0; t < 4; ++t) std::memcpy(out + t * step, &columns[t], sizeof columns[t]);
  } else {
    for (int t = 0; t < 4; ++t)
      for (int g = 0; g < 8; ++g) out[t * step + g] = from[g * 4 + t];
  }
}

// Words of B: [word along k][column].
template <class Code>
void gather_b_words(const Warp& w, Place list, const OperandShape2D& s, Code* out) {
  for (int nb = 0; nb < s.outer / 8; ++nb)
    for (int kb = 0; kb < s.word_blocks(); ++kb) {
      const Code* from = list_source<Code>(w, list, nb * s.word_blocks() + kb);
      transpose_8x4(from, &out[kb * 4 * s.outer + nb * 8], s.outer);
    }
}

// Elements of A ([row][k], in `out`) and B ([k][column]); words of b1 stay whole.
void gather_a(const Warp& w, Place list, const OperandShape2D& shape, uint32_t* out);
void gather_b(const Warp& w, Place list, const OperandShape2D& shape, uint32_t* out);

// C and D: [row][column]. Elements of 16 bits are packed in pairs.
void gather_c(const Warp& w, Place list, int m, int n, int element_bits, uint32_t* out);
void gather_c(const Warp& w, Place list, int m, int n, uint64_t* out);
void scatter_d(Warp& w, Place list, int m, int n, int element_bits, const uint32_t* d);
void scatter_d(Warp& w, Place list, int m, int n, const uint64_t* d);

}  // namespace gpuloom::ptx
