// SPDX-License-Identifier: Apache-2.0
// Whether the arrays of a launch hold what the kernel reads from them.
#pragma once
#include "sim/runtime/launch_file.h"
#include "sim/runtime/module.h"

namespace gpuloom::sim {

// Throws Error (kInput) for a buffer of floats where the kernel reads or writes floats of another size alone,
// as far as its PTX tells. What moves as bits or as integers is taken as bits.
void expect_elements(const LaunchFile& file, const LaunchSpec& launch, const Kernel& kernel);

}  // namespace gpuloom::sim
