// SPDX-License-Identifier: Apache-2.0
// Element codes between the registers of a warp and plain matrices.
#pragma once
#include <cstdint>
#include <cstring>

#include "ptx/exec/warp.h"

namespace gpuloom::ptx {

// Row of register `index` of a list operand (Instr::ops[operand] is an index into Program::extra).
inline Place list_place(const Warp& w, Place list, unsigned index) {
  return w.program->extra[static_cast<uint32_t>(list.at) + index];
}

// Raw element i of a lane: elements of `element_bits` packed into 32-bit registers, 64-bit ones alone.
inline uint64_t read_element(const Warp& w, Place list, int lane, int i, int element_bits) {
  if (element_bits == 64) return source<uint64_t>(w, list_place(w, list, static_cast<unsigned>(i)))[lane];
  const int p = 32 / element_bits;
  const uint32_t word = source<uint32_t>(w, list_place(w, list, static_cast<unsigned>(i / p)))[lane];
  if (element_bits == 32) return word;
  return (word >> (element_bits * (i % p))) & ((1u << element_bits) - 1u);
}

inline void write_element(Warp& w, Place list, int lane, int i, int element_bits, uint64_t value) {
  if (element_bits == 64) {
    row<uint64_t>(w, list_place(w, list, static_cast<unsigned>(i)))[lane] = value;
    return;
  }
  const int p = 32 / element_bits, shift = element_bits * (i % p);
  uint32_t& word = row<uint32_t>(w, list_place(w, list, static_cast<unsigned>(i / p)))[lane];
  const uint32_t mask = (element_bits == 32 ? ~0u : (1u << element_bits) - 1u) << shift;
  word = (word & ~mask) | (static_cast<uint32_t>(value << shift) & mask);
}

// Elements of a list operand of `registers` registers.
constexpr int elements_in(int registers, int element_bits) {
  return element_bits == 64 ? registers : registers * (32 / element_bits);
}

}  // namespace gpuloom::ptx
