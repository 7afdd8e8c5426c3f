// SPDX-License-Identifier: Apache-2.0
// The machines of several devices on one timeline, for timed launches: built when the first is needed, for
// SystemC takes no new module once time has begun.
#pragma once
#include <memory>
#include <vector>

#include "sim/runtime/device.h"

namespace gpuloom::sim {

class SharedMachines {
 public:
  // `devices` gives all devices, by their numbers; it is asked once.
  using DevicesFn = std::function<std::vector<Device*>()>;
  explicit SharedMachines(DevicesFn devices) : devices_(std::move(devices)) {}
  arch::Simulation& of(unsigned number);
  // A kernel has failed on one of them: none can go on.
  bool broken() const { return host_ != nullptr && host_->broken(); }
  // They go; the next call builds them anew.
  void release();
  // The device is made anew, or goes (null), with all of its memory; its machine stays.
  void replace(unsigned number, Device* device);

 private:
  DevicesFn devices_;
  std::vector<const DeviceMemory*> memories_;
  std::unique_ptr<arch::SharedHost> host_;
};

}  // namespace gpuloom::sim
