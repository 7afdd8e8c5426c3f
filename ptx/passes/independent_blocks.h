// SPDX-License-Identifier: Apache-2.0
// Whether the blocks of a grid may run in any order, at the same time, with the same result.
#pragma once
#include <string_view>

#include "ptx/ir/program.h"

namespace gpuloom::ptx {

// What lets a block of this program depend on when other blocks run, in a few words; empty where nothing
// does. CUDA says nothing of what weak accesses of several blocks to one location leave there, so those are
// not looked for.
struct BlockDependence {
  std::string_view what;
  uint32_t instruction = 0;
};
BlockDependence find_block_dependence(const Program& program);

}  // namespace gpuloom::ptx
