// SPDX-License-Identifier: Apache-2.0
// The matrix product of a warp on fragments in registers: what mma, mma.sp and wmma.mma share.
#pragma once
#include "ptx/exec/matrix/matrix_shape.h"
#include "ptx/exec/warp.h"

namespace gpuloom::ptx {

// Places of the lists of registers, in the layout of fragment.h.
struct FragmentLists {
  Place d, a, b, c;
};
struct MultiplyOptions {
  bool saturate = false;  // .satfinite
  bool xor_bits = false;  // b1
  uint8_t rounding = 0;   // numeric::Rounding, f64
};

void multiply_fragments(Warp& w, const FragmentLists& lists, const MatrixShape& shape,
                        const MultiplyOptions& options);

// A holds K / 2 columns; `metadata` is the row of 32-bit registers that says which (PTX ISA 9.7.14.6.1),
// `selector` the lanes of each group of four that contribute it.
void multiply_sparse_fragments(Warp& w, const FragmentLists& lists, const MatrixShape& shape,
                               const uint32_t* metadata, unsigned selector, const MultiplyOptions& options);

// The row of B (column of the full A) of each element of a compressed A of 16 rows: [row][K / 2].
void sparse_rows(const MatrixShape& shape, const uint32_t* metadata, unsigned selector, uint8_t* b_row);

// Lanes of a group of four that contribute metadata: 1, 2 or 4.
int metadata_lanes(const MatrixShape& shape);

}  // namespace gpuloom::ptx
