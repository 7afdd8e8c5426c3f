// SPDX-License-Identifier: Apache-2.0
// Several devices that share addresses and a timeline, and reach each other's memory.
#pragma once
#include <memory>
#include <vector>

#include "sim/runtime/shared_machines.h"

namespace gpuloom::sim {

// What device `number` of `count` on one timeline is made with besides its own options.
void share_timeline(DeviceOptions& options, unsigned number, unsigned count, SharedMachines& machines);
// Their addresses are those of one space; where both of two have a link, each has access to the other's
// memory.
void introduce(const std::vector<Device*>& devices);

// Of one configuration.
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
