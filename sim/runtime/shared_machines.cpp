// SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/shared_machines.h"

namespace gpuloom::sim {

arch::Simulation& SharedMachines::of(unsigned number) {
  if (host_) return host_->gpu(number);
  const std::vector<Device*> devices = devices_();
  std::vector<arch::GpuConfig> configs;
  for (Device* device : devices) {
    configs.push_back(device->gpu());
    memories_.push_back(&device->memory());
  }
  // Memory of the host is near to whoever asks.
  const auto home = [this](uint64_t address, unsigned asking) {
    for (unsigned k = 0; k < memories_.size(); ++k)
      if (const Allocation* there = memories_[k] != nullptr ? memories_[k]->find(address) : nullptr)
        return there->kind == MemoryKind::kDevice || there->kind == MemoryKind::kMapped ? k : asking;
    return asking;
  };
  host_ = std::make_unique<arch::SharedHost>(configs, devices.front()->simulation_options(), home);
  return host_->gpu(number);
}

void SharedMachines::replace(unsigned number, Device* device) {
  if (host_) memories_.at(number) = device != nullptr ? &device->memory() : nullptr;
}

void SharedMachines::release() {
  host_.reset();
  memories_.clear();
}

}  // namespace gpuloom::sim
