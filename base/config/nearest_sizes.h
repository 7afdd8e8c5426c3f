// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

namespace gpuloom {

// For a size that is not a multiple of `step`: "the nearest that fit are 49.875MiB and 50.0625MiB".
std::string nearest_sizes(uint64_t size, uint64_t step);

}  // namespace gpuloom
