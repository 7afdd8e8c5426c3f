// SPDX-License-Identifier: Apache-2.0
// Tensor copies as asynchronous operations: made at issue, when the map is read, and carried out by
// complete_async.
#pragma once
#include "ptx/exec/tensor_map.h"
#include "ptx/exec/warp.h"

namespace gpuloom::ptx {

// The map at a generic address. Throws Fault.
TensorMap read_tensor_map(Warp& w, const Instr& in, unsigned lane, uint64_t address);
// The same for a map that an instruction changes; `space` global, shared or generic.
uint8_t* tensor_map_bytes(Warp& w, const Instr& in, unsigned lane, Space space, uint64_t address);

// Moves the bytes of an operation that has a tensor transfer.
void complete_tensor(Warp& w, const Instr& in, const AsyncOperation& operation);

}  // namespace gpuloom::ptx
