// SPDX-License-Identifier: Apache-2.0
// How the fragments of a wmma matrix are fetched from memory and written to it: as the machine does, in
// several loads or stores of one width, each with the same distances between the lanes (SASS of wmma_gemm on
// sm_90: four LDG.E for a 16 x 16 matrix of f16, followed by MOVM where the other dimension is contiguous).
#pragma once
#include <cstdint>

#include "ptx/exec/matrix/fragment.h"
#include "ptx/exec/warp.h"

namespace gpuloom::ptx {

// A matrix in memory, as A and B: element (outer, k) of M x K or N x K; as C and D: (row, column).
struct Tile {
  OperandShape2D shape;  // accumulators: outer is M, depth is N
  bool accumulator = false;
  bool row_blocks = false;  // registers of A count along M first, those of B along K first (fragment.h)
  bool along_depth = true;  // whether neighbours along depth are neighbours in memory
};

constexpr int kMaxPieces = 16;

struct TileAccess {
  int pieces = 0;
  int bytes = 0;                          // that a lane moves in one piece
  int registers = 0, register_bytes = 0;  // of the fragment
  bool transposed = false;  // pieces are 8 x 8 blocks of 16-bit elements, to be transposed (MOVM)
  int64_t lane_offset[32];
  int64_t piece_offset[kMaxPieces];
  uint8_t piece_register[kMaxPieces], piece_byte[kMaxPieces];
};

// `stride` in elements.
TileAccess tile_access(const Tile& tile, int64_t stride);

// Moves the fragment; where `list` has more places than it has registers, these are copies of the first ones.
// Fills Warp::access. Throws Fault.
void load_tile(Warp& w, const Instr& in, uint32_t lanes, Place base, const TileAccess& access, Place list,
               int registers);
void store_tile(Warp& w, const Instr& in, uint32_t lanes, Place base, const TileAccess& access, Place list);

// Transposes an 8 x 8 matrix of 16-bit elements spread over a warp: lane 4 * r + c holds elements 2 * c and
// 2 * c + 1 of row r.
void transpose_8x8(const uint32_t from[32], uint32_t to[32]);

}  // namespace gpuloom::ptx
