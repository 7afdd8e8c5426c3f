// SPDX-License-Identifier: Apache-2.0
// How far the model may be from a board: what configs/about/expected_errors.yaml says, which `gpuloom score
// --published --expected` writes.
#pragma once
#include <string>

namespace gpuloom::arch {
struct GpuConfig;
}

namespace gpuloom::sim {

// One sentence or two for a configuration that this project has not measured; empty for one that was.
// Throws Error (kInput) where the file is wrong.
std::string expected_error(const arch::GpuConfig& gpu);

}  // namespace gpuloom::sim
