// SPDX-License-Identifier: Apache-2.0
// Writes kernels and their results without time, for device_driver.py to run on a GPU.
#pragma once
#include <cstdint>
#include <string>

#include "tests/fuzz/kernels/check.h"
#include "tests/fuzz/kernels/forms.h"

namespace gpuloom::fuzz {

// batch_NNN.ptx with `size` kernels each, kernels.txt with a line a kernel (seed, batch, grid, block, dynamic
// shared memory, offset of the input, parameters in hexadecimal, hash of the output), input.bin and
// output.bin. Kernels that gpuloom cannot run are left out. Returns how many there are.
uint64_t emit(const std::string& folder, uint64_t seed, uint64_t count, uint64_t size, Forms& forms,
              Checker& checker);

}  // namespace gpuloom::fuzz
