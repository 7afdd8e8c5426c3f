// SPDX-License-Identifier: Apache-2.0
#include "sim/host/conditional.h"

#include <algorithm>

#include "sim/host/status.h"

namespace gpuloom::host {

std::shared_ptr<const ConditionalValue> Conditionals::create(std::optional<uint32_t> at_launch) {
  free_unused();
  sim::DeviceMemory& device = memory_.device();
  const uint64_t handle = device.allocate(sizeof(uint32_t), "the value of a conditional node");
  device.fill(handle, 0, sizeof(uint32_t));
  auto value = std::make_shared<const ConditionalValue>(ConditionalValue{handle, at_launch});
  values_[handle] = value;
  return value;
}

std::shared_ptr<const ConditionalValue> Conditionals::find(uint64_t handle) const {
  const auto known = values_.find(handle);
  require(known != values_.end() && !known->second.expired());
  return known->second.lock();
}

uint32_t Conditionals::read(const ConditionalValue& value) const {
  uint32_t now = 0;
  memory_.device().read(value.handle, &now, sizeof now);
  return now;
}

void Conditionals::free_unused() {
  const auto unused = [](const auto& known) { return known.second.expired(); };
  if (std::none_of(values_.begin(), values_.end(), unused)) return;
  memory_.settle();
  std::erase_if(values_, [&](const auto& known) {
    if (!unused(known)) return false;
    memory_.device().free(known.first);
    return true;
  });
}

}  // namespace gpuloom::host
