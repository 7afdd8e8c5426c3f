// SPDX-License-Identifier: Apache-2.0
// Several devices of one configuration that share addresses and a timeline, and reach each other's memory.
#pragma once
#include <memory>
#include <vector>

#include "sim/runtime/shared_machines.h"

namespace gpuloom::sim {

class DeviceTeam {
 public:
  // As `like`, so many. Throws Error where the configuration has no link.
  DeviceTeam(const DeviceOptions& like, unsigned count);
  std::vector<Device*> all() const;

 private:
  std::vector<std::unique_ptr<Device>> devices_;
  SharedMachines machines_;
};

}  // namespace gpuloom::sim
