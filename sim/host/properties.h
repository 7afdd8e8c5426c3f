// SPDX-License-Identifier: Apache-2.0
// What a program may ask about a device, from its configuration.
#pragma once
#include <optional>
#include <string>

#include "arch/gpu_config.h"
#include "sim/host/costs.h"

namespace gpuloom::host {

// The value of a cudaDeviceAttr (CUDA runtime API 13.0); nothing where there is no such number.
std::optional<int> device_attribute(const arch::GpuConfig& gpu, const Costs& costs, int attribute);

// "NVIDIA H200", as programs print it: the description without the memory.
std::string device_name(const arch::GpuConfig& gpu);

constexpr int kMaxPitchAttribute = 11;

}  // namespace gpuloom::host
