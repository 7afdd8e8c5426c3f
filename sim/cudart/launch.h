// SPDX-License-Identifier: Apache-2.0
// Launches of the ABI as launches of the runtime.
#pragma once
#include "sim/cudart/process.h"

namespace gpuloom::cudart {

// Of a stub or a kernel handle. Throws Failure.
host::Launch launch_of(host::Runtime& r, host::Context& c, const void* function, Dim3 grid, Dim3 block,
                       void* const* arguments, size_t shared);
host::Launch launch_of(host::Runtime& r, host::Context& c, const KernelNode& node);
// Reads one attribute into the launch; those that only hint at scheduling change nothing here.
void apply(host::Launch& launch, const LaunchAttribute& attribute);
// The window of a launch or stream.
sim::PolicyWindow window_of(const AccessWindow& window);
AccessWindow abi_of(const sim::PolicyWindow& window);

}  // namespace gpuloom::cudart
