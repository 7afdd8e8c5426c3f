// SPDX-License-Identifier: Apache-2.0
// Copies of the ABI as copies of the runtime.
#pragma once
#include "sim/cudart/process.h"

namespace gpuloom::cudart {

// Extents with an array count its elements, otherwise bytes. Throws Failure.
host::Copy copy_of(const Copy3D& copy);
void submit_copy(host::Context& c, host::Stream& stream, const host::Copy& copy, bool wait);
// The address of [offset, offset + bytes) of a variable, by its host shadow. Throws Failure.
uint64_t symbol_range(host::Runtime& r, host::Context& c, const void* symbol, size_t offset, size_t bytes);

}  // namespace gpuloom::cudart
