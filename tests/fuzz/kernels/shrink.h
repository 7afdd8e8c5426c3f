// SPDX-License-Identifier: Apache-2.0
// Makes a kernel smaller as long as it shows what it shows.
#pragma once
#include <functional>

#include "tests/fuzz/kernels/kernel.h"

namespace gpuloom::fuzz {

// `shows` says whether a kernel still shows it. Statements go, control flow opens, one block and one warp
// remain where they are enough, guards and numbers become simple.
RandomKernel shrink(RandomKernel kernel, const std::function<bool(const RandomKernel&)>& shows);

}  // namespace gpuloom::fuzz
