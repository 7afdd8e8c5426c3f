// SPDX-License-Identifier: Apache-2.0
// The product of a warpgroup (wgmma.mma_async), a warp at a time: warp i of four makes rows [16 * i, 16 * i +
// 16) of D, which no other warp's registers take part in.
#pragma once
#include "ptx/exec/matrix/matrix_shape.h"
#include "ptx/exec/warp.h"

namespace gpuloom::ptx {

struct WarpgroupMultiply {
  MatrixShape shape;      // of the warpgroup; c is d, k that of the full A
  Place d;                // list
  Place a;                // list, or
  bool a_shared = false;  // the row of a descriptor
  Place b;                // row of a descriptor
  bool scale_d = true;    // whether D is added
  bool negate = false;    // the products
  bool saturate = false;  // integers
  bool a_outer_major = false, b_outer_major = false;
  const uint32_t* metadata = nullptr;  // sparse A: a row of words
  unsigned selector = 0;
};

// Reads shared memory at once. Throws Fault.
void multiply_warpgroup(Warp& w, const Instr& in, const WarpgroupMultiply& product);

}  // namespace gpuloom::ptx
