// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/matrix/warpgroup_multiply.h"

#include <bit>

#include "ptx/exec/matrix/float_operand.h"
#include "ptx/exec/matrix/fragment_io.h"
#include "ptx/exec/matrix/multiply.h"
#include "ptx/exec/matrix/shared_tile.h"
#include "ptx/exec/matrix/warp_multiply.h"

namespace gpuloom::ptx {
namespace {

constexpr int kRows = 16;     // of a warp
constexpr int kColumns = 16;  // at a time: what multiply() takes
// Of fp8, 13 bits behind the point of the largest term are added up, and an f32 result keeps as many.
// Measured on the H200 (tests/conformance/wgmma): no bit differs in any of its cases.
constexpr int kFp8Bits = 13;

// Elements along K of A and of B: b1 counts in words.
struct Depths {
  int a, b, width;
};
Depths depths_of(const WarpgroupMultiply& g) {
  if (g.shape.a == Type::kB1) return {g.shape.k / 32, g.shape.k / 32, 32};
  return {g.metadata != nullptr ? g.shape.k / 2 : g.shape.k, g.shape.k, static_cast<int>(bits(g.shape.a))};
}

uint64_t descriptor(const Warp& w, Place place) {
  return source<uint64_t>(w, place)[std::countr_zero(w.lanes)];
}

void take_a(Warp& w, const Instr& in, const WarpgroupMultiply& g, const Depths& depth, uint32_t* a) {
  if (g.a_shared) {
    TileRead read;
    read.first = static_cast<int>(w.index_in_cta % 4) * kRows;
    read.count = kRows;
    read.depth = depth.a;
    read.element_bits = depth.width;
    read.outer_step = depth.a;
    read.depth_step = 1;
    read_tile(w, in, SharedTile::of(descriptor(w, g.a), g.a_outer_major), read, a);
  } else {
    gather_a(w, g.a, {kRows, depth.a, depth.width}, a);
  }
  if (!g.negate) return;
  const uint32_t sign = 1u << (depth.width - 1);
  for (int i = 0; i < kRows * depth.a; ++i) a[i] ^= sign;
}

void set_types(const WarpgroupMultiply& g, MatrixProduct& p) {
  p.a_type = g.shape.a;
  p.b_type = g.shape.b;
  p.c_type = p.d_type = g.shape.d;
  p.saturate = g.saturate;
  if (is_float(g.shape.a) && bits(g.shape.a) == 8) p.aligned_bits = p.result_bits = kFp8Bits;
}

}  // namespace

void multiply_warpgroup(Warp& w, const Instr& in, const WarpgroupMultiply& g) {
  const Depths depth = depths_of(g);
  uint32_t a[kMaxElements], b[kMaxElements], c[kRows * kColumns], d[kRows * kColumns];
  uint8_t b_row[kMaxElements];
  MatrixProduct p;
  set_types(g, p);
  p.m = kRows;
  p.k = depth.a;
  p.b_rows = depth.b;
  p.a = a;
  p.b = b;
  p.c = c;
  p.d = d;
  if (g.metadata != nullptr) {
    MatrixShape rows = g.shape;
    rows.m = kRows;
    sparse_rows(rows, g.metadata, g.selector, b_row);
    p.b_row = b_row;
  }
  take_a(w, in, g, depth, a);
  const bool floats = is_float(g.shape.a);
  FloatOperand left, right;
  if (floats) left.take(a, kRows * depth.a, g.shape.a);
  const SharedTile tile = SharedTile::of(descriptor(w, g.b), g.b_outer_major);
  const int d_bits = static_cast<int>(bits(g.shape.d));
  for (int column = 0; column < g.shape.n; column += kColumns) {
    p.n = g.shape.n - column < kColumns ? g.shape.n - column : kColumns;
    const Place place{g.d.at + column / 8 * 4 * d_bits / 32};
    TileRead read;
    read.first = column;
    read.count = p.n;
    read.depth = depth.b;
    read.element_bits = depth.width;
    read.outer_step = 1;
    read.depth_step = p.n;
    read_tile(w, in, tile, read, b);
    if (g.scale_d)
      gather_c(w, place, kRows, p.n, d_bits, c);
    else
      std::memset(c, 0, sizeof c);
    if (floats) {
      right.take(b, p.b_rows * p.n, p.b_type);
      multiply_floats(p, left, right);
    } else {
      multiply(p);
    }
    scatter_d(w, place, kRows, p.n, d_bits, d);
  }
}

}  // namespace gpuloom::ptx
