// SPDX-License-Identifier: Apache-2.0
// CUDA_VISIBLE_DEVICES: which of the machine's devices a program sees, and in which order (CUDA programming
// guide, 5.2.1.1).
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "base/config/config.h"

namespace gpuloom::host {

// The 16 bytes by which CUDA tells devices apart: an identity of our own, the same in every run,
// and other for each number of one configuration.
std::string device_identity(const Config& config, unsigned number);
// The same as users write it: GPU-8932f937-d72c-4106-c12f-20bd9faed9f6.
std::string device_uuid(const Config& config, unsigned number);

// Numbers of the devices, of `count`, that `list` names; all where the variable is not set (null). An entry
// is a number or the beginning of one device's UUID. The first that names no device, or one again, ends the
// list.
std::vector<int> visible_devices(const char* list, int count, const std::function<std::string(int)>& uuid);

}  // namespace gpuloom::host
