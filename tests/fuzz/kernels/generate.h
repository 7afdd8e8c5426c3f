// SPDX-License-Identifier: Apache-2.0
// A random kernel from a seed: valid PTX whose result PTX defines.
#pragma once
#include "tests/fuzz/kernels/forms.h"
#include "tests/fuzz/kernels/kernel.h"

namespace gpuloom::fuzz {

RandomKernel generate(uint64_t seed, Forms& forms);

}  // namespace gpuloom::fuzz
