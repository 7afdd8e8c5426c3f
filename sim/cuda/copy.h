// SPDX-License-Identifier: Apache-2.0
// Copies of the driver API as copies of the runtime's.
#pragma once
#include "sim/cuda/abi.h"

namespace gpuloom::driver {

// Throws Failure (kInvalidValue).
cudart::Copy3D runtime_copy(const Copy3D& copy);

}  // namespace gpuloom::driver
