// SPDX-License-Identifier: Apache-2.0
// wmma.load and wmma.store of global memory (matrix_fragment.cpp).
#pragma once
#include "ptx/exec/matrix/wmma_tile.h"
#include "ptx/machine/rules/rule.h"

namespace gpuloom::ptx {

bool is_fragment(const Selection& s, uint32_t i);
TileAccess tile_of(const Selection& s, uint32_t i);

}  // namespace gpuloom::ptx
