// SPDX-License-Identifier: Apache-2.0
// What a configuration can at most: the roofs that the report draws, each with the keys that it follows from.
#pragma once
#include <nlohmann/json.hpp>

#include "arch/gpu_config.h"

namespace gpuloom::sim {

// {"name", "sms", "sub_cores", "clock_hz", "warps_per_sm", "bandwidths": [{id, name, bytes_per_s, from}],
//  "rates": [{id, name, operations_per_s, from}]}.
nlohmann::ordered_json hardware_json(const arch::GpuConfig& gpu);

}  // namespace gpuloom::sim
