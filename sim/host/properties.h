// SPDX-License-Identifier: Apache-2.0
// What a program may ask about a device, from its configuration.
#pragma once
#include <optional>
#include <string>
#include <unordered_map>

#include "arch/gpu_config.h"
#include "sim/streams/costs.h"

namespace gpuloom::host {

// Values of cudaDeviceAttr (CUDA runtime API 13.0), which the driver API shares: from the configuration, and
// from configs/about/device_attributes.yaml where no key says them.
class DeviceAttributes {
 public:
  // Throws Error (kInput) where the file is not right.
  DeviceAttributes(const arch::GpuConfig& gpu, const Costs& costs, unsigned device = 0);
  // Nothing where there is no such number.
  std::optional<int> value(int attribute) const;

 private:
  std::unordered_map<int, int> values_;
};

// "NVIDIA H200", as programs print it: the description without the memory.
std::string device_name(const arch::GpuConfig& gpu);

constexpr int kMaxPitchAttribute = 11, kPciBusAttribute = 33, kSingleToDoubleAttribute = 87;

}  // namespace gpuloom::host
