// SPDX-License-Identifier: Apache-2.0
// What ldmatrix and stmatrix share: 8 x 8 matrices of 16-bit elements in shared memory, whose rows of 16
// bytes lie at the addresses of lanes 8 * matrix .. 8 * matrix + 7 (PTX ISA 9.7.14.5.15).
#pragma once
#include <cstring>

#include "ptx/exec/fault.h"
#include "ptx/exec/matrix/fragment_io.h"
#include "ptx/exec/matrix/tile_access.h"
#include "ptx/exec/memory_flags.h"
#include "ptx/exec/memory_path.h"
#include "ptx/isa/matrix/shape.h"

namespace gpuloom::ptx {

constexpr uint8_t kCountMask = 0x07, kTransposed = 0x10;  // Instr::aux: matrices, and whether .trans

inline unsigned matrices(const FormUse& use) { return use.has(".x4") ? 4 : use.has(".x2") ? 2 : 1; }
inline uint8_t encode_matrices(const FormUse& use) {
  return static_cast<uint8_t>(matrices(use) | (use.has(".trans") ? kTransposed : 0));
}
inline std::string matrices_problem(const FormUse& use, unsigned operand) {
  return list_problem(use, operand, matrices(use), Type::kB32, "r");
}

// Resolves the row addresses; fills Warp::access. Returns the host address of each row.
inline void locate_rows(Warp& w, const Instr& in, uint32_t lanes, Place base, AccessOp op,
                        uint8_t* (&rows)[32]) {
  const unsigned count = (in.aux & kCountMask) * 8u;
  lanes &= count == 32 ? ~0u : (1u << count) - 1;
  for (uint8_t*& row : rows) row = nullptr;
  if (lanes == 0) return;
  const Located where = locate(w, in, base, lanes, 16, op);
  MemoryAccess& access = w.access;
  access.rows = static_cast<uint8_t>(count);
  for_lanes(lanes, [&](unsigned l) {
    const Space space = access.mixed_spaces ? access.space_of[l] : access.space;
    if (space != Space::kShared && space != Space::kSharedCluster)
      fault_address(w, in, l, FaultKind::kWrongSpace,
                    op == AccessOp::kMatrixLoad ? "reads a matrix outside shared memory"
                                                : "writes a matrix outside shared memory",
                    space, access.address[l], 16);
    rows[l] =
        where.linear ? reinterpret_cast<uint8_t*>(where.base + access.address[l]) : lane_pointer(w, l, 0);
  });
}

}  // namespace gpuloom::ptx
