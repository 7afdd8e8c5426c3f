// SPDX-License-Identifier: Apache-2.0
// What rules about copies and barriers of the uniform datapath share: where operands of a tensor copy come
// from, and whether what an operation needs is made anew each time.
#pragma once
#include "ptx/machine/rules/rule.h"

namespace gpuloom::ptx {

// Whether what i needs is made beside it: not in front of a loop around it, in which nothing of it changes.
bool is_made_here(const Selection& s, uint32_t i);

// VOTEU: the uniform datapath knows no lanes, so a guard of lanes becomes one of the warp. Nothing where
// there is no guard. Returns the registers that stand for it.
std::vector<uint32_t> vote_on_guard(const Selection& s, Emitter& out, uint32_t i);

// A tensor copy names consecutive uniform registers: shared memory, the barrier, the coordinates; and two for
// the map. In front of the copy: what makes them.
struct TensorOperands {
  std::vector<uint32_t> made;    // by operations here
  std::vector<uint32_t> shared;  // come to uniform registers later (uniform_descriptors)
};
TensorOperands add_tensor_operands(const Selection& s, Emitter& out, uint32_t i);
void name_tensor_operands(const TensorOperands& operands, Node& copy);

}  // namespace gpuloom::ptx
