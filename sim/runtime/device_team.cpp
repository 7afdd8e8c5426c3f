// SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/device_team.h"

#include "base/error.h"

namespace gpuloom::sim {

void share_timeline(DeviceOptions& options, unsigned number, unsigned count, SharedMachines& machines) {
  options.placement = HostPlacement::kSameAddress;
  options.share = {number, count};
  options.machine = [&machines](unsigned of) -> arch::Simulation& { return machines.of(of); };
}

void introduce(const std::vector<Device*>& devices) {
  for (Device* device : devices)
    for (Device* other : devices) {
      if (other == device) continue;
      device->memory().add_peer(other->memory());
      device->memory().set_peer_access(other->memory(),
                                       device->gpu().link.present() && other->gpu().link.present());
    }
}

DeviceTeam::DeviceTeam(const DeviceOptions& like, unsigned count) : machines_([this] { return all(); }) {
  for (unsigned k = 0; k < count; ++k) {
    DeviceOptions options = like;
    share_timeline(options, k, count, machines_);
    devices_.push_back(std::make_unique<Device>(options));
  }
  if (!devices_.front()->gpu().link.present())
    throw Error(ErrorKind::kUnsupported, devices_.front()->gpu().name + " has no link to another GPU", {},
                "set link.links, or take a configuration that has some: h200, h100-sxm, a100-80g");
  introduce(all());
}

std::vector<Device*> DeviceTeam::all() const {
  std::vector<Device*> all;
  all.reserve(devices_.size());
  for (const auto& device : devices_) all.push_back(device.get());
  return all;
}

}  // namespace gpuloom::sim
