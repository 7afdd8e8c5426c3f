// SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/device_team.h"

#include "base/error.h"

namespace gpuloom::sim {

DeviceTeam::DeviceTeam(const DeviceOptions& like, unsigned count) : machines_([this] { return all(); }) {
  for (unsigned k = 0; k < count; ++k) {
    DeviceOptions options = like;
    options.placement = HostPlacement::kSameAddress;
    options.share = {k, count};
    options.machine = [this](unsigned number) -> arch::Simulation& { return machines_.of(number); };
    devices_.push_back(std::make_unique<Device>(options));
  }
  if (!devices_.front()->gpu().link.present())
    throw Error(ErrorKind::kUnsupported, devices_.front()->gpu().name + " has no link to another GPU", {},
                "set link.links, or take a configuration that has some: h200, h100-sxm, a100-80g");
  for (Device* device : all())
    for (Device* other : all())
      if (other != device) {
        device->memory().add_peer(other->memory());
        device->memory().set_peer_access(other->memory(), true);
      }
}

std::vector<Device*> DeviceTeam::all() const {
  std::vector<Device*> all;
  for (const auto& device : devices_) all.push_back(device.get());
  return all;
}

}  // namespace gpuloom::sim
