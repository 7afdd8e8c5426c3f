// SPDX-License-Identifier: Apache-2.0
// Matrices in shared memory as wgmma reads them: by a matrix descriptor (PTX ISA 9.7.15.5.1.2).
//
// Bits of a descriptor: 0-13 start address, 16-29 leading byte offset, 32-45 stride byte offset (all in units
// of 16 bytes), 49-51 base offset, 62-63 swizzling (0 none, 1 128 bytes, 2 64, 3 32).
//
// Where a 16-byte chunk stands, before swizzling, with `row` the width of the swizzling (16 where there is
// none). Measured on the H200 (tests/conformance/wgmma, cases map.* and map_sp.*; every element of 153
// layouts):
//   K major: chunk c along K of outer index o (row of A, column of B) is at
//       start + (o / 8) * stride + (o % 8) * row + (c / (row / 16)) * leading + (c % (row / 16)) * 16
//   MN major (16-bit types): eight outer indices from 8 * o on, for one k, are at
//       none: start + o * stride + (k / 8) * leading + (k % 8) * 16
//       else: start + (o / (row / 16)) * leading + (o % (row / 16)) * 16 + (k / 8) * stride + (k % 8) * row
// Swizzling then xors bits 4.. of the address with (address / 128 - base offset), as many bits as the row has
// chunks. It is a function of the address itself, so a descriptor may start anywhere in a pattern.
#pragma once
#include <cstdint>

#include "ptx/exec/warp.h"

namespace gpuloom::ptx {

struct SharedTile {
  static constexpr uint32_t kChunk = 16;
  uint32_t start = 0, leading = 0, stride = 0;  // bytes
  uint32_t base = 0;
  uint32_t row = 16;       // bytes
  uint32_t row_shift = 0;  // of the chunks in a row
  bool outer_major = false;

  static SharedTile of(uint64_t descriptor, bool outer_major);
  // Address of the chunk that holds elements (outer, k); chunks are counted along K where that is contiguous.
  uint32_t chunk(uint32_t outer, uint32_t along_k) const {
    const uint32_t chunks = 1u << row_shift, mask = chunks - 1;
    uint32_t at = start;
    if (!outer_major) {
      at +=
          outer / 8 * stride + outer % 8 * row + (along_k >> row_shift) * leading + (along_k & mask) * kChunk;
    } else if (chunks == 1) {
      at += outer / 8 * stride + along_k / 8 * leading + along_k % 8 * kChunk;
    } else {
      const uint32_t block = outer / 8;
      at +=
          (block >> row_shift) * leading + (block & mask) * kChunk + along_k / 8 * stride + along_k % 8 * row;
    }
    return at ^ ((at / 128 - base) & mask) * kChunk;
  }
};

// Element codes of outer indices [first, first + count) and the whole depth; b1 in words of 32 bits.
// Element (o, k) goes to out[o * outer_step + k * depth_step]. Throws Fault beyond the block's shared memory.
struct TileRead {
  int first = 0, count = 0, depth = 0, element_bits = 0;
  int outer_step = 0, depth_step = 0;
};
void read_tile(Warp& w, const Instr& in, const SharedTile& tile, const TileRead& read, uint32_t* out);

}  // namespace gpuloom::ptx
